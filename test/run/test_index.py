"""The `index` dialect, executed: machine code and the interpreter against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.memrefs.program import MemRefProgram

LEAST, LARGEST, MASK = -(2**63), 2**63 - 1, 2**64 - 1
SIZES = (1, 2, 3, 7, 8, 63, 2**32, 2**62, LARGEST - 1, LARGEST)
NUMBERS = (0, *SIZES, *(-n for n in SIZES), LEAST)


def cut(x: int, y: int) -> int:
    """The quotient towards zero."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def on_unsigned(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    return lambda x, y: function(x & MASK, y & MASK)


EXPECTED: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "divs": cut,
    "divu": on_unsigned(lambda x, y: x // y),
    "ceildivs": lambda x, y: -(-x // y),
    "ceildivu": on_unsigned(lambda x, y: -(-x // y)),
    "floordivs": lambda x, y: x // y,
    "rems": lambda x, y: x - cut(x, y) * y,
    "remu": on_unsigned(lambda x, y: x % y),
    "maxs": max,
    "maxu": on_unsigned(max),
    "mins": min,
    "minu": on_unsigned(min),
    "shl": lambda x, y: x << y,
    "shrs": lambda x, y: x >> y,
    "shru": lambda x, y: (x & MASK) >> y,
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
}
COMPARED: dict[str, Callable[[int, int], int]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "slt": lambda x, y: x < y,
    "sle": lambda x, y: x <= y,
    "sgt": lambda x, y: x > y,
    "sge": lambda x, y: x >= y,
    "ult": on_unsigned(lambda x, y: x < y),
    "ule": on_unsigned(lambda x, y: x <= y),
    "ugt": on_unsigned(lambda x, y: x > y),
    "uge": on_unsigned(lambda x, y: x >= y),
}


def defined(name: str, x: int, y: int) -> bool:
    if name.startswith("sh"):
        return 0 <= y < 64
    if "div" in name or "rem" in name:
        return y != 0 and not (name.endswith("s") and (x, y) == (LEAST, -1))
    return True


def loop(body: str, result: str) -> MemRefProgram:
    """A function that computes %0 of %x and %y, and stores it, for each pair of elements."""
    m = snippets_mlir.compile(f"""
    func.func @f(%X: memref<?xindex>, %Y: memref<?xindex>, %Z: memref<?x{result}>) {{
      %zero = index.constant 0
      %one = index.constant 1
      %n = memref.dim %X, %zero : memref<?xindex>
      scf.for %i = %zero to %n step %one {{
        %x = memref.load %X[%i] : memref<?xindex>
        %y = memref.load %Y[%i] : memref<?xindex>
        {body}
        memref.store %0, %Z[%i] : memref<?x{result}>
      }}
      func.return
    }}""")
    assert isinstance(m, MemRefProgram)
    return m


def check(m: MemRefProgram, pairs: list[tuple[int, int]], expected: Any) -> None:
    """Machine code and the interpreter give `expected` for the pairs."""
    x, y = (np.array(side, np.int64) for side in zip(*pairs, strict=True))
    compiled, interpreted = np.zeros_like(expected), np.zeros_like(expected)
    m(x, y, compiled)
    m.interpreted([x, y, interpreted])
    np.testing.assert_array_equal(compiled, expected)
    np.testing.assert_array_equal(interpreted, expected)


@pytest.mark.parametrize("name", sampled(EXPECTED, 2))
def test_two_indices(name: str):
    pairs = [(x, y) for x, y in product(NUMBERS, NUMBERS) if defined(name, x, y)]
    expected = np.array([EXPECTED[name](x, y) & MASK for x, y in pairs], np.uint64)
    check(loop(f"%0 = index.{name} %x, %y", "index"), pairs, expected.view(np.int64))


@pytest.mark.parametrize("name", COMPARED)
def test_compare(name: str):
    pairs = list(product(NUMBERS, NUMBERS))
    expected = np.array([COMPARED[name](x, y) for x, y in pairs], np.bool_)
    check(loop(f"%0 = index.cmp {name}(%x, %y)", "i1"), pairs, expected)


@pytest.mark.parametrize("type", ["i8", "i32", "i64"])
def test_casts(type: str):
    """To the integer and back, with and without the sign."""
    bits = int(type[1:])
    m = loop(
        f"%m = index.castu %x : index to {type}\n%s = index.casts %m : {type} to index\n"
        f"%u = index.castu %m : {type} to index\n%0 = index.sub %u, %s",
        "index",
    )
    expected = [(1 << bits) * (x >> (bits - 1) & 1) & MASK for x in NUMBERS]
    check(m, [(x, 0) for x in NUMBERS], np.array(expected, np.uint64).view(np.int64))


def test_constants():
    m = loop(
        f"%a = index.constant {LEAST}\n%b = index.sizeof\n%c = index.bool.constant false\n"
        "%d = index.add %a, %b\n%0 = arith.select %c, %x, %d : index",
        "index",
    )
    check(m, [(1, 1)], np.array([LEAST + 64]))


@pytest.mark.parametrize(
    ("name", "x", "y", "message"),
    [
        ("divs", 1, 0, "divides by zero"),
        ("ceildivu", 1, 0, "divides by zero"),
        ("floordivs", LEAST, -1, "divides the smallest integer by -1"),
        ("ceildivs", LEAST, -1, "divides the smallest integer by -1"),
    ],
)
def test_what_is_undefined_is_an_error_of_the_interpreter(name: str, x: int, y: int, message: str):
    m = loop(f"%0 = index.{name} %x, %y", "index")
    arrays = [np.array([n], np.int64) for n in (x, y, 0)]
    with pytest.raises(CompileError, match=f"index.{name} {message}"):
        m.interpreted(arrays)
