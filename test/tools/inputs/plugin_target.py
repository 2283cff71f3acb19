"""A target with an emitter of its own: sums are differences of negated operands."""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import f64
from xdsl.ir import Operation, SSAValue

from snippets_mlir.targets.emitters.emitter import Emitter
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder
from snippets_mlir.targets.machine import machine


def _add(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
    return b.op("arith.subf", [x[0], b.op("arith.negf", [x[1]])])


TARGETS = [
    replace(
        machine("x86-64-avx2"),
        name="x86-64-mine",
        own_emitters={"snippets.add": Emitter(_add, 1, precisions=((f64, f64),))},
    )
]
