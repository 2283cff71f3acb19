"""Calls of functions on memrefs: accesses out of bounds are refused, and only these."""

from __future__ import annotations

import re

import numpy as np
import pytest

import snippets_mlir


def fill(loops: str, *, index: str = "%i") -> str:
    """A function that writes `%v` to `%b[index]` for each iteration of `loops`."""
    store = "memref.store" if loops.startswith("scf") else "affine.store"
    closing = "}" * loops.count("{")
    return f"""func.func @f(%a: memref<?xf32>, %b: memref<?xf32>, %n: index, %v: f32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  {loops}
    {store} %v, %b[{index}] : memref<?xf32>
  {closing}
  func.return
}}"""


def largest(text: str, sizes: tuple[int, int], n: int) -> int | None:
    """The index that a call names as out of bounds; None where the call runs."""
    m = snippets_mlir.compile(text)
    a, whole = np.zeros(sizes[0], np.float32), np.zeros(sizes[1] + 128, np.float32)
    b = whole[64 : 64 + sizes[1]]
    problem = ""
    try:
        m(a, b, n, 1.0)
    except ValueError as error:
        problem = str(error)
    if problem:
        assert not whole.any()
        form = r"input 'b': \w+.store at <string>:.* index (-?\d+) of dim 0, which has size"
        found = re.match(form, problem)
        assert found is not None
        return int(found[1])
    assert not whole[:64].any()
    assert not whole[64 + sizes[1] :].any()
    return None


@pytest.mark.parametrize(
    ("loops", "index", "sizes", "n", "wrong"),
    [
        ("affine.for %i = 0 to %m {", "%i", (50, 50), 0, None),
        ("affine.for %i = 0 to %m {", "%i", (50, 49), 0, 49),
        ("affine.for %i = 0 to %m {", "%i - 1", (50, 50), 0, -1),
        ("affine.for %i = 1 to %m {", "%i - 1", (50, 49), 0, None),
        ("affine.for %i = 0 to %m step 8 {", "%i", (50, 49), 0, None),
        ("affine.for %i = 0 to %m step 8 {", "%i", (50, 48), 0, 48),
        ("affine.for %i = 0 to %n {", "2 * %i + 1", (0, 10), 5, None),
        ("affine.for %i = 0 to %n {", "2 * %i + 1", (0, 9), 5, 9),
        ("affine.for %i = 0 to %n {", "%i + symbol(%m)", (5, 9), 4, None),
        ("affine.for %i = 0 to %n {", "%i + symbol(%m)", (5, 8), 4, 8),
        ("affine.for %i = 0 to %m {", "%i + 7", (0, 0), 0, None),
        (
            "affine.for %i = 0 to min affine_map<(d0)[s0] -> (d0, s0)>(%n)[%m] {",
            "%i",
            (9, 4),
            4,
            None,
        ),
        ("affine.for %i = 0 to min affine_map<(d0)[s0] -> (d0, s0)>(%n)[%m] {", "%i", (9, 4), 5, 4),
        ("affine.for %i = 0 to %m { affine.for %j = 0 to %n {", "%i + %j", (3, 6), 4, None),
        ("affine.for %i = 0 to %m { affine.for %j = 0 to %n {", "%i + %j", (3, 5), 4, 5),
        ("affine.for %i = 0 to %m { affine.for %j = 0 to %n {", "%i + %j", (3, 0), 0, None),
        ("scf.for %i = %c0 to %m step %c1 {", "%i", (5, 5), 0, None),
        ("scf.for %i = %c0 to %m step %c1 {", "%i", (5, 4), 0, 4),
        # Not checked: a triangle, whose largest index no formula of the sizes gives exactly.
        (
            "affine.for %i = 0 to %m { affine.for %j = affine_map<(d0) -> (d0)>(%i) to %m {",
            "%j - %i",
            (5, 5),
            0,
            None,
        ),
    ],
)
def test_bounds(loops: str, index: str, sizes: tuple[int, int], n: int, wrong: int | None):
    assert largest(fill(loops, index=index), sizes, n) == wrong


def test_unchecked_and_a_second_call_of_other_sizes():
    text = fill("affine.for %i = 0 to %m {")
    m = snippets_mlir.compile(text)
    whole, a = np.zeros(20, np.float32), np.zeros(10, np.float32)
    m(a, whole[:10], 0, 1.0)
    with pytest.raises(ValueError, match=r"index 9 of dim 0, which has size 5"):
        m(a, whole[:5], 0, 1.0)
    snippets_mlir.compile(text, bounds="unchecked")(a, whole[:5], 0, 2.0)
    assert whole.tolist() == [2.0] * 10 + [0.0] * 10
    with pytest.raises(snippets_mlir.CompileError, match="bounds: expected one of check"):
        snippets_mlir.compile(text, bounds="off")  # pyright: ignore[reportArgumentType]
