"""The reshapes and transposes of a body that are views of its arguments or results.

    %0 = reshape %x            a view of an argument
    %1 = transpose %0          still one: a reshape, then a transpose
    %2 = add %1, %b
    %3 = reshape %2            between: %4 reads it
    %4 = relu %3
    %5 = reshape %4            a view of a result: only the yield reads it
    yield %5

A view costs nothing in a kernel: it only determines how memory is walked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import SqueezeOp, TransposeOp, UnsqueezeOp

RegroupOp = ReshapeOp | SqueezeOp | UnsqueezeOp
"""The ops that keep the row-major order of the elements."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """A value that a body reads: `argument`, as `shape`, then its dims in the order `permutation`.

    `value` is the result of the last view of the chain, or the argument itself.
    """

    value: SSAValue
    argument: SSAValue
    shape: Shape
    permutation: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class BodyViews:
    """The ops of a body: those between, in order; views of arguments; views of results.

    `leaves` has every value that ops between or views of results read and that is not a result of
    an op between. `results` are values of ops between, or leaves, that are read outside or by a
    view of a result.
    """

    between: tuple[Operation, ...]
    leaves: Mapping[SSAValue, Leaf]
    ends: tuple[RegroupOp, ...]
    results: tuple[SSAValue, ...]


def is_read_outside(value: SSAValue, inside: set[Operation]) -> bool:
    """Whether an op that is not in `inside` reads `value`."""
    return any(use.operation not in inside for use in value.uses)


def _leaf(value: SSAValue, views: dict[SSAValue, Leaf]) -> Leaf:
    return views.get(value) or Leaf(value, value, shape_of(value))


def _view(op: ComputeOp, computed: set[SSAValue], views: dict[SSAValue, Leaf]) -> Leaf | None:
    """The leaf that `op` gives when it is a view of an argument."""
    if not isinstance(op, RegroupOp | TransposeOp) or op.operand in computed:
        return None
    source = _leaf(op.operand, views)
    if source.permutation is not None:
        return None
    if isinstance(op, TransposeOp):
        return Leaf(op.result, source.argument, source.shape, op.permutation)
    return Leaf(op.result, source.argument, shape_of(op.result))


def body_views(ops: Sequence[Operation], outputs: Iterable[SSAValue] | None = None) -> BodyViews:
    """Classify the computing ops of a body; other ops count as outside.

    Args:
        ops: in the order of execution.
        outputs: the values that are read outside; None: the values with such a reader now.
    """
    computing = [op for op in ops if isinstance(op, ComputeOp)]
    inside: set[Operation] = set(computing)
    read_outside = (
        {op.results[0] for op in computing if is_read_outside(op.results[0], inside)}
        if outputs is None
        else set(outputs)
    )
    computed: set[SSAValue] = set()
    views: dict[SSAValue, Leaf] = {}
    between: list[Operation] = []
    ends: list[RegroupOp] = []
    for op in computing:
        result = op.results[0]
        if (view := _view(op, computed, views)) is not None:
            views[result] = view
            continue
        computed.add(result)
        if (
            isinstance(op, RegroupOp)
            and result in read_outside
            and not any(use.operation in inside for use in result.uses)
        ):
            ends.append(op)
        else:
            between.append(op)
    read = dict.fromkeys(v for op in (*between, *ends) for v in op.operands if v not in computed)
    results = dict.fromkeys(
        (
            *(op.results[0] for op in between if op.results[0] in read_outside),
            *(op.operand for op in ends),
        )
    )
    return BodyViews(
        tuple(between),
        MappingProxyType({v: _leaf(v, views) for v in read}),
        tuple(ends),
        tuple(results),
    )
