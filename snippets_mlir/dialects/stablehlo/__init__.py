"""The `stablehlo` dialect, as jaxlib and torch-mlir print it, and `chlo`, its companion.

Elementwise ops are in `elementwise.py`, those that move elements in `movement.py`, products in
`products.py`, ops with regions in `regions.py`, what they compute in `values.py`.
"""

from xdsl.ir import Dialect

from snippets_mlir.dialects.stablehlo import elementwise, movement, products, regions
from snippets_mlir.dialects.stablehlo.attributes import ATTRIBUTES

StableHLO = Dialect(
    "stablehlo", [*elementwise.OPS, *movement.OPS, *products.OPS, *regions.OPS], ATTRIBUTES
)
Chlo = Dialect("chlo", elementwise.CHLO_OPS)
