"""Loop dependences against running the loops and comparing all pairs of accesses."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from sampled import ALL
from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.loops.affine_access import access_of, enclosing_loops, iv_of
from snippets_mlir.analysis.loops.aliasing import Alias, alias, root_of
from snippets_mlir.analysis.loops.dependence import carried_dependence
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

CTX = make_context()


def parse(text: str) -> ModuleOp:
    return parse_module(text, CTX)


def loops_of(module: ModuleOp) -> list[affine.ForOp]:
    return [op for op in module.walk() if isinstance(op, affine.ForOp)]


def accesses_of(module: ModuleOp) -> list[affine.LoadOp | affine.StoreOp]:
    return [op for op in module.walk() if isinstance(op, affine.LoadOp | affine.StoreOp)]


def random_subscript(random: Random) -> str:
    terms = [f"{iv} * {random.choice((1, 1, 2, 3, -1, -2))}" for iv in ("%i", "%j")]
    text = " + ".join(random.sample(terms, random.randint(1, 2)))
    text += f" + {random.randint(0, 6)}"
    kind = random.choice(("", "", "", " mod 3", " floordiv 2"))
    return f"({text}){kind}" if kind else text


def random_loops(random: Random) -> str:
    rank = random.choice((1, 2))
    lines = [
        f"affine.for %i = 0 to {random.randint(1, 5)} step {random.choice((1, 1, 2))} {{",
        f"affine.for %j = {random.choice(('0', 'affine_map<(d0) -> (d0)>(%i)'))} to 5 {{",
    ]
    shape = "x".join(["?"] * rank)
    for number in range(2):
        place = ", ".join(random_subscript(random) for _ in range(rank))
        if number == 0 or random.random() < 0.3:
            lines.append(f"affine.store %x, %A[{place}] : memref<{shape}xf32>")
        else:
            lines.append(f"%v = affine.load %A[{place}] : memref<{shape}xf32>")
    body = "\n".join([*lines, "}", "}"])
    return f"func.func @f(%A: memref<{shape}xf32>, %x: f32) {{\n{body}\nfunc.return\n}}"


def cells(op: affine.LoadOp | affine.StoreOp) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Iterations of the two loops around an access, with the cell it touches in each of them."""
    outer, inner = enclosing_loops(op)
    found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    end = outer.upperBoundMap.data.eval([], [])[0]
    for i in range(0, end, outer.step.value.data):
        given = [i] if inner.lowerBoundOperands else []
        for j in range(inner.lowerBoundMap.data.eval(given, [])[0], 5):
            values = {iv_of(outer): i, iv_of(inner): j}
            dims = [values[v] for v in op.indices]
            map = op.map.data
            found.append(((i, j), map.eval(dims[: map.num_dims], dims[map.num_dims :])))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_dependences_are_exact(seed: int):
    random, answers = Random(seed), set[bool]()
    for _ in range(40 if ALL else 16):
        text = random_loops(random)
        module = parse(text)
        ops = accesses_of(module)
        for depth, loop in enumerate(loops_of(module)):
            expected = any(
                (isinstance(a, affine.StoreOp) or isinstance(b, affine.StoreOp))
                and cell == other
                and one[:depth] == two[:depth]
                and one[depth] != two[depth]
                for a, b in product(ops, ops)
                for (one, cell), (two, other) in product(cells(a), cells(b))
            )
            found = carried_dependence(loop, [access_of(op) for op in ops])
            assert (found is not None) == expected, text
            answers.add(expected)
    assert answers == {True, False}


def test_symbols_have_one_value_outside_of_the_loop():
    """%n is the same in both iterations; what the loop loads is not."""
    text = """func.func @f(%A: memref<?xf32>, %n: index, %x: f32) {
      affine.for %i = 0 to 8 {
        affine.store %x, %A[%i + symbol(%n)] : memref<?xf32>
      }
      func.return
    }"""
    module = parse(text)
    accesses = [access_of(op) for op in accesses_of(module)]
    assert carried_dependence(loops_of(module)[0], accesses) is None


def test_aliases():
    text = """func.func @f(%A: memref<64xf32>, %B: memref<64xf32>, %c: i1) {
      %T = memref.alloc() : memref<64xf32>
      %C = memref.cast %A : memref<64xf32> to memref<?xf32>
      %V = memref.reinterpret_cast %A to offset: [0], sizes: [64], strides: [1]
        : memref<64xf32> to memref<64xf32>
      %U = arith.select %c, %A, %T : memref<64xf32>
      func.return
    }"""
    module = parse(text)
    values = {
        value.name_hint: value
        for op in module.walk()
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args))
    }
    a, b, t, c, v, u = (values[name] for name in "ABTCVU")
    assert alias(a, b) is Alias.NONE
    assert alias(a, t) is Alias.NONE
    assert alias(a, c) is Alias.SAME
    assert alias(a, v) is Alias.MAY
    assert alias(v, c) is Alias.MAY
    assert alias(v, b) is Alias.NONE
    assert alias(u, b) is Alias.MAY
    assert root_of(v) is a
