"""The plan of the cuts of a model, made as the driver makes it for a call, and its bound."""

from __future__ import annotations

import onnx

from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.bound.cut_bound import may_pay
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.targets.engine import ENGINE
from snippets_mlir.targets.machine import machine


def planned_cuts(
    made: onnx.ModelProto, shapes: Shapes, target: str, threads: int
) -> tuple[PreparedModel, Cuts]:
    """What a model is after its preparation, and the plan of its cuts."""
    prepared, numbering = prepare_model(made), Numbering()
    imported = import_graph(prepared, sizes=numbering.number, hashed=False)
    names = [i.name for i in prepared.model.graph.input]
    hints = numbering.template(prepared.inferred, names).values(shapes)
    assert hints is not None
    return prepared, plan_cuts(imported, target, threads, hints)


TARGET = "x86-64-avx512"


def both(made: onnx.ModelProto, shapes: Shapes, threads: int = 2) -> tuple[bool, Cuts]:
    """What the bound says, and the plan."""
    prepared, cuts = planned_cuts(made, shapes, TARGET, threads)
    return may_pay(prepared, shapes, threads, ENGINE, machine(TARGET).lanes), cuts


def refused(made: onnx.ModelProto) -> bool:
    """Whether the bound says no, which must be right."""
    may, cuts = both(made, ())
    assert may or not cuts.kernels, str(cuts)
    return not may
