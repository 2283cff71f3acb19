"""Powers whose exponent is known: kernels compute them by products, a root or a division.

    %c = snippets.constant dense<2.0> : tensor<f32>
    %1 = snippets.power %0, %c             static_exponent: 2.0
    %2 = snippets.power %0, %1             None

`snippets-power-to-power-static` rewrites these, and the cost model counts the resulting ops.
"""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.expansions.power import STATIC_EXPONENTS
from snippets_mlir.dialects.snippets.powers import PowerOp
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value

LARGEST_INTEGER = 127


def static_exponent(op: PowerOp) -> float | int | None:
    """The exponent, if all of its elements are the same number and need only a few products.

    For floats these are `STATIC_EXPONENTS`, for integers 0 to 127.
    """
    dense = dense_constant(op.rhs)
    if dense is None or (value := splat_value(dense)) is None:
        return None
    if isinstance(tensor_of(op.result).element_type, AnyFloat):
        return value if value in STATIC_EXPONENTS else None
    return value if 0 <= int(value) <= LARGEST_INTEGER else None
