"""Values of three image models with random weights, beside ONNX Runtime.

The models as they ship have constant weights, so that their outputs hardly vary and agree with
almost anything. Here each weight is random, and the values before a final softmax are compared.
"""

from __future__ import annotations

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
KERNELS = {"resnet50": 49, "inception_v2": 69, "densenet121": 121}

Array = np.ndarray[Any, np.dtype[Any]]


def _weight(shape: tuple[int, ...], variance: bool, rng: np.random.Generator) -> Array:
    """A weight that keeps the values of a deep network in range."""
    if variance:
        return rng.uniform(0.5, 1.5, shape).astype(np.float32)
    if len(shape) < 2:
        return (rng.standard_normal(shape) * 0.2 + 0.3).astype(np.float32)
    fan_in = int(np.prod(shape[1:]))
    return (rng.standard_normal(shape) * np.sqrt(2 / fan_in)).astype(np.float32)


def random_model(name: str, folder: Path) -> Path:
    """The model with each `ConstantOfShape` a random initializer, up to a final softmax."""
    model = onnx.ModelProto.FromString((MODELS / f"light_{name}.onnx").read_bytes())
    graph, rng = model.graph, np.random.default_rng(1)
    known = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    variances = {n.input[4] for n in graph.node if n.op_type == "BatchNormalization"}
    kept: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            shape = tuple(int(size) for size in known[node.input[0]])
            weight = _weight(shape, node.output[0] in variances, rng)
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


@pytest.mark.parametrize("name", KERNELS)
def test_values_with_random_weights(name: str, tmp_path: Path) -> None:
    path = random_model(name, tmp_path)
    session: Any = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    (described,) = [i for i in session.get_inputs() if len(i.shape) == 4]
    x = np.random.default_rng(2).standard_normal(described.shape).astype(np.float32)
    expected = np.asarray(session.run(None, {described.name: x})[0])
    spread = float(expected.std())
    assert spread > 1e-2 * float(np.abs(expected).mean()), "the outputs hardly vary"

    compiled = compile_with(path, None, Settings.filled(mark_skipped="none"))
    assert len(compiled.kernels) == KERNELS[name]
    (found,) = compiled.run({described.name: x}).values()
    assert float(np.abs(found - expected).max()) <= 1e-4 * spread
