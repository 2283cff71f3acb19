"""Values of three image models with random weights, beside ONNX Runtime.

The models as they ship have constant weights, so that their outputs hardly vary and agree with
almost anything. Here each weight is random, the values before a final softmax are compared, and a
change of the input by 1 % has to move the output by ten times the tolerance at least: an input that
dies away on its path would let errors of the early layers pass.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import numpy_helper

from snippets_mlir.driver import compile_with
from snippets_mlir.driver.settings import Settings

MODELS = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
KERNELS = {"resnet50": 49, "inception_v2": 69, "densenet121": 175}
FIRST_BLOCKS = [
    ("resnet50", "r47", "none", 13),
    ("inception_v2", "r161", "onnxruntime", 21),
]
"""What `make test` compiles: models up to the end of the first block with a stride."""
CASES = (
    [(n, "", p, KERNELS[n]) for n in KERNELS for p in ("none", "onnxruntime")]
    if "SNIPPETS_FUZZ_SECONDS" in os.environ
    else FIRST_BLOCKS
)
"""Name, last value or all, profile and kernels without marks; `make fuzz` has all whole models."""

Array = np.ndarray[Any, np.dtype[Any]]
ENGINE: Any = onnxruntime

TOLERANCE = 1e-5
"""Largest error, in standard deviations of the output."""


def _weight(shape: tuple[int, ...], factor: bool, rng: np.random.Generator) -> Array:
    """A weight that neither blows a deep network up nor lets its input die away."""
    if factor:
        return rng.uniform(0.8, 1.25, shape).astype(np.float32)
    if len(shape) < 2:
        return (rng.standard_normal(shape) * 0.1).astype(np.float32)
    fan_in = int(np.prod(shape[1:]))
    return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)


def random_model(name: str, last: str, folder: Path) -> Path:
    """The model with each `ConstantOfShape` a random initializer, up to a value or a softmax."""
    model = onnx.ModelProto.FromString((MODELS / f"light_{name}.onnx").read_bytes())
    graph, rng = model.graph, np.random.default_rng(1)
    if last:
        (end,) = [i for i, node in enumerate(graph.node) if last in node.output]
        del graph.node[end + 1 :]
        graph.output[0].CopyFrom(onnx.ValueInfoProto(name=last, type=graph.output[0].type))
        graph.output[0].type.tensor_type.ClearField("shape")
    used = {name for node in graph.node for name in node.input}
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    norms = [n for n in graph.node if n.op_type == "BatchNormalization"]
    factors = {name for n in norms for name in (n.input[1], n.input[4])}
    multiplied = {name for n in graph.node if n.op_type == "Mul" for name in n.input}
    factors |= {
        n.input[0] for n in graph.node if n.op_type == "Unsqueeze" and n.output[0] in multiplied
    }
    kept: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            if node.output[0] not in used:
                continue
            shape = tuple(int(size) for size in known[node.input[0]])
            weight = _weight(shape, node.output[0] in factors, rng)
            graph.initializer.append(numpy_helper.from_array(weight, node.output[0]))
        elif node.op_type == "Softmax":
            graph.output[0].name = node.input[0]
        else:
            kept.append(node)
    del graph.node[:]
    graph.node.extend(kept)
    model.ir_version = 8  # from 4 on, an initializer need not be an input
    path = folder / f"{name}.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize(("name", "last", "profile", "kernels"), CASES)
def test_values_with_random_weights(
    name: str, last: str, profile: str, kernels: int, tmp_path: Path
) -> None:
    path = random_model(name, last, tmp_path)
    options = ENGINE.SessionOptions()
    options.log_severity_level = 3
    session = ENGINE.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    described = next(i for i in session.get_inputs() if len(i.shape) == 4)
    shape: tuple[int, ...] = tuple(described.shape)
    x: Array = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    expected: Array = session.run(None, {described.name: x})[0]
    moved: Array = session.run(None, {described.name: x * np.float32(1.01)})[0]
    limit = TOLERANCE * float(expected.std())
    assert float(np.abs(moved - expected).max()) > 10 * limit, "the input dies away"

    compiled = compile_with(path, None, Settings.filled(mark_skipped=profile))
    assert (len(compiled.kernels) == kernels) == (profile == "none")
    found: Array = next(iter(compiled.run({described.name: x}).values()))
    assert float(np.abs(found - expected).max()) <= limit
