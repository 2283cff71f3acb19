"""No row of the mapping drops an attribute of its operator."""

from __future__ import annotations

import inspect

import pytest
from onnx import defs

from snippets_mlir.frontends.onnx.engine_operators import OF_ENGINE
from snippets_mlir.frontends.onnx.mapping import (
    ROWS_WITH_PRODUCTS,
    microsoft,
    microsoft_attention,
    products,
    rotary,
)
from snippets_mlir.frontends.onnx.node import Row

IN_OTHER_FILES = {
    "ArgMax": {"axis"},
    "ArgMin": {"axis"},
    "Attention": {"left_window_size", "right_window_size"},
    "Constant": {f"value_{k}{s}" for k in ("float", "int") for s in ("", "s")} | {"sparse_value"},
    "HardSigmoid": {"alpha", "beta"},
    "Hardmax": {"axis"},
    "RotaryEmbedding": {"interleaved"},
    "Squeeze": {"axes"},
    "Unsqueeze": {"axes"},
}
"""Attributes that functions of other files read, or by a name with a prefix."""
WITHOUT_EFFECT = {
    "Attention": {"qk_matmul_output_mode"},  # of an output that makes the node opaque
    "BatchNormalization": {"momentum"},  # of training
    "Cast": {"round_mode", "saturate"},  # of float8, which is not compiled
    "CastLike": {"round_mode", "saturate"},
    "Constant": {"value_string", "value_strings"},  # not compiled
    "Dropout": {"ratio", "seed"},  # of training
    "Range": {"stash_type"},  # of floats, which are not compiled
}


@pytest.mark.parametrize("operator", sorted(ROWS_WITH_PRODUCTS))
def test_attributes_of_onnx_are_read(operator: str):
    row = ROWS_WITH_PRODUCTS[operator]
    module = inspect.getmodule(row.build)
    assert module is not None
    source = inspect.getsource(module)
    for version in row.since:
        if operator in OF_ENGINE and version == 1:
            continue
        named = set(defs.get_schema(operator, version, "").attributes)
        named -= IN_OTHER_FILES.get(operator, set()) | WITHOUT_EFFECT.get(operator, set())
        if row.attributes is None:
            named = {a for a in named if f'"{a}"' not in source}
        assert named <= {*(row.attributes or ())}, version


@pytest.mark.parametrize("module", [microsoft, microsoft_attention, products, rotary])
def test_rows_of_other_domains_list_their_attributes(module: object):
    """ONNX's checker does not know those operators."""
    tables: list[dict[tuple[str, str] | str, Row]] = [
        vars(module)[n] for n in ("ROWS", "MICROSOFT_ROWS") if n in vars(module)
    ]
    rows = {k: row for t in tables for k, row in t.items() if not isinstance(k, str) and k[0]}
    assert rows
    assert not [key for key, row in rows.items() if row.attributes is None]
