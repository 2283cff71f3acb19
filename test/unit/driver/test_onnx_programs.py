"""ONNX models that kernels and onnxruntime share: what is cut, and calls of all shapes."""

import gc
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.driver import Compiled
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.sealed import sealed
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.engine_cuts import plan_cuts
from snippets_mlir.driver.onnx.programs import BOUND
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.runtime import python_call
from snippets_mlir.runtime.threads import openmp_runtime

pytestmark = pytest.mark.usefixtures("foreign_products")

Node = onnx.NodeProto


def model(
    nodes: list[Node], inputs: dict[str, list[Any]], outputs: dict[str, list[Any]], **data: Any
) -> onnx.ModelProto:
    """A model of float32 values; `data` are its initializers."""

    def infos(values: dict[str, list[Any]]) -> list[onnx.ValueInfoProto]:
        return [
            helper.make_tensor_value_info(n, TensorProto.FLOAT, shape)
            for n, shape in values.items()
        ]

    weights = [onnx.numpy_helper.from_array(np.asarray(a), n) for n, a in data.items()]
    graph = helper.make_graph(nodes, "g", infos(inputs), infos(outputs), weights)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def between_products(rows: str | int = "n", columns: int = 512) -> onnx.ModelProto:
    """Two products, and between them ops for which the engine takes long."""
    rng = np.random.default_rng(0)
    w = rng.standard_normal((64, columns)).astype(np.float32)
    v = rng.standard_normal((columns, 8)).astype(np.float32)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["a"], name="first"),
        helper.make_node("Softplus", ["a"], ["b"], name="soft"),
        helper.make_node("Mul", ["a", "b"], ["c"], name="gate"),
        helper.make_node("MatMul", ["c", "v"], ["y"], name="second"),
    ]
    return model(nodes, {"x": [rows, 64]}, {"y": [rows, 8]}, w=w, v=v)


def inputs(*shapes: tuple[int, ...]) -> list[np.ndarray[Any, Any]]:
    rng = np.random.default_rng(1)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def check(m: Compiled, made: onnx.ModelProto, *shapes: tuple[int, ...]):
    """A call gives what onnxruntime gives for the whole model."""
    arrays = inputs(*shapes)
    session: Any = ort.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [i.name for i in session.get_inputs()]
    expected = session.run(None, dict(zip(names, arrays, strict=True)))
    results = m(*arrays)
    found = cast("tuple[Any, ...]", results if isinstance(results, tuple) else (results,))
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        np.testing.assert_allclose(
            a, b, rtol=1e-5, atol=1e-5 * float(np.abs(np.asarray(b)).max(initial=1))
        )


def kernel_ops(m: Compiled) -> list[tuple[str, ...]]:
    return [kernel.ops for kernel in m.kernels]


def test_a_kernel_where_it_pays_for_all_shapes():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (512, 700, 3, 1, 512, 1024):
        check(m, made, (rows, 64))
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    assert m.compiled_times == 1
    assert m.per_shape is None
    assert [step["kind"] for step in m.manifest["steps"]] == ["execute", "kernel", "execute"]


@pytest.mark.skipif(openmp_runtime() is None, reason="no OpenMP runtime")
def test_a_team_rests_before_sessions_run(monkeypatch: pytest.MonkeyPatch):
    events: list[str] = []
    monkeypatch.setattr(python_call, "rest", lambda: events.append("rest"))
    made = between_products()
    m = snippets_mlir.compile(made, num_threads=2)
    check(m, made, (512, 64))
    assert events == ["rest"]
    check(m, made, (1, 64))
    assert events == ["rest"]  # its kernel ran on the calling thread
    assert len(m.kernels) == 1


def test_one_session_where_no_kernel_pays():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (1, 700, 4):  # the first call decides
        check(m, made, (rows, 64))
    assert m.kernels == ()
    assert m.compiled_times == 0
    reasons = {op.name: op.reason for op in m.opaque}
    assert reasons["soft"] == BOUND
    assert reasons["first"] == "the operator MatMul is not compiled"
    assert [step["kind"] for step in m.manifest["steps"]] == ["execute"]


def test_static_models_are_decided_at_once():
    large, small = between_products(512), between_products(2)
    m = snippets_mlir.compile(large)
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    check(m, large, (512, 64))
    m = snippets_mlir.compile(small)
    assert m.kernels == ()
    check(m, small, (2, 64))
    check(m, small, (2, 64))


def test_empty_arrays():
    made = between_products()
    m = snippets_mlir.compile(made)
    check(m, made, (0, 64))
    check(m, made, (512, 64))
    assert len(m.kernels) == 1
    check(m, made, (0, 64))
    check(m, made, (700, 64))
    assert len(m.kernels) == 1


