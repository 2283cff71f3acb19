"""Attentions in one kernel against NumPy in float64, and the interpreter at each level."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import Array, Shape, attention, expected, numbers, tensor
from inner_loops import assert_no_spills
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir
from snippets_mlir.driver import Partitioner
from snippets_mlir.targets.machine import machine

CASES: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "least": ((2, 2), (2, 2), (2, 2), (2, 2)),
    "one below a vector": ((2, 15, 15), (2, 15, 15), (2, 15, 15), (15, 15)),
    "equal sizes": ((2, 16, 16), (2, 16, 16), (2, 16, 16), (16, 16)),
    "one above a vector": ((17, 17), (17, 17), (17, 17), (17,)),
    "tails of blocks": ((2, 300, 64), (2, 257, 64), (2, 257, 33), (300, 257)),
    "shared keys": ((2, 3, 20, 8), (2, 1, 35, 8), (2, 1, 35, 24), (2, 1, 1, 35)),
    "blocks of terms": ((130, 65), (700, 65), (700, 5), (700,)),
    "blocks of equal and other sizes": ((2, 131, 8), (2, 40, 8), (2, 40, 8), (40,)),
    "one block": ((1, 1, 128, 64), (1, 1, 128, 64), (1, 1, 128, 64), (128, 128)),
}


@pytest.mark.parametrize("name", sampled(CASES, 2))
def test_one_kernel(name: str):
    shapes = CASES[name]
    program = snippets_mlir.compile(attention(*shapes))
    assert len(program.kernels) == 1
    arrays = numbers(1, *shapes)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)


@pytest.mark.parametrize("target", ["x86-64-avx2", "generic"])
def test_other_targets_and_f64(target: str):
    shapes = CASES["tails of blocks"]
    program = snippets_mlir.compile(attention(*shapes, "f64"), target=target)
    arrays = numbers(2, *shapes, dtype=np.float64)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 1e-13, 1e-14)


def test_rows_that_are_masked_completely_and_nan():
    """A row of nothing but -inf is NaN, as its softmax is; other rows do not change."""
    shapes = ((2, 21, 8), (2, 19, 8), (2, 19, 18), (21, 19))
    program = snippets_mlir.compile(attention(*shapes))
    q, k, v, mask = numbers(3, *shapes)
    mask[4], mask[7, 3:] = -np.inf, -np.inf
    q[1, 9, 2], q[0, 11, 1], v[1, 5, 6] = np.nan, np.inf, np.inf
    result, wanted = np.asarray(program(q, k, v, mask)), expected(q, k, v, mask)
    assert np.isnan(wanted[:, 4]).all()
    assert np.isnan(wanted[1, 9]).all()
    np.testing.assert_allclose(result, wanted, 2e-5, 2e-6)


@pytest.mark.parametrize(
    ("partitioner", "element"),
    sampled(
        [("tokenize", "f32"), ("tokenize", "f64"), ("fuse-ops", "f64"), ("fuse-ops", "f32")], 2
    ),
)
def test_reciprocals_multiply_the_result(partitioner: Partitioner, element: str):
    """Of rows with large and small scores, infinite and huge values; also in f64."""
    dtype = {"f32": np.float32, "f64": np.float64}[element]
    shapes = ((2, 37, 8), (2, 67, 8), (2, 67, 18), (37, 67))
    program = snippets_mlir.compile(attention(*shapes, element), partitioner=partitioner)
    q, k, v, mask = numbers(6, *shapes, dtype=dtype)
    q[0, 3], q[1, 4], v[0] = 1e4, -1e-30, v[0] * (float(np.finfo(dtype).max) / 1000)
    v[1, 7, 2], mask[5, 1:], mask[6, :] = -np.inf, -np.inf, -1e30
    result, wanted = np.asarray(program(q, k, v, mask)), expected(q, k, v, mask)
    assert np.isnan(wanted).any()
    assert np.isinf(wanted).any()
    np.testing.assert_allclose(result[0], wanted[0], 2e-4, float(np.finfo(dtype).max) * 1e-8)
    np.testing.assert_allclose(result[1], wanted[1], 2e-4, 1e-5)


SHARED = {
    "equal blocks": (1, 256, 2),
    "a last block of fewer rows": (1, 131, 2),
    "as many for each of three heads": (3, 131, 6),
    "heads are enough": (4, 131, 4),
    "a last block of one row": (3, 8 * 47 + 1, 9),
}
"""Heads, rows, and units for two threads: each of them may be a range of its own."""


@pytest.mark.parametrize("name", sampled(SHARED, 2))
def test_threads_share_blocks(name: str):
    heads, rows, units = SHARED[name]
    shapes = ((heads, rows, 8), (heads, 40, 8), (heads, 40, 8), (rows, 40))
    program = snippets_mlir.compile(attention(*shapes), num_threads=2)
    assert program.kernels[0].entry.domain == units
    arrays = numbers(9, *shapes)
    result = program(*arrays)
    np.testing.assert_allclose(result, expected(*arrays), 2e-5, 1e-5)
    if heads == 3 and rows == 131:  # some threads share blocks of rows and others share heads
        for threads in (1, 5):
            other = snippets_mlir.compile(attention(*shapes), num_threads=threads)
            np.testing.assert_array_equal(result, other(*arrays), err_msg="the same bits")


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("keys", "target"),
    sampled([(n, target) for target in RUNNABLE if "avx" in target for n in (33, 47, 49, 257)], 4),
)
def test_keys_are_copied_once_for_all_blocks(keys: int, target: str):
    """Whole panels, panels with tails of all widths; the next head overwrites those of the last."""
    shapes = ((2, 2, 131, 5), (2, 1, keys, 5), (2, 1, keys, 66), (131, keys))
    arrays = numbers(9, *shapes)
    program = snippets_mlir.compile(attention(*shapes), num_threads=1, target=target)
    (kernel,) = program.kernels
    copied = 2 if machine(target).narrow else 1  # the values of narrow panels, too
    assert kernel.ir("lir-brgemm-copy-b").count(", panels ") == 2 * copied
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 1e-5)
    shared = snippets_mlir.compile(attention(*shapes), num_threads=3, target=target)
    assert ", panels " not in shared.kernels[0].ir("lir-brgemm-copy-b")
    np.testing.assert_array_equal(program(*arrays), shared(*arrays))


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize(
    ("columns", "target"),
    sampled([(n, target) for target in RUNNABLE if "avx" in target for n in (80, 40)], 2),
)
def test_both_products_have_the_tile_that_was_chosen(columns: int, target: str):
    """Of 80 columns, the products of an attention have tiles of 8 x 3 and 5 x 5 with AVX-512."""
    shapes = ((2, 131, columns), (2, 147, columns), (2, 147, columns), (131, 147))
    compiled = snippets_mlir.compile(attention(*shapes), target=target)
    (kernel,) = compiled.kernels
    assert_no_spills(kernel.ir("asm"), copies=True)  # of constants of exp
    arrays = numbers(5, *shapes)
    np.testing.assert_allclose(compiled(*arrays), expected(*arrays), 2e-5, 1e-5)


def test_dynamic_rows_and_keys():
    """One kernel for all sizes of two and more; the scratchpad grows with the keys."""
    static = attention((2, 101, 8), (2, 103, 8), (2, 103, 8), (101, 103))
    program = snippets_mlir.compile(static.replace("101x", "?x").replace("103x", "?x"))
    for rows, keys in ((5, 1), (1, 5), (0, 3), (3, 3), (2, 65), (130, 40), (150, 260)):
        arrays = numbers(keys, (2, rows, 8), (2, keys, 8), (2, keys, 8), (rows, keys))
        arrays[3][:, keys // 2 :: 3] = -np.inf
        np.testing.assert_allclose(program(*arrays), expected(*arrays), 1e-5, 1e-5)
    (kernel,) = program.kernels
    assert "lir.brgemm" in kernel.ir("lir-brgemm-row-blocks")


def test_one_row_has_kernels_of_its_own():
    shapes = ((2, 1, 8), (2, 19, 8), (2, 19, 18), (1, 19))
    program = snippets_mlir.compile(attention(*shapes))
    assert len(program.kernels) > 1
    arrays = numbers(4, *shapes)
    np.testing.assert_allclose(program(*arrays), expected(*arrays), 2e-5, 2e-6)


LAYOUTS = """
!q = tensor<2x20x3x8xf32>
!k = tensor<2x35x3x8xf32>
!v = tensor<2x35x3x24xf32>
!qt = tensor<2x3x20x8xf32>
!kt = tensor<2x3x8x35xf32>
!vt = tensor<2x3x35x24xf32>
!m = tensor<2x1x1x35xi1>
!s = tensor<2x3x20x35xf32>
!o = tensor<2x3x20x24xf32>
func.func @main(%q: !q, %k: !k, %v: !v, %m: !m) -> !o {
  %low = snippets.constant dense<-1.0e4> : tensor<f32>
  %0 = snippets.transpose %q {permutation = array<i64: 0, 2, 1, 3>} : (!q) -> !qt
  %1 = snippets.transpose %k {permutation = array<i64: 0, 2, 3, 1>} : (!k) -> !kt
  %2 = snippets.transpose %v {permutation = array<i64: 0, 2, 1, 3>} : (!v) -> !vt
  %3 = snippets.matmul %0, %1 : (!qt, !kt) -> !s
  %4 = snippets.select %m, %3, %low : (!m, !s, tensor<f32>) -> !s
  %5 = snippets.softmax %4 {axis = 3 : i64} : !s
  %6 = snippets.matmul %5, %2 : (!s, !vt) -> !o
  func.return %6 : !o
}
"""


def test_layouts_and_a_mask_of_truth_values():
    program = snippets_mlir.compile(LAYOUTS)
    assert len(program.kernels) == 1
    q, k, v = numbers(5, (2, 20, 3, 8), (2, 35, 3, 8), (2, 35, 3, 24))
    mask = np.random.default_rng(6).random((2, 1, 1, 35)) < 0.7
    s = np.einsum("bshd,bthd->bhst", q, k, dtype=np.float64)
    s = np.where(mask, s, -1e4)
    e = np.exp(s - s.max(-1, keepdims=True))
    wanted = np.einsum("bhst,bthd->bhsd", e / e.sum(-1, keepdims=True), v)
    np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 2e-6)


EXPORTED = """
!x = tensor<2x20x24xf32>
!y = tensor<2x35x24xf32>
!v = tensor<2x35x3x8xf32>
!qs = tensor<2x20x3x8xf32>
!ks = tensor<2x35x3x8xf32>
!kh = tensor<2x3x35x8xf32>
!qt = tensor<2x3x20x8xf32>
!kt = tensor<2x3x8x35xf32>
!vt = tensor<2x3x35x8xf32>
!km = tensor<6x35x8xf32>
!kn = tensor<6x8x35xf32>
!s = tensor<2x3x20x35xf32>
func.func @main(%q: !x, %k: !y, %v: !v) -> !x {
  %root = snippets.constant dense<0.59460356> : tensor<f32>
  %0 = snippets.reshape %q : (!x) -> !qs
  %1 = snippets.transpose %0 {permutation = array<i64: 0, 2, 1, 3>} : (!qs) -> !qt
  %2 = snippets.multiply %1, %root : (!qt, tensor<f32>) -> !qt
  %3 = snippets.reshape %k : (!y) -> !ks
  %4 = snippets.transpose %3 {permutation = array<i64: 0, 2, 1, 3>} : (!ks) -> !kh
  %5 = snippets.reshape %4 : (!kh) -> !km
  %6 = snippets.transpose %5 {permutation = array<i64: 0, 2, 1>} : (!km) -> !kn
  %7 = snippets.reshape %6 : (!kn) -> !kt
  %8 = snippets.multiply %7, %root : (!kt, tensor<f32>) -> !kt
  %9 = snippets.transpose %v {permutation = array<i64: 0, 2, 1, 3>} : (!v) -> !vt
  %10 = snippets.matmul %2, %8 : (!qt, !kt) -> !s
  %11 = snippets.softmax %10 {axis = 3 : i64} : !s
  %12 = snippets.matmul %11, %9 : (!s, !vt) -> !qt
  %13 = snippets.transpose %12 {permutation = array<i64: 0, 2, 1, 3>} : (!qt) -> !qs
  %14 = snippets.reshape %13 : (!qs) -> !x
  func.return %14 : !x
}
"""


def exported() -> tuple[list[Array], Array]:
    """Inputs and the expected result of `EXPORTED`."""
    arrays = numbers(11, (2, 20, 24), (2, 35, 24), (2, 35, 3, 8))
    left, right, values = (
        x.astype(np.float64).reshape(*x.shape[:2], 3, 8).swapaxes(1, 2) for x in arrays
    )
    s = left @ right.swapaxes(-1, -2) * 0.59460356**2
    e = np.exp(s - s.max(-1, keepdims=True))
    result = e / e.sum(-1, keepdims=True) @ values
    return arrays, result.swapaxes(1, 2).reshape(2, 20, 24)


def test_the_form_of_exports_of_pytorch():
    """Scales of both factors, a transpose of merged dims, and one of the result: one kernel."""
    program = snippets_mlir.compile(EXPORTED)
    assert len(program.kernels) == 1
    arrays, wanted = exported()
    np.testing.assert_allclose(program(*arrays), wanted, 2e-5, 2e-6)


CAUSAL: dict[str, tuple[int, int, int, str]] = {
    "square": (384, 384, 0, "select %m, %0, %low"),
    "hidden is true": (384, 384, 0, "select %h, %low, %0"),
    "added": (256, 256, 0, "add %0, %a"),
    "more keys, which have a tail": (256, 413, 157, "add %0, %a"),
    "a diagonal far below": (512, 300, -100, "select %m, %0, %low"),
    "fewer keys": (384, 205, 3, "select %h, %low, %0"),
    "a last block of fewer rows": (393, 393, 0, "select %m, %0, %low"),
    "a last block that needs more than a first one": (1543, 1543, 0, "add %0, %a"),
    "a last block of one row": (8 * 47 + 1, 300, 2, "select %m, %0, %low"),
}
"""Rows, keys, the diagonal, and how it is written."""


def causal(rows: int, keys: int, diagonal: int, masked: str) -> tuple[str, Array]:
    """An attention of 2 heads with a constant mask, and what the mask keeps.

    Each row keeps the first key. `%m` is true for what is kept, `%h` for what is hidden; `%a` is
    -inf there.
    """
    last = [max(0, row + diagonal) for row in range(rows)]
    s, m, c = tensor((2, rows, keys)), tensor((rows, keys), "i1"), "tensor<f32>"
    i, j, a = tensor((rows, 1), "i32"), tensor((keys,), "i32"), tensor((rows, keys))
    q, k, v, o = map(tensor, ((2, rows, 8), (2, keys, 8), (2, keys, 5), (2, rows, 5)))
    of = {"%0": s, "%m": m, "%h": m, "%a": a, "%low": c}
    types = ", ".join(of[it.strip(",")] for it in masked.split()[1:])
    source = f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %i = snippets.constant dense<{[[it] for it in last]}> : {i}
  %j = snippets.constant dense<{[*range(keys)]}> : {j}
  %m = snippets.less_equal %j, %i : ({j}, {i}) -> {m}
  %h = snippets.logical_not %m : {m}
  %low = snippets.constant dense<0xFF800000> : {c}
  %zero = snippets.constant dense<0.0> : {c}
  %a = snippets.select %m, %zero, %low : ({m}, {c}, {c}) -> {a}
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.{masked} : ({types}) -> {s}
  %2 = snippets.softmax %1 {{axis = 2 : i64}} : {s}
  %3 = snippets.matmul %2, %v : ({s}, {v}) -> {o}
  func.return %3 : {o}
}}
"""
    return source, np.arange(keys) <= np.array(last)[:, None]


