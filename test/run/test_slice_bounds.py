"""`snippets.slice_to` on tensors of any size, against NumPy's slices."""

from __future__ import annotations

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.builtin.slice_bounds import END, part_of, place_of
from snippets_mlir.driver.dynamic.equal_sizes import Known
from snippets_mlir.support.errors import CompileError, PlaceError

SIZES = (9, 40, 4, 3, 2, 1, 0, 1000)


def text(*parts: tuple[int, int, int], op: str = "add") -> str:
    """A program that computes with slices of one tensor."""
    lines = [
        f"%{i} = snippets.slice_to %x {{starts = array<i64: {start}>, stops = array<i64: {stop}>, "
        f"steps = array<i64: {step}>}} : tensor<?xf32>"
        for i, (start, stop, step) in enumerate(parts)
    ]
    found = [f"%r{i} = snippets.{op} %0, %{i} : tensor<?xf32>" for i in range(len(parts))]
    results = ", ".join(f"%r{i}" for i in range(len(parts)))
    types = ", ".join(["tensor<?xf32>"] * len(parts))
    body = "\n".join(lines + found)
    return (
        f"func.func @main(%x: tensor<?xf32>) -> ({types}) {{\n{body}\n"
        f"func.return {results} : {types}\n}}"
    )


@pytest.mark.parametrize(
    "part",
    [(1, END, 1), (0, -1, 1), (-3, END, 1), (2, 5, 1), (END, -END, -1), (-2, 0, -1), (-3, 2, 1)],
)
def test_one_slice(part: tuple[int, int, int]):
    program = snippets_mlir.compile(text(part), num_threads=1)
    for size in SIZES:
        x = np.random.default_rng(size).standard_normal(size, np.float32)
        taken = x[slice(*part)]
        found = program(x)
        np.testing.assert_array_equal(np.asarray(found), taken + taken)
    assert program.per_shape is None


def test_shifted_views_are_one_kernel():
    program = snippets_mlir.compile(text((1, -1, 1), (2, END, 1), (0, -2, 1), op="subtract"))
    for size in SIZES:
        x = np.random.default_rng(size).standard_normal(size, np.float32)
        wanted = [x[1:-1] - other for other in (x[1:-1], x[2:], x[:-2])]
        for found, other in zip(program(x), wanted, strict=True):
            np.testing.assert_array_equal(found, other)
    assert program.per_shape is None
    assert [step["kind"] for step in program.manifest["steps"]] == ["kernel"]


def test_other_steps_are_compiled_for_each_shape():
    program = snippets_mlir.compile(text((0, END, 2)), num_threads=1)
    for size in (8, 9, 1, 0):
        x = np.random.default_rng(size).standard_normal(size, np.float32)
        found = program(x)
        np.testing.assert_array_equal(np.asarray(found), x[::2] * 2)
    assert "depends on a remainder" in str(program.per_shape)


MET = """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.slice_to %x {starts = array<i64: 1>, stops = array<i64: -1>,
    steps = array<i64: 1>} : tensor<?xf32>
  %1 = snippets.multiply %0, %y : tensor<?xf32>
  func.return %1 : tensor<?xf32>
}
"""


def test_a_part_meets_another_tensor():
    """Its size follows from that of the other one: one program, an error for other sizes."""
    program = snippets_mlir.compile(MET, num_threads=1)
    for size in (7, 90, 5, 4):
        x = np.random.default_rng(size).standard_normal(size, np.float32)
        found = program(x, x[2:])
        np.testing.assert_array_equal(np.asarray(found), x[1:-1] * x[2:])
    assert (program.per_shape, program.compile_count) == (None, 1)
    with pytest.raises(CompileError, match=r"5 and 6|5, 6"):
        program(np.ones(7, np.float32), np.ones(6, np.float32))
    one = program(np.ones(7, np.float32), np.full(1, 3, np.float32))  # broadcasts
    np.testing.assert_array_equal(np.asarray(one), np.full(5, 3))


def test_parts_of_formulas():
    n = symbol(0)
    assert part_of(n, 1, -2, 1).count == n - 3
    assert (part_of(n, -3, END, 1).start, part_of(n, -3, END, 1).count) == (n - 3, 3)
    assert part_of(n, END, -END, -1).start == n - 1
    assert part_of(n * 2, 0, END, 2).count == n
    assert part_of(7, 9, END, 1).count == 0
    assert place_of(n, -1).start == n - 1
    with pytest.raises(PlaceError, match="index 7 is out of bounds"):
        place_of(7, 7)
    with pytest.raises(CompileError, match="depends on a remainder"):
        part_of(n, 0, END, 2)


def test_equations_between_sizes():
    known = Known([(0, 0), (1, 0), (1, 1)])
    assert known.equate(symbol(0) - 2, symbol(1))
    assert known.sizes() == {(0, 0): symbol(0) + 2, (1, 0): symbol(0), (1, 1): symbol(1)}
    assert known.equate(symbol(0), symbol(1) + 1)
    assert known.sizes() == {(0, 0): symbol(0) + 3, (1, 0): symbol(0) + 1, (1, 1): symbol(0)}
    assert sorted(known.told()[2]) == [((0, 0), "?0 + 3"), ((1, 0), "?0 + 1")]
    assert known.equate(symbol(0) + 1, 8)
    assert set(known.sizes().values()) == {7, 8, 10}
    assert not known.equate(7, 8)
    assert not Known([(0, 0)]).equate(symbol(0) * symbol(0), 4)
