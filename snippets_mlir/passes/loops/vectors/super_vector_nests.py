"""Find the ops on super-vectors that share loops over tiles: the nests of a function.

A block is read op by op. The ops of the current nest move down to its end, so it ends before an op
that they may not pass: other effects, and uses of their whole results. Values that are used after
the end go through a buffer, and so do vectors that an op produces as a whole.
"""

from __future__ import annotations

from xdsl.dialects import func, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator, is_side_effect_free

from snippets_mlir.dialects.vector.ops import ReductionOp
from snippets_mlir.passes.building.affine_values import IndexBuilder
from snippets_mlir.passes.loops.vectors.super_vector_buffers import Buffers
from snippets_mlir.passes.loops.vectors.super_vector_memory import put_into_memory
from snippets_mlir.passes.loops.vectors.super_vectors import (
    ACCESSES,
    Bound,
    Transfer,
    is_made_again,
)
from snippets_mlir.passes.loops.vectors.tile_accesses import (
    Access,
    disturbs,
    put_access,
    put_transfer,
)
from snippets_mlir.passes.loops.vectors.tile_ends import tile_ends
from snippets_mlir.passes.loops.vectors.tiled_loops import accesses_in, put_loop, tiled_shape
from snippets_mlir.passes.loops.vectors.tiled_reductions import reduce_in_loops
from snippets_mlir.passes.loops.vectors.vector_tiles import (
    Place,
    build_nest,
    put_again,
    put_tile,
    tile_of,
)
from snippets_mlir.support.walking import ops_inside


