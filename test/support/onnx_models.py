"""Small ONNX models for the tests of the front end, the executors and the driver."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

Array = NDArray[Any]
Shape = Sequence[int | str | None]
EXCEPTIONAL_ROWS = np.array(
    [
        [1.0, 2.0, 3.0],
        [-np.inf, -np.inf, -np.inf],
        [np.inf, 1.0, -np.inf],
        [np.nan, 1.0, 2.0],
        [1e30, 1e30, -1e30],
        [-0.0, -0.0, -0.0],
    ],
    np.float32,
)
"""Rows of float32 whose sums and maxima are infinite, NaN or -0.0."""


def value(name: str, shape: Shape | None, dtype: Any = np.float32) -> onnx.ValueInfoProto:
    """The declaration of a value of the given NumPy dtype."""
    code = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return helper.make_tensor_value_info(name, code, shape)


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[str | onnx.ValueInfoProto],
    initializers: Mapping[str, Array] | None = None,
    *,
    opset: int = 18,
    functions: Sequence[onnx.FunctionProto] = (),
    domains: Sequence[str] = (),
) -> onnx.ModelProto:
    """A model; outputs given by name only have the type that ONNX infers."""
    graph = helper.make_graph(
        nodes,
        "g",
        inputs,
        [o if isinstance(o, onnx.ValueInfoProto) else onnx.ValueInfoProto(name=o) for o in outputs],
        [numpy_helper.from_array(a, n) for n, a in (initializers or {}).items()],
    )
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(d, 1) for d in domains)]
    made = helper.make_model(graph, opset_imports=imports, functions=list(functions), ir_version=10)
    inferred = onnx.shape_inference.infer_shapes(made)
    del inferred.graph.value_info[:]
    return inferred


def single(
    op_type: str,
    arrays: Sequence[Array | None],
    *,
    opset: int = 18,
    outputs: int = 1,
    constants: Sequence[int] = (),
    result: onnx.ValueInfoProto | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """A model of one node on arrays like `arrays`; None is an optional input left out.

    The inputs whose positions are in `constants` are initializers with the values of the arrays.
    `result` declares the one output, `y0`, where ONNX does not infer its type.
    """
    names = ["" if a is None else f"x{i}" for i, a in enumerate(arrays)]
    node = helper.make_node(op_type, names, [f"y{i}" for i in range(outputs)], **attributes)
    given = [(i, n, a) for i, (n, a) in enumerate(zip(names, arrays, strict=True)) if a is not None]
    return model(
        [node],
        [value(n, a.shape, a.dtype) for i, n, a in given if i not in constants],
        [f"y{i}" for i in range(outputs)] if result is None else [result],
        {n: a for i, n, a in given if i in constants},
        opset=opset,
    )


def run_reference(made: onnx.ModelProto, arrays: Sequence[Any]) -> list[Any]:
    """The outputs by onnxruntime, or by ONNX's reference where onnxruntime lacks the operator."""
    onnxruntime: Any = import_module("onnxruntime")  # it has no type information
    from onnx.reference import ReferenceEvaluator

    names = [i.name for i in made.graph.input]
    feeds = dict(zip(names, arrays, strict=True))
    options: Any = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session: Any
    try:
        session = onnxruntime.InferenceSession(
            made.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except Exception:  # onnxruntime has an exception class per status code
        with np.errstate(all="ignore"):
            reference: Any = ReferenceEvaluator(made)
            return [np.asarray(a) for a in reference.run(None, feeds)]
    return session.run(None, feeds)


def save(made: onnx.ModelProto, path: Path, *, external: str | None = None) -> None:
    """Write a model, its tensors of 1 KiB or more into the file `external` beside it."""
    copy = onnx.ModelProto()
    copy.CopyFrom(made)  # writing moves the tensors out of the model
    untyped: Any = onnx
    untyped.save(
        copy,
        path,
        save_as_external_data=external is not None,
        location=external,
        size_threshold=1024,
    )


def samples(dtype: Any, count: int = 24, seed: int = 0) -> Array:
    """Numbers of moderate size of a dtype, zeros included."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(count) < 0.5
    if kind in "iu":
        return rng.integers(-9, 10, count).astype(dtype)
    numbers = rng.normal(0, 3, count)
    numbers[: count // 6] = np.round(numbers[: count // 6])
    numbers[0] = 0.0
    return numbers.astype(dtype)


SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, 1e-40, 3e38]
)


def silu_model(shape: Shape) -> onnx.ModelProto:
    """`x * sigmoid(x)` of float32."""
    nodes = [
        helper.make_node("Sigmoid", ["x"], ["s"]),
        helper.make_node("Mul", ["x", "s"], ["y"]),
    ]
    return model(nodes, [value("x", shape)], [value("y", shape)], opset=13)


def silu(x: np.ndarray) -> np.ndarray:
    """`x * sigmoid(x)` in float64."""
    return x / (1 + np.exp(-x.astype(np.float64)))
