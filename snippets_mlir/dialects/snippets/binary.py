"""Binary computing ops of the `snippets` dialect; each docstring states the op's value.

Both operands have one element type and broadcast together by NumPy's rules. Integers are two's
complement: signless and `si` types are signed, `ui` types unsigned. `power` is within 4 units in
the last place, `squared_difference` rounds twice, every other op once.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, BinaryOp


@irdl_op_definition
class AddOp(BinaryOp):
    """lhs + rhs. Integers wrap."""

    name = "snippets.add"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


@irdl_op_definition
class SubtractOp(BinaryOp):
    """lhs - rhs. Integers wrap."""

    name = "snippets.subtract"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class MultiplyOp(BinaryOp):
    """lhs * rhs. Integers wrap."""

    name = "snippets.multiply"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


@irdl_op_definition
class DivideOp(BinaryOp):
    """lhs / rhs. Integers truncate toward zero; x / 0 = 0 and INT_MIN / -1 = INT_MIN."""

    name = "snippets.divide"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class MaximumOp(BinaryOp):
    """The larger; NaN if either is NaN, and maximum(-0.0, 0.0) = 0.0 (IEEE 754-2019 maximum)."""

    name = "snippets.maximum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


@irdl_op_definition
class MinimumOp(BinaryOp):
    """The smaller; NaN if either is NaN, and minimum(-0.0, 0.0) = -0.0 (IEEE 754-2019 minimum)."""

    name = "snippets.minimum"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


@irdl_op_definition
class PowerOp(BinaryOp):
    """lhs ^ rhs. Floats as C's pow (pow(x, 0) = pow(1, x) = 1, also for NaN; NaN for x < 0 and a
    fractional exponent). Integers wrap; a negative exponent truncates the real value toward zero,
    and 0 ^ negative = 0.
    """

    name = "snippets.power"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class SquaredDifferenceOp(BinaryOp):
    """(lhs - rhs)^2, the difference rounded before it is squared. Integers wrap."""

    name = "snippets.squared_difference"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    traits = traits_def(Commutative())


@irdl_op_definition
class FloorModOp(BinaryOp):
    """Remainder with the sign of rhs (Python's %), a zero included.

    Floats: rounded once; NaN for rhs = 0 or lhs = inf; for an infinite rhs lhs, or rhs when the
    signs differ. Integers: x mod 0 = 0.
    """

    name = "snippets.floor_mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class ModOp(BinaryOp):
    """Remainder with the sign of lhs (C's fmod and %).

    Floats: exact; NaN for rhs = 0 or lhs = inf. Integers: x mod 0 = 0.
    """

    name = "snippets.mod"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class PReluOp(BinaryOp):
    """lhs if lhs >= 0 (or NaN, or -0.0), else lhs * rhs. Integers wrap."""

    name = "snippets.prelu"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)


@irdl_op_definition
class LogicalAndOp(BinaryOp):
    """lhs and rhs."""

    name = "snippets.logical_and"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


@irdl_op_definition
class LogicalOrOp(BinaryOp):
    """lhs or rhs."""

    name = "snippets.logical_or"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


@irdl_op_definition
class LogicalXorOp(BinaryOp):
    """lhs xor rhs."""

    name = "snippets.logical_xor"
    ELEMENT_KINDS: ClassVar = (BOOL,)
    traits = traits_def(Commutative())


@irdl_op_definition
class BitwiseAndOp(BinaryOp):
    """Bits set in both."""

    name = "snippets.bitwise_and"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


@irdl_op_definition
class BitwiseOrOp(BinaryOp):
    """Bits set in either."""

    name = "snippets.bitwise_or"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


@irdl_op_definition
class BitwiseXorOp(BinaryOp):
    """Bits set in one of both."""

    name = "snippets.bitwise_xor"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    traits = traits_def(Commutative())


@irdl_op_definition
class BitwiseLeftShiftOp(BinaryOp):
    """lhs << rhs. rhs is read as unsigned; an amount of the width or more gives 0."""

    name = "snippets.bitwise_left_shift"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


@irdl_op_definition
class BitwiseRightShiftOp(BinaryOp):
    """lhs >> rhs, arithmetic for signed and signless integers, logical for unsigned ones.
    rhs is read as unsigned; an amount of the width or more gives the sign (0 or -1; 0 for
    unsigned).
    """

    name = "snippets.bitwise_right_shift"
    ELEMENT_KINDS: ClassVar = (INTEGER,)


BINARY_OPS = (
    AddOp,
    BitwiseAndOp,
    BitwiseLeftShiftOp,
    BitwiseOrOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
    DivideOp,
    FloorModOp,
    LogicalAndOp,
    LogicalOrOp,
    LogicalXorOp,
    MaximumOp,
    MinimumOp,
    ModOp,
    MultiplyOp,
    PReluOp,
    PowerOp,
    SquaredDifferenceOp,
    SubtractOp,
)
