"""The values at the boundary of a kernel, and the values that its cut carries past it.

The latter go from the session before to the session after:

    %0 = onnx.node "Conv"(%x)                 an image, in the engine's blocked layout
    %1 = onnx.node "GlobalAveragePool"(%0)
    %2 = snippets.hsigmoid %1                 the kernel: it touches a few numbers
    %3 = snippets.multiply %0, %2             runs after it, and %0 has crossed

Sessions run in the order of the text: ops before the last op of the kernel run before it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType, UnregisteredOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view
from snippets_mlir.dialects.snippets.rules.match import makes_constants
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.support.walking import operands_of, ops_of, used_outside


@dataclass(frozen=True)
class _Life:
    """A value from the place of its op to the place of its last reader."""

    value: SSAValue
    first: int
    last: int


@dataclass
class Lives:
    """How long the computed tensors of a block live.

    Attributes:
        places: the ops by their place.
        tensors: the tensors of the block, including constants.
    """

    places: dict[Operation, int]
    tensors: list[SSAValue] = field(default_factory=list[SSAValue])
    _lives: list[_Life] = field(default_factory=list[_Life])

    @staticmethod
    def of(block: Block) -> Lives:
        """The lives in `block`."""
        found = Lives({op: place for place, op in enumerate(ops_of(block))})
        constants: set[Operation] = set()  # also ops that the engine folds
        for op, place in found.places.items():
            operands = operands_of(op)
            constant = makes_constants(type(op)) and not isinstance(op, UnregisteredOp)
            made = bool(operands) and all([v.owner in constants for v in operands])
            if constant or (made and not (isinstance(op, NodeOp) and op.is_random)):
                constants.add(op)
            for value in op.results:
                if not isinstance(value.type, TensorType):
                    continue
                found.tensors.append(value)
                users = (u.operation for u in value.uses if u.operation.name != "func.return")
                last = max((found.places.get(user, place) for user in users), default=place)
                if last > place + 1 and op not in constants:
                    found._lives.append(_Life(value, place, last))
        return found

    def crossing(self, ops: Collection[Operation], touched: Collection[SSAValue]) -> list[SSAValue]:
        """The values that live on both sides of `ops`, without the `touched` values."""
        at = max(self.places[op] for op in ops)
        return [
            life.value
            for life in self._lives
            if life.first < at < life.last
            and life.value not in touched
            and life.value.owner not in ops
        ]


Boundary = tuple[Sequence[SSAValue], Sequence[SSAValue]]
"""The tensors that some ops read from outside, and those that they compute for it."""


def boundary(ops: Collection[Operation], inside: Collection[Operation] = ()) -> Boundary:
    """The tensors that `ops` read from outside, without constants, and the tensors used outside.

    `inside` are the ops that are not outside, `ops` themselves unless given.
    """
    inside = inside or set(ops)
    reads = dict.fromkeys(
        v for op in ops for v in operands_of(op) if v.owner not in inside and not is_constant(v)
    )
    return [*reads], used_outside(ops, inside)


def is_constant(value: SSAValue) -> bool:
    """Whether a value is a constant, moved or not: the engine moves it when it loads the model."""
    while isinstance(value, OpResult) and isinstance(value.op, LayoutOp):
        value = operands_of(value.op)[0]
    return isinstance(value, OpResult) and makes_constants(type(value.op))


def is_computed(value: SSAValue) -> bool:
    """Whether an op computes a value in each run; checked indices count as their operand."""
    while isinstance(value.owner, CheckIndicesOp):
        value = value.owner.indices
    return isinstance(value.owner, Operation) and not is_constant(value)


def moves_elements(op: Operation) -> bool:
    """Whether `op` only renames or slices elements: between kernels it needs no session."""
    return is_view(op) or isinstance(op, SliceOp)


def needs_no_session(op: Operation) -> bool:
    """Whether `op` is a step of its own between kernels: it moves elements or checks indices."""
    return moves_elements(op) or isinstance(op, CheckIndicesOp)
