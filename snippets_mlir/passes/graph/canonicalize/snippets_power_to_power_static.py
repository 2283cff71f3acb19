"""Turn powers by a constant into `power_static`, which kernels compute without a logarithm.

    %c = snippets.scalar 3.0 : f32
    %1 = snippets.power %0, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>      becomes
    %1 = snippets.power_static %0 {exponent = 3.0 : f32} : tensor<4x8xf32>

Fires on floats with an exponent in `STATIC_EXPONENTS` (-2, -1, -0.5, 0.5, 2, 3, 4: a few products,
a root or a division, within 3 units in the last place, special values of C's pow included), and on
integers with an exponent from 0 to 127 (exact, by squaring). The exponent is a scalar or a constant
with equal elements. Other exponents stay a `power`: a product of more factors would be less
accurate than the polynomial. Nothing changes if the exponent is not a constant or gives the result
its shape. The pass itself is exact: `power_static` has the value of `power`; their expansions round
differently. Source: the guide's ConvertPowerToPowerStatic.
"""

from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.static_powers import static_exponent
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.powers import PowerOp, PowerStaticOp
from snippets_mlir.passes.building.graph import Number, number
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern


def base_has_the_shape(op: PowerOp) -> bool:
    """The result has the shape and type of the base."""
    return op.lhs.type == op.result.type


class PowerOfConstant(Pattern[PowerOp, Number]):
    """`x ** c` is `power_static(x, c)`."""

    name = "power-of-constant"
    ops = (PowerOp,)
    conditions = (base_has_the_shape,)

    def match(self, op: PowerOp) -> Number | None:
        """The exponent, if it needs only a few products."""
        value = static_exponent(op)
        return None if value is None else number(value, tensor_of(op.result).element_type)

    def rewrite(self, op: PowerOp, match: Number, rewriter: PatternRewriter) -> None:
        """Replace the power, then erase the constant if nothing else reads it."""
        static, constant = PowerStaticOp(op.lhs, match), op.rhs.owner
        static.location = op.location
        rewriter.replace(op, static)
        if isinstance(constant, Operation) and constant.results[0].first_use is None:
            rewriter.erase(constant)


@dataclass(frozen=True)
class SnippetsPowerToPowerStaticPass(SubgraphPatternPass):
    """Turn powers by a constant into static ones."""

    name = "snippets-power-to-power-static"
    PATTERNS = (PowerOfConstant,)
