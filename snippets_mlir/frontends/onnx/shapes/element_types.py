"""The element types of an operator's outputs, without ONNX's operator table.

`Add` has the type of its first input, `Shape` gives `int64`. The first lookup in ONNX's own table
costs 10 ms, more than everything else for a small model. So this table serves operators of ONNX's
domains that have a rule (`rules/`). A test compares it with ONNX's table, for every version of
these operators.
"""

from __future__ import annotations

from collections.abc import Mapping

from onnx import TensorProto

from snippets_mlir.dialects.snippets.registry import DerivedTable, records

Source = tuple[str, int]
"""Where an output's element type comes from: ("input", index) or ("type", number)."""

FIRST: Source = ("input", 0)

DOMAINS = ("", "ai.onnx.ml")
"""Those of ONNX; no operator is in both."""

_BY_TYPE: Mapping[int, str] = {
    TensorProto.FLOAT: "LinearRegressor Normalizer Scaler TreeEnsembleRegressor",
    TensorProto.INT32: "ConvInteger MatMulInteger",
    TensorProto.INT64: "ArgMax ArgMin NonMaxSuppression NonZero Shape Size",
    TensorProto.UINT8: "DynamicQuantizeLinear",
}
_BY_INPUT: Mapping[int, str] = {
    1: "CastLike RMSNormalization Where",
    2: "Loop OneHot QuantizeLinear",
    7: "QLinearConv QLinearMatMul",
}
_BY_ATTRIBUTE = (
    "Bernoulli BitCast BlackmanWindow Cast Constant ConstantOfShape EyeLike HammingWindow "
    "HannWindow If LabelEncoder LinearClassifier RandomNormal RandomNormalLike RandomUniform "
    "RandomUniformLike TreeEnsembleClassifier"
)
BY_VERSION = frozenset(("Celu", "DequantizeLinear", "Scan"))
"""Operators that need ONNX's table."""

_OTHERS: Mapping[str, Source | None] = {
    **{name: ("type", code) for code, names in _BY_TYPE.items() for name in names.split()},
    **{name: ("input", index) for index, names in _BY_INPUT.items() for name in names.split()},
    **dict.fromkeys(_BY_ATTRIBUTE.split()),
}


_PREDICATES: Mapping[str, Source] = DerivedTable(
    lambda: {
        r.onnx.operator: ("type", TensorProto.BOOL)
        for r in records()
        if r.onnx is not None and r.op.PREDICATE
    }
)

_LATER: Mapping[str, Source] = {
    **dict.fromkeys(("GRU", "LSTM", "RNN", "Split"), FIRST),
    "TopK": ("type", TensorProto.INT64),
}
"""The sources of all outputs after the first."""


def is_stated(op_type: str, output: int) -> bool:
    """Whether `source_of` knows the output of an operator of `DOMAINS` that has a rule."""
    return op_type in _LATER if output else op_type not in BY_VERSION


def source_of(op_type: str, output: int) -> Source | None:
    """The source for a stated output; None if an attribute determines it."""
    if output:
        return _LATER[op_type]
    return _OTHERS[op_type] if op_type in _OTHERS else _PREDICATES.get(op_type, FIRST)
