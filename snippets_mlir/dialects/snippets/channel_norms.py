"""Normalizations of [N, C, ...] tensors with parameters for each channel, and mvn.

    %1 = snippets.group_norm %x, %scale, %bias {num_groups = 2 : i64, epsilon = 1.0e-5 : f32} :
         (tensor<1x4x5x6xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x5x6xf32>
    %2 = snippets.instance_norm %x, %scale, %bias {epsilon = 1.0e-5 : f32} : ...
    %3 = snippets.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0e-5 : f32} : ...
    %4 = snippets.mvn %x {axes = array<i64: 2, 3>, epsilon = 1.0e-9 : f32,
                          eps_mode = "outside_sqrt", normalize_variance} : tensor<2x3x4x5xf32>

`normalization.py` defines how the values follow the formulas of the docstrings.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.snippets.base import f64_attr
from snippets_mlir.dialects.snippets.normalization import NormalizationOp, Value
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import AxesOp, normalized_axes, verify_axes

INSIDE, OUTSIDE = "inside_sqrt", "outside_sqrt"


class ChannelNormOp(NormalizationOp, ABC):
    """`x` is [N, C, ...]; each parameter is [C]."""

    epsilon = prop_def(FloatAttr)
    PARAMETERS: ClassVar = (2, 2)

    def normalized_dims(self) -> tuple[int, ...]:
        """The dims after the channels: 2, 3, ..."""
        return tuple(range(2, len(shape_of(self.x))))

    def verify_attributes(self) -> None:
        """There is a dim of channels (C8)."""
        if len(shape_of(self.x)) < 2:
            raise VerifyException(
                f"C8: {self.name} expects an operand of [N, C, ...], "
                f"found {format_shape(shape_of(self.x))}"
            )

    def parameter_target(self) -> Shape:
        """The shape of each parameter: one element for each channel."""
        return (shape_of(self.x)[1],)

    def verify_parameter(self, shape: Shape) -> None:
        """C8: a parameter has one element for each channel."""
        target = self.parameter_target()
        if not compatible(shape, target):
            raise VerifyException(
                f"C8: {self.name} expects parameters of shape {format_shape(target)}, "
                f"found {format_shape(shape)}"
            )


@irdl_op_definition
class GroupNormOp(ChannelNormOp):
    """d / sqrt(mean(d * d) + epsilon) * scale + bias over each group of channels.

    `x` is [N, C, ...], its C channels `num_groups` groups of C / num_groups neighbours; d = x -
    mean(x) over a group and all dims after the channels. `scale` and `bias` are [C].
    """

    name = "snippets.group_norm"
    num_groups_attr = prop_def(IntegerAttr[I64], prop_name="num_groups")

    def __init__(
        self, x: Value, scale: Value, bias: Value, num_groups: int, epsilon: float
    ) -> None:
        super().__init__(
            x,
            [scale, bias],
            {"num_groups": IntegerAttr(num_groups, i64), "epsilon": f64_attr(epsilon)},
        )

    @property
    def num_groups(self) -> int:
        """The number of groups of channels."""
        return self.num_groups_attr.value.data

    def verify_attributes(self) -> None:
        """The groups have equal numbers of channels (C7)."""
        super().verify_attributes()
        channels = shape_of(self.x)[1]
        known = channels != DYNAMIC
        if self.num_groups < 1 or (known and not known_multiple(channels, self.num_groups)):
            raise VerifyException(
                f"C7: {self.name} expects num_groups to divide the {format_shape((channels,))} "
                f"channels, found {self.num_groups}"
            )


@irdl_op_definition
class InstanceNormOp(ChannelNormOp):
    """d / sqrt(mean(d * d) + epsilon) * scale + bias over the dims after the channels.

    `x` is [N, C, ...]; d = x - mean(x). `scale` and `bias` are [C].
    """

    name = "snippets.instance_norm"

    def __init__(self, x: Value, scale: Value, bias: Value, epsilon: float) -> None:
        super().__init__(x, [scale, bias], {"epsilon": f64_attr(epsilon)})


@irdl_op_definition
class BatchNormOp(ChannelNormOp):
    """(x - mean) / sqrt(variance + epsilon) * scale + bias, in inference form: nothing is summed.

    `x` is [N, C, ...]; `scale`, `bias`, `mean` and `variance`, in this order, are [C].
    """

    name = "snippets.batch_norm"
    PARAMETERS: ClassVar = (4, 4)

    def __init__(
        self, x: Value, scale: Value, bias: Value, mean: Value, variance: Value, epsilon: float
    ) -> None:
        super().__init__(x, [scale, bias, mean, variance], {"epsilon": f64_attr(epsilon)})

    def normalized_dims(self) -> tuple[int, ...]:
        """None: the statistics are operands."""
        return ()


@irdl_op_definition
class MvnOp(NormalizationOp, AxesOp):
    """d = x - mean(x) over `axes`; with `normalize_variance` d / deviation.

    The deviation is sqrt(mean(d * d) + epsilon) for `eps_mode` `inside_sqrt` (the default), and
    sqrt(mean(d * d)) + epsilon for `outside_sqrt`.
    """

    name = "snippets.mvn"
    epsilon = prop_def(FloatAttr)
    normalize_variance = opt_prop_def(UnitAttr)
    eps_mode = opt_prop_def(StringAttr)

    def __init__(
        self,
        x: Value,
        axes: Sequence[int],
        epsilon: float,
        normalize_variance: bool = True,
        eps_mode: str = INSIDE,
    ) -> None:
        """Negative axes count from the last dim."""
        axes = normalized_axes(self.name, axes, len(shape_of(x)))
        super().__init__(
            x,
            [],
            {
                "axes": DenseArrayBase.from_list(i64, axes),
                "epsilon": f64_attr(epsilon),
                "normalize_variance": UnitAttr() if normalize_variance else None,
                "eps_mode": StringAttr(eps_mode),
            },
        )

    @property
    def normalizes_variance(self) -> bool:
        """Whether the result is divided by the deviation."""
        return self.normalize_variance is not None

    @property
    def epsilon_mode(self) -> str:
        """`inside_sqrt` or `outside_sqrt`."""
        return self.eps_mode.data if self.eps_mode else INSIDE

    @override
    def normalized_dims(self) -> tuple[int, ...]:
        return self.axes

    def verify_attributes(self) -> None:
        """The axes are dims of `x`, the mode is one of two (C7)."""
        verify_axes(self.name, self.axes, len(shape_of(self.x)))
        if self.epsilon_mode not in (INSIDE, OUTSIDE):
            raise VerifyException(
                f'C7: {self.name} expects eps_mode "{INSIDE}" or "{OUTSIDE}", '
                f'found "{self.epsilon_mode}"'
            )


RECORDS = (
    OpRecord(BatchNormOp, value=value_in("normalization:batch_norm"), relay=PatternKind.BROADCAST),
    OpRecord(GroupNormOp, value=value_in("normalization:group_norm"), relay=PatternKind.OPAQUE),
    OpRecord(
        InstanceNormOp, value=value_in("normalization:instance_norm"), relay=PatternKind.OPAQUE
    ),
    OpRecord(MvnOp, value=value_in("normalization:mvn"), relay=PatternKind.OPAQUE),
)
