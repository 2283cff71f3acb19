"""What onnxruntime's CPU engine takes for a node, in nanoseconds: constants of a machine.

The rates are for one thread and float32 at 64x512 (in the second-level cache). A rate that is not
in the table is that of an addition. `python benchmarks/engine_rates.py` measures all but `step`,
`kernel`, `team` and `instruction`, which are of this project's code, and prints the table beside
the one that is in use: a row is replaced when it is off by more than half.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from snippets_mlir.analysis.cost import EngineCosts

RATES: Mapping[str, float] = {
    "Abs": 0.072,
    "Acos": 0.57,
    "Asin": 1.06,
    "Asinh": 14.9,
    "Atan": 0.89,
    "Atanh": 16.0,
    "Ceil": 0.31,
    "Cos": 1.89,
    "Cosh": 5.17,
    "Div": 0.17,
    "Elu": 1.8,
    "Erf": 0.4,
    "Exp": 0.17,
    "Floor": 0.27,
    "Gelu": 0.5,
    "HardSigmoid": 0.16,
    "HardSwish": 0.2,
    "LayerNormalization": 0.42,
    "LeakyRelu": 0.15,
    "Log": 1.5,
    "LogSoftmax": 0.3,
    "Mish": 10.5,
    "Mod": 5.61,
    "Neg": 0.075,
    "PRelu": 0.34,
    "Pow": 3.3,
    "QuickGelu": 0.47,
    "Reciprocal": 0.21,
    "ReduceL2": 0.71,
    "ReduceMax": 0.031,
    "ReduceMean": 0.042,
    "ReduceSum": 0.042,
    "Relu": 0.12,
    "Round": 0.2,
    "Selu": 1.82,
    "Sigmoid": 0.28,
    "Sign": 1.01,
    "SimplifiedLayerNormalization": 0.22,
    "Sin": 1.85,
    "Sinh": 11.3,
    "Softmax": 0.25,
    "Softplus": 10.2,
    "Softsign": 0.21,
    "Sqrt": 0.29,
    "Tan": 8.91,
    "Tanh": 0.23,
    "ThresholdedRelu": 0.1,
}
"""Nanoseconds of one thread for an element of the result."""


ENGINE = EngineCosts(
    node=200.0,
    session=5_000.0,
    step=17_000.0,
    cold=60_000.0,
    waking=50_000.0,
    kernel=5_000.0,
    team=55_000.0,
    arithmetic=0.14,
    cached_byte=0.01,
    stream_byte=0.02,
    layout_byte=0.1,
    image_byte=0.5,
    fusion_byte=0.5,
    parallel_from=20_000.0,
    cache=8 << 20,
    instruction=0.25,
    rates=RATES,
)
"""AMD EPYC of family 25, model 17 (Zen 4), two cores at 2.6 GHz; onnxruntime 1.32 with AVX-512.
`image_byte` and `fusion_byte` are of an EPYC of family 26 and of cuts in models: a pair of
convolutions here loses a fifth of the former by a cut, and no more than its layout."""


_OPERATORS = {
    "divide": "Div",
    "hsigmoid": "HardSigmoid",
    "hswish": "HardSwish",
    "layer_norm": "LayerNormalization",
    "power": "Pow",
}


def operator_of(op: Operation) -> str:
    """The engine's operator for an op of a program that was not imported from ONNX.

    `snippets.reduce_l2` is `ReduceL2`; a name that is no operator has the rate of an addition.
    """
    name = op.name.removeprefix("snippets.")
    return _OPERATORS.get(name) or "".join(word.capitalize() for word in name.split("_"))
