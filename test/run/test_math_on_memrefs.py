"""Functions of `math` in machine code: scalars, vectors of any rank, all floats, special values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from op_families import EXPANSIONS
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver.memrefs.program import MemRefProgram
from snippets_mlir.runtime.arguments.arrays import dtype_from_name

SHARED: Sequence[str] = (
    "acos acosh asin asinh atan atanh cos cosh erf exp log sin sinh tan tanh "
    "cbrt exp2 expm1 log10 log1p log2"
).split()
BOUNDS = {name: EXPANSIONS[name].bound_ulp_f64 + 1 for name in SHARED}
"""Units in the last place of f64 beside NumPy's own error."""

UNARY = """func.func @f(%x: memref<?xT>, %y: memref<?xT>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xT>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xT>
    %1 = math.OP %0 : T
    affine.store %1, %y[%i] : memref<?xT>
  }
  func.return
}"""
BINARY = """func.func @f(%x: memref<?xT>, %z: memref<?xU>, %y: memref<?xT>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xT>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xT>
    %1 = affine.load %z[%i] : memref<?xU>
    %2 = math.OP %0, %1 : TYPES
    affine.store %2, %y[%i] : memref<?xT>
  }
  func.return
}"""
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, 8.0, -8.0, 0.5, 1000.0, 3e38]
VECTORS = (
    "snippets-set-target{threads=1},affine-super-vectorize{virtual-vector-size=8},affine-to-llvm"
)
PIPELINES = (None, VECTORS)


def numbers(dtype: np.dtype[Any]) -> Array:
    """Of all sizes, and special ones; not a multiple of a vector."""
    rng = np.random.default_rng(5)
    values = rng.standard_normal(90) * 10 ** rng.uniform(-6, 2, 90)
    with np.errstate(all="ignore"):
        return np.array([*values, *rng.uniform(-1, 1, 40), *SPECIAL]).astype(dtype)


def compiled(text: str, pipelines: Sequence[str | None] = PIPELINES) -> list[Any]:
    """As scalars and as vectors."""
    programs = [snippets_mlir.compile(text, pipeline=p) for p in pipelines]
    if VECTORS in pipelines:
        assert "vector<" in programs[-1].ir("affine-super-vectorize")
    return programs


def check(program: Any, *arguments: Array, bound: float) -> None:
    """Within `bound` units of the interpreter; zeros, infinities and NaN where it has them."""
    expected = [a.copy() for a in arguments]
    program.interpreted(expected)
    program(*arguments)
    found, exact = (np.asarray(v[-1], np.float64) for v in (arguments, expected))
    special = ~np.isfinite(exact) | (exact == 0)
    np.testing.assert_array_equal(found[special], exact[special])
    signs = special & ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(found[signs]), np.signbit(exact[signs]))
    with np.errstate(all="ignore"):
        unit = np.abs(np.spacing(expected[-1])).astype(np.float64)
        assert np.all((np.abs(found - exact) <= bound * unit)[~special])


@pytest.mark.parametrize(
    ("name", "element"), sampled([(name, e) for name in SHARED for e in ("f32", "f64")], 3)
)
def test_functions_of_one_number(name: str, element: str):
    """As scalars of one type and as vectors of the other, in turn from function to function."""
    turn = SHARED.index(name) + (element == "f64")
    (program,) = compiled(
        UNARY.replace("T", element).replace("OP", name), PIPELINES[turn % 2 :][:1]
    )
    x = numbers(np.dtype(element.replace("f", "float")))
    check(program, x, np.zeros_like(x), bound=BOUNDS[name])


@pytest.mark.parametrize(
    ("element", "name"), sampled(product(["f16", "bf16"], ["exp", "sin", "log1p"]), 2)
)
def test_half_precision(name: str, element: str):
    """Computed in f32, rounded once more."""
    dtype = dtype_from_name({"f16": "float16", "bf16": "bfloat16"}[element])
    for program in compiled(UNARY.replace("T", element).replace("OP", name)):
        x = numbers(dtype)
        expected, found = np.zeros_like(x), np.zeros_like(x)
        program.interpreted([x, expected])
        program(x, found)
        np.testing.assert_allclose(
            found.astype(np.float64), expected.astype(np.float64), 2 * 2.0**-7, 1e-7
        )


