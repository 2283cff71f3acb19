"""The `stablehlo` dialect, as jaxlib and torch-mlir print it, and `chlo`, its companion.

`values.py` defines the values of the ops. `names.py` maps elementwise ops to `snippets` ops.
"""

from xdsl.ir import Dialect

from snippets_mlir.dialects.stablehlo import (
    chlo,
    control,
    convolution,
    elementwise,
    gathers,
    movement,
    products,
    reduction,
    region_ops,
    slices,
)
from snippets_mlir.dialects.stablehlo.attributes import ATTRIBUTES

StableHLO = Dialect(
    "stablehlo",
    [
        *elementwise.OPS,
        *movement.OPS,
        *slices.OPS,
        *gathers.OPS,
        *products.OPS,
        *convolution.OPS,
        *reduction.OPS,
        *region_ops.OPS,
        *control.OPS,
    ],
    ATTRIBUTES,
)
Chlo = Dialect("chlo", chlo.OPS)
