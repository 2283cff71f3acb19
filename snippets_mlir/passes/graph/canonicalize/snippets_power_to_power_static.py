"""Powers by a constant become `power_static`, which kernels compute without a logarithm.

    %c = snippets.scalar 3.0 : f32
    %1 = snippets.power %0, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>      becomes
    %1 = snippets.power_static %0 {exponent = 3.0 : f32} : tensor<4x8xf32>

Fires on floats whose exponent is in `STATIC_EXPONENTS` (-2, -1, -0.5, 0.5, 2, 3, 4: a few products,
a root or a division, within 3 units in the last place, special values of C's pow included), and
on integers with an exponent from 0 to 127 (exact, by squaring). The exponent is a scalar or a
constant all of whose elements are equal. Other exponents stay a `power`: a product of more
factors would be less accurate than the polynomial. Where the exponent gives the result its shape,
or is not a constant, nothing changes. The pass itself is exact: `power_static` has the value of
`power`; their expansions round differently. Source: the guide's ConvertPowerToPowerStatic.
"""

from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.elementary import PowerOp, PowerStaticOp
from snippets_mlir.dialects.snippets.expansions.power import STATIC_EXPONENTS
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp

Exponent = FloatAttr | IntegerAttr[IntegerType]

LARGEST_INTEGER = 127


def _plan(op: PowerOp) -> Exponent | None:
    """The exponent of the static power, or None when `op` stays as it is."""
    base = tensor_of(op.lhs)
    if base != op.result.type or (dense := dense_constant(op.rhs)) is None:
        return None
    if (value := splat_value(dense)) is None:
        return None
    if isinstance(base.element_type, AnyFloat):
        known = value in STATIC_EXPONENTS
        return FloatAttr(value, base.element_type) if known else None
    element = cast("IntegerType", base.element_type)
    exponent = int(value)
    return IntegerAttr(exponent, element) if 0 <= exponent <= LARGEST_INTEGER else None


def _apply(op: PowerOp, exponent: Exponent) -> None:
    static = PowerStaticOp(op.lhs, exponent)
    static.location = op.location
    constant = op.rhs.owner
    Rewriter.replace_op(op, static)
    if isinstance(constant, Operation) and constant.results[0].first_use is None:
        Rewriter.erase_op(constant)


@dataclass(frozen=True)
class SnippetsPowerToPowerStaticPass(ModulePass):
    """Turn powers by a constant into static ones."""

    name = "snippets-power-to-power-static"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the powers of every subgraph."""
        for subgraph in [o for o in op.walk() if isinstance(o, SubgraphOp)]:
            for inner in list(subgraph.block.ops):
                if isinstance(inner, PowerOp) and (exponent := _plan(inner)) is not None:
                    _apply(inner, exponent)
