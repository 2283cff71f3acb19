"""Scale the scores of an attention instead of the factors of their product.

    %a = snippets.multiply %q, %c                        %s = snippets.matmul %q, %k
    %b = snippets.multiply %k, %c          becomes       %t = snippets.multiply %s, c*c
    %s = snippets.matmul %a, %b
    %p = snippets.softmax %s                             %p = snippets.softmax %t

PyTorch's exports multiply both factors of the scores by the root of the scale. Before the product
such an op needs memory. After the product it works on a register tile, and a transpose of the
factor becomes a view in the kernel (`snippets-tokenize-mha`).

Legal if the scales are constants of f32 or f64, they and their product have a size between 2^-16
and 2^16, and nothing else reads the scaled factors. Let u be half a machine epsilon. In both forms,
a score of K terms is within (2 sqrt(K) + 4 + n) * u * |c| * (|q||k|) of the real value, for n
scales, where a quotient counts twice: the bits change, the bound does not (`REASSOCIATES`). Sums
that overflow or become subnormal in one form alone belong to scores above 2^111 or below 2^-109
(f32): their softmax consists of rounding errors, or of zeros.

Leaves products that no softmax reads, directly or through elementwise ops; scales that are inputs
or computed; scales for each column. Ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.formulas import Term
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.patterns import Pattern, PatternPass

SIZES = (2.0**-16, 2.0**16)


class Factor(NamedTuple):
    """An operand of a product: `value` times `scale`."""

    value: SSAValue
    scale: float


def f32_or_f64(op: MatMulOp) -> bool:
    """Integers are exact in both forms, but have no softmax."""
    return tensor_of(op.result).element_type in (f32, f64)


def followers(op: Operation) -> Iterator[Operation]:
    """The readers of the result of `op`, through elementwise ops."""
    seen, waiting = set[Operation](), [op]
    while waiting:
        for use in waiting.pop().results[0].uses:
            reader = use.operation
            if reader not in seen:
                seen.add(reader)
                yield reader
                if isinstance(reader, ComputeOp) and not isinstance(reader, WholeTensorOp):
                    waiting.append(reader)


def has_softmax(op: MatMulOp) -> bool:
    """A softmax reads the product, directly or through elementwise ops."""
    return any(isinstance(reader, SoftmaxOp) for reader in followers(op))


def _factor(value: SSAValue, product: MatMulOp) -> Factor:
    """An operand of `product` without a scale that may be pulled out."""
    op = value.owner
    if not isinstance(op, MultiplyOp | DivideOp) or op.result.type != op.lhs.type:
        return Factor(value, 1.0)
    if any(use.operation is not product for use in value.uses):
        return Factor(value, 1.0)
    number = None if (attr := dense_constant(op.rhs)) is None else splat_value(attr)
    if not number or not _fits(number):
        return Factor(value, 1.0)
    return Factor(op.lhs, number if isinstance(op, MultiplyOp) else 1 / number)


def _fits(scale: float) -> bool:
    return SIZES[0] <= abs(scale) <= SIZES[1]


class ScaledFactors(Pattern[MatMulOp, tuple[Factor, ...]]):
    """`(c q) (d k)` is `(c d) (q k)`."""

    name = "scaled-factors"
    ops = (MatMulOp,)
    conditions = (f32_or_f64, has_softmax)

    def match(self, op: MatMulOp) -> tuple[Factor, ...] | None:
        """The operands without their scales, if one has a scale."""
        left, right = (_factor(value, op) for value in op.operands)
        moved = (left.value, right.value) != (op.lhs, op.rhs)
        return (left, right) if moved and _fits(left.scale * right.scale) else None

    def rewrite(self, op: MatMulOp, match: tuple[Factor, ...], rewriter: PatternRewriter) -> None:
        """Scale the product; the scaled operands vanish."""
        build, scaled = OpBuilder(op, rewriter), dict.fromkeys(v.owner for v in op.operands)
        product = op.clone(dict(zip(op.operands, (it.value for it in match), strict=True)))
        scores = Term(build.add(product), build)
        build.replace((scores * scores.number(match[0].scale * match[1].scale)).value)
        for old in scaled:
            if isinstance(old, Operation) and old.results[0].first_use is None:
                rewriter.erase(old)


@dataclass(frozen=True)
class SnippetsPullScalesPass(PatternPass):
    """Scale the scores of attentions instead of their factors."""

    name = "snippets-pull-scales"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ScaledFactors,)
