"""MLIR's `math`: upstream's dialect with ops added.

Only the context of our own tools registers it, under the same name. Added: `math.clampf`,
`math.isfinite`, `math.isinf`, `math.isnan`, `math.isnormal`. Everything else is upstream's.
"""

from xdsl.dialects.math import Math as UpstreamMath
from xdsl.ir import Dialect

from snippets_mlir.dialects.math.floats import (
    OPS,
    ClampfOp,
    IsFiniteOp,
    IsInfOp,
    IsNanOp,
    IsNormalOp,
)
from snippets_mlir.support.extension import extended

Math: Dialect = extended(UpstreamMath, OPS)

__all__ = ["ClampfOp", "IsFiniteOp", "IsInfOp", "IsNanOp", "IsNormalOp", "Math"]
