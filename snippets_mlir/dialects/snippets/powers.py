"""Powers of two tensors, or with a known exponent; accuracy and NaN as in `elementary.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER, BinaryOp, UnaryOp, kind_of
from snippets_mlir.dialects.snippets.counterparts import Aten, Onnx
from snippets_mlir.dialects.snippets.record import Expansion, OpRecord, value_in
from snippets_mlir.dialects.snippets.values.forms import by_kind, float_value, once
from snippets_mlir.support.lazy import LazyModule

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.dialects.builtin import dtypes
    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.dialects.snippets.values import integer
else:
    np = LazyModule("numpy")
    dtypes = LazyModule("snippets_mlir.dialects.builtin.dtypes")
    integer = LazyModule("snippets_mlir.dialects.snippets.values.integer")


def _power(x: Array, y: Array) -> Array:
    """C's pow; exponents -1, 1 and 2 are rounded once in every type."""
    if not x.shape and not y.shape:
        return np.asarray(_power(x.reshape(1), y.reshape(1))[0])
    # For a single exponent of 0.5 NumPy takes the square root, which is -0.0 and NaN where pow
    # is 0.0 and infinite.
    y = np.array(np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))
    result = dtypes.round_to(np.asarray(np.power(dtypes.widen(x), dtypes.widen(y))), x.dtype)
    # Some C libraries' long double pow loses the parity of huge exponents of infinities.
    result = np.where(np.isinf(x), dtypes.round_to(np.asarray(np.power(x, y)), x.dtype), result)
    one = np.ones((), x.dtype)
    result = np.where(y == 1, x, np.where(y == 2, once(np.multiply)(x, x), result))
    return np.where(y == -1, once(np.divide)(one, x), result)


def _power_static(op: Operation, dtype: np.dtype[Any], x: Array) -> Array:
    """The value of `power` with an exponent of x's dtype."""
    assert isinstance(op, PowerStaticOp)
    if dtypes.is_float(dtype):
        return np.asarray(_power(x, float_value(op.exponent, dtype)))
    return integer.power(x, np.asarray(op.exponent.value.data, dtype))


def _broadcast_power(x: Array, y: Array) -> Array:
    return np.power(x, np.broadcast_to(y, np.broadcast_shapes(x.shape, y.shape)))


@irdl_op_definition
class PowerOp(BinaryOp):
    """lhs ^ rhs. Floats as C's pow (pow(x, 0) = pow(1, x) = 1, also for NaN; NaN for x < 0 and a
    fractional exponent). Integers wrap; a negative exponent truncates the real value toward zero,
    and 0 ^ negative = 0.
    """

    name = "snippets.power"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


_POWER = OpRecord(
    PowerOp,
    value=by_kind(_power, value_in("integer:power")),
    aten=(Aten("pow"),),
    floats=Expansion(
        "power:power", 1, 1.5, "e^(y log x), f64: logarithm in double words; f32 in f64"
    ),
    integers=Expansion("integer:power", note="repeated squaring"),
    math="powf",
    integer_math="ipowi",
    onnx=Onnx("Pow", (), own_importer=True, rate=3.3),
    formulas={FLOAT: _broadcast_power},
    samples=(0.0, 4.0),
    names={"numpy": "power", "stablehlo": "stablehlo.power"},
)


@irdl_op_definition
class PowerStaticOp(UnaryOp):
    """x ^ exponent, the value of `power` with that constant (the guide's PowerStatic).

    The exponent is a number of the operand's kind; one of integers is in 0 .. 127.
    """

    name = "snippets.power_static"
    exponent = prop_def(FloatAttr | IntegerAttr)

    def __init__(self, operand: SSAValue | Operation, exponent: FloatAttr | IntegerAttr) -> None:
        super().__init__(operand, {"exponent": exponent})

    def verify_attributes(self) -> None:
        """Check that the exponent has the operand's kind; an integer exponent fits every width."""
        kind = kind_of(tensor_of(self.operand).element_type)
        found = FLOAT if isinstance(self.exponent, FloatAttr) else INTEGER
        if found != kind:
            raise VerifyException(
                f"C7: snippets.power_static expects exponent to be {kind} like its operand, "
                f"found {self.exponent}"
            )
        number = self.exponent.value.data
        if isinstance(self.exponent, IntegerAttr) and not 0 <= number <= 127:
            raise VerifyException(
                "C7: snippets.power_static expects an exponent of 0 to 127 for integers, "
                f"found {number}"
            )


_POWER_STATIC = OpRecord(
    PowerStaticOp,
    value=_power_static,
    floats=Expansion("power:power_static", 2, 2, "products, root or division; else as power"),
    integers=Expansion("integer:power_static", note="squaring"),
    samples=(0.0, 4.0),
)


RECORDS = (_POWER, _POWER_STATIC)
