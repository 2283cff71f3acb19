"""Products with constant right operands, which are packed at compile time, against float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from runnable import RUNNABLE
from sampled import ALL, sampled

import snippets_mlir
from snippets_mlir.dialects.snippets.resources import digest
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
ELEMENTS = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}


def weights(shape: tuple[int, int], dtype: type[Any] = np.float32) -> Array:
    return np.random.default_rng(3).standard_normal(shape).astype(dtype)


def program(rows: int | str, w: Array, flags: str, value: str | None = None) -> str:
    """relu(x @ w + 0.5); `value` is how the text has the weight, its bytes unless given."""
    e = ELEMENTS[w.dtype]
    inner, columns = w.shape[::-1] if flags else w.shape
    x, y, b = f"tensor<{rows}x{inner}x{e}>", f"tensor<{rows}x{columns}x{e}>", f"{columns}x{e}"
    kind = f"tensor<{w.shape[0]}x{w.shape[1]}x{e}>"
    return f"""
func.func @main(%x: {x}) -> {y} {{
  %w = snippets.constant {value or f'dense<"0x{w.tobytes().hex()}">'} : {kind}
  %b = snippets.constant dense<0.5> : tensor<{b}>
  %0 = snippets.matmul %x, %w {flags} : ({x}, {kind}) -> {y}
  %1 = snippets.add %0, %b : ({y}, tensor<{b}>) -> {y}
  %2 = snippets.relu %1 : {y}
  func.return %2 : {y}
}}
"""


def check(found: Array, x: Array, w: Array, flags: str) -> None:
    """The bound of `snippets.matmul`, and one rounding of the addition."""
    a, b = x.astype(np.float64), (w.T if flags else w).astype(np.float64)
    unit = np.finfo(w.dtype).eps / 2
    expected = np.maximum(a @ b + 0.5, 0)
    bound = (2 * np.sqrt(a.shape[1]) + 5) * unit * (np.abs(a) @ np.abs(b) + 0.5)
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= bound)


def packed(compiled: Compiled) -> bool:
    """Whether the kernel goes through panels and copies nothing."""
    (kernel,) = compiled.kernels
    text = kernel.ir("lir-brgemm-copy-b")
    assert "lir.brgemm_copy_b" not in text
    return "lir.panels" in text


CASES = (
    (13, (9, 467), "", np.float32),
    (40, (109, 1024), "", np.float32),
    (33, (300, 21), "{transpose_b}", np.float32),
    (1, (40, 700), "", np.float32),
    (1, (700, 40), "{transpose_b}", np.float32),
    (7, (130, 450), "", np.float32),
    (23, (31, 345), "", np.float64),
)


@pytest.mark.parametrize(
    ("rows", "shape", "flags", "dtype", "target"),
    sampled([(*case, target) for case in CASES for target in RUNNABLE], 3),
)
def test_packed_weights(
    rows: int, shape: tuple[int, int], flags: str, dtype: type[Any], target: str
) -> None:
    w = weights(shape, dtype)
    x = weights((rows, w.shape[1] if flags else w.shape[0]), dtype)[::-1].copy()
    text = program(rows, w, flags)
    compiled = snippets_mlir.compile(text, target=target, num_threads=2, fallback="error")
    assert packed(compiled)
    check(np.asarray(compiled(x)), x, w, flags)


def test_weights_in_a_file(tmp_path: Path) -> None:
    w, x = weights((40, 700)), weights((13, 40))
    np.save(file := tmp_path / "w.npy", w)
    text = program(13, w, "", f'#snippets.resource<"{file}", "w", "{digest(w)}">')
    compiled = snippets_mlir.compile(text, fallback="error")
    assert packed(compiled)
    check(np.asarray(compiled(x)), x, w, "")


@pytest.mark.parametrize("flags", ["", "{transpose_b}"])
def test_weights_of_a_program(flags: str) -> None:
    """A node that is forced to be a kernel has packed weights, as the kernels of functions have."""
    w, x = weights((40, 700)), weights((13, 700 if flags else 40))
    text = program(13, w, flags)
    forced = snippets_mlir.compile(text, fallback="error", force_impl=["*:snippets"])
    assert packed(forced)
    found = np.asarray(forced(x))
    check(found, x, w, flags)
    plain = snippets_mlir.compile(text, fallback="error")
    np.testing.assert_array_equal(found, np.asarray(plain(x)))


@pytest.mark.parametrize("flags", ["", "{transpose_b}"])
def test_rows_of_the_call(flags: str) -> None:
    """The panels are those of a kernel of static sizes; tiles are for any number of rows."""
    w = weights((300, 100) if flags else (100, 300))
    compiled = snippets_mlir.compile(program("?", w, flags), fallback="error")
    for rows in (2, 7, 65, 0, 1, 6, 12):
        x = weights((rows, 100))
        check(np.asarray(compiled(x)), x, w, flags)
    assert packed(compiled)


NARROW = [(9, 64), (2, 300), (33, 70), (64, 130), (1, 40)]
"""Transposed weights of few columns: fewer panels than threads, or one for each."""


@pytest.mark.parametrize(
    ("shape", "target"), sampled([(shape, target) for shape in NARROW for target in RUNNABLE], 5)
)
def test_few_columns_that_lie_apart(shape: tuple[int, int], target: str) -> None:
    """They are packed, for rows of the call and known ones; threads change no bit."""
    w, known = weights(shape), dict[int, Array]()
    for rows, threads in (*([("?", 1), (67, 1)] if ALL else []), ("?", 3), (67, 1)):
        text = program(rows, w, "{transpose_b}")
        compiled = snippets_mlir.compile(text, target=target, num_threads=threads)
        for given in (67, 1, 0, 13) if rows == "?" else (67,):
            x = weights((given, shape[1]))[::-1].copy()
            found = np.asarray(compiled(x))
            check(found, x, w, "{transpose_b}")
            np.testing.assert_array_equal(found, known.setdefault(given, found))
        assert packed(compiled) or shape[0] == 1


LEVELS = ("lir-brgemm-blocking", "lir-brgemm-pack-constants", "convert-lir-to-vector")
BETWEEN = (
    "lir-insert-load-store",
    "lir-insert-loops",
    "lir-jam-loops",
    "lir-insert-specific-iterations",
)


def test_every_level_gives_the_same_bits() -> None:
    ctx = make_context()
    passes = PIPELINES["snippets-to-llvm"].replace(
        "set-target", "set-target{target=x86-64-avx2}", 1
    )
    passes = passes.replace("lir-unroll", "lir-unroll{factor=1}").split(",")
    w = weights((66, 70))
    module = parse_module(program(3, w, ""), ctx)
    x = weights((3, 66))
    known: Array | None = None
    for name in passes[: passes.index("convert-scf-to-cf")]:
        run_passes(module, ctx, parse_pipeline(name, ctx), verify_each=True)
        if name in LEVELS or (ALL and name in BETWEEN):
            (found,) = Interpreter(module, verify=False).run("main", [x])
            known = found if known is None else known
            np.testing.assert_array_equal(found, known, err_msg=name)
            again = parse_module(str(module), ctx)
            assert str(again) == str(module), name
        if name == "lir-brgemm-pack-constants":
            assert "lir.panels" in str(module)
