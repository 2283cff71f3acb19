"""Kernels that compute values again in later loops give the same bits as with buffers."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from placed_arrays import check_around, placed
from random_row_kernels import COUNT, RowKernel
from sampled import sampled

import snippets_mlir
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
PASS = "lir-rematerialize"
SIZES = ((3, 37), (1, 37), (3, 1), (1, 1), (0, 5), (5, 0), (64, 300), (2, 5000))
STATIC_SIZES = ((3, 37), (5, 0))
NORM = "axis = 1 : i64, epsilon = 1.0e-05 : f32"

PROGRAMS = {
    "layer_norm of one array": (
        f"%1 = snippets.layer_norm %arg0, %arg2, %arg3 {{{NORM}}} : (T, R, R) -> T",
        (0, 0),
    ),
    "layer_norm": (
        f"%0 = snippets.add %arg0, %arg1 : T\n"
        f"%1 = snippets.layer_norm %0, %arg2, %arg3 {{{NORM}}} : (T, R, R) -> T",
        (1, 1),
    ),
    "rms_norm": (
        f"%0 = snippets.add %arg0, %arg1 : T\n"
        f"%1 = snippets.rms_norm %0, %arg2 {{{NORM}}} : (T, R) -> T",
        (1, 0),
    ),
    "softmax": (
        "%0 = snippets.multiply %arg0, %arg0 : T\n"
        "%2 = snippets.add %0, %arg2 : (T, R) -> T\n"
        "%1 = snippets.softmax %2 {axis = 1 : i64} : T",
        (2, 1),
    ),
    "log_softmax": (
        "%0 = snippets.add %arg0, %arg1 : T\n%1 = snippets.log_softmax %0 {axis = 1 : i64} : T",
        (2, 1),
    ),
}
"""The lines of each program, and its buffers when one array, or two, may be read for one."""


def program(name: str, shape: tuple[int | str, int | str]) -> str:
    t, r = f"tensor<{shape[0]}x{shape[1]}xf32>", f"tensor<{shape[1]}xf32>"
    lines = PROGRAMS[name][0].replace("T", t).replace("R", r)
    arguments = f"%arg0: {t}, %arg1: {t}, %arg2: {r}, %arg3: {r}"
    return f"func.func @main({arguments}) -> {t} {{\n{lines}\nfunc.return %1 : {t}\n}}"


def pipeline(arrays: int, upto: str = "") -> str:
    """All passes down to LLVM or to `upto`; `arrays` is the option of the pass, 0 for no pass."""
    text = PIPELINES["snippets-to-llvm"]
    options = f"{PASS}{{arrays={arrays} later=1 least=0}}," if arrays else ""
    text = text.replace(f"{PASS},", options)
    return text[: text.index(f",{upto}")] if upto else text


def lowered(text: str, arrays: int, upto: str) -> Any:
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = parse_pipeline(pipeline(arrays, upto), ctx)
    run_passes(module, ctx, passes, verify_each=True)
    return module


def compiled(text: str, arrays: int) -> snippets_mlir.Compiled:
    return snippets_mlir.compile(text, pipeline=pipeline(arrays), num_threads=2, fallback="error")


def called(program: snippets_mlir.Compiled, inputs: list[Array]) -> list[Array]:
    return list(program.run({f"arg{i}": array for i, array in enumerate(inputs)}).values())


def results(text: str, arrays: int, inputs: list[Array]) -> list[Array]:
    """What a program gives on two threads."""
    return called(compiled(text, arrays), inputs)


def same_bits(found: list[Array], expected: list[Array]) -> None:
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b, strict=True)
        if a.dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0]))


def inputs_of(shape: tuple[int, int]) -> list[Array]:
    rng = np.random.default_rng(sum(shape))
    whole = [rng.standard_normal(shape, np.float32) for _ in range(2)]
    return [*whole, *(rng.standard_normal(shape[1], np.float32) for _ in range(2))]


@pytest.mark.parametrize("name", PROGRAMS)
def test_fewer_buffers(name: str) -> None:
    """Softmax keeps exp; sums of inputs have no buffer when two arrays may be read for one."""
    text = program(name, (64, 300))
    for arrays, expected in zip((1, 2), PROGRAMS[name][1], strict=True):
        module = lowered(text, arrays, "lir-expand-math")
        assert sum(isinstance(op, BufferOp) for op in module.walk()) == expected


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize(
    ("name", "shape", "arrays"), sampled(product(PROGRAMS, STATIC_SIZES, (1, 2)), 12)
)
def test_bits(name: str, shape: tuple[int, int], arrays: int) -> None:
    text, inputs = program(name, shape), inputs_of(shape)
    same_bits(results(text, arrays, inputs), results(text, 0, inputs))


@pytest.mark.usefixtures("unverified")
@pytest.mark.usefixtures("unverified")  # `test_bits` verifies after each pass
@pytest.mark.parametrize(("name", "shape", "arrays"), sampled(product(PROGRAMS, SIZES, (1, 2)), 26))
def test_bits_of_sizes_of_the_call(name: str, shape: tuple[int, int], arrays: int) -> None:
    """The first shape of all, which has another code than one with dims of 0 or 1, comes before."""
    plain, other = (compiled(program(name, ("?", "?")), number) for number in (0, arrays))
    for sizes in (SIZES[0], shape):
        inputs = inputs_of(sizes)
        same_bits(called(other, inputs), called(plain, inputs))


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("name", sampled(PROGRAMS, 3))
def test_special_values(name: str) -> None:
    inputs = inputs_of((7, 21))
    x = inputs[0]
    x[1, 20], x[2, 3], x[3, :], x[4, 0], x[5, :] = np.nan, -np.inf, -np.inf, np.inf, -0.0
    text = program(name, (7, 21))
    expected = results(text, 0, inputs)
    same_bits(results(text, 2, inputs), expected)
    run = Interpreter(lowered(text, 2, "convert-lir-to-vector")).run
    same_bits(list(run("main", inputs)), expected)


def test_inputs_stay_as_they_are() -> None:
    text, shape = program("layer_norm", (6, 43)), (6, 43)
    memory = [placed(6 * 43, np.float32, 36) for _ in range(3)]
    x, y, out = (array.reshape(shape) for array, _ in memory)
    first, second, *rest = inputs_of(shape)
    x[...], y[...] = first, second
    compiled(text, 2)(x, y, *rest, out=out)
    same_bits([out.copy(), x, y], [*results(text, 0, [first, second, *rest]), first, second])
    for array, around in memory:
        check_around(array, around)


@pytest.mark.parametrize("first", sampled(range(0, COUNT, 2), 8))
def test_random_kernels(first: int) -> None:
    for seed in range(first, first + 2):
        kernel = RowKernel(seed)
        inputs = {f"arg{i}": array for i, array in enumerate(kernel.arrays)}
        expected, found = (
            list(
                snippets_mlir.compile(kernel.text, pipeline=pipeline(n), fallback="error")
                .run(inputs)
                .values()
            )
            for n in (0, 1 + seed % 3)
        )
        same_bits(found, expected)
