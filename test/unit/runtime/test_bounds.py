"""The check of accesses of functions on memrefs, against every access that a loop makes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import snippets_mlir
from snippets_mlir.analysis.loops import integer_sets
from snippets_mlir.analysis.loops.access_bounds import accesses_of
from snippets_mlir.driver.settings import default_context
from snippets_mlir.runtime.memref_calls.access_extremes import outside
from snippets_mlir.support.parsing import parse_module


def function(loops: str, index: str) -> str:
    """A function that writes 1.0 at `index` of its argument in `loops`, up to %n."""
    ends = "}" * loops.count("{")
    return f"""func.func @f(%a: memref<?xf32>, %n: index) {{
  %one = arith.constant 1.0 : f32
  {loops}
    affine.store %one, %a[{index}] : memref<?xf32>
  {ends}
  func.return
}}"""


TRIANGLE = "affine.for %i = 0 to %n { affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {"
CASES: dict[str, tuple[str, Callable[[int], list[int]]]] = {
    "triangle": (
        function(TRIANGLE, "%i - %j - 1"),
        lambda n: [i - j - 1 for i in range(n) for j in range(i)],
    ),
    "reversed triangle": (
        function(TRIANGLE, "-%i + %j + symbol(%n) - 1"),
        lambda n: [n - 1 - i + j for i in range(n) for j in range(i)],
    ),
    "inner loop may be empty": (
        function(
            "affine.for %i = 0 to %n { affine.for %j = affine_map<(d0) -> (d0 + 3)>(%i) to %n {",
            "%i",
        ),
        lambda n: [i for i in range(n) for _ in range(i + 3, n)],
    ),
    "floordiv": (
        function("affine.for %i = 0 to %n {", "%i floordiv 3"),
        lambda n: [i // 3 for i in range(n)],
    ),
    "ceildiv": (
        function("affine.for %i = 0 to %n {", "%i ceildiv 3"),
        lambda n: [-(-i // 3) for i in range(n)],
    ),
    "mod": (function("affine.for %i = 0 to %n {", "%i mod 4"), lambda n: [i % 4 for i in range(n)]),
    "tiled": (
        function("affine.for %i = 0 to %n step 2 {", "4 * (%i floordiv 4) + %i mod 4"),
        lambda n: list(range(0, n, 2)),
    ),
    "negative": (
        function("affine.for %i = 0 to %n {", "(%i - 2) floordiv 4 + 1"),
        lambda n: [(i - 2) // 4 + 1 for i in range(n)],
    ),
    "steps": (
        function("affine.for %i = 0 to %n step 3 { affine.for %j = affine_map<(d0) -> (d0)>(%i) to "
                 "affine_map<(d0) -> (d0 + 5)>(%i) step 2 {", "%j"),
        lambda n: [j for i in range(0, n, 3) for j in range(i, i + 5, 2)],
    ),
    "parallel": (
        function("affine.parallel (%i, %j) = (0, 1) to (symbol(%n), 3) step (2, 1) {", "%i + %j"),
        lambda n: [i + j for i in range(0, n, 2) for j in (1, 2)],
    ),
    "vector": (
        function("affine.for %i = 0 to %n step 4 {", "%i + 1").replace(
            "affine.store %one, %a[%i + 1] : memref<?xf32>",
            "%v = vector.broadcast %one : f32 to vector<4xf32>\n"
            "affine.vector_store %v, %a[%i + 1] : memref<?xf32>, vector<4xf32>",
        ),
        lambda n: [i + 1 + lane for i in range(0, n, 4) for lane in range(4)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_calls_are_refused_exactly_where_an_access_is_outside(case: str) -> None:
    text, indices = CASES[case]
    compiled = snippets_mlir.compile(text)
    for n in (0, 1, 2, 3, 4, 5, 9):
        made: list[int] = indices(n)
        least = max(made, default=-1) + 1
        for size in {max(least - 1, 0), least, least + 1}:
            a = np.zeros(size + 8, np.float32)
            inside = all(0 <= index < size for index in made)
            if inside:
                compiled(a[:size], n)
                wanted = np.zeros_like(a)
                wanted[made] = 1
                np.testing.assert_array_equal(a, wanted)
            else:
                with pytest.raises(ValueError, match=r"affine\.\w*store at .* accesses index"):
                    compiled(a[:size], n)
                assert not a.any()


def test_strided_views_have_their_sizes() -> None:
    compiled = snippets_mlir.compile(
        CASES["triangle"][0].replace("memref<?xf32>", "memref<?xf32, strided<[?], offset: ?>>")
    )
    a = np.zeros(20, np.float32)
    compiled(a[1:17:3], 7)
    np.testing.assert_array_equal(np.flatnonzero(a), [1, 4, 7, 10, 13, 16])
    with pytest.raises(ValueError, match=r"accesses index 6 of dim 0, which has size 6"):
        compiled(a[1:17:3], 8)


def test_many_iterations_are_decided() -> None:
    text = function(
        TRIANGLE.replace("0 to affine_map<(d0) -> (d0)>(%i)", "affine_map<(d0) -> (d0)>(%i) to %n"),
        "%j - %i",
    )
    (called,) = parse_module(text, default_context()).ops
    assert isinstance(called, FuncOp)
    (access,) = accesses_of(called)
    n = 10**9
    assert outside(access, {(0, 0): n, (1, -1): n}) is None
    found = outside(access, {(0, 0): n - 1, (1, -1): n})
    assert found == f"accesses index {n - 1} of dim 0, which has size {n - 1}"


def test_what_is_undecided_is_refused_and_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = CASES["triangle"]
    monkeypatch.setattr(integer_sets, "LIMIT", 3)
    compiled = snippets_mlir.compile(text)
    a = np.zeros(9, np.float32)
    with pytest.raises(ValueError, match=r'may access .*: undecided; bounds="unchecked" does not'):
        compiled(a, 6)
    snippets_mlir.compile(text, bounds="unchecked")(a, 6)
    np.testing.assert_array_equal(np.flatnonzero(a), range(5))
