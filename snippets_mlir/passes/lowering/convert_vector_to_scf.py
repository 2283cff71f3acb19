"""Make loops over vectors of the target of large super-vectors.

    %a = vector.transfer_read %A[%i, %j], %p : memref<?x?xf32>, vector<32x256xf32>
    %s = arith.addf %a, %a : vector<32x256xf32>
    vector.transfer_write %s, %B[%i, %j] : vector<32x256xf32>, memref<?x?xf32>

becomes, for 8 lanes,

    scf.for %r = %c0 to %c32 step %c1 {
      scf.for %c = %c0 to %c256 step %c8 {
        %x = arith.addi %i, %r : index
        %y = arith.addi %j, %c : index
        ... (whether row %x is inside)
        %a = vector.transfer_read %A[%x, %y], %p, %m : memref<?x?xf32>, vector<8xf32>
        %s = arith.addf %a, %a : vector<8xf32>
        vector.transfer_write %s, %B[%x, %y], %m : vector<8xf32>, memref<?x?xf32>
      }
    }

`vector-unroll` would write all vectors of the target side by side: code, and the time to compile
it, as large as the super-vector. This pass takes the vectors that would be more than `most` of
them. Ops that follow one another in a block share their loops when each slice of a result needs the
same slice of the operands, and when no write of one slice touches what another slice reads or
writes: memory is provably different (allocations; arguments that are `llvm.noalias`), or read and
written at the same indices. Otherwise other loops follow, and values that cross lie in a buffer
(`super_vector_memory.py`), as do values that loops carry. What is made of scalars alone (constants,
broadcasts, masks) is made where it is used.

`lanes=0` takes the lanes of the module's target, as `vector-unroll` does. Left as they are, for
`vector-unroll`: smaller vectors; reductions, contractions, shuffles, casts of shape, insertions and
extractions at dynamic positions; masks in another order than the vector's, unless they are
`vector.create_mask` or `vector.constant_mask`. Exact: each element is computed by the same ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, is_side_effect_free

from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.passes.lowering.conversion import kernel_functions
from snippets_mlir.passes.lowering.slice_accesses import (
    Access,
    access_of,
    disturbs,
    slice_access,
    slice_transfer_read,
    slice_transfer_write,
)
from snippets_mlir.passes.lowering.slice_nests import Place, build_nest, slice_elementwise
from snippets_mlir.passes.lowering.super_vector_memory import Buffers, put_into_memory
from snippets_mlir.passes.lowering.super_vectors import ACCESSES, Bound, is_made_again
from snippets_mlir.passes.lowering.vector_unroll import lanes_of_target
from snippets_mlir.walking import ops_inside

MOST = 8
"""See docs/vectorizer.md, "To machine code"."""


def _fill(members: list[Operation], place: Place) -> None:
    """Make one slice of every member."""
    for op in members:
        if isinstance(op, TransferReadOp):
            made = slice_transfer_read(op, place)
        elif isinstance(op, TransferWriteOp):
            made = slice_transfer_write(op, place)
        elif isinstance(op, ACCESSES):
            made = slice_access(op, place)
        else:
            made = slice_elementwise(op, place)
        for old, new in zip(op.results, made, strict=True):
            new.name_hint = new.name_hint or old.name_hint
            place.made[old] = new


class _Function:
    """One function on its way: the members of the nest that is open, and where memory is."""

    def __init__(self, function: func.FuncOp, bound: Bound) -> None:
        self._function = function
        self._bound = bound
        self._buffers = Buffers(function)
        self._whole: set[Operation] = set()
        self._members: dict[Operation, None] = {}
        self._shape: tuple[int, ...] = ()
        self._accesses: dict[Access, None] = {}

    def run(self) -> None:
        """Block by block, from the outside to the inside."""
        put_into_memory(self._function, self._bound, self._buffers)
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

    def _block(self, block: Block) -> None:
        for argument in block.args:
            first = block.first_op
            if first is not None and self._bound.is_large(argument.type):
                self._spill(argument, first)
        op = block.first_op
        while op is not None:
            shape = None if op in self._whole else self._bound.shape(op)
            if self._members and self._ends(op, shape):
                op = self._close(op)
                continue
            following = op.next_op
            if shape is not None:
                self._shape = shape
                self._members[op] = None
                access = access_of(op)
                if access is not None:
                    self._accesses[access] = None
            else:
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
        access = access_of(op)
        return access is not None and any(disturbs(old, access) for old in self._accesses)

    def _spill(self, value: SSAValue, at: Operation) -> None:
        """Let members that use a whole vector read it from a buffer, written in front of `at`."""
        if is_made_again(value):
            return
        users = dict.fromkeys(use.operation for use in value.uses)
        members = [op for op in users if op not in self._whole and self._bound.shape(op)]
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
            users = [use.operation for use in value.uses if use.operation not in inside]
            if users:
                buffer = self._buffers.new(value.type, at)
                members.append(self._buffers.write(value, buffer, at))
                crossing.append((value, buffer, list(dict.fromkeys(users))))
        live, last = _live(members), None
        if live:
            build_nest(at, self._shape, self._bound.lanes, lambda place: _fill(live, place))
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
        if user in self._whole or self._bound.shape(user) is None:
            self._whole.add(read)
        user.operands = [read.results[0] if v is value else v for v in user.operands]


def _live(members: list[Operation]) -> list[Operation]:
    """The members that write, and what they need, in order."""
    needed: set[SSAValue] = set()
    found: list[Operation] = []
    for op in reversed(members):
        if not op.results or any(result in needed for result in op.results):
            needed.update(op.operands)
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

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions that have large vectors."""
        bound = Bound(self.lanes or lanes_of_target(op), self.most)
        for function in kernel_functions(op):
            if isinstance(function, func.FuncOp) and any(map(bound.touches, ops_inside(function))):
                _Function(function, bound).run()
