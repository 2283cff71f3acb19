"""ONNX's node cases through `SnippetsBackend`.

`run_case` runs one case and returns its result; `required` says which cases the compiler must pass.
`python -m snippets_mlir.tools.onnx_report` prints the whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.mapping import row_of
from snippets_mlir.integrations.onnx_backend import SnippetsBackend, bound, parameters
from snippets_mlir.support.errors import CompileError

PASSED, NOT_SUPPORTED, FAILED = "passed", "not supported", "failed"

# The element types for which every case of a mapped operator has to pass.
REQUIRED_TYPES = frozenset(
    {
        onnx.TensorProto.FLOAT,
        onnx.TensorProto.DOUBLE,
        onnx.TensorProto.INT32,
        onnx.TensorProto.INT64,
        onnx.TensorProto.BOOL,
    }
)

NOT_ALONE = ("Slice", "Split", "Trilu")
"""Operators that are not kernels on their own."""

ALONG_INPUTS = ("CumSum", "Gather", "Pad", "Range")
"""Operators whose axis, indices or amounts are an input that is not constant in any case, so that
they have no kernel."""


@dataclass(frozen=True)
class Outcome:
    """The result of one case: `detail` names the unsupported operators, or the failure."""

    name: str
    status: str
    detail: str = ""


def tensor_types(model: onnx.ModelProto) -> Iterator[int | None]:
    """The element types of a model's inputs and outputs, None for values other than tensors."""
    for info in (*model.graph.input, *model.graph.output):
        tensor = info.type.HasField("tensor_type")
        yield info.type.tensor_type.elem_type if tensor else None


def required(model: onnx.ModelProto) -> bool:
    """Whether every node of the model has a row in the mapping, and its types are compiled.

    Training forms of BatchNormalization and Dropout (which have more than one output or a third
    input that is true or not constant) are no elementwise operators. Attention with its scores as
    an output has no kernel. Slices that only the caller reads are views, and triangles that no
    kernel reads stay opaque, as do a sum along an axis that is an input, a Gather at indices that
    are an input, and a Range of numbers that are.
    """
    types = set(tensor_types(model))
    return types <= REQUIRED_TYPES and all(
        node.domain in ("", "ai.onnx")
        and row_of("", node.op_type) is not None
        and node.op_type not in (*NOT_ALONE, *ALONG_INPUTS)
        and not _trains(node)
        and not _has_scores(node)
        for node in model.graph.node
    )


def _trains(node: onnx.NodeProto) -> bool:
    if node.op_type == "Dropout":
        return len(node.input) > 2 and bool(node.input[2])
    return node.op_type == "BatchNormalization" and any(
        a.name == "training_mode" and a.i for a in node.attribute
    )


def _has_scores(node: onnx.NodeProto) -> bool:
    """Whether an Attention also returns its scores."""
    return node.op_type == "Attention" and any(node.output[3:])


def opaque_operators(model: onnx.ModelProto) -> list[str]:
    """The operators of a model that stay `onnx.node`, each once, in alphabetical order."""
    nodes = [op for op in import_model(model, products=True).walk() if op.name == "onnx.node"]
    return sorted({op.properties["op_type"].data for op in nodes})  # pyright: ignore


def run_case(case: Any, **options: Any) -> Outcome:
    """Run one case of ONNX with `fallback="error"`; `options` are those of `compile`."""
    try:
        opaque = opaque_operators(_bound_to_first_data(case))
        if None in tensor_types(case.model):
            opaque.append("inputs or outputs that are not tensors")
        if opaque:
            return Outcome(case.name, NOT_SUPPORTED, ", ".join(opaque))
        program = SnippetsBackend.prepare(case.model, fallback="error", **options)
        for inputs, expected in case.data_sets:
            found = program.run([_array(a) for a in inputs])
            for index, pair in enumerate(zip(found, map(_array, expected), strict=True)):
                if (difference := _difference(*pair, case.rtol, case.atol)) is not None:
                    return Outcome(case.name, FAILED, f"output {index}: {difference}")
    except CompileError as error:
        return Outcome(case.name, FAILED, str(error))
    except Exception as error:  # a bug in the compiler; the other cases still run
        return Outcome(case.name, FAILED, f"{type(error).__name__}: {error}")
    return Outcome(case.name, PASSED)


def _bound_to_first_data(case: Any) -> onnx.ModelProto:
    """The model of a case, its parameters as constants of the first data set."""
    arrays: Sequence[Any] = case.data_sets[0][0]
    places = {info.name: index for index, info in enumerate(case.model.graph.input)}
    return bound(case.model, {n: _array(arrays[places[n]]) for n in parameters(case.model)})


def _difference(found: Any, wanted: Any, rtol: float, atol: float) -> str | None:
    """The error of an output, or None if it is correct."""
    if found.dtype != wanted.dtype or found.shape != wanted.shape:
        expected = f"{wanted.dtype}{list(wanted.shape)}"
        return f"expected {expected}, found {found.dtype}{list(found.shape)}"
    if not np.allclose(found, wanted, rtol, atol, equal_nan=True):
        return f"{found} is not {wanted}"
    return None


def _array(value: Any) -> Any:
    return (
        numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    )


def node_cases() -> list[Any]:
    """ONNX's node cases (`onnx.backend.test`), with models and data in memory."""
    from onnx.backend.test.loader import load_model_tests

    return load_model_tests(kind="node")