@pytest.mark.parametrize("name", sampled(CAUSAL, 3))
def test_causal_masks(name: str):
    source, kept = causal(*CAUSAL[name])
    program = snippets_mlir.compile(source)
    assert "diagonal" in program.kernels[-1].ir("lir-brgemm-row-blocks")
    rows, keys = kept.shape
    q, k, v = numbers(13, (2, rows, 8), (2, keys, 8), (2, keys, 5))
    mask = np.where(kept, 0.0, -np.inf)
    np.testing.assert_allclose(program(q, k, v), expected(2 * q, k, v, mask), 2e-5, 1e-5)


def test_keys_that_a_block_of_rows_does_not_need_are_not_read():
    """The last key is hidden from all but the last row; the first block of 128 never reads it."""
    program = snippets_mlir.compile(causal(*CAUSAL["square"])[0])
    q, k, v = numbers(14, (2, 384, 8), (2, 384, 8), (2, 384, 5))
    v[:, -1] = np.inf
    result = np.asarray(program(q, k, v))
    assert np.isfinite(result[:, :128]).all()
    assert not np.isfinite(result[:, -1]).any()


LONG: dict[str, tuple[Shape, Shape, Shape, Shape]] = {
    "a mask of rows and keys": ((2, 20, 8), (2, 20000, 8), (2, 20000, 5), (20, 20000)),
    "a mask of keys": ((5, 16), (32768, 16), (32768, 16), (32768,)),
    "shared keys": ((1, 3, 4, 8), (1, 1, 20480, 8), (1, 1, 20480, 9), (1, 1, 1, 20480)),
}


