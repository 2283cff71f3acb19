"""The rules by domain and operator, one small function each, in a file for each family."""

from snippets_mlir.frontend.onnx.shapes.rules import (
    arithmetic,
    contraction,
    elementwise,
    indexing,
    reduction,
    shaping,
)
from snippets_mlir.frontend.onnx.shapes.view import Rule

_ONNX: dict[str, Rule] = {
    **elementwise.RULES,
    **arithmetic.RULES,
    **shaping.RULES,
    **indexing.RULES,
    **reduction.RULES,
    **contraction.RULES,
}

RULES: dict[tuple[str, str], Rule] = {("", name): rule for name, rule in _ONNX.items()}
