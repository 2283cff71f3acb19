"""The check of accesses in each form of conditions, loops and indices."""

# ruff: noqa: E501 - MLIR text
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from memref_functions import function

import snippets_mlir

LOOP = "scf.for %i = %c0 to %n step %c1 {"
STORE = "memref.store %one, %a[%i] : memref<?xf32>"


def compares(comparison: str, choice: str = "scf.if %c { " + STORE + " }") -> str:
    """A store in a loop under a condition."""
    return function(f"{LOOP} %c = {comparison}\n {choice} }}")


CASES: dict[str, tuple[str, Callable[[int], list[int]]]] = {
    "affine.if": (
        function(
            "affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%n) { affine.store %one, %a[%n + 4] : memref<?xf32> }"
        ),
        lambda n: [n + 4] if n >= 2 else [],
    ),
    "affine.if of a counter": (
        function(
            "affine.for %i = 0 to %n { affine.if affine_set<(d0) : (d0 - 2 >= 0, 5 - d0 >= 0)>(%i) "
            "{ affine.store %one, %a[%i - 2] : memref<?xf32> } }"
        ),
        lambda n: [i - 2 for i in range(n) if 2 <= i <= 5],
    ),
    "else": (
        function(
            "affine.for %i = 0 to %n { affine.if affine_set<(d0) : (d0 - 2 >= 0, 5 - d0 >= 0)>(%i) "
            "{ } else { affine.store %one, %a[%i] : memref<?xf32> } }"
        ),
        lambda n: [i for i in range(n) if not 2 <= i <= 5],
    ),
    "equal": (
        function(
            "affine.for %i = 0 to %n { affine.if affine_set<(d0) : (d0 mod 3 - 1 == 0)>(%i) "
            "{ affine.store %one, %a[%i floordiv 3] : memref<?xf32> } }"
        ),
        lambda n: [i // 3 for i in range(n) if i % 3 == 1],
    ),
    "not equal": (
        function(
            "affine.for %i = 0 to %n { affine.if affine_set<(d0)[s0] : (d0 - s0 + 1 == 0)>(%i)[%n] "
            "{ } else { affine.store %one, %a[%i] : memref<?xf32> } }"
        ),
        lambda n: [i for i in range(n) if i != n - 1],
    ),
    "never": (
        function(
            "affine.if affine_set<(d0) : (-1 >= 0)>(%n) { affine.store %one, %a[%n + 4] : memref<?xf32> }"
        ),
        lambda _: [],
    ),
    "slt": (compares("arith.cmpi slt, %i, %c3 : index"), lambda n: [*range(min(n, 3))]),
    "index.cmp": (compares("index.cmp sge(%i, %c3)"), lambda n: [*range(3, n)]),
    "ult": (
        function(
            f"{LOOP} %j = arith.subi %i, %c1 : index\n %c = arith.cmpi ult, %j, %c3 : index\n"
            "scf.if %c { memref.store %one, %a[%j] : memref<?xf32> } }"
        ),
        lambda n: [i - 1 for i in range(n) if 0 <= i - 1 < 3],
    ),
    "scf else": (
        compares("arith.cmpi ne, %i, %c1 : index", f"scf.if %c {{ }} else {{ {STORE} }}"),
        lambda n: [i for i in range(n) if i == 1],
    ),
    "and": (
        function(
            f"{LOOP} %x = arith.cmpi sgt, %i, %c1 : index\n %y = arith.cmpi sle, %i, %c3 : index\n"
            f"%c = arith.andi %x, %y : i1\n scf.if %c {{ {STORE} }} }}"
        ),
        lambda n: [i for i in range(n) if 1 < i <= 3],
    ),
    "neither": (
        function(
            f"{LOOP} %x = arith.cmpi slt, %i, %c1 : index\n %y = arith.cmpi sgt, %i, %c3 : index\n"
            f"%c = arith.ori %x, %y : i1\n scf.if %c {{ }} else {{ {STORE} }} }}"
        ),
        lambda n: [i for i in range(n) if 1 <= i <= 3],
    ),
    "smallest": (
        function(
            "affine.for %i = 0 to %n { %t = affine.min affine_map<(d0) -> (d0, 3)>(%i)\n"
            "memref.store %one, %a[%t] : memref<?xf32> }"
        ),
        lambda n: [min(i, 3) for i in range(n)],
    ),
    "largest": (
        function(
            f"{LOOP} %j = arith.subi %i, %c3 : index\n %t = arith.maxsi %j, %c1 : index\n"
            "memref.store %one, %a[%t] : memref<?xf32> }"
        ),
        lambda n: [max(i - 3, 1) for i in range(n)],
    ),
    "minima that the index does not use": (
        function(
            LOOP
            + "".join(f"%t{k} = affine.min affine_map<(d0) -> (d0, {k})>(%i)\n" for k in range(8))
            + "%x = memref.load %a[%c0] : memref<?xf32>\n %y = arith.fptosi %x : f32 to i64\n"
            "%z = arith.index_cast %y : i64 to index\n %u = arith.minsi %z, %i : index\n"
            f"{STORE} }}"
        ),
        lambda n: [*range(n)],
    ),
    "tiles": (
        function(
            "affine.for %i = 0 to %n step 4 {\n"
            "affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (d0 + 4, s0)>(%i)[%n] "
            "{ affine.store %one, %a[%j] : memref<?xf32> } }"
        ),
        lambda n: [*range(n)],
    ),
    "two lower bounds and a step": (
        function(
            "affine.for %i = 0 to %n { affine.for %j = max affine_map<(d0) -> (d0 - 2, 1)>(%i) to "
            "affine_map<(d0) -> (d0 + 3)>(%i) step 3 { affine.store %one, %a[%j] : memref<?xf32> } }"
        ),
        lambda n: [j for i in range(n) for j in range(max(i - 2, 1), i + 3, 3)],
    ),
    "a step of the call": (
        function("scf.for %i = %c1 to %c3 step %n { " + STORE + " }"),
        lambda n: [*range(1, 3, n)] if n else [],
    ),
    "a product by a size": (
        function(
            "%c2 = arith.constant 2 : index\n"
            f"{LOOP} scf.for %j = %c0 to %c2 step %c1 {{ %r = arith.muli %i, %n : index\n"
            "%k = arith.addi %r, %j : index\n memref.store %one, %a[%k] : memref<?xf32> } }"
        ),
        lambda n: [i * n + j for i in range(n) for j in range(2)],
    ),
    "subview": (
        function(
            "%s = memref.subview %a[2] [%n] [2] : memref<?xf32> to memref<?xf32, strided<[2], offset: 2>>\n"
            f"{LOOP} memref.store %one, %s[%i] : memref<?xf32, strided<[2], offset: 2>> }}"
        ),
        lambda n: [2 + 2 * i for i in range(n)],
    ),
    "subview of a subview": (
        function(
            "%s = memref.subview %a[%n] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>\n"
            "%t = memref.subview %s[1] [3] [1] : memref<4xf32, strided<[1], offset: ?>> "
            "to memref<3xf32, strided<[1], offset: ?>>\n"
            "memref.store %one, %t[%c1] : memref<3xf32, strided<[1], offset: ?>>"
        ),
        lambda n: [n + 2],
    ),
    "cast": (
        function(
            "%s = memref.cast %a : memref<?xf32> to memref<4xf32>\n"
            "affine.for %i = 0 to 4 { affine.store %one, %s[%i] : memref<4xf32> }"
        ),
        lambda _: [*range(4)],
    ),
    "transfer": (
        function(
            "%v = vector.broadcast %one : f32 to vector<4xf32>\n"
            "vector.transfer_write %v, %a[%n] {in_bounds = [true]} : vector<4xf32>, memref<?xf32>"
        ),
        lambda n: [*range(n, n + 4)],
    ),
    "copy": (
        function(
            "%s = memref.alloc(%n) : memref<?xf32>\n"
            "affine.for %i = 0 to %n { affine.store %one, %s[%i] : memref<?xf32> }\n"
            "memref.copy %s, %a : memref<?xf32> to memref<?xf32>\n memref.dealloc %s : memref<?xf32>"
        ),
        lambda n: [*range(n)],
    ),
    "call": (
        function("%m = arith.addi %n, %c1 : index\n func.call @g(%m, %a) : (index, memref<?xf32>) -> ()")
        + """
        func.func @g(%k: index, %b: memref<?xf32>) {
          %one = arith.constant 1.0 : f32
          affine.for %i = 0 to %k { affine.store %one, %b[%i] : memref<?xf32> }
          func.return
        }""",
        lambda n: [*range(n + 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_calls_are_refused_exactly_where_an_access_is_outside(case: str) -> None:
    text, indices = CASES[case]
    compiled = snippets_mlir.compile(text, entry="f")
    for n in (0, 1, 2, 3, 4, 5, 7):
        if case == "a step of the call" and n == 0:
            continue  # a step of 0 has no meaning
        made = indices(n)
        least = max(made, default=-1) + 1
        for size in {max(least - 1, 0), least, least + 1}:
            a = np.zeros(size + 8, np.float32)
            if all(0 <= index < size for index in made):
                compiled(a[:size], n)
                wanted = np.zeros_like(a)
                wanted[made] = 1
                np.testing.assert_array_equal(a, wanted)
            else:
                with pytest.raises(ValueError, match=r"input 'a': \S+ at .* accesses index"):
                    compiled(a[:size], n)
                assert not a.any()
