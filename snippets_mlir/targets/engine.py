"""What onnxruntime's CPU engine takes for a node, in nanoseconds: constants of a machine.

The rates are for one thread and float32. They are the slope between a chain of one node and a chain
of seven, `python benchmarks/engine_rates.py`, at 64x512 (in the second-level cache) for `rates` and
at 2048x2048 for `stream_byte`. A rate that is not in the table is that of an addition.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippets_mlir.analysis.cost import EngineCosts

RATES: Mapping[str, float] = {
    "Acos": 3.0,
    "Asin": 3.0,
    "Atan": 3.0,
    "Cos": 3.0,
    "Erf": 0.40,
    "Exp": 0.13,
    "Elu": 0.60,
    "Gelu": 0.50,
    "HardSigmoid": 0.16,
    "HardSwish": 0.20,
    "LayerNormalization": 0.42,
    "LeakyRelu": 0.26,
    "Log": 1.8,
    "LogSoftmax": 0.50,
    "Mish": 6.0,
    "Mod": 3.0,
    "Pow": 8.0,
    "ReduceL2": 0.30,
    "Sigmoid": 0.28,
    "Sin": 3.0,
    "Softmax": 0.25,
    "Softplus": 11.0,
    "Sqrt": 0.32,
    "Tan": 3.0,
    "Tanh": 0.27,
}
"""Nanoseconds of one thread for an element of the result."""


ENGINE = EngineCosts(
    node=700.0,
    session=50_000.0,
    kernel=45_000.0,
    arithmetic=0.10,
    cached_byte=0.02,
    stream_byte=0.08,
    image_byte=0.5,
    fusion_byte=0.5,
    parallel_from=20_000.0,
    cache=4 << 20,
    instruction=0.25,
    rates=RATES,
)
"""A server's CPU with AVX-512, two threads."""
