"""The operators of ONNX that become `snippets` ops: one row each, by topic.

A row says which versions of the operator's schema it handles; a newer one stays an `onnx.node` with
that as its reason. To add an operator, write a builder function and a row in the file of its topic.
"""

from snippets_mlir.frontends.onnx.mapping import (
    activations,
    binary,
    conversion,
    hardmax,
    layout,
    normalization,
    norms,
    reduction,
    unary,
)
from snippets_mlir.frontends.onnx.node import Row

ROWS: dict[str, Row] = {
    **unary.ROWS,
    **activations.ROWS,
    **binary.ROWS,
    **conversion.ROWS,
    **normalization.ROWS,
    **norms.ROWS,
    **hardmax.ROWS,
    **layout.ROWS,
    **reduction.ROWS,
}
