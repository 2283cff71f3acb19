"""Convert elementwise ops of StableHLO to one op of `snippets`, by the records, or to a few.

    %1 = stablehlo.exponential %x : tensor<4xf32>        -> snippets.exp
    %2 = stablehlo.compare LT, %x, %y : ...              -> snippets.less
    %3 = stablehlo.clamp %low, %x, %high : ...           -> snippets.minimum of snippets.maximum
    %4 = stablehlo.sign %x : tensor<4xf32>               -> snippets.select, which keeps -0.0
    %5 = stablehlo.round_nearest_afz %x : tensor<4xf32>  -> snippets.round {mode = "half_away"}
    %6 = stablehlo.maximum %x, %lowest : tensor<4xf32>   -> %x
    %7 = stablehlo.shift_right_logical %i, %j : ...      -> snippets.bitwise_right_shift of ui32
    %8 = stablehlo.compare LT, %x, %y, TOTALORDER : ...  -> snippets.less of integers

All are exact. Refused: element types that `snippets` does not have (complex, quantized),
arithmetic right shifts of unsigned integers, arithmetic on i1, and
bitcasts to another width or of 8 or 16 bits.
"""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness, f32, f64, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.dialects.snippets.base import INTEGER, kind_of
from snippets_mlir.dialects.snippets.bitwise import (
    BitwiseAndOp,
    BitwiseRightShiftOp,
    BitwiseXorOp,
)
from snippets_mlir.dialects.snippets.comparison import EqualOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.extrema import MaximumOp, MinimumOp
from snippets_mlir.dialects.snippets.internal import BitcastOp
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.signs import RoundOp, SignOp
from snippets_mlir.dialects.snippets.trigonometry import TanOp
from snippets_mlir.dialects.stablehlo import elementwise
from snippets_mlir.dialects.stablehlo.chlo import ChloElementwiseOp
from snippets_mlir.dialects.stablehlo.elementwise import (
    BitcastConvertOp,
    ClampOp,
    CompareOp,
    StableElementwiseOp,
)
from snippets_mlir.dialects.stablehlo.names import record_for, record_named
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
    splat_of,
)
from snippets_mlir.passes.patterns import Pattern

_HERE = (in_a_function, of_known_elements)


def not_a_shift_of_unsigned(op: Operation) -> bool:
    """A right shift keeps the sign in StableHLO, and unsigned numbers have none in `snippets`."""
    unsigned = str(tensor_of(op.results[0]).element_type).startswith("ui")
    return not (unsigned and op.name == "stablehlo.shift_right_arithmetic")


class Named(Pattern[Operation, OpRecord]):
    """An op with a StableHLO name in a record is that record's op."""

    name = "named"
    ops: ClassVar = (StableElementwiseOp, ChloElementwiseOp, CompareOp, elementwise.SelectOp)
    conditions = (*_HERE, not_a_shift_of_unsigned)

    @override
    def match(self, op: Operation) -> OpRecord | None:
        return record_for(op)

    def rewrite(self, op: Operation, match: OpRecord, rewriter: PatternRewriter) -> None:
        """Replace the op; operands lose broadcasts that the new op does by itself."""
        build = Replacement(op, rewriter)
        build.replace(build.apply(match.op, *build.operands()))


class Bitcast(Pattern[BitcastConvertOp, Attribute]):
    """`bitcast_convert` between numbers of 32 bits, or of 64, is `snippets.bitcast`."""

    name = "bitcast"
    ops = (BitcastConvertOp,)
    conditions = _HERE

    @override
    def match(self, op: BitcastConvertOp) -> Attribute | None:
        types = [tensor_of(value).element_type for value in (op.inputs[0], op.result)]
        widths = {getattr(type_, "bitwidth", 0) for type_ in types}
        return types[1] if widths in ({32}, {64}) else None

    @override
    def rewrite(self, op: BitcastConvertOp, match: Attribute, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(BitcastOp(op.inputs[0], match)))


class Unary(Pattern[StableElementwiseOp | ChloElementwiseOp, SSAValue]):
    """`convert`, `sign`, `round_nearest_afz`, `square` and CHLO's `tan`: other ops, or a few."""

    name = "unary"
    ops: ClassVar = (StableElementwiseOp, ChloElementwiseOp)
    conditions = _HERE
    KNOWN: ClassVar = (
        "stablehlo.convert",
        "stablehlo.sign",
        "stablehlo.round_nearest_afz",
        "chlo.square",
        "chlo.tan",
    )

    @override
    def match(self, op: StableElementwiseOp | ChloElementwiseOp) -> SSAValue | None:
        return op.inputs[0] if op.name in self.KNOWN else None

    @override
    def rewrite(
        self,
        op: StableElementwiseOp | ChloElementwiseOp,
        match: SSAValue,
        rewriter: PatternRewriter,
    ) -> None:
        build = Replacement(op, rewriter)
        element = tensor_of(op.result).element_type
        if op.name == "stablehlo.convert":
            same = match.type == op.result.type
            build.replace(match if same else build.add(ConvertTruncationOp(match, element)))
        elif op.name == "stablehlo.round_nearest_afz":
            build.replace(build.add(RoundOp(match, "half_away")))
        elif op.name == "chlo.square":
            build.replace(build.apply(MultiplyOp, match, match))
        elif op.name == "chlo.tan":
            build.replace(build.apply(TanOp, match))
        elif isinstance(element, AnyFloat):
            zero = build.scalar(0.0, match)
            is_zero = build.add(EqualOp(match, zero))
            build.replace(build.apply(SelectOp, is_zero, match, build.add(SignOp(match))))
        else:
            build.replace(build.apply(SignOp, match))


