"""Decompose normalizations into reductions and elementwise ops.

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

* The variance is the mean of the squared differences from the mean, in two passes over the data,
  because x*x - mean*mean would cancel.
* `rms_norm` has no mean to subtract; `mvn` adds epsilon inside or outside of the root and may stop
  before the variance; `batch_norm` has its statistics as operands and reduces nothing.
* Parameters [C] become [C, 1, ..] beside an operand [N, C, ..]. `group_norm` reshapes the operand
  to [N, G, C / G, ..] and the result back, except for one group and for groups of one channel.

Refuses a sum over dims of unknown size, because their number of elements is unknown, with the
reason on the op. Other dims may be unknown; a size with symbols has a `#snippets.size` as its
number. 16-bit floats are converted to f32 and back, because the ops compute in f32. Ops marked
`snippets.skipped` stay. Exact. Source: the guide's GNDecomposition, which groups in the same way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import FloatAttr

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    BatchNormOp,
    ChannelNormOp,
    GroupNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.normalization import LayerNormOp, NormalizationOp, RmsNormOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.building.formulas import Formula, Refusal, Term, reshape, sqrt, widened
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.graph.decompose.means import mean, why_no_mean
from snippets_mlir.passes.graph.graph_passes import FormulaPass


def layer_norm(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """x with mean 0 and variance 1; `instance_norm` and `group_norm` do this over other axes."""
    d = x - mean(x, axes)
    return d / sqrt(mean(d * d, axes) + epsilon)


def rms_norm(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """x divided by its root mean square over the normalized dims."""
    return x / sqrt(mean(x * x, axes) + epsilon)


def mvn_outside(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """x with mean 0 and variance 1; epsilon is added to the root."""
    d = x - mean(x, axes)
    return d / (sqrt(mean(d * d, axes)) + epsilon)


def mvn_of_means(x: Term, axes: Sequence[int], epsilon: float) -> Term:
    """x minus its mean over the normalized dims."""
    return x - mean(x, axes)


def batch_norm(x: Term, average: Term, variance: Term, epsilon: float) -> Term:
    """x normalized with a mean and a variance that are operands, one for each channel."""
    deviation = sqrt(variance + epsilon)
    return (widened(x) - average) / deviation


def scaled(x: Term, parameters: Sequence[Term]) -> Term:
    """x times a scale, if there is one, plus a bias, if there is one."""
    match parameters:
        case [scale, bias, *_]:
            return x * scale + bias
        case [scale]:
            return x * scale
        case _:
            return x


@dataclass(frozen=True)
class Grouping:
    """The form of a normalization's operand.

    Attributes:
        shape: of the operand while it is normalized.
        axes: the dims of `shape` that the sums run over.
        parameters: the shape of each parameter beside `shape`; None: unchanged.
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


def _grouping(op: NormalizationOp) -> Grouping | str:
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


def _norm_of(op: NormalizationOp) -> Callable[[Term, Sequence[int], float], Term]:
    """The formula of an op that computes its own statistics."""
    if isinstance(op, RmsNormOp):
        return rms_norm
    if not isinstance(op, MvnOp):
        return layer_norm
    if not op.normalizes_variance:
        return mvn_of_means
    return mvn_outside if op.epsilon_mode == OUTSIDE else layer_norm


class NormOfUnknownCount(Refusal[NormalizationOp]):
    """The number of elements of the mean has to be known."""

    name = "norm-of-unknown-count"
    ops = (ChannelNormOp, LayerNormOp, MvnOp, RmsNormOp)

    @override
    def match(self, op: NormalizationOp) -> str | None:
        return grouping if isinstance(grouping := _grouping(op), str) else None


class Norm(Formula[NormalizationOp, Grouping]):
    """`(x - mean(x)) / sqrt(variance + epsilon) * scale + bias`, and similar formulas."""

    name = "norm"
    ops = NormOfUnknownCount.ops

    @override
    def match(self, op: NormalizationOp) -> Grouping | None:
        return None if isinstance(grouping := _grouping(op), str) else grouping

    def formula(self, op: NormalizationOp, match: Grouping, build: OpBuilder) -> Term:
        """The formula by the op's class, of the operand and parameters in their groups."""
        epsilon = cast(FloatAttr, op.properties["epsilon"]).value.data
        x, parameters = Term(op.x, build), list[Term]()
        for parameter in op.parameters:
            wide = widened(Term(parameter, build))
            shape = wide.shape if match.parameters is None else match.parameters
            parameters.append(reshape(wide, shape))
        if isinstance(op, BatchNormOp):
            y = batch_norm(x, *parameters[2:], epsilon=epsilon)
        else:
            y = _norm_of(op)(reshape(widened(x), match.shape), match.axes, epsilon)
        return reshape(scaled(y, parameters), shape_of(op.x))


@dataclass(frozen=True)
class SnippetsDecomposeNormsPass(FormulaPass):
    """Decompose normalizations into reductions and elementwise ops."""

    name = "snippets-decompose-norms"
    PATTERNS = (NormOfUnknownCount, Norm)
