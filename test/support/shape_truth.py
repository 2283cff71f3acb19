"""Compares inferred shapes with those that onnxruntime finds for every value of a model."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from snippets_mlir.frontends.onnx.shapes import (
    InferredShapes,
    Size,
    ValueType,
    evaluate,
    infer_shapes,
)

Feeds = Mapping[str, Any]


def actual_arrays(model: onnx.ModelProto, feeds: Feeds) -> dict[str, Any]:
    """Each tensor that a node of the graph computes, if NumPy holds it."""
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
    try:
        results: list[Any] = session.run(None, dict(feeds))
        arrays = dict(zip(dict.fromkeys(names), results, strict=True))
    except ValueError as error:  # an empty array with a dim that NumPy does not hold
        if "array is too big" not in str(error):
            raise
        arrays: dict[str, Any] = {}
        for name in dict.fromkeys(names):
            with suppress(ValueError):
                (arrays[name],) = session.run([name], dict(feeds))
    return {name: array for name, array in arrays.items() if hasattr(array, "dtype")}


def symbol_values(inferred: InferredShapes, feeds: Feeds) -> dict[str, int]:
    """The values of the symbols in a call."""
    known = {s: np.shape(feeds[name])[axis] for s, (name, axis) in inferred.symbols.items()}
    return inferred.with_defined(known)


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
    for name, array in actual_arrays(model, feeds).items():
        type_, element = inferred.types[name], helper.np_dtype_to_tensor_dtype(array.dtype)
        if not _agrees(type_, element, array.shape, values):
            found.append(f"{name}: inferred {type_}, found {element} {array.shape} for {values}")
        elif not _same_elements(inferred, name, array, values):
            elements = inferred.elements[name].tolist()
            found.append(f"{name}: inferred {elements}, found {array.tolist()} for {values}")
    return found


def _same_elements(
    inferred: InferredShapes, name: str, array: Any, values: Mapping[str, int]
) -> bool:
    """Whether the elements that are known are those of `array`."""
    if name not in inferred.elements:
        return True
    elements: list[Size | None] = inferred.elements[name].reshape(-1).tolist()
    pairs = zip(elements, array.reshape(-1).tolist(), strict=True)
    return all(known is None or evaluate(known, values) == actual for known, actual in pairs)


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


def mistakes_of_case(case: Any) -> tuple[list[str], int]:
    """For an ONNX node case whose dims are made symbols: wrong outputs, and how many are unknown.

    Small inputs after the first are constants, as models have them.
    """
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    arrays, outputs = (list(map(_array, values)) for values in case.data_sets[0])
    feeds: dict[str, Any] = {}
    inputs = list(zip(model.graph.input, arrays, strict=False))
    del model.graph.input[:]
    for info, array in inputs:
        if feeds and array is not None and array.size <= 16 and array.dtype.kind in "bif":
            model.graph.initializer.append(numpy_helper.from_array(array, info.name))
        else:
            for dim in info.type.tensor_type.shape.dim:
                dim.Clear()
            model.graph.input.append(info)
            feeds[info.name] = array
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    found: list[str] = []
    unknown = 0
    for assume in (True, False):
        inferred = infer_shapes(model, assume=assume)
        unknown += sum(not inferred.types[o.name].is_known for o in model.graph.output if assume)
        values = symbol_values(inferred, feeds)
        for info, array in zip(model.graph.output, outputs, strict=True):
            type_ = inferred.types[info.name]
            if array is None or not holds(inferred, values):
                continue
            if not _agrees(type_, type_.element, array.shape, values):
                found.append(f"{info.name}: inferred {type_}, found {array.shape} for {values}")
    return found, unknown


def _array(value: Any) -> Any:
    """A tensor as an array; None for a sequence or an optional value."""
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    return np.asarray(value) if hasattr(value, "dtype") else None