class NestFinder:
    """One function during the search: the members of the current nest, and the buffers."""

    def __init__(self, function: func.FuncOp, bound: Bound) -> None:
        self._function = function
        self._bound = bound
        self._buffers = Buffers(function)
        self._loops: dict[Operation, tuple[int, ...]] = {}
        self._whole: set[Operation] = set()
        self._members: dict[Operation, None] = {}
        self._shape: tuple[int, ...] = ()
        self._accesses: dict[Access, None] = {}

    def run(self) -> None:
        """Process block by block, from the outside to the inside."""
        for block in self._function.body.blocks:
            self._find_loops(block)
        put_into_memory(self._function, self._bound, self._buffers, self._loops)
        for op in list(ops_inside(self._function)):
            if isinstance(op, ReductionOp) and self._bound.is_large(op.vector.type):
                reduce_in_loops(op, self._bound, self._buffers)
        for block in self._function.body.blocks:
            self._block(block)
        made_again = [
            op
            for op in ops_inside(self._function)
            if op.results and self._bound.is_large(op.results[0].type)
        ]
        for op in reversed(made_again):
            if op.results[0].first_use is None and is_made_again(op.results[0]):
                op.detach()
                op.erase()

    def _find_loops(self, block: Block) -> None:
        """Note the outermost loops that come in tiles."""
        for op in block.ops:
            shape = tiled_shape(op, self._bound) if isinstance(op, scf.ForOp) else None
            if shape is not None:
                self._loops[op] = shape
                continue
            for region in op.regions:
                for inner in region.blocks:
                    self._find_loops(inner)

    def _shape_of(self, op: Operation) -> tuple[int, ...] | None:
        """The shape of the super-vectors of an op that comes in tiles, None for another op."""
        if op in self._whole:
            return None
        return self._loops.get(op) or self._bound.shape(op)

    def _users(self, value: SSAValue) -> list[Operation]:
        """The users of a value: for an op in a loop that comes in tiles, that loop."""
        users: dict[Operation, None] = {}
        for use in value.uses:
            op: Operation | None = use.operation
            while op is not None and op not in self._loops:
                op = op.parent_op()
            users[use.operation if op is None else op] = None
        return list(users)

    def _block(self, block: Block) -> None:
        for argument in block.args:
            first = block.first_op
            if first is not None and self._bound.is_large(argument.type):
                self._spill(argument, first)
        op = block.first_op
        while op is not None:
            shape = self._shape_of(op)
            if self._members and self._ends(op, shape):
                op = self._close(op)
                continue
            following = op.next_op
            if shape is not None:
                self._shape = shape
                self._members[op] = None
                self._accesses.update(dict.fromkeys(accesses_in(op)))
                op = following
                continue
            for result in op.results:
                if following is not None and self._bound.is_large(result.type):
                    self._spill(result, following)
            following = op.next_op
            for region in op.regions:
                for inner in region.blocks:
                    self._block(inner)
            op = following

    def _ends(self, op: Operation, shape: tuple[int, ...] | None) -> bool:
        """Whether the current nest has to end before `op`."""
        if shape is None:
            uses = any(value.owner in self._members for value in op.operands)
            terminates = op.has_trait(IsTerminator)
            return uses or terminates or bool(op.regions) or not is_side_effect_free(op)
        if shape != self._shape:
            return True
        return any(disturbs(old, new) for new in accesses_in(op) for old in self._accesses)

    def _spill(self, value: SSAValue, at: Operation) -> None:
        """Let members that use a whole vector read it from a buffer, written before `at`."""
        if is_made_again(value):
            return
        members = [op for op in self._users(value) if self._shape_of(op) is not None]
        if not members:
            return
        buffer = self._buffers.new(value.type, at)
        self._whole.add(self._buffers.write(value, buffer, at))
        for user in members:
            self._read(value, buffer, user)

    def _close(self, at: Operation) -> Operation:
        """Make the loops of the current nest before `at`; returns the place to continue."""
        members, inside = list(self._members), self._members
        self._members, self._accesses = {}, {}
        crossing: list[tuple[SSAValue, SSAValue, list[Operation]]] = []
        for value in [result for op in members for result in op.results]:
            users = [user for user in self._users(value) if user not in inside]
            if users:
                buffer = self._buffers.new(value.type, at)
                members.append(self._buffers.write(value, buffer, at))
                crossing.append((value, buffer, users))
        live, last = _live(members), None
        if live:
            repeats = any(op.regions for op in live)
            tile = tile_of(self._shape, self._bound, repeats=repeats)
            loops = [size > step for size, step in zip(self._shape, tile, strict=True)]
            ends = tile_ends(live, loops, IndexBuilder(at))
            build_nest(at, self._shape, tile, ends, lambda place: self._fill(live, place))
            last = at.prev_op
        for value, buffer, users in crossing:
            for user in users:
                self._read(value, buffer, user)
        following = at if last is None else last.next_op
        for op in reversed(members):
            op.detach()
            op.erase()
        assert following is not None
        return following

    def _read(self, value: SSAValue, buffer: SSAValue, user: Operation) -> None:
        """Let `user` read `value` from its buffer."""
        read = self._buffers.read(buffer, value.type, user)
        if self._shape_of(user) is None:
            self._whole.add(read)
        for op in user.walk() if user in self._loops else (user,):
            if value in op.operands:
                op.operands = [read.results[0] if v is value else v for v in op.operands]

    def _fill(self, members: list[Operation], place: Place) -> None:
        """Make one tile of every member; other ops in loops are copied."""
        for op in members:
            if isinstance(op, scf.ForOp):
                put_loop(op, place, self._fill)
            elif self._bound.shape(op) is None:
                if not self._bound.touches(op):
                    put_again(op, place)
            elif isinstance(op, Transfer):
                put_transfer(op, place)
            elif isinstance(op, ACCESSES):
                put_access(op, place)
            else:
                put_tile(op, place, [place.tile(value) for value in op.operands])


def _live(members: list[Operation]) -> list[Operation]:
    """The members that write, and the ops that they need, in order."""
    needed: set[SSAValue] = set()
    found: list[Operation] = []
    for op in reversed(members):
        writes = any(access.writes for access in accesses_in(op))
        if writes or any(result in needed for result in op.results):
            needed.update(value for inner in op.walk() for value in inner.operands)
            found.append(op)
    return found[::-1]
