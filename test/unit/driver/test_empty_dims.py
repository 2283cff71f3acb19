"""Dims of size 0: what has elements is written, what has none has the shape of the call.

A reduction over such a dim gives its neutral value, and what reads it has no elements: both may be
outputs of one kernel, and the loops of the second one never run.
"""

from collections.abc import Iterable
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import alternating

import snippets_mlir
from snippets_mlir.driver.compiled import Compiled

F32 = np.float32
NEUTRAL = {"max": -np.inf, "min": np.inf, "sum": 0.0, "prod": 1.0, "mean": np.nan}
LONG = 16400
"""More elements than a constant may have that the folder makes."""


GUARD = 4096
"""Elements on both sides of an output that no kernel may touch."""


def placed(shape: tuple[int, ...], step: int) -> tuple[NDArray[F32], NDArray[F32]]:
    """An array with `step` elements between two of a row, and the memory that it lies in."""
    stored = (*shape[:-1], step * shape[-1]) if shape else shape
    memory = np.full(prod(stored) + 2 * GUARD, 77, F32)
    return memory[GUARD:-GUARD].reshape(stored)[..., ::step], memory


def outputs_of(program: Compiled, *arrays: NDArray[F32]) -> Iterable[list[NDArray[F32]]]:
    """What the program computes by the short way of a call and by the checked one."""
    shapes = [array.shape for array in program(*arrays)]
    for step in (1, 2):
        placements = [placed(shape, step) for shape in shapes]
        program(*arrays, out=[array for array, _ in placements])
        for _, memory in placements:
            assert (memory[:GUARD] == 77).all()
            assert (memory[-GUARD:] == 77).all()
        yield [array for array, _ in placements]


def reduction(kind: str, rows: str, columns: str) -> str:
    """A reduction over the first dim, whose result is an output and is read."""
    wide, narrow = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    return f"""func.func @main(%x: {wide}, %y: {wide}) -> ({narrow}, {wide}) {{
      %0 = snippets.add %x, %y : {wide}
      %1 = snippets.reduce_{kind} %0 {{axes = array<i64: 0>}} : ({wide}) -> {narrow}
      %2 = snippets.subtract %0, %1 : ({wide}, {narrow}) -> {wide}
      func.return %1, %2 : {narrow}, {wide}
    }}"""


@pytest.mark.parametrize(("kind", "threads"), alternating(NEUTRAL, [1, 2]))
def test_reductions_over_a_dim_of_size_0_are_written(kind: str, threads: int) -> None:
    sizes = [("?", "?", 5)] if threads == 1 else [("?", "?", 5), ("0", str(LONG), LONG)]
    for rows, columns, size in sizes:
        program = snippets_mlir.compile(
            reduction(kind, rows, columns), fallback="error", num_threads=threads
        )
        x = np.zeros((0, size), F32)
        for narrow, wide in outputs_of(program, x, x):
            np.testing.assert_array_equal(narrow, np.full(size, NEUTRAL[kind], F32))
            assert wide.shape == (0, size)


SIBLINGS = {
    # A value that broadcasts with a dim of size 0, in each place.
    "first": ("?x1x?", "?x?x?", (0, 3, 5), (1, 1, 5)),
    "between": ("?x1x?", "?x?x?", (3, 0, 5), (3, 1, 5)),
    "last": ("?x?x1", "?x?x?", (3, 5, 0), (3, 5, 1)),
    "all": ("1x1x1", "?x?x?", (0, 0, 0), (1, 1, 1)),
    "static": ("4x1x300", "4x0x300", (4, 0, 300), (4, 1, 300)),
    "static columns": ("40x30x1", "40x30x0", (40, 30, 0), (40, 30, 1)),
}


@pytest.mark.parametrize("name", SIBLINGS)
def test_what_broadcasts_with_a_dim_of_size_0_is_written(name: str) -> None:
    small, large, shape, own = SIBLINGS[name]
    text = f"""func.func @main(%x: tensor<{large}xf32>, %y: tensor<{small}xf32>)
        -> (tensor<{small}xf32>, tensor<{large}xf32>, tensor<{small}xf32>) {{
      %0 = snippets.relu %y : tensor<{small}xf32>
      %1 = snippets.add %x, %0 : (tensor<{large}xf32>, tensor<{small}xf32>) -> tensor<{large}xf32>
      %2 = snippets.negative %0 : tensor<{small}xf32>
      func.return %0, %1, %2 : tensor<{small}xf32>, tensor<{large}xf32>, tensor<{small}xf32>
    }}"""
    program = snippets_mlir.compile(text, fallback="error", num_threads=2)
    y = np.random.default_rng(1).standard_normal(own).astype(F32)
    relu = np.maximum(y, 0)
    for first, empty, second in outputs_of(program, np.zeros(shape, F32), y):
        np.testing.assert_array_equal(first, relu)
        np.testing.assert_array_equal(second, -relu)
        assert empty.shape == shape


@pytest.mark.parametrize("op", ["subtract", "bitwise_xor", "mod", "floor_mod"])
def test_an_op_of_a_value_with_itself_has_the_shape_of_the_call(op: str) -> None:
    """The folder takes no symbol for a size, although 0 x ?0 has no elements."""
    type_ = "tensor<?x?xi32>"
    program = snippets_mlir.compile(
        f"func.func @main(%x: {type_}) -> {type_} {{\n"
        f"  %0 = snippets.{op} %x, %x : {type_}\n  func.return %0 : {type_}\n}}"
    )
    for shape in ((0, 3), (3, 0), (0, 0), (0, 1), (2, 3)):
        found = program(np.full(shape, 9, np.int32))
        assert found.shape == shape
        np.testing.assert_array_equal(found, np.zeros(shape, np.int32), strict=True)


def test_sizes_beside_a_dim_of_size_0_may_be_unknown() -> None:
    """No array of the symbols' sizes is made: their product has no address."""
    type_ = "tensor<?x?x?x?xf32>"
    program = snippets_mlir.compile(
        f"func.func @main(%x: {type_}) -> tensor<f32> {{\n"
        f"  %0 = snippets.reduce_max %x {{axes = array<i64: 0, 1, 2, 3>}} : "
        f"({type_}) -> tensor<f32>\n  func.return %0 : tensor<f32>\n}}"
    )
    for shape in ((0, 3, 4, 5), (3, 4, 5, 0)):
        assert program(np.zeros(shape, F32)) == -np.inf
