"""MLPs as one kernel over blocks of rows, and as two: `snippets-tokenize-mlp`."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from levels import INSPECTED
from numpy.typing import NDArray
from sampled import sampled

import snippets_mlir
from snippets_mlir.inspect.levels import run_levels
from snippets_mlir.passes.pipelines import PIPELINES

Array = NDArray[Any]


def tensor(*sizes: int, element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


def body(rows: int, inner: int, hidden: int, element: str) -> list[str]:
    """y = relu(x w + b) v + c + x, of %x, %w, %b, %v and %c."""
    x, h = tensor(rows, inner, element=element), tensor(rows, hidden, element=element)
    w, v = tensor(inner, hidden, element=element), tensor(hidden, inner, element=element)
    b, c = tensor(hidden, element=element), tensor(inner, element=element)
    return [
        f"%h = snippets.matmul %x, %w : ({x}, {w}) -> {h}",
        f"%0 = snippets.add %h, %b : ({h}, {b}) -> {h}",
        f"%1 = snippets.relu %0 : {h}",
        f"%o = snippets.matmul %1, %v : ({h}, {v}) -> {x}",
        f"%2 = snippets.add %o, %c : ({x}, {c}) -> {x}",
        f"%y = snippets.add %2, %x : {x}",
    ]


def text(rows: int, inner: int, hidden: int, element: str = "f32", *, inside: bool = False) -> str:
    """The program, or with the ops inside of a subgraph."""
    types = [
        tensor(*sizes, element=element)
        for sizes in ((rows, inner), (inner, hidden), (hidden,), (hidden, inner), (inner,))
    ]
    arguments = ", ".join(f"%{n}: {t}" for n, t in zip("xwbvc", types, strict=True))
    lines = body(rows, inner, hidden, element)
    if inside:
        given = ", ".join(f"%{n} = %{n}_0" for n in "xwbvc")
        arguments = arguments.replace(":", "_0:")
        head = f"%r = snippets.subgraph ({given}) : ({', '.join(types)}) -> {types[0]} {{"
        lines = [head, *lines, f"snippets.yield %y : {types[0]}", "}"]
    result = "%r" if inside else "%y"
    inner_text = "\n  ".join((*lines, f"func.return {result} : {types[0]}"))
    return f"func.func @main({arguments}) -> {types[0]} {{\n  {inner_text}\n}}"


def arrays(rows: int, inner: int, hidden: int, dtype: Any = np.float32) -> list[Array]:
    rng = np.random.default_rng(rows + inner + hidden)
    shapes = (rows, inner), (inner, hidden), (hidden,), (hidden, inner), (inner,)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def expected(given: list[Array]) -> Array:
    x, w, b, v, c = (array.astype(np.float64) for array in given)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.maximum(x @ w + b, 0) @ v + c + x)


@cache
def compiled(sizes: tuple[int, int, int]) -> snippets_mlir.Compiled:
    return snippets_mlir.compile(text(*sizes))


@pytest.mark.parametrize(
    ("sizes", "element"), sampled(product([(4129, 17, 65), (2053, 31, 130)], ["f32", "f64"]), 4)
)
def test_wide_mlps_are_one_kernel(sizes: tuple[int, int, int], element: str):
    rows, inner, hidden = sizes
    error = 1e-5 if element == "f32" else 1e-13
    given = arrays(rows, inner, hidden, np.float32 if element == "f32" else np.float64)
    wanted = expected(given)
    found: list[Array] = []
    for threads in (1, 3):
        program = snippets_mlir.compile(text(rows, inner, hidden, element), num_threads=threads)
        assert [k.ops.count("snippets.matmul") for k in program.kernels] == [2]
        found.append(np.asarray(program(*given)))
    np.testing.assert_allclose(found[0], wanted, error, error * hidden)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.usefixtures("unverified")
def test_one_kernel_has_the_bits_of_two():
    sizes = 4129, 17, 65
    given = arrays(*sizes)
    whole = compiled(sizes)
    names = PIPELINES["snippets-to-llvm"].split(",")
    passes = (name for name in names if name != "snippets-tokenize-mlp")
    apart = snippets_mlir.compile(text(*sizes), pipeline=",".join(passes))
    assert (len(whole.kernels), len(apart.kernels)) == (1, 2)
    np.testing.assert_array_equal(whole(*given), apart(*given))


def test_small_mlps_are_two_kernels():
    sizes = 64, 48, 192
    given = arrays(*sizes)
    program = snippets_mlir.compile(text(*sizes))
    assert [k.ops.count("snippets.matmul") for k in program.kernels] == [1, 1]
    np.testing.assert_allclose(program(*given), expected(given), 1e-4, 1e-4)


def test_special_values_reach_their_rows_alone():
    sizes = 4129, 17, 65
    given = arrays(*sizes)
    given[0][3, 5], given[0][2000, 0], given[0][4128, 16] = np.nan, np.inf, -np.inf
    given[0][7] = -0.0
    found = np.asarray(compiled(sizes)(*given))
    wanted = expected(given)
    special = ~np.isfinite(wanted)
    assert sorted(np.flatnonzero(special.any(axis=1))) == [3, 2000, 4128]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-4)


@pytest.mark.parametrize("sizes", sampled([(5, 3, 7), (2, 16, 17), (19, 2, 2)], 2))
def test_one_kernel_at_every_level(sizes: tuple[int, int, int]):
    given = arrays(*sizes)
    for level, outputs in run_levels(text(*sizes, inside=True), given, INSPECTED):
        np.testing.assert_allclose(outputs[0], expected(given), 1e-5, 1e-5, err_msg=level)
    program = snippets_mlir.compile(text(*sizes, inside=True))
    assert len(program.kernels) == 1
    np.testing.assert_allclose(program(*given), expected(given), 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("rows", "hidden", "kernels", "kind"),
    sampled(
        [
            (*sizes, norm)
            for sizes in [(4129, 65, 1), (1100, 16, 2)]
            for norm in ("layer_norm", "rms_norm")
        ],
        2,
    ),
)
def test_norms_of_the_result(rows: int, hidden: int, kernels: int, kind: str):
    """In the kernel of both products, or in that of the second one."""
    inner, type_ = 17, tensor(rows, 17)
    lines = text(rows, inner, hidden).replace("func.return %y", "func.return %z").splitlines()
    attributes = "{axis = 1 : i64, epsilon = 1.0e-05 : f64}"
    norm = f"%z = snippets.{kind} %y {attributes} : ({type_}) -> {type_}"
    program = snippets_mlir.compile("\n".join([*lines[:-2], norm, *lines[-2:]]), num_threads=2)
    given = arrays(rows, inner, hidden)
    given[0][5], given[0][9, 3] = 0.0, np.nan
    y = expected(given)
    d = y - y.mean(axis=1, keepdims=True) if kind == "layer_norm" else y
    wanted = d / np.sqrt((d * d).mean(axis=1, keepdims=True) + 1e-5)
    found = np.asarray(program(*given))
    products = [k.ops.count("snippets.matmul") for k in program.kernels]
    assert products == ([2] if kernels == 1 else [1, 1])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-4)
