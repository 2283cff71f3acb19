"""Attentions of few rows in programs for any number of rows (`lir-brgemm-few-rows`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from attentions import expected
from levels import is_level
from numpy.typing import NDArray
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.dialects.lir.instances import instance_of
from snippets_mlir.driver import Compiled
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
OWN = "lir-brgemm-few-rows"
ROWS = (1, 2, 3, 17, 129)
KEYS = (1, 16, 47, 300)

ATTENTION = """
module attributes {{snippets.may_be_one}} {{
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {y} {{
  %t = snippets.transpose %k {{permutation = array<i64: 0, 2, 1>}} : ({k}) -> {t}
  %0 = snippets.matmul %q, %t : ({q}, {t}) -> {s}
  %1 = snippets.softmax %0 {{axis = 2 : i64}} : {s}
  %2 = snippets.matmul %1, %v : ({s}, {v}) -> {y}
  func.return %2 : {y}
}}
}}
"""


def text(heads: int, rows: str, keys: str, terms: int, columns: int) -> str:
    """An attention whose `rows` and `keys` are symbols, as in an ONNX model."""

    def type_of(*sizes: object) -> str:
        symbols = [str(size) for size in sizes if "?" in str(size)]
        dims = "x".join("?" if "?" in str(size) else str(size) for size in sizes)
        return f"tensor<{dims}xf32, #lir.sizes<{', '.join(symbols)}>>"

    return ATTENTION.format(
        q=type_of(heads, rows, terms),
        k=type_of(heads, keys, terms),
        t=type_of(heads, terms, keys),
        s=type_of(heads, rows, keys),
        v=type_of(heads, keys, columns),
        y=type_of(heads, rows, columns),
    )


def model(heads: int, shared: int, terms: int, *, causal: bool, masked: bool = False) -> bytes:
    """ONNX's Attention of any number of rows and keys, or of rows after a cache."""

    def value(name: str, *shape: int | str) -> onnx.ValueInfoProto:
        return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)

    inputs, outputs = [value("q", 1, heads, "rows", terms)], [value("y", 1, heads, "rows", terms)]
    names = ["q", "k", "v"]
    if causal:
        names += ["", "a", "b"]
        inputs += [value(name, 1, shared, "rows", terms) for name in "kv"]
        inputs += [value(name, 1, shared, "past", terms) for name in "ab"]
        outputs += [value(name, 1, shared, "all", terms) for name in "cd"]
    else:
        inputs += [value(name, 1, shared, "keys", terms) for name in "kv"]
    if masked:
        names.append("m")
        inputs.append(value("m", 1, heads, "rows", "keys"))
    made = [output.name for output in outputs]
    node = onnx.helper.make_node("Attention", names, made, is_causal=int(causal))
    graph = onnx.helper.make_graph([node], "attention", inputs, outputs)
    opset = onnx.helper.make_opsetid("", 23)
    return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10).SerializeToString()


def value_of(q: Array, k: Array, v: Array, mask: Array) -> Array:
    """`softmax(q k^T + mask) v`."""
    return expected(2 * q, k, v, mask)


