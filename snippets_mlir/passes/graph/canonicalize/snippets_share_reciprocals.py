"""Divide once by a divisor that many elements share, and multiply each by the reciprocal.

    %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : .. -> tensor<4x1xf32>
    %y = snippets.divide %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>

becomes

    %c = snippets.scalar 1.0 : f32
    %r = snippets.divide %c, %s : (tensor<f32>, tensor<4x1xf32>) -> tensor<4x1xf32>
    %y = snippets.multiply %e, %r : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>

A vector division takes 5 to 16 cycles and a product half of one, so this is most of the last loop
of a softmax or a norm. The quotient is rounded twice: it moves by at most one unit in the last
place (`APPROXIMATES`). Zeros, infinities and NaN do not change, because the pass fires only on
divisors whose reciprocal neither overflows nor becomes subnormal:

* S1: a square root: of floats it is 0, inf, NaN or between 2^-75 and 2^64 (f64: 2^-537, 2^512);
* S2: a square root plus a scalar between 2^-100 and 2^100, as in `mvn`;
* S3: the sum of a softmax: it has the term exp(0) and is at least 1, or NaN.

Only f32 and f64, in subgraphs. The divisor has to be one number for each row (its last dim is 1 or
missing, and the quotient's is not), or to follow from a reduction; otherwise the number of
divisions would not drop. Divisions by a divisor that is not known to be safe, such as a plain sum,
stay.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.elementary import SqrtOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.passes.building.formulas import Term
from snippets_mlir.passes.building.graph import OpBuilder, made_reader
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.canonicalize.softmax_forms import softmax_sum
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.walking import ops_inside

SCALARS = (2.0**-100, 2.0**100)


def _source(value: SSAValue) -> SSAValue:
    """The value before broadcasts and reshapes."""
    while isinstance(value.owner, ReshapeOp | BroadcastLikeOp):
        value = value.owner.operands[0]
    return value


def _is_safe(value: SSAValue) -> bool:
    """Whether the reciprocal of each element is a normal number, or correctly 0, inf or NaN."""
    owner = value.owner
    if isinstance(owner, AddOp):
        for one, other in ((owner.lhs, owner.rhs), (owner.rhs, owner.lhs)):
            scalar = _source(other).owner
            if isinstance(scalar, ScalarOp) and isinstance(scalar.value, FloatAttr):
                in_range = SCALARS[0] <= scalar.value.value.data <= SCALARS[1]
                return in_range and isinstance(_source(one).owner, SqrtOp)
    return isinstance(owner, SqrtOp) or softmax_sum(value) is not None


def _ancestors(value: SSAValue) -> Iterator[Operation]:
    """The ops that compute `value`, up to reductions."""
    pending, seen = [value], set[Operation]()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in seen:
            seen.add(owner)
            yield owner
            if not isinstance(owner, ReduceOp):
                pending.extend(owner.operands)


def _is_shared(divisor: SSAValue, quotient: SSAValue) -> bool:
    """Whether many elements of the quotient have one divisor, which a loop keeps in a register."""
    small, large = shape_of(divisor), shape_of(quotient)
    padded = (1,) * (len(large) - len(small)) + tuple(small)
    if not any(s == 1 != n for s, n in zip(padded, large, strict=True)):
        return False
    by_row = padded[-1] == 1 != large[-1]
    return by_row or any(isinstance(op, ReduceOp) for op in _ancestors(divisor))


def f32_or_f64(op: DivideOp) -> bool:
    """Reciprocals of other types round too much, or do not exist."""
    return tensor_of(op.result).element_type in (f32, f64)


def _is_reciprocal(op: Operation) -> bool:
    if not isinstance(op, DivideOp) or not isinstance(one := op.lhs.owner, ScalarOp):
        return False
    return isinstance(one.value, FloatAttr) and one.value.value.data == 1.0


class Reciprocal(Pattern[DivideOp, SSAValue]):
    """`x / y` is `x * (1.0 / y)`."""

    name = "reciprocal"
    ops = (DivideOp,)
    conditions = (f32_or_f64,)

    def __init__(self, old: frozenset[Operation]) -> None:
        self.old = old

    @override
    def match(self, op: DivideOp) -> SSAValue | None:
        divisor = op.rhs
        while isinstance(divisor.owner, BroadcastLikeOp):
            divisor = divisor.owner.operands[0]
        fits = _is_safe(_source(divisor)) and _is_shared(divisor, op.result)
        return divisor if fits else None

    def rewrite(self, op: DivideOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        """Multiply by the reciprocal, which may already exist; drop the broadcast."""
        build, spread = OpBuilder(op, rewriter), list[Operation]()
        value = op.rhs
        while value is not match and isinstance(value.owner, Operation):
            spread.append(value.owner)
            value = value.owner.operands[0]
        taken = made_reader(match, self.old, _is_reciprocal) or (1.0 / Term(match, build)).value
        build.replace(build.add(MultiplyOp(op.lhs, taken)))
        for broadcast in spread:
            if broadcast.results[0].first_use is None:
                rewriter.erase(broadcast)


@dataclass(frozen=True)
class SnippetsShareReciprocalsPass(SubgraphPatternPass):
    """Multiply by the reciprocal of the divisor of a whole row."""

    name = "snippets-share-reciprocals"
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (Reciprocal,)

    def facts(self, root: Operation) -> tuple[frozenset[Operation]]:
        """The ops from before the pass."""
        return (frozenset(ops_inside(root)),)