@pytest.mark.parametrize("name", LONG)
def test_blocks_of_keys(name: str):
    """Every third key is hidden, and in one case all keys of a row: that is NaN."""
    shapes = LONG[name]
    program = snippets_mlir.compile(attention(*shapes))
    q, k, v, mask = numbers(15, *shapes)
    mask[..., 5::3] = -np.inf
    if len(mask) == 20:
        mask[4], mask[7, :15000] = -np.inf, -np.inf
    wanted = expected(q, k, v, mask)
    assert np.isnan(wanted).any() == (len(mask) == 20)
    np.testing.assert_allclose(program(q, k, v, mask), wanted, 2e-5, 1e-6)
    keys = shapes[1][-2]
    products = [it for it in program.kernels if "snippets.matmul" in it.entry.ops]
    assert [it.entry.ops.count("snippets.matmul") for it in products] == [2]
    facts = products[0].entry.facts
    assert facts is not None
    assert int(facts.scratch) < 16 * keys * 4


ROWS = """
!a = tensor<3x70x9xf32>
!b = tensor<9x33xf32>
!c = tensor<3x70x33xf32>
!d = tensor<3x70x1xf32>
func.func @main(%a: !a, %b: !b) -> (!c, !d) {
  %r, %t = snippets.subgraph (%x = %a, %y = %b) : (!a, !b) -> (!c, !d) {
    %0 = snippets.matmul %x, %y : (!a, !b) -> !c
    %1 = snippets.softmax %0 {axis = 2 : i64} : !c
    %2 = snippets.reduce_sum %0 {axes = array<i64: 2>, keep_dims} : (!c) -> !d
    snippets.yield %1, %2 : !c, !d
  }
  func.return %r, %t : !c, !d
}
"""


