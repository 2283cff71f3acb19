"""Softmax and the normalizations over given dims, before decomposition into reductions.

    %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<4x8xf32>
    %2 = snippets.layer_norm %x, %scale, %bias {axis = 1 : i64, epsilon = 1.0e-5 : f32} :
         (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>

`channel_norms.py` has the normalizations with parameters for each channel, and mvn. The values
follow the formulas of the docstrings step by step, each step in the element type (16-bit floats:
everything in f32, rounded once at the end). `mean(t)` is `sum(t) / count`. The result has the type
of `x`.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    I64,
    FloatAttr,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, f64_attr
from snippets_mlir.dialects.snippets.counterparts import Engine, Onnx
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import (
    broadcast_shapes,
    compatible,
    format_shape,
)
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxisOp,
    WholeTensorOp,
    normalized_axes,
    verify_axes,
)

Value = SSAValue | Operation


def _axis(name: str, x: Value, axis: int) -> IntegerAttr[I64]:
    (place,) = normalized_axes(name, [axis], len(shape_of(x)))
    return IntegerAttr(place, i64)


class NormalizationOp(WholeTensorOp, ABC):
    """A float tensor scaled by sums over some of its dims; operands after `x` are parameters."""

    ELEMENT_KINDS: ClassVar = (FLOAT,)
    DECOMPOSED_BY: ClassVar = "snippets-decompose-norms"
    x = operand_def(TensorType)
    parameters = var_operand_def(TensorType)
    result = result_def(TensorType)
    PARAMETERS: ClassVar[tuple[int, int]] = (0, 0)

    def __init__(
        self, x: Value, parameters: Sequence[Value], properties: Mapping[str, Attribute | None]
    ) -> None:
        super().__init__(
            operands=[x, list(parameters)],
            result_types=[tensor_of(x)],
            properties=dict(properties),
        )

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        return shapes[0]

    def normalized_dims(self) -> tuple[int, ...]:
        """The dims that the sums run over; empty if the op sums nothing."""
        return ()

    def verify_parameters(self) -> None:
        """Check the number of parameters and the shape of each (C8)."""
        low, high = self.PARAMETERS
        if not low <= len(self.parameters) <= high:
            expected = str(low) if low == high else f"{low} to {high}"
            raise VerifyException(
                f"C8: {self.name} expects {expected} parameters after its operand, "
                f"found {len(self.parameters)}"
            )
        for parameter in self.parameters:
            self.verify_parameter(shape_of(parameter))

    def parameter_target(self) -> Shape:
        """The shape that each parameter has or broadcasts to: the shape of `x`."""
        return shape_of(self.x)

    def verify_parameter(self, shape: Shape) -> None:
        """A parameter of this shape fits `x` (C8): it broadcasts to the shape of `x`."""
        target = self.parameter_target()
        together = broadcast_shapes(target, shape)
        if together is None or not compatible(together, target):
            raise VerifyException(
                f"C8: {self.name} expects parameters that broadcast to {format_shape(target)}, "
                f"found {format_shape(shape)}"
            )


class _AxisOp(NormalizationOp, AxisOp, ABC):
    def verify_attributes(self) -> None:
        """The axis is a dim of `x` (C7)."""
        verify_axes(self.name, [self.axis], len(shape_of(self.x)))


class _SoftmaxOp(_AxisOp, ABC):
    DECOMPOSED_BY: ClassVar = "snippets-decompose-softmax"

    def __init__(self, x: Value, axis: int) -> None:
        """A negative axis counts from the last dim."""
        super().__init__(x, [], {"axis": _axis(self.name, x, axis)})

    @override
    def normalized_dims(self) -> tuple[int, ...]:
        return (self.axis,)


@irdl_op_definition
class SoftmaxOp(_SoftmaxOp):
    """e / sum(e) along `axis`, with e = exp(x - max(x)).

    NaN everywhere along the axis where one element is NaN or inf, or all are -inf.
    """

    name = "snippets.softmax"


@irdl_op_definition
class LogSoftmaxOp(_SoftmaxOp):
    """d - log(sum(exp(d))) along `axis`, with d = x - max(x).

    NaN everywhere along the axis where one element is NaN or inf, or all are -inf.
    """

    name = "snippets.log_softmax"


class _FromAxisOp(_AxisOp, ABC):
    epsilon = prop_def(FloatAttr)

    def normalized_dims(self) -> tuple[int, ...]:
        """The axis and all dims after it."""
        return tuple(range(self.axis, len(shape_of(self.x))))


@irdl_op_definition
class LayerNormOp(_FromAxisOp):
    """d / sqrt(mean(d * d) + epsilon) * scale + bias over the dims from `axis` on.

    d = x - mean(x). `scale` and `bias` broadcast to `x`; without them the factors are omitted.
    """

    name = "snippets.layer_norm"
    PARAMETERS: ClassVar = (0, 2)

    def __init__(
        self, x: Value, scale: Value | None, bias: Value | None, axis: int, epsilon: float
    ) -> None:
        """A negative axis counts from the last dim; a bias needs a scale."""
        if scale is None and bias is not None:
            raise VerifyException(f"C8: {self.name} expects a scale where it has a bias")
        super().__init__(
            x,
            [p for p in (scale, bias) if p is not None],
            {"axis": _axis(self.name, x, axis), "epsilon": f64_attr(epsilon)},
        )


@irdl_op_definition
class RmsNormOp(_FromAxisOp):
    """x / sqrt(mean(x * x) + epsilon) * scale over the dims from `axis` on.

    `scale` broadcasts to `x`; without it the factor is omitted.
    """

    name = "snippets.rms_norm"
    PARAMETERS: ClassVar = (0, 1)

    def __init__(self, x: Value, scale: Value | None, axis: int, epsilon: float) -> None:
        """A negative axis counts from the last dim."""
        super().__init__(
            x,
            [] if scale is None else [scale],
            {"axis": _axis(self.name, x, axis), "epsilon": f64_attr(epsilon)},
        )


RECORDS = (
    OpRecord(
        LayerNormOp,
        value=value_in("normalization:layer_norm"),
        relay=PatternKind.OPAQUE,
        onnx=Onnx("LayerNormalization", (), own_importer=True, rate=0.42),
    ),
    OpRecord(
        LogSoftmaxOp,
        value=value_in("normalization:log_softmax"),
        relay=PatternKind.OUT_ELEMWISE_FUSABLE,
        onnx=Onnx("LogSoftmax", (), own_importer=True, rate=0.23, avx2_rate=0.56),
    ),
    OpRecord(RmsNormOp, value=value_in("normalization:rms_norm"), relay=PatternKind.OPAQUE),
    OpRecord(
        SoftmaxOp,
        value=value_in("normalization:softmax"),
        relay=PatternKind.OUT_ELEMWISE_FUSABLE,
        onnx=Onnx("Softmax", (), own_importer=True, rate=0.2, avx2_rate=0.41),
        engine=Engine(quantized=True),
    ),
)
