"""The rules by domain and operator: one small function each, in one file per family."""

from collections.abc import Mapping

from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.frontends.onnx.shapes.rules import (
    arithmetic,
    attention,
    contraction,
    control,
    elementwise,
    indexing,
    learning,
    microsoft,
    quantization,
    reduction,
    reshaping,
    shaping,
    signals,
    windows,
)
from snippets_mlir.frontends.onnx.shapes.view import Rule

_ONNX: dict[str, Rule] = {
    **elementwise.RULES,
    **arithmetic.RULES,
    **shaping.RULES,
    **reshaping.RULES,
    **indexing.RULES,
    **reduction.RULES,
    **contraction.RULES,
    "Attention": attention.attention,
    **windows.RULES,
    **signals.RULES,
    **quantization.RULES,
    **control.RULES,
}

_RULES: dict[tuple[str, str], Rule] = {
    **{("", name): rule for name, rule in _ONNX.items()},
    **{("com.microsoft", name): rule for name, rule in microsoft.RULES.items()},
    **{("ai.onnx.ml", name): rule for name, rule in learning.RULES.items()},
    # onnxruntime has this one in ONNX's domain.
    ("", "SimplifiedLayerNormalization"): microsoft.RULES["SimplifiedLayerNormalization"],
}

RULES: Mapping[tuple[str, str], Rule] = DerivedTable(
    lambda: (
        {
            (r.onnx.domain, r.onnx.operator): elementwise.of_record(r)
            for r in records()
            if r.onnx is not None and WholeTensorOp not in r.op.__mro__
        }
        | _RULES
    )
)
"""Domain and operator -> its rule; those of operators that are one elementwise op follow from its
record, unless they compute sizes."""