def test_a_mask_of_the_size_of_another_product():
    """The node that makes it runs before the kernel, which is an attention."""
    types = "tensor<9x7xf32>", "tensor<7x7xf32>", "tensor<9x4xf32>", "tensor<7x4xf32>"
    names = ", ".join(f"%{n}: {t}" for n, t in zip("xwqk", types, strict=True))
    program = snippets_mlir.compile(
        f"func.func @main({names}, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {{\n"
        f"  %y = snippets.matmul %x, %w : ({types[0]}, {types[1]}) -> {types[0]}\n"
        f'  %0 = onnx.node "Shape"(%y) {{domain = "", version = 13 : i64}}'
        f" : ({types[0]}) -> tensor<2xi64>\n"
        f'  %m = onnx.node "ConstantOfShape"(%0) {{domain = "", version = 9 : i64}}'
        f" : (tensor<2xi64>) -> {types[0]}\n"
        f"  %s = snippets.matmul %q, %k {{transpose_b}} : ({types[2]}, {types[3]}) -> {types[0]}\n"
        f"  %1 = snippets.add %s, %m : {types[0]}\n"
        f"  %p = snippets.softmax %1 {{axis = 1 : i64}} : {types[0]}\n"
        f"  %o = snippets.matmul %p, %v : ({types[0]}, tensor<7x5xf32>) -> tensor<9x5xf32>\n"
        f"  func.return %o : tensor<9x5xf32>\n}}\n"
    )
    rng = np.random.default_rng(0)
    shapes = (9, 7), (7, 7), (9, 4), (7, 4), (7, 5)
    x, w, q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    scores = np.exp(q.astype(np.float64) @ k.T)
    expected = scores / scores.sum(axis=1, keepdims=True) @ v
    np.testing.assert_allclose(program(x, w, q, k, v), expected, 1e-5, 1e-6)
    assert 2 in [kernel.ops.count("snippets.matmul") for kernel in program.kernels]


