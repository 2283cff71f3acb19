"""Gated MLPs: two products of one left operand in one kernel."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from levels import INSPECTED
from runnable import RUNNABLE
from sampled import ends, sampled
from side_products import ELEMENTS, Array, constant, drawn, is_joined, products, tensor

import snippets_mlir
from snippets_mlir.inspect.levels import run_levels
from snippets_mlir.passes.pipelines import PIPELINES

DTYPES: tuple[Any, ...] = (np.float32, np.float64)


def gated_lines(rows: int | str, inner: int, hidden: int, element: str) -> list[str]:
    """y = relu(x w) * (x u + b) of %x, %w, %u, %b; then o = y v + x of %v."""
    x, h = tensor(rows, inner, element=element), tensor(rows, hidden, element=element)
    w, v = tensor(inner, hidden, element=element), tensor(hidden, inner, element=element)
    b = tensor(hidden, element=element)
    return [
        f"%g = snippets.matmul %x, %w : ({x}, {w}) -> {h}",
        f"%0 = snippets.relu %g : {h}",
        f"%1 = snippets.matmul %x, %u : ({x}, {w}) -> {h}",
        f"%2 = snippets.add %1, %b : ({h}, {b}) -> {h}",
        f"%y = snippets.multiply %0, %2 : {h}",
        f"%3 = snippets.matmul %y, %v : ({h}, {v}) -> {x}",
        f"%o = snippets.add %3, %x : {x}",
    ]


class Gated:
    """A gated MLP with drawn weights, as text with constants, and its values in float64."""

    def __init__(self, inner: int, hidden: int, dtype: Any = np.float32) -> None:
        self.inner, self.hidden, self.dtype = inner, hidden, np.dtype(dtype)
        self.weights = {
            name: drawn(*shape, dtype=dtype, seed=seed)
            for seed, (name, shape) in enumerate(
                {
                    "w": (inner, hidden),
                    "u": (inner, hidden),
                    "b": (hidden,),
                    "v": (hidden, inner),
                }.items()
            )
        }

    def text(self, rows: int | str) -> str:
        """The program; `rows` may be `?`."""
        e = ELEMENTS[self.dtype]
        x = tensor(rows, self.inner, element=e)
        lines = [constant(name, array) for name, array in self.weights.items()]
        lines += gated_lines(rows, self.inner, self.hidden, e)
        return (
            "\n  ".join([f"func.func @main(%x: {x}) -> {x} {{", *lines, f"func.return %o : {x}"])
            + "\n}"
        )

    def expected(self, x: Array) -> tuple[Array, Array]:
        """The values in float64, and a bound of their errors."""
        w, u, b, v = (array.astype(np.float64) for array in self.weights.values())
        x = x.astype(np.float64)
        unit = np.finfo(self.dtype).eps
        with np.errstate(invalid="ignore", over="ignore"):
            y = np.maximum(x @ w, 0) * (x @ u + b)
            size = (np.abs(x) @ np.abs(w)) * (np.abs(x) @ np.abs(u) + np.abs(b))
            terms = np.sqrt(self.inner) + np.sqrt(self.hidden) + 4
            return y @ v + x, 4 * terms * unit * (size @ np.abs(v) + np.abs(x))

    def check(self, found: Array, x: Array) -> None:
        """Every element within the bound; special values where they belong."""
        wanted, bound = self.expected(x)
        assert found.shape == wanted.shape
        finite = np.isfinite(wanted)
        np.testing.assert_array_equal(np.isfinite(found), finite)
        assert np.all(np.abs(found - wanted)[finite] <= bound[finite])


@pytest.mark.parametrize(
    ("sizes", "dtype", "target"),
    sampled(
        product(
            [
                *((1, 9, 67), (2, 5, 16), (7, 130, 33), (13, 64, 192)),
                *((40, 300, 17), (3, 1, 20), (5, 2, 1)),
            ],
            DTYPES,
            RUNNABLE,
        ),
        3,
    ),
)
def test_gated_mlps_are_two_kernels(sizes: tuple[int, int, int], dtype: Any, target: str) -> None:
    rows, inner, hidden = sizes
    mlp = Gated(inner, hidden, dtype)
    x = drawn(rows, inner, dtype=dtype, seed=9)
    program = snippets_mlir.compile(mlp.text(rows), target=target, num_threads=2)
    assert products(program) == ([2, 1] if is_joined(rows, target) else [1, 1, 1])
    mlp.check(np.asarray(program(x)), x)


@pytest.mark.parametrize(
    ("sizes", "dtype"), sampled(product([(4129, 17, 65), (2053, 31, 130)], DTYPES), 4)
)
def test_wide_gated_mlps_are_one_kernel(sizes: tuple[int, int, int], dtype: Any) -> None:
    rows, inner, hidden = sizes
    mlp = Gated(inner, hidden, dtype)
    x = drawn(rows, inner, dtype=dtype, seed=9)
    found: list[Array] = []
    for threads in ends((1, 2, 3)):
        program = snippets_mlir.compile(mlp.text(rows), num_threads=threads)
        assert products(program) == [3]
        found.append(np.asarray(program(x)))
    mlp.check(found[0], x)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


@pytest.mark.usefixtures("unverified")
def test_together_have_the_bits_of_apart() -> None:
    """Whether two kernels or one, and gate and up in one or two."""
    mlp = Gated(17, 65)
    x = drawn(4129, 17, seed=9)
    names = PIPELINES["snippets-to-llvm"].split(",")
    several = ",".join(name for name in names if name != "snippets-tokenize-mlp")
    alone = ",".join(
        name + ("{max-ops=1}" if name == "snippets-tokenize" else "") for name in several.split(",")
    )
    programs = [
        snippets_mlir.compile(mlp.text(4129)),
        snippets_mlir.compile(mlp.text(4129), pipeline=several),
        snippets_mlir.compile(mlp.text(4129), pipeline=alone),
    ]
    assert [products(program) for program in programs[:2]] == [
        [3],
        [2, 1] if is_joined(4129) else [1, 1, 1],
    ]
    assert sorted(products(programs[2])) == [0, 0, 0, 0, 1, 1, 1]
    for one, other in pairwise(np.asarray(program(x)) for program in programs):
        np.testing.assert_array_equal(one, other)


def test_dynamic_rows() -> None:
    mlp = Gated(70, 130)
    program = snippets_mlir.compile(mlp.text("?"), num_threads=2, fallback="error")
    assert program.per_shape is None
    for rows in (2, 5, 1, 13, 0, 64, 129):
        x = drawn(rows, 70, seed=rows)
        mlp.check(np.asarray(program(x)), x)


def test_special_values_reach_their_rows_alone() -> None:
    mlp = Gated(33, 70)
    x = drawn(29, 33, seed=9)
    x[3, 5], x[11, 0], x[28, 32], x[7] = np.nan, np.inf, -np.inf, -0.0
    found = np.asarray(snippets_mlir.compile(mlp.text(29))(x))
    assert sorted(np.flatnonzero(~np.isfinite(found).all(axis=1))) == [3, 11, 28]
    np.testing.assert_array_equal(np.isnan(found), np.isnan(mlp.expected(x)[0]))
    regular = [row for row in range(29) if row not in (3, 11, 28)]
    mlp.check(found[regular], x[regular])


def test_arrays_that_lie_anywhere() -> None:
    """Unaligned, strided, and read-only arguments."""
    mlp = Gated(24, 48)
    x = drawn(9, 24, seed=9)
    program = snippets_mlir.compile(mlp.text(9))
    raw = np.zeros(9 * 24 * 4 + 4, np.uint8)
    unaligned = raw[4:].view(np.float32).reshape(9, 24)
    unaligned[:] = x
    strided = np.zeros((18, 48), np.float32)[::2, ::2]
    strided[:] = x
    wanted = np.asarray(program(x))
    for array in (unaligned, strided):
        np.testing.assert_array_equal(np.asarray(program(array)), wanted)


def inside(rows: int, inner: int, hidden: int, *, whole: bool) -> str:
    """The ops in one subgraph with weights that are arguments; without the last product or with."""
    shapes = {"x": (rows, inner), "w": (inner, hidden), "u": (inner, hidden), "b": (hidden,)}
    shapes |= {"v": (hidden, inner)} if whole else {}
    types = {name: tensor(*shape) for name, shape in shapes.items()}
    result, value = (types["x"], "%o") if whole else (tensor(rows, hidden), "%y")
    arguments = ", ".join(f"%{name}_0: {type_}" for name, type_ in types.items())
    given = ", ".join(f"%{name} = %{name}_0" for name in types)
    lines = gated_lines(rows, inner, hidden, "f32")
    lines = lines if whole else lines[:5]
    return "\n  ".join(
        [
            f"func.func @main({arguments}) -> {result} {{",
            f"%r = snippets.subgraph ({given}) : ({', '.join(types.values())}) -> {result} {{",
            *lines,
            f"snippets.yield {value} : {result}",
            "}",
            f"func.return %r : {result}\n}}",
        ]
    )


@pytest.mark.parametrize(
    ("sizes", "whole"),
    sampled(product([(5, 3, 7), (13, 70, 40), (19, 2, 2), (2, 16, 17)], [False, True]), 4),
)
def test_one_kernel_at_every_level(sizes: tuple[int, int, int], whole: bool) -> None:
    """Weights that are arguments, too: in a subgraph that is written so."""
    mlp, text = Gated(*sizes[1:]), inside(*sizes, whole=whole)
    x = drawn(sizes[0], sizes[1], seed=9)
    given = [x, *mlp.weights.values()][: 5 if whole else 4]
    w, u, b = (array.astype(np.float64) for array in given[1:4])
    y = np.maximum(x @ w, 0) * (x @ u + b)
    wanted = mlp.expected(x)[0] if whole else y
    least = 1e-6 * float(np.abs(wanted).max())
    for level, outputs in run_levels(text, given, INSPECTED):
        np.testing.assert_allclose(outputs[0], wanted, 1e-5, least, err_msg=level)
    program = snippets_mlir.compile(text)
    assert products(program) == [3 if whole else 2]
    np.testing.assert_allclose(program(*given), wanted, 1e-5, least)
