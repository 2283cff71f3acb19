"""The operators of ONNX that become `snippets` ops: one row each, by topic.

If an operator is one op, its row comes from the op's record (`single.py`). Each other operator has
a builder function. A row states which versions of the operator's schema it handles; a newer version
stays an `onnx.node` with this reason. To add an operator, write a builder function and a row in the
file of its topic.

Matrix products become ops if kernels support them (`analysis/graph/products.py`), or if the import
requests them.
"""

from collections.abc import Mapping

from snippets_mlir.analysis.graph.products import are_held
from snippets_mlir.dialects.snippets.registry import DerivedTable
from snippets_mlir.frontends.onnx.mapping import (
    activations,
    attention,
    binary,
    conversion,
    layout,
    microsoft,
    microsoft_attention,
    normalization,
    norms,
    parts,
    places,
    products,
    reduction,
    rotary,
    unary,
)
from snippets_mlir.frontends.onnx.mapping.single import SINGLE
from snippets_mlir.frontends.onnx.node import Row

_IMPORTERS: dict[str, Row] = {
    **unary.ROWS,
    **activations.ROWS,
    **binary.ROWS,
    **conversion.ROWS,
    **normalization.ROWS,
    **norms.ROWS,
    **places.ROWS,
    **layout.ROWS,
    **parts.ROWS,
    **reduction.ROWS,
    **rotary.ROWS,
}

_OF_OTHER_DOMAINS: dict[tuple[str, str], Row] = {**microsoft.ROWS, **rotary.MICROSOFT_ROWS}

_PRODUCTS: dict[tuple[str, str], Row] = {
    **products.ROWS,
    **attention.ROWS,
    **microsoft_attention.ROWS,
}
"""Domain and operator -> the row of an operator that is or contains a matrix product."""

FIRST_OPSET, LAST_OPSET = 7, 28
"""Of these opsets the rows handle each version of their operators, from the first one that they
list on."""

ROWS: Mapping[str, Row] = DerivedTable(
    lambda: _IMPORTERS | {name: row for (domain, name), row in SINGLE.items() if not domain}
)
"""The operators of ONNX's own domain, without matrix products."""


ROWS_WITH_PRODUCTS: Mapping[str, Row] = DerivedTable(
    lambda: {**ROWS, **{name: row for (domain, name), row in _PRODUCTS.items() if not domain}}
)
"""The same with all matrix products, supported by kernels or not."""


def is_product(domain: str, operator: str) -> bool:
    """Whether kernels may compute an operator as a matrix product."""
    return are_held() and (domain, operator) in _PRODUCTS


def row_of(domain: str, operator: str, *, with_products: bool | None = None) -> Row | None:
    """The row of an operator, None when it stays an `onnx.node`."""
    if (row := _PRODUCTS.get((domain, operator))) is not None:
        return row if (are_held() if with_products is None else with_products) else None
    if not domain:
        return ROWS.get(operator)
    return _OF_OTHER_DOMAINS.get((domain, operator)) or SINGLE.get((domain, operator))


def has_known_version(operator: str, opset: int) -> bool | None:
    """Whether the row of one of ONNX's operators handles its version in an opset.

    None if this needs ONNX's table of operators, which takes 10 ms to build.
    """
    if not FIRST_OPSET <= opset <= LAST_OPSET:
        return None
    return min(ROWS_WITH_PRODUCTS[operator].since) <= opset