@pytest.mark.parametrize("turned", [False, True])
def test_scores_that_are_a_sum_of_products(turned: bool):
    """One product is in the attention, with a term of its scores that another kernel computes."""
    term = "tensor<3x9x7xf32>"
    types = "tensor<3x9x7xf32>", "tensor<7x7xf32>", "tensor<3x9x4xf32>", "tensor<3x7x4xf32>"
    names = ", ".join(f"%{n}: {t}" for n, t in zip("xwqk", types, strict=True))
    products = [
        f"  %y = snippets.matmul %x, %w : ({types[0]}, {types[1]}) -> {term}\n",
        f"  %s = snippets.matmul %q, %k {{transpose_b}} : ({types[2]}, {types[3]}) -> {term}\n",
    ]
    program = snippets_mlir.compile(
        f"func.func @main({names}, %v: tensor<3x7x5xf32>) -> tensor<3x9x5xf32> {{\n"
        + "".join(products[::-1] if turned else products)
        + f"  %1 = snippets.add %s, %y : {term}\n"
        f"  %p = snippets.softmax %1 {{axis = 2 : i64}} : {term}\n"
        f"  %o = snippets.matmul %p, %v : ({term}, tensor<3x7x5xf32>) -> tensor<3x9x5xf32>\n"
        f"  func.return %o : tensor<3x9x5xf32>\n}}\n"
    )
    rng = np.random.default_rng(0)
    shapes = (3, 9, 7), (7, 7), (3, 9, 4), (3, 7, 4), (3, 7, 5)
    x, w, q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    scores = np.exp(x.astype(np.float64) @ w + q.astype(np.float64) @ k.transpose(0, 2, 1))
    expected = scores / scores.sum(axis=2, keepdims=True) @ v
    np.testing.assert_allclose(program(x, w, q, k, v), expected, 1e-4, 1e-5)
    assert [kernel.ops.count("snippets.matmul") for kernel in program.kernels] == [1, 2]


def test_reductions_of_the_rows_of_one_product():
    program = snippets_mlir.compile(ROWS)
    assert len(program.kernels) == 1
    a, b = numbers(7, (3, 70, 9), (9, 33))
    product = a.astype(np.float64) @ b
    e = np.exp(product - product.max(-1, keepdims=True))
    parts, total = program(a, b)
    np.testing.assert_allclose(parts, e / e.sum(-1, keepdims=True), 2e-5, 2e-6)
    np.testing.assert_allclose(total, product.sum(-1, keepdims=True), 2e-4, 2e-5)
