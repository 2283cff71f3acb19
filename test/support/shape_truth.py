"""Compares inferred shapes with those that onnxruntime finds for every value of a model."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
import onnx

from snippets_mlir.frontend.onnx.shapes import InferredShapes, ValueType, evaluate, infer_shapes

Feeds = Mapping[str, Any]


def actual_types(model: onnx.ModelProto, feeds: Feeds) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Element type and shape of each tensor that a node of the graph computes."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    del copy.graph.output[:]
    names = [n for node in model.graph.node for n in node.output if n]
    copy.graph.output.extend(onnx.ValueInfoProto(name=n) for n in dict.fromkeys(names))
    ort: Any = import_module("onnxruntime")  # it has no type information
    options: Any = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session: Any = ort.InferenceSession(
        copy.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    found: list[Any] = session.run(None, dict(feeds))
    return {
        n: (onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
        for n, a in zip(dict.fromkeys(names), found, strict=True)
        if isinstance(a, np.ndarray)
    }


def symbol_values(inferred: InferredShapes, feeds: Feeds) -> dict[str, int]:
    """The values of the symbols in a call."""
    return {s: np.shape(feeds[name])[axis] for s, (name, axis) in inferred.symbols.items()}


def holds(inferred: InferredShapes, values: Mapping[str, int]) -> bool:
    """Whether a call with these values may use what was inferred."""
    try:
        return all(evaluate(a, values) == evaluate(b, values) for a, b in inferred.equalities)
    except ZeroDivisionError:
        return False


def mistakes(
    model: onnx.ModelProto, feeds: Feeds, inferred: InferredShapes | None = None
) -> list[str] | None:
    """What was inferred wrongly for a call; None for a call that may not use it."""
    inferred = infer_shapes(model) if inferred is None else inferred
    values = symbol_values(inferred, feeds)
    if not holds(inferred, values):
        return None
    found: list[str] = []
    for name, (element, shape) in actual_types(model, feeds).items():
        type_ = inferred.types[name]
        if not _agrees(type_, element, shape, values):
            found.append(f"{name}: inferred {type_}, found {element} {shape} for {values}")
    return found


def _agrees(
    type_: ValueType, element: int, shape: tuple[int, ...], values: Mapping[str, int]
) -> bool:
    if type_.element not in (0, element):
        return False
    if type_.shape is None:
        return True
    sizes = [None if s is None else evaluate(s, values) for s in type_.shape]
    return len(sizes) == len(shape) and all(
        s is None or s == n for s, n in zip(sizes, shape, strict=True)
    )


def unknown(model: onnx.ModelProto, inferred: InferredShapes) -> list[str]:
    """The values that nodes compute and whose sizes are not all known."""
    names = dict.fromkeys(n for node in model.graph.node for n in node.output if n)
    return [n for n in names if not inferred.types[n].is_known]