class Clamp(Pattern[ClampOp, type[MaximumOp]]):
    """`clamp(low, x, high)` is `minimum(maximum(x, low), high)`."""

    name = "clamp"
    ops = (ClampOp,)
    conditions = _HERE

    @override
    def match(self, op: ClampOp) -> type[MaximumOp] | None:
        return MaximumOp if tensor_of(op.result).element_type != i1 else None

    def rewrite(self, op: ClampOp, match: type[MaximumOp], rewriter: PatternRewriter) -> None:
        """Replace the clamp by both ops."""
        build = Replacement(op, rewriter)
        low, x, high = build.operands()
        inner = build.add(match(x, low))
        build.replace(build.add(MinimumOp(inner, high)))


class LogicalShift(Pattern[StableElementwiseOp, Attribute]):
    """`shift_right_logical` is the shift of unsigned integers of the same bits."""

    name = "logical-shift"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = _HERE

    @override
    def match(self, op: StableElementwiseOp) -> Attribute | None:
        element = tensor_of(op.result).element_type
        is_shift = op.name == "stablehlo.shift_right_logical"
        return element if is_shift and kind_of(element) == INTEGER else None

    @override
    def rewrite(self, op: StableElementwiseOp, match: Attribute, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        bits = IntegerType(getattr(match, "bitwidth", 0), Signedness.UNSIGNED)
        operands = [
            value if match == bits else build.add(ConvertTruncationOp(value, bits))
            for value in op.inputs
        ]
        found = build.add(BitwiseRightShiftOp(*operands))
        build.replace(found if match == bits else build.add(ConvertTruncationOp(found, match)))


class TotalOrder(Pattern[CompareOp, OpRecord]):
    """A comparison in the total order of floats is one of their bits.

    The bits of negative floats, but the sign, are inverted: -NaN < -1 < -0.0 < 0.0 < 1 < NaN.
    """

    name = "total-order"
    ops = (CompareOp,)
    conditions = _HERE

    @override
    def match(self, op: CompareOp) -> OpRecord | None:
        is_float = isinstance(tensor_of(op.lhs).element_type, AnyFloat)
        found = record_named(f"{op.name} {op.direction.data}", i32)
        return found if op.total_order and is_float else None

    @override
    def rewrite(self, op: CompareOp, match: OpRecord, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        element = f64 if tensor_of(op.lhs).element_type == f64 else f32
        width = element.bitwidth

        def ordered(x: SSAValue) -> SSAValue:
            if tensor_of(x).element_type != element:  # exact
                x = build.add(ConvertTruncationOp(x, element))
            bits = build.add(BitcastOp(x, IntegerType(width)))
            least, most = (build.scalar(n, bits) for n in (width - 1, 2 ** (width - 1) - 1))
            signs = build.add(BitwiseRightShiftOp(bits, least))
            return build.add(BitwiseXorOp(bits, build.add(BitwiseAndOp(signs, most))))

        build.replace(build.apply(match.op, ordered(op.lhs), ordered(op.rhs)))


class MaximumOfLowest(Pattern[StableElementwiseOp, SSAValue]):
    """`maximum(x, -inf)` and `minimum(x, inf)` are x, including NaN and the signs of zero."""

    name = "maximum-of-lowest"
    ops: ClassVar = (StableElementwiseOp,)
    conditions = _HERE

    @override
    def match(self, op: StableElementwiseOp) -> SSAValue | None:
        neutral = {"stablehlo.maximum": float("-inf"), "stablehlo.minimum": float("inf")}
        if op.name not in neutral:
            return None
        for value, other in ((op.inputs[0], op.inputs[1]), (op.inputs[1], op.inputs[0])):
            if splat_of(value) == neutral[op.name] and other.type == op.result.type:
                return other
        return None

    def rewrite(self, op: StableElementwiseOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """Replace the op by the other operand."""
        rewriter.replace(op, [], [match])


RULES = (MaximumOfLowest, Bitcast, LogicalShift, TotalOrder, Unary, Clamp, Named)