def arrays_of(seed: int, *shapes: tuple[int, ...]) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def compiled(source: bytes, **options: Any) -> Compiled:
    return snippets_mlir.compile(source, mark_skipped="none", **options)


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("target", sampled(RUNNABLE, 2))
@pytest.mark.parametrize(("heads", "shared", "terms"), [(4, 4, 64), (6, 2, 16), (4, 4, 18)])
def test_attention(target: str, heads: int, shared: int, terms: int):
    """Rows alone have the bits that they have beside others, for any number of threads."""
    source = model(heads, shared, terms, causal=False)
    one, two = (compiled(source, num_threads=n, target=target) for n in (1, 2))
    for keys in KEYS:
        (q,) = arrays_of(keys, (1, heads, max(ROWS), terms))
        k, v = arrays_of(keys + 1, *[(1, shared, keys, terms)] * 2)
        k[0, 0, keys // 2] = np.nan if keys == 47 else k[0, 0, keys // 2]
        all_keys, values = (np.repeat(x, heads // shared, axis=1) for x in (k, v))
        wanted = value_of(q * np.float32(terms) ** -0.5, all_keys, values, np.zeros((1, 1)))
        whole = one(q, k, v)
        for rows in ROWS:
            some = np.ascontiguousarray(q[:, :, :rows])
            found = one(some, k, v)
            np.testing.assert_allclose(found, wanted[:, :, :rows], 2e-5, 1e-5)
            np.testing.assert_array_equal(found, whole[:, :, :rows])
            np.testing.assert_array_equal(found, two(some, k, v))
    fires = ", for " in one.kernels[0].ir(OWN)
    assert fires or terms % 4 or "avx" not in target


def test_masks_of_rows_and_keys():
    program = compiled(model(4, 4, 32, causal=False, masked=True), num_threads=2)
    for rows in (1, 2, 5, 6, 7):
        for keys in (2, 37, 300):
            q, k, v, mask = arrays_of(
                rows, (1, 4, rows, 32), *[(1, 4, keys, 32)] * 2, (1, 4, rows, keys)
            )
            mask[:, :, :, 1::2] = -np.inf
            wanted = value_of(q / np.sqrt(np.float32(32)), k, v, mask)
            np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 1e-5)
    assert any(", for " in kernel.ir(OWN) for kernel in program.kernels)


@pytest.mark.parametrize("past", [1, 30, 200])
def test_rows_after_a_cache(past: int):
    """A causal mask hides later keys; a row alone has the bits of the last row of several."""
    program = compiled(model(4, 4, 64, causal=True), num_threads=1)
    for rows in (1, 2, 3, 17):
        q, k, v = arrays_of(rows, *[(1, 4, rows, 64)] * 3)
        a, b = arrays_of(past, *[(1, 4, past, 64)] * 2)
        found, keys, values = program(q, k, v, a, b)
        np.testing.assert_array_equal(keys, np.concatenate([a, k], 2))
        np.testing.assert_array_equal(values, np.concatenate([b, v], 2))
        hidden = np.arange(past + rows) > np.arange(rows)[:, None] + past
        mask = np.where(hidden, -np.inf, 0.0)
        np.testing.assert_allclose(found, value_of(q / 8, keys, values, mask), 2e-5, 1e-5)
        last = [x[:, :, -1:] for x in (q, k, v)]
        alone = program(*map(np.ascontiguousarray, last), keys[:, :, :-1], values[:, :, :-1])
        np.testing.assert_array_equal(alone[0], found[:, :, -1:])


@pytest.mark.parametrize(
    ("target", "rows", "keys"),
    [("x86-64-avx2", 1, 35), ("x86-64-avx2", 2, 16), ("x86-64-avx512", 13, 9)],
)
def test_every_level(target: str, rows: int, keys: int):
    """The interpreter finds the same bits after the passes as before."""
    ctx = make_context()
    module = parse_module(text(2, "?0", "?1", 8, 64), ctx)
    passes = parse_pipeline(f"snippets-set-target{{target={target}}},snippets-to-llvm", ctx)
    arrays = arrays_of(rows, (2, rows, 8), (2, keys, 8), (2, keys, 64))
    wanted = value_of(arrays[0], arrays[1], arrays[2], np.zeros((1, 1)))
    names, done, found = [p.name for p in passes], 0, dict[str, Array]()
    for place, name in enumerate(names):
        if is_level(name) or name == OWN:
            run_passes(module, ctx, passes[done : place + 1], verify_each=True)
            done = place + 1
            assert name != OWN or "for ?0 below " in str(module)
            if name == OWN and rows == 2:
                verify_linear_ir(module)
            made = instance_of(module, [rows, keys])
            found[name] = np.asarray(Interpreter(made).run("main", arrays)[0])
    for result in found.values():
        np.testing.assert_allclose(result, wanted, 2e-5, 1e-5)
    before = found["lir-clean-repeated-data-pointer-shifts"]
    np.testing.assert_array_equal(found[OWN], before)
