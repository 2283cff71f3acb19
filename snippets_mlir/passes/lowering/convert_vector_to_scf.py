"""Make loops over tiles of large super-vectors.

    %a = vector.transfer_read %A[%i, %j], %p : memref<?x?xf32>, vector<32x256xf32>
    %s = arith.addf %a, %a : vector<32x256xf32>
    vector.transfer_write %s, %B[%i, %j] : vector<32x256xf32>, memref<?x?xf32>

becomes, for 8 lanes and tiles of 8 vectors,

    scf.for %r = %c0 to %rows step %c2 {          // %rows: 32, or what is left of %B
      scf.for %c = %c0 to %columns step %c32 {    // %columns: 256, or what is left of %B
        %x = arith.addi %i, %r : index
        %y = arith.addi %j, %c : index
        %a = vector.transfer_read %A[%x, %y], %p : memref<?x?xf32>, vector<2x32xf32>
        %s = arith.addf %a, %a : vector<2x32xf32>
        vector.transfer_write %s, %B[%x, %y] : vector<2x32xf32>, memref<?x?xf32>
      }
    }

`vector-unroll` would write all vectors of the target side by side: code, and the time to compile
it, as large as the super-vector. This pass takes vectors of more than `most` of them and leaves
tiles of up to `tile`. Ops that follow one another in a block share their loops when each tile of a
result needs that tile of the operands alone, and when no write of one tile touches what another
tile reads or writes: memory is provably different (allocations; arguments that are
`llvm.noalias`), or read and written at the same indices. Otherwise other loops follow, and values
that cross lie in a buffer (`super_vector_memory.py`), as do values that loops carry, unless the
loop runs in each tile (`tiled_loops.py`). What is made of scalars alone (constants, broadcasts,
masks) is made where it is used.

`lanes=0` takes the lanes of the module's target, as `vector-unroll` does. Left as they are, for
`vector-unroll`: smaller vectors; reductions, contractions, shuffles, casts of shape, insertions and
extractions at dynamic positions; masks in another order than the vector's, unless they are
`vector.create_mask` or `vector.constant_mask`. Exact: each element is computed by the same ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, is_side_effect_free

from snippets_mlir.passes.lowering.affine_values import IndexBuilder
from snippets_mlir.passes.lowering.conversion import kernel_functions
from snippets_mlir.passes.lowering.super_vector_memory import Buffers, put_into_memory
from snippets_mlir.passes.lowering.super_vectors import ACCESSES, Bound, Transfer, is_made_again
from snippets_mlir.passes.lowering.tile_accesses import (
    Access,
    disturbs,
    put_access,
    put_transfer,
)
from snippets_mlir.passes.lowering.tile_ends import tile_ends
from snippets_mlir.passes.lowering.tiled_loops import accesses_in, put_loop, tiled_shape
from snippets_mlir.passes.lowering.vector_tiles import (
    Place,
    build_nest,
    put_again,
    put_tile,
    tile_of,
)
from snippets_mlir.passes.lowering.vector_unroll import lanes_of_target
from snippets_mlir.walking import ops_inside

MOST = 16
"""More vectors of the target than this have no registers, even where there are 32 (AVX-512)."""
TILE = 8
"""Half of the registers of AVX2: the other half is for what else a loop needs."""


class _Function:
    """One function on its way: the members of the nest that is open, and where memory is."""

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
        """Block by block, from the outside to the inside."""
        for block in self._function.body.blocks:
            self._find_loops(block)
        put_into_memory(self._function, self._bound, self._buffers, self._loops)
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
        """What uses a value: for an op in a loop that comes in tiles, that loop."""
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
        """Whether the open nest has to end in front of `op`."""
        if shape is None:
            uses = any(value.owner in self._members for value in op.operands)
            terminates = op.has_trait(IsTerminator)
            return uses or terminates or bool(op.regions) or not is_side_effect_free(op)
        if shape != self._shape:
            return True
        return any(disturbs(old, new) for new in accesses_in(op) for old in self._accesses)

    def _spill(self, value: SSAValue, at: Operation) -> None:
        """Let members that use a whole vector read it from a buffer, written in front of `at`."""
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
        """Make the loops of the open nest in front of `at`; return where to go on."""
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
        """Make one tile of every member; what else there is in loops is made again."""
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
    """The members that write, and what they need, in order."""
    needed: set[SSAValue] = set()
    found: list[Operation] = []
    for op in reversed(members):
        writes = any(access.writes for access in accesses_in(op))
        if writes or any(result in needed for result in op.results):
            needed.update(value for inner in op.walk() for value in inner.operands)
            found.append(op)
    return found[::-1]


@dataclass(frozen=True)
class ConvertVectorToScfPass(ModulePass):
    """Make loops over vectors of the target of large super-vectors."""

    name: ClassVar[str] = "convert-vector-to-scf"

    lanes: int = 0
    """Elements of a vector of the target; 0 for the module's target."""
    most: int = MOST
    """A vector that is made of so many vectors of the target stays as it is."""
    tile: int = TILE
    """The vectors of the target in a tile, at most `most`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that have large vectors."""
        tile = min(self.tile, self.most)
        bound = Bound(self.lanes or lanes_of_target(op), self.most, tile)
        for function in kernel_functions(op):
            if isinstance(function, func.FuncOp) and any(map(bound.touches, ops_inside(function))):
                _Function(function, bound).run()
