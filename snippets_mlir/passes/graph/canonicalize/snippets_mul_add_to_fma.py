"""Contract a product and a sum into a fused multiply-add, which rounds once.

    %1 = snippets.multiply %a, %b : tensor<4x8xf32>
    %2 = snippets.add %1, %c : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>      becomes
    %2 = snippets.fma %a, %b, %c : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> ...

The pass *contracts*: results differ from those before by the rounding of the product, so it is
in no pipeline by itself. It fires on f32 and f64, for a product whose only use is the sum (else
both would be computed), of the sum's own type (else the smaller product would be computed again
and again). When both operands are such products, the first is taken. It does nothing for targets
without the instruction, and needs `snippets-set-target` before it.
Source: the guide's MulAddToFMA (reference 1.3).
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.internal import FmaOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.effects import CONTRACTS, Effect
from snippets_mlir.targets.attributes import machine_of


@dataclass(frozen=True)
class Contraction:
    """A product and what is added to it."""

    product: MultiplyOp
    addend: SSAValue


def _plan(op: AddOp) -> Contraction | None:
    """The contraction of a sum, or None when it stays as it is."""
    if tensor_of(op.result).element_type not in (f32, f64):
        return None
    for value, addend in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        product = value.owner
        if isinstance(product, MultiplyOp) and value.has_one_use() and value.type == op.result.type:
            return Contraction(product, addend)
    return None


def _apply(op: AddOp, plan: Contraction) -> None:
    fma = FmaOp(plan.product.lhs, plan.product.rhs, plan.addend)
    fma.location = op.location
    Rewriter.replace_op(op, fma)
    Rewriter.erase_op(plan.product)


@dataclass(frozen=True)
class SnippetsMulAddToFmaPass(ModulePass):
    """Contract products and sums into fused multiply-adds."""

    name = "snippets-mul-add-to-fma"
    EFFECT: ClassVar[Effect] = CONTRACTS

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the sums of every subgraph when the target has the instruction."""
        if not machine_of(op).fma:
            return
        for subgraph in [o for o in op.walk() if isinstance(o, SubgraphOp)]:
            for inner in list(subgraph.block.ops):
                if isinstance(inner, AddOp) and (plan := _plan(inner)) is not None:
                    _apply(inner, plan)