@pytest.mark.parametrize(
    ("name", "element"),
    sampled([("powf", "f32"), ("powf", "f64"), ("atan2", "f64"), ("atan2", "f32")], 2),
)
def test_functions_of_two_numbers(name: str, element: str):
    text = BINARY.replace("TYPES", element).replace("OP", name)
    dtype = np.dtype(element.replace("f", "float"))
    x, z = (a.ravel() for a in np.meshgrid(numbers(dtype)[::7], numbers(dtype)[-30:]))
    for program in compiled(text.replace("T", element).replace("U", element)):
        check(program, x.copy(), z.copy(), np.zeros_like(x), bound=4)


@pytest.mark.parametrize(("element", "integer"), [("f32", "i32"), ("f64", "i64"), ("f32", "i8")])
def test_powers_with_integers(element: str, integer: str):
    """Also of exponents that no float of the type holds: they keep their last bit."""
    text = BINARY.replace("TYPES", f"{element}, {integer}").replace("OP", "fpowi")
    dtype, exponent = (np.dtype(e) for e in (element.replace("f", "float"), f"int{integer[1:]}"))
    largest = np.iinfo(exponent).max
    exponents = np.array([0, 1, -1, 2, -3, 7, largest, -largest], exponent)
    x, z = (a.ravel() for a in np.meshgrid(numbers(dtype)[-40:], exponents))
    for program in compiled(text.replace("T", element).replace("U", integer)):
        check(program, x.copy(), z.copy(), np.zeros_like(x), bound=4)


@pytest.mark.parametrize("element", ["i8", "i32", "i64"])
def test_integers(element: str):
    """Powers wrap and truncate; counts of zeros are defined for 0.

    Loops with powers are not vectorized: lanes past their end might raise 0 to a negative power.
    """
    dtype = np.dtype(element.replace("i", "int"))
    limits = np.iinfo(dtype)
    values = np.array([0, 1, -1, 2, 3, -3, 64, limits.max, limits.min], dtype)
    x, z = (a.ravel().copy() for a in np.meshgrid(values, np.arange(-3, 9).astype(dtype)))
    text = BINARY.replace("TYPES", element).replace("OP", "ipowi")
    cases: list[tuple[str, tuple[Array, ...], list[str | None]]] = [
        (text.replace("T", element).replace("U", element), (x, z), [None])
    ]
    for turn, name in enumerate(("ctlz", "cttz", "ctpop", "absi")):
        way = [*PIPELINES] if ALL else [PIPELINES[(turn + dtype.itemsize // 4) % 2]]
        cases.append((UNARY.replace("T", element).replace("OP", name), (values,), way))
    for text, operands, way in cases:
        for program in compiled(text, way):
            found, expected = np.zeros_like(operands[0]), np.zeros_like(operands[0])
            assert isinstance(program, MemRefProgram)
            program.interpreted([*operands, expected])
            program(*operands, found)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", ["", "3", "2x3", "2x2x5"])
def test_vectors_of_any_rank(shape: str):
    """One table serves all of them."""
    dims = [int(n) for n in shape.split("x")] if shape else []
    vector = f"vector<{shape}xf32>" if shape else "vector<f32>"
    memory = f"memref<{shape}xf32>" if shape else "memref<f32>"
    zeros = ", ".join(["%c0"] * len(dims))
    program = snippets_mlir.compile(f"""func.func @f(%x: {memory}) {{
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %0 = vector.transfer_read %x[{zeros}], %p : {memory}, {vector}
      %1 = math.sin %0 : {vector}
      %2 = math.exp %1 : {vector}
      vector.transfer_write %2, %x[{zeros}] : {vector}, {memory}
      func.return
    }}""")
    x = np.random.default_rng(1).standard_normal(dims).astype(np.float32)
    expected = np.exp(np.sin(x))
    program(x)
    np.testing.assert_allclose(x, expected, 1e-6)
