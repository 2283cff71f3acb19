"""Write the normalizations as reductions and ops that work element by element.

    %1 = snippets.layer_norm %x, %s, %b {axis = 1 : i64, epsilon = 1.0e-5 : f64} : ..

becomes

    %2 = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %3 = snippets.divide %2, %n          %n is the number of elements, a snippets.scalar
    %4 = snippets.subtract %x, %3
    %5 = snippets.multiply %4, %4
    %6 = snippets.reduce_sum %5 {axes = array<i64: 1>, keep_dims} : ..
    %7 = snippets.divide %6, %n
    %8 = snippets.sqrt of %7 + epsilon
    %1 = %4 / %8 * %s + %b

* The variance is the mean of squared differences from the mean, in two passes over the data, as
  x*x - mean*mean would cancel.
* `rms_norm` has no mean to subtract; `mvn` adds epsilon inside or outside of the root and may stop
  before the variance; `batch_norm` has its statistics as operands and reduces nothing.
* Parameters [C] become [C, 1, ..] beside an operand [N, C, ..]. `group_norm` reshapes the operand
  to [N, G, C / G, ..] and the result back; not for one group, nor for groups of one channel.

Refuses a sum over dims of unknown size, whose count is not known (other dims may be unknown; of a
size with symbols the count is a `#snippets.size`), with the reason on the op. 16-bit floats are
converted to f32 and back, as the ops compute them. Ops marked `snippets.skipped` stay. Exact.
Source: the guide's GNDecomposition, which groups in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FloatAttr, ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dims import Shape, known_multiple
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    BatchNormOp,
    ChannelNormOp,
    GroupNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.elementary import SqrtOp
from snippets_mlir.dialects.snippets.normalization import LayerNormOp, NormalizationOp, RmsNormOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.graph import OpBuilder, computing_ops, leave, tensor_blocks
from snippets_mlir.passes.graph.decompose.means import add_mean, why_no_mean

_NORMS = (ChannelNormOp, LayerNormOp, MvnOp, RmsNormOp)


@dataclass(frozen=True)
class Grouping:
    """How a normalization sees its operand.

    Attributes:
        shape: of the operand while it is normalized.
        axes: the dims of `shape` that the sums run over.
        parameters: the shape of each parameter beside `shape`; None: as it is.
    """

    shape: Shape
    axes: tuple[int, ...]
    parameters: Shape | None


def _per_channel(shape: Shape) -> Shape:
    return (shape[1], *(1,) * (len(shape) - 2))


def _groups(shape: Shape, count: int) -> Grouping | str:
    """The grouping for `count` groups of channels."""
    channels, rank = shape[1], len(shape)
    if count == 1:
        return Grouping(shape, tuple(range(1, rank)), _per_channel(shape))
    if count == channels:
        return Grouping(shape, tuple(range(2, rank)), _per_channel(shape))
    if channels == DYNAMIC or not known_multiple(channels, count):
        return "the number of channels is not known; compile it for the shapes of a call"
    grouped = (shape[0], count, channels // count, *shape[2:])
    return Grouping(grouped, tuple(range(2, rank + 1)), (*grouped[1:3], *(1,) * (rank - 2)))


def _plan(op: NormalizationOp) -> Grouping | str:
    """The grouping of `op`, or why it cannot be decomposed."""
    shape = shape_of(op.x)
    if isinstance(op, GroupNormOp):
        grouping = _groups(shape, op.num_groups)
    else:
        parameters = _per_channel(shape) if isinstance(op, ChannelNormOp) else None
        grouping = Grouping(shape, op.normalized_dims(), parameters)
    if isinstance(grouping, str) or isinstance(op, BatchNormOp):
        return grouping
    return why_no_mean(grouping.shape, grouping.axes) or grouping


def _epsilon(op: NormalizationOp, like: SSAValue, builder: OpBuilder) -> SSAValue:
    attribute = op.properties["epsilon"]
    assert isinstance(attribute, FloatAttr)
    return builder.scalar(attribute.value.data, like)


def _deviation(
    op: NormalizationOp, distance: SSAValue, axes: Sequence[int], builder: OpBuilder
) -> SSAValue:
    """The root of the mean square of `distance`, with epsilon."""
    square = builder.add(MultiplyOp(distance, distance))
    mean = add_mean(builder, square, axes)
    if isinstance(op, MvnOp) and op.epsilon_mode == OUTSIDE:
        return builder.add(AddOp(builder.add(SqrtOp(mean)), _epsilon(op, mean, builder)))
    return builder.add(SqrtOp(builder.add(AddOp(mean, _epsilon(op, mean, builder)))))


def _normalized(op: NormalizationOp, plan: Grouping, builder: OpBuilder) -> SSAValue:
    """The operand, normalized by statistics of its own."""
    distance = builder.reshape(builder.widened(op.x), plan.shape)
    if not isinstance(op, RmsNormOp):
        distance = builder.add(SubtractOp(distance, add_mean(builder, distance, plan.axes)))
    if isinstance(op, MvnOp) and not op.normalizes_variance:
        return distance
    return builder.add(DivideOp(distance, _deviation(op, distance, plan.axes, builder)))


def _apply(op: NormalizationOp, plan: Grouping) -> None:
    builder = OpBuilder(op)
    parameters = [
        parameter if plan.parameters is None else builder.reshape(parameter, plan.parameters)
        for parameter in map(builder.widened, op.parameters)
    ]
    if isinstance(op, BatchNormOp):
        mean, variance = parameters[2:]
        root = builder.add(SqrtOp(builder.add(AddOp(variance, _epsilon(op, variance, builder)))))
        value = builder.add(DivideOp(builder.add(SubtractOp(builder.widened(op.x), mean)), root))
    else:
        value = _normalized(op, plan, builder)
    for step, parameter in zip((MultiplyOp, AddOp), parameters, strict=False):
        value = builder.add(step(value, parameter))
    builder.replace(builder.reshape(value, shape_of(op.x)))


@dataclass(frozen=True)
class SnippetsDecomposeNormsPass(ModulePass):
    """Write the normalizations as reductions and elementwise ops."""

    name = "snippets-decompose-norms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions and the bodies of subgraphs."""
        for block in tensor_blocks(op):
            for inner in computing_ops(block):
                if not isinstance(inner, _NORMS):
                    continue
                plan = _plan(inner)
                if isinstance(plan, str):
                    leave(inner, plan)
                else:
                    _apply(inner, plan)
