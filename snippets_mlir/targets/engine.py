"""The time of a node in onnxruntime's CPU engine, in nanoseconds: constants of three machines.

    engine_of("x86-64-avx512")     a machine with vectors of 512 bits
    engine_of("x86-64-avx2")       a machine with shorter vectors, as for all other targets
    engine_of("x86-64-avx512", "sapphirerapids")     the CPUs of a tune

The target and the tune decide, not the compiling computer, so a plan is the same everywhere: a
program for AVX2 is planned as for a computer without AVX-512.

The rates are for one thread and float32 at 64x512 (in the second-level cache). Operators without a
rate in the table have the rate of an addition. `python benchmarks/engine_rates.py` measures the
rates, `node`, `session`, `waking` and the bytes of caches and streams, and prints them beside the
values in use: a row is replaced if it is off by more than half. `python benchmarks/cut_step.py`
measures `step` and `cold`. `kernel`, `team`, `instruction` and `kernel_product` are for this
project's code. `product`, `kernel_product` and `sized_product` are for float32 on an EPYC of family
26: the median of products with constant weights, from 32x384x384 to 1000x1000x1000.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xdsl.ir import Operation

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.dialects.snippets.registry import DerivedTable, record_of, records
from snippets_mlir.targets.machine import machine

_OTHERS: dict[str, float] = {
    "ArgMax": 0.47,
    "ArgMin": 0.47,
    "QuickGelu": 0.47,
    "Reciprocal": 0.17,
    "ReduceL2": 0.55,
    "ReduceMax": 0.041,
    "ReduceMean": 0.042,
    "ReduceSum": 0.042,
    "RotaryEmbedding": 0.14,
    "Selu": 1.82,
    "SimplifiedLayerNormalization": 0.22,
    "ThresholdedRelu": 0.1,
    "com.microsoft.RotaryEmbedding": 0.14,
}
"""Rates of operators that have no op in the `snippets` dialect."""

RATES: Mapping[str, float] = DerivedTable(
    lambda: (
        {r.onnx.key: r.onnx.engine_rate for r in records() if r.onnx and r.onnx.engine_rate}
        | _OTHERS
    )
)
"""Nanoseconds of one thread per element of the result; the rates of our ops are in their records.
"""


ENGINE = EngineCosts(
    node=200.0,
    session=4_000.0,
    step=2_000.0,
    cold=24_000.0,
    waking=7_500.0,
    resting=49_000.0,
    worth=4_000.0,
    walking=18_000.0,
    walked=15_000.0,
    unsized=12_000.0,
    kernel=2_000.0,
    team=25_000.0,
    span=6.2,
    turned=0.4,
    scattered=3.4,
    arithmetic=0.1,
    cached_byte=0.01,
    stream_byte=0.02,
    layout_byte=0.1,
    image_byte=0.5,
    fusion_byte=0.5,
    parallel_from=20_000.0,
    cache=8 << 20,
    instruction=0.25,
    product=0.0095,
    kernel_product=0.0087,
    sized_product=0.0105,
    integers=0.4,
    reading=1.4,
    rates=RATES,
)
"""AMD EPYC of family 25, model 17 (Zen 4), two cores at 2.6 GHz; onnxruntime 1.32 with AVX-512.
`walking` and `walked` are of an Intel Xeon: programs of 3 to 17 kernels and small sessions in turn.
`unsized` is of NonZero beside two kernels there, 13 to 24 us with 0 and 2 more outputs. `worth` is
what sessions of `silero_static` and `sk_mlp` differ by, 4 to 7 us. `kernel`, `team` and `span` are
of an EPYC of family 26 (Zen 5). `session`, `cold`, `waking` and `resting` are in the middle of
both: 5.1, 18, 3.9 and 65 us here, and 3, 30, 11 and 33 us there. Rates that differ by more than
half between the two are in the middle; the other rates of family 26 are three quarters of the rates
here. `image_byte` and `fusion_byte` are of family 26 and of cuts in models: a pair of convolutions
loses a fifth of the former by a cut, and no more than its layout. `turned`, `scattered` and
`reading` are of family 25: products of 1 and 4 rows whose weights are 1 MiB to 236 MiB together
read 31 to 128 GB/s as kernels, and 1.1 to 2 times less in onnxruntime.
"""


NARROW = 1.6
"""Elementwise nodes of onnxruntime on AVX2 in terms of `RATES`: the median of 50 operators."""

_OTHERS_AVX2: dict[str, float] = {
    "ArgMax": 0.48,
    "ArgMin": 0.48,
    "ReduceMax": 0.035,
    "ReduceSum": 0.17,
}
"""Rates on AVX2 of the operators of `_OTHERS` that are far from this factor."""


def _avx2_rates() -> dict[str, float]:
    own = {r.onnx.key: r.onnx.avx2_rate for r in records() if r.onnx and r.onnx.avx2_rate}
    return {name: NARROW * rate for name, rate in RATES.items()} | own | _OTHERS_AVX2


_AVX2 = replace(
    ENGINE,
    node=700.0,
    session=10_000.0,
    step=3_000.0,
    waking=15_000.0,
    resting=45_000.0,
    kernel=1_200.0,
    arithmetic=NARROW * ENGINE.arithmetic,
    cached_byte=0.013,
    stream_byte=0.05,
    layout_byte=0.2,
    image_byte=0.8,
    fusion_byte=0.8,
    instruction=0.14,
    product=0.0255,
    kernel_product=0.0247,
    sized_product=0.027,
    rates=DerivedTable(_avx2_rates),
)
"""AMD EPYC of family 25, model 1 (Zen 3), two cores at 2.4 GHz without AVX-512, shared with other
virtual machines. `engine_rates.py` measured `session`, bytes and products; `waking` is the smaller
of two runs, 15 and 54 us, and `resting` in the middle of two, 30 and 64. `instruction` is the
median of kernels of softmax, gelu, tanh, exp and erf at 64x512. `node` and `kernel` are what 8 more
products of 64x64x64 and 64x96x96 take besides their arithmetic: 0.7 to 0.9 us in onnxruntime, 1.1
to 1.4 us in kernels of two threads (0.1 of one). `step` is 1.5 times that of `ENGINE`, `image_byte`
and `fusion_byte` 1.6 times: these three are not measured."""


_TUNED: Mapping[tuple[str, str], EngineCosts] = {
    ("x86-64-avx512", "sapphirerapids"): replace(
        ENGINE, product=0.0165, kernel_product=0.0135, sized_product=0.0175
    ),
}
"""By target and tune. Intel Xeon with AVX512-FP16, two cores at 2.6 GHz: products of 16, 64 and 128
rows with constant weights of 256 KiB to 9 MiB, one pair and four of them. The rates of elementwise
nodes differ by less than a fifth from those of `ENGINE`. `integers`, of all machines, was measured
on it: a QLinearMatMul of 396x256x1024."""


def engine_of(target: str, tune: str = "") -> EngineCosts:
    """The constants for the machines of a target, by the float32 lanes in its vectors, or for the
    kind of machine that a tune names.
    """
    lanes = machine(target).lanes
    return _TUNED.get((target, tune)) or (_AVX2 if lanes < 16 else ENGINE)


def operator_of(op: Operation) -> str:
    """The engine's operator for an op of a program that does not come from ONNX.

    `snippets.reduce_l2` is `ReduceL2`; a name that is not an operator has the rate of an addition.
    """
    record = record_of(op.name)
    if record is not None and record.onnx is not None:
        return record.onnx.key
    name = op.name.partition(".")[2]
    return "".join(word.capitalize() for word in name.split("_"))
