"""Casts of constants to a wider type: small ones fold, weights of products are read as wider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx_models import model, run_reference, save, value

import snippets_mlir
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.emit.onnx_initializers import initializer
from snippets_mlir.frontends.onnx import import_graph, import_model, prepare_model
from snippets_mlir.support.printing import print_module

RNG = np.random.default_rng(3)
F16, BF16, F32 = np.float16, ml_dtypes.bfloat16, np.float32


def with_weight(
    reader: str = "MatMul", dtype: type = F16, to: type = F32, size: int = 256
) -> onnx.ModelProto:
    """`reader` of x and of a weight, [192, size], which is converted by a Cast."""
    weights: dict[str, Any] = {"w": RNG.standard_normal((192, size)).astype(dtype)}
    code = helper.np_dtype_to_tensor_dtype(np.dtype(to))
    cast = helper.make_node("Cast", ["w"], ["wide"], to=code)
    reads = ["wide", "i"] if reader == "Gather" else ["x", "wide"]
    node = helper.make_node(reader, reads, ["r"])
    add = helper.make_node("Add", ["r", "r"], ["y"])
    shape = [192, size] if reader == "Add" else ["n", 192]
    given = value("i", (2,), np.int64) if reader == "Gather" else value("x", shape, to)
    return model([cast, node, add], [given], [value("y", None, to)], weights)


def saved(made: onnx.ModelProto, folder: Path) -> Path:
    path = folder / "m.onnx"
    save(made, path)
    return path


def text(made: onnx.ModelProto, tmp_path: Path) -> str:
    path = saved(made, tmp_path)
    return print_module(import_model(path, products=True))


@pytest.mark.parametrize("dtype", [F16, BF16])
def test_a_weight_of_products_is_a_constant_in_their_type(dtype: type, tmp_path: Path):
    found = text(with_weight(dtype=dtype), tmp_path)
    assert "Cast" not in found
    (line,) = [line for line in found.splitlines() if "snippets.resource" in line]
    assert line.endswith(", f32> : tensor<192x256xf32>")


def test_what_else_reads_it_has_a_node(tmp_path: Path):
    assert "Cast" in text(with_weight("Gather"), tmp_path)  # an embedding
    assert "Cast" in text(with_weight("Add"), tmp_path)


def test_what_is_not_wider_has_a_node(tmp_path: Path):
    narrow = with_weight(dtype=F32, to=F16)
    assert "Cast" in text(narrow, tmp_path)


def test_a_small_constant_folds(tmp_path: Path):
    made = with_weight("Add", size=3)
    assert "Cast" not in text(made, tmp_path)
    x = RNG.standard_normal((192, 3)).astype(F32)
    np.testing.assert_array_equal(snippets_mlir.compile(made)(x), run_reference(made, [x])[0])


@pytest.mark.parametrize("rows", [1, 37])
def test_it_runs_and_loads_from_the_cache(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    made = with_weight()
    path = saved(made, tmp_path)
    x = RNG.standard_normal((rows, 192)).astype(F32)
    (expected,) = run_reference(made, [x])
    for _ in range(2):
        program = snippets_mlir.compile(path)
        np.testing.assert_allclose(program(x), expected, 1e-4, 1e-4)


@pytest.mark.usefixtures("foreign_products")
def test_a_product_of_the_engine_reads_it_as_it_is_stored(tmp_path: Path):
    made = with_weight()
    made.graph.node[-1].CopyFrom(helper.make_node("Softplus", ["r"], ["y"]))
    x = RNG.standard_normal((4096, 192)).astype(F32)
    program = snippets_mlir.compile(saved(made, tmp_path))
    np.testing.assert_allclose(program(x), run_reference(made, [x])[0], 1e-4, 1e-4)
    assert [step["kind"] for step in program.manifest["steps"]] == ["execute", "kernel"]


def test_a_session_gets_it_in_the_wider_type(tmp_path: Path):
    """The product is in no kernel here; the module has no hash of the weight, which is at hand."""
    made = with_weight()
    path = saved(made, tmp_path)
    module = import_graph(prepare_model(path), hashed=False, products=True).module
    (op,) = [op for op in module.walk() if isinstance(op, ConstantOp)]
    tensors = {tensor.name: tensor for tensor in made.graph.initializer}
    apart: dict[str, str] = {}
    found = initializer(op, "wide", tensors, apart)
    np.testing.assert_array_equal(
        numpy_helper.to_array(found), numpy_helper.to_array(tensors["w"]).astype(F32)
    )
    assert not apart
