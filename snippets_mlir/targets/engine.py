"""What onnxruntime's CPU engine takes for a node, in nanoseconds: constants of a machine.

The rates are for one thread and float32. They are the slope between a chain of one node and a chain
of seven, the fastest of many calls, at 64x512 (in the second-level cache) for `rates` and
at 2048x1024 for `stream_byte`. A rate that is not in the table is that of an addition.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippets_mlir.analysis.cost import EngineCosts

RATES: Mapping[str, float] = {
    "Acos": 3.0,
    "Asin": 3.0,
    "Atan": 3.0,
    "Cos": 3.0,
    "Div": 0.17,
    "Erf": 0.40,
    "Exp": 0.1,
    "Elu": 0.60,
    "Gelu": 0.50,
    "HardSigmoid": 0.16,
    "HardSwish": 0.20,
    "LayerNormalization": 0.42,
    "LeakyRelu": 0.26,
    "Log": 1.5,
    "LogSoftmax": 0.50,
    "Mish": 10.5,
    "Mod": 3.0,
    "Pow": 3.3,
    "ReduceL2": 0.30,
    "Sigmoid": 0.28,
    "Sin": 3.0,
    "Softmax": 0.25,
    "Softplus": 10.2,
    "Sqrt": 0.29,
    "Tan": 3.0,
    "Tanh": 0.23,
}
"""Nanoseconds of one thread for an element of the result."""


ENGINE = EngineCosts(
    node=700.0,
    session=50_000.0,
    kernel=5_000.0,
    team=40_000.0,
    arithmetic=0.07,
    cached_byte=0.01,
    stream_byte=0.02,
    image_byte=0.5,
    fusion_byte=0.5,
    parallel_from=20_000.0,
    cache=8 << 20,
    instruction=0.25,
    rates=RATES,
)
"""AMD EPYC of family 26 (Zen 5), two cores at 2.6 GHz; onnxruntime 1.31 with AVX-512."""
