"""The relations between the dims of an op's operands and of its result.

| op | dims |
|---|---|
| element by element, broadcasts | aligned dims of one size are the same |
| reductions | dims that are not reduced are the same |
| transpose, squeeze, unsqueeze | dims are the same, at other places |
| reshape | groups of dims with equal products |
| softmax, layer_norm, rms_norm, mvn | as element by element |
| instance_norm, batch_norm | the same, and a parameter's dim is the channels |
| group_norm | the same, and the channels are cut into groups |
| concats, slices, gathers, cumulative ops, products, others | none: they are not regrouped |

Dims of size 1 are ignored: they may be anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.graph.body_views import BodyViews
from snippets_mlir.analysis.graph.dim_classes import DimClasses, NoRefinementError
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.channel_norms import ChannelNormOp, GroupNormOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, SqueezeOp, TransposeOp, UnsqueezeOp
from snippets_mlir.dialects.snippets.normalization import NormalizationOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

Item = int | None
"""A dim of a value in `DimClasses`; None for a dim of size 1."""


class DimRelations:
    """The items of every value that the ops between read or make, and how they are related."""

    def __init__(self, views: BodyViews) -> None:
        self.classes = DimClasses()
        self.items: dict[SSAValue, tuple[Item, ...]] = {}
        for value in views.leaves:
            self._add(value)
        for op in views.between:
            self._add(op.results[0])
            self._relate(op)

    def present(self, value: SSAValue) -> list[int]:
        """The items of the dims of `value` whose size is not 1."""
        return [item for item in self.items[value] if item is not None]

    def _add(self, value: SSAValue) -> None:
        self.items[value] = tuple(
            None if size == 1 else self.classes.add(size) for size in shape_of(value)
        )

    def _same(self, operand: Item, result: Item) -> None:
        """A dim of an operand is one of the result, unless it is repeated."""
        if operand is None:
            return
        if result is None:
            raise NoRefinementError("a dim of unknown size becomes one of size 1")
        self.classes.same(operand, result)

    def _identical(self, operand: Sequence[Item], result: Sequence[Item]) -> None:
        """Dims that are never repeated."""
        for a, b in zip(operand, result, strict=True):
            if (a is None) != (b is None):
                raise NoRefinementError("a dim of unknown size becomes one of size 1")
            self._same(a, b)

    def _relate(self, op: Operation) -> None:
        result = self.items[op.results[0]]
        if not isinstance(op, WholeTensorOp):
            for value in op.operands:
                self._aligned(self.items[value], result)
            return
        operand = self.items[op.operands[0]] if op.operands else ()
        match op:
            case TransposeOp():
                self._identical([operand[dim] for dim in op.permutation], result)
            case SqueezeOp():
                self._renamed(operand, op.axes, result)
            case UnsqueezeOp():
                self._renamed(result, op.axes, operand)
            case ReshapeOp():
                self.classes.regroup(self.present(op.operand), self.present(op.result))
            case ReduceOp():
                kept = [dim for dim in range(len(operand)) if dim not in op.axes]
                places = kept if op.keeps_dims else range(len(kept))
                self._identical([operand[d] for d in kept], [result[d] for d in places])
            case ChannelNormOp():
                self._channels(op, result)
            case LayoutOp():
                raise NoRefinementError(f"{op.name} leaves elements out")
            case CumulativeOp():
                raise NoRefinementError(f"the dims of {op.name} are not regrouped")
            case PlacesOp():
                raise NoRefinementError("the dims of a gather are not regrouped")
            case SliceOp():
                raise NoRefinementError("the dims of a slice are not regrouped")
            case MatMulOp():
                raise NoRefinementError("the dims of a product are not regrouped")
            case NormalizationOp():
                for value in op.operands:
                    self._aligned(self.items[value], result)
            case _:
                raise NoRefinementError(f"the dims of {op.name} are not regrouped")

    def _aligned(self, operand: Sequence[Item], result: Sequence[Item]) -> None:
        for a, b in zip(operand, result[len(result) - len(operand) :], strict=True):
            self._same(a, b)

    def _renamed(
        self, longer: Sequence[Item], axes: Sequence[int], shorter: Sequence[Item]
    ) -> None:
        """`shorter` is `longer` without the dims `axes`."""
        if any(longer[axis] is not None for axis in axes):
            raise NoRefinementError("a dim of unknown size is squeezed")
        self._identical([i for d, i in enumerate(longer) if d not in axes], shorter)

    def _channels(self, op: ChannelNormOp, result: Sequence[Item]) -> None:
        self._aligned(self.items[op.x], result)
        for parameter in op.parameters:
            self._same(self.items[parameter][0], result[1])
        channels = shape_of(op.x)[1]
        if isinstance(op, GroupNormOp) and (item := result[1]) is not None:
            inner = channels // op.num_groups
            if inner not in (0, 1, channels):
                self.classes.cut(item, inner)
