"""Contract a product and a sum into a fused multiply-add, which rounds once.

    %1 = snippets.multiply %a, %b : tensor<4x8xf32>
    %2 = snippets.add %1, %c : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>      becomes
    %2 = snippets.fma %a, %b, %c : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> ...

The pass *contracts*: it drops the rounding of the product, so no pipeline has it by default. It
fires on f32 and f64 if the sum is the only use of the product (otherwise both would be computed)
and both have one type (otherwise the smaller product would be computed repeatedly). If both
operands are such products, the first is taken. It does nothing for targets without the instruction,
and needs `snippets-set-target` before it. Source: the guide's MulAddToFMA.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.internal import FmaOp
from snippets_mlir.passes.effects import CONTRACTS, Effect
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.targets.attributes import machine_of


@dataclass(frozen=True)
class Contraction:
    """A product and the value that is added to it."""

    product: MultiplyOp
    addend: SSAValue


def f32_or_f64(op: AddOp) -> bool:
    """The instruction exists for these."""
    return tensor_of(op.result).element_type in (f32, f64)


class MultiplyAdd(Pattern[AddOp, Contraction]):
    """`a * b + c` is `fma(a, b, c)`."""

    name = "multiply-add"
    ops = (AddOp,)
    conditions = (f32_or_f64,)

    def match(self, op: AddOp) -> Contraction | None:
        """The first operand that is a product of the same type and has no other reader."""
        for value, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            product = value.owner
            once = value.has_one_use() and value.type == op.result.type
            if once and isinstance(product, MultiplyOp):
                return Contraction(product, addend)
        return None

    def rewrite(self, op: AddOp, match: Contraction, rewriter: PatternRewriter) -> None:
        """Replace the sum, then erase the product."""
        fma = FmaOp(match.product.lhs, match.product.rhs, match.addend)
        fma.location = op.location
        rewriter.replace(op, fma)
        rewriter.erase(match.product)


@dataclass(frozen=True)
class SnippetsMulAddToFmaPass(SubgraphPatternPass):
    """Contract products and sums into fused multiply-adds."""

    name = "snippets-mul-add-to-fma"
    EFFECT: ClassVar[Effect] = CONTRACTS
    PATTERNS = (MultiplyAdd,)

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The subgraphs, if the target has the instruction."""
        return super().roots(module) if machine_of(module).fma else ()