def test_operators_of_onnxruntime_need_no_code_for_each_shape(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("snippets_mlir.analysis.products.HELD", True)
    nodes = [helper.make_node("FusedMatMul", ["x", "w"], ["y"], domain="com.microsoft", alpha=0.5)]
    made = model(nodes, {"x": ["n", 16]}, {"y": ["n", 8]}, w=np.ones((16, 8), np.float32))
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    m = snippets_mlir.compile(made)
    for rows in (3, 5):
        check(m, made, (rows, 16))
    assert m.compiled_times == 0


def test_sizes_that_are_not_equal_after_all():
    nodes = [
        helper.make_node("Softplus", ["x"], ["a"]),
        helper.make_node("Add", ["a", "y"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("Trilu", ["c", "axis"], ["z"]),
    ]
    made = model(
        nodes, {"x": ["n", 64], "y": ["k", 64]}, {"z": [None, 64]}, axis=np.array(1, np.int64)
    )
    m = snippets_mlir.compile(made)
    for n, k in ((1000, 1000), (500, 500), (1000, 1), (1, 1000), (1, 1)):
        check(m, made, (n, 64), (k, 64))
    assert m.compiled_times == 1
    with pytest.raises(ValueError, match="onnxruntime"):
        m(*inputs((3, 64), (2, 64)))
    check(m, made, (3, 64), (3, 64))


def test_computed_sizes():
    """Sums of sizes are symbols of their own; shapes that the graph computes are known."""
    nodes = [
        helper.make_node("Concat", ["x", "y"], ["a"], axis=0),
        helper.make_node("Shape", ["a"], ["s"]),
        helper.make_node("Trilu", ["a", "axis"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("Softmax", ["c"], ["d"], axis=-1),
        helper.make_node("Reshape", ["d", "s"], ["z"]),
    ]
    made = model(
        nodes, {"x": ["n", 256], "y": ["k", 256]}, {"z": [None, 256]}, axis=np.array(1, np.int64)
    )
    m = snippets_mlir.compile(made)
    for n, k in ((300, 200), (5, 9), (1, 1), (2, 300)):
        check(m, made, (n, 256), (k, 256))
    assert kernel_ops(m)[0][0] == "snippets.softplus"
    assert m.compiled_times == 1


def test_what_only_kept_nodes_read_is_no_kernel():
    """The shape of a Reshape is not read while it is known; a Reshape that is kept reads it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Cast", ["s"], ["narrow"], to=TensorProto.INT32),
        helper.make_node("Cast", ["narrow"], ["wide"], to=TensorProto.INT64),
        helper.make_node("Trilu", ["x", "axis"], ["b"]),
        helper.make_node("Softplus", ["b"], ["c"]),
        helper.make_node("Trilu", ["c", "axis"], ["d"]),
        helper.make_node("Abs", ["d"], ["e"]),
        helper.make_node("Reshape", ["e", "wide"], ["f"]),
        helper.make_node("Neg", ["f"], ["g"]),
        helper.make_node("Trilu", ["g", "axis"], ["y"]),
    ]
    made = model(nodes, {"x": ["n", 512]}, {"y": [None, 512]}, axis=np.array(1, np.int64))
    m = snippets_mlir.compile(made)
    for rows in (700, 3):
        check(m, made, (rows, 512))
    assert kernel_ops(m) == [("snippets.softplus",)]


def test_the_caller_decides():
    made = between_products(2)
    m = snippets_mlir.compile(made, fallback="error")
    assert kernel_ops(m) == [
        ("snippets.matmul", "snippets.softplus", "snippets.multiply"),
        ("snippets.matmul",),
    ]
    check(m, made, (2, 64))
    m = snippets_mlir.compile(made, pipeline="snippets-set-target{target=host},snippets-to-llvm")
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    check(m, made, (2, 64))


def test_products_in_kernels_alone_for_every_shape():
    made = between_products()
    m = snippets_mlir.compile(made, fallback="error")
    for rows in (2, 3, 1, 0, 70):
        check(m, made, (rows, 64))


def test_every_kernel_that_is_possible():
    made = between_products()
    m = snippets_mlir.compile(made, mark_skipped="none")
    for rows in (2, 3, 700):
        check(m, made, (rows, 64))
    assert kernel_ops(m) == [("snippets.softplus", "snippets.multiply")]
    assert m.compiled_times == 1


def test_outputs_of_the_caller():
    made = between_products()
    m = snippets_mlir.compile(made)
    for rows in (2, 512):
        (x,) = inputs((rows, 64))
        out = np.empty((rows, 8), np.float32)
        assert m(x, out=out) is out
        np.testing.assert_array_equal(out, m(x))
        np.testing.assert_array_equal(m(x[:, ::-1]), m(x[:, ::-1].copy()))


def test_the_plan_is_printable():
    prepared = prepare_model(between_products(512))
    cuts = plan_cuts(import_graph(prepared), "x86-64-avx2", 2)
    assert set(cuts.kernels) == {0}
    assert cuts.kept == {}
    assert str(cuts).startswith("kernel: snippets.softplus, snippets.multiply: a kernel saves")
    prepared = prepare_model(between_products(2))
    cuts = plan_cuts(import_graph(prepared), "x86-64-avx2", 2)
    assert sorted(cuts.kept) == [1, 2]
    assert str(cuts).startswith("engine: ")
    forced = plan_cuts(import_graph(prepared), "x86-64-avx2", 2, chosen=[0])
    assert str(forced).startswith("kernel: ")
    assert forced.kept == {}
    assert forced.candidates == cuts.candidates


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    return tmp_path / "cache" / "programs"


def test_models_that_are_one_session_are_cached(cache: Path):
    made = between_products()
    first = snippets_mlir.compile(made)
    check(first, made, (3, 64))  # the first call decides
    assert first.from_cache is None
    for source in (made, made.SerializeToString(deterministic=True)):
        again = snippets_mlir.compile(source)
        assert again.from_cache == "session"
        assert (again.inputs, again.outputs) == (first.inputs, first.outputs)
        assert again.opaque == first.opaque
        assert again.kernels == ()
        for rows in (1, 3, 512):
            check(again, made, (rows, 64))
        with pytest.raises(ValueError, match=r"input 'x': expected rank 2"):
            again(np.zeros(64, np.float32))
        strided = np.ones((6, 64), np.float32)[::2]
        np.testing.assert_array_equal(again(strided), again(strided.copy()))
        assert "onnx.node" in again.ir("graph")
        assert again.compiled_times == 0


def test_large_files_are_told_by_their_identity(cache: Path, tmp_path: Path):
    path, made = tmp_path / "m.onnx", between_products(1, 900)
    made.doc_string = "large" * (1 << 18)
    path.write_bytes(made.SerializeToString())
    assert path.stat().st_size > 1 << 20
    assert snippets_mlir.compile(path).from_cache is None
    again = snippets_mlir.compile(str(path))
    assert again.from_cache == "session"
    check(again, made, (1, 64))
    other = between_products(3, 5000)
    path.write_bytes(other.SerializeToString())
    m = snippets_mlir.compile(path)
    assert m.from_cache is None
    check(m, other, (3, 64))


@pytest.mark.parametrize(
    "data",
    [
        b"SNPE",
        sealed(b"SNPE", b"[]"),
        sealed(b"SNPE", b"{}"),
        b"SNPE" + bytes(32) + b"{}",
        sealed(
            b"SNPE",
            b'{"entry":"main","inputs":[],"outputs":[{"name":"y","shape":[-1],"dtype":"x"}],"opaque":[]}',
        ),
        sealed(b"SNPE", b"[" * 5000),
    ],
)
def test_entries_of_sessions_that_are_foreign(cache: Path, data: bytes):
    made = between_products(2)
    snippets_mlir.compile(made)
    (path,) = cache.iterdir()
    write_entry(path, data)
    m = snippets_mlir.compile(made)
    assert m.from_cache is None
    check(m, made, (2, 64))


def test_candidates_of_a_model_that_a_bound_decided():
    """Asked for before the first call, too, which settles nothing."""
    node, w = helper.make_node, np.eye(8, dtype=np.float32)
    nodes = [node("MatMul", ["x", "w"], ["a"]), node("Relu", ["a"], ["b"])]
    nodes.append(node("MatMul", ["b", "w"], ["y"]))
    m = snippets_mlir.compile(model(nodes, {"x": ["n", 8]}, {"y": ["n", 8]}, w=w))
    assert m.cuts == ()
    m(*inputs((4, 8)))
    (line,) = m.cuts
    assert line.startswith("engine: snippets.relu: a kernel saves")
    assert m.kernels == ()


def test_the_plan_is_in_the_report():
    m = snippets_mlir.compile(between_products(512))
    (line,) = m.cuts
    what = "'soft', 'gate' (snippets.softplus, snippets.multiply)"
    assert line.startswith(f"kernel: {what}: a kernel saves")
    assert snippets_mlir.compile("func.func @main() { return }").cuts == ()


def test_nothing_keeps_the_ops_of_lowered_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would be freed in a call, by a collection that takes longer than many calls."""

    def alive() -> int:
        return sum(isinstance(found, MultiplyOp) for found in gc.get_objects())

    left: list[int] = []
    tidy = type(COMPILING).tidy

    def counted(lock: Any) -> None:
        tidy(lock)
        left.append(alive())

    monkeypatch.setattr(type(COMPILING), "tidy", counted)
    gc.collect()
    before = alive()
    m = snippets_mlir.compile(between_products(), num_threads=1)
    m(*inputs((64, 64)))
    assert m.kernels
    assert m.from_cache is None
    assert left
    assert max(left) <= before
