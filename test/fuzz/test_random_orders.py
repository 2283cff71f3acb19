"""Products and the ops around them give the same in every order of the statements.

    %v1 = snippets.exp %a2        %v0 = snippets.matmul %a0, %a1
    %v0 = snippets.matmul ...     %v1 = snippets.exp %a2
    %v2 = snippets.add ...        %v2 = snippets.add %v0, %v1

`make fuzz SEED=n` runs them for a minute.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sampled import sampled

import snippets_mlir
from snippets_mlir.testing.graph_text import Value, function_text, op_text

SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))

Wide = NDArray[np.float64]
UNARY: dict[str, Callable[[Wide], Wide]] = {
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "abs": np.abs,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
BINARY: dict[str, Callable[[Wide, Wide], Wide]] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
}


@dataclass
class Graph:
    """A product or two, each with operands of its own, and what is joined with them."""

    seed: int
    inputs: list[Value] = field(default_factory=list[Value])
    lines: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    known: dict[str, Wide] = field(default_factory=dict[str, Wide])

    def __post_init__(self) -> None:
        self.rng, self.arrays = random.Random(self.seed), np.random.default_rng(self.seed)
        choose = self.rng.choice
        self.batch = choose([(), (), (2,), (3, 2)])
        self.rows, self.terms = choose([1, 4, 7, 32, 65, 128]), choose([1, 3, 16, 64])
        self.columns = choose([1, 7, 24, 64, 100, 256])
        value = self.product()
        others = [self.side() for _ in range(choose([1, 1, 2, 3]))]
        others += [self.product()] if self.rng.random() < 0.3 else []
        for other in others:
            value = self.binary(value, other)
            value = self.unary(value) if self.rng.random() < 0.5 else value
        self.output = value

    def new(self, *shape: int) -> Value:
        value = Value(f"%a{len(self.inputs)}", shape, "f32")
        self.inputs.append(value)
        self.known[value.name] = self.arrays.standard_normal(shape).astype("f4").astype("f8")
        return value

    def emit(self, op: str, operands: list[Value], wide: Wide) -> Value:
        value = Value(f"%v{len(self.lines)}", wide.shape, "f32")
        self.known[value.name] = wide
        names = tuple(operand.name for operand in operands)
        self.lines[op_text(op, operands, value)] = (value.name, *names)
        return value

    def unary(self, value: Value) -> Value:
        op = self.rng.choice([*UNARY])
        return self.emit(op, [value], UNARY[op](self.known[value.name]))

    def binary(self, one: Value, other: Value) -> Value:
        op = self.rng.choice([*BINARY])
        wide = BINARY[op](self.known[one.name], self.known[other.name])
        return self.emit(op, [one, other], wide)

    def product(self) -> Value:
        a, b = self.new(*self.batch, self.rows, self.terms), self.new(self.terms, self.columns)
        a = self.unary(a) if self.rng.random() < 0.3 else a
        b = self.unary(b) if self.rng.random() < 0.2 else b
        return self.emit("matmul", [a, b], self.known[a.name] @ self.known[b.name])

    def side(self) -> Value:
        """An operand beside a product: an argument, or ops on one."""
        shape = self.rng.choice(
            [(*self.batch, self.rows, self.columns), (self.rows, self.columns), (self.columns,)]
        )
        value = self.new(*shape)
        for _ in range(self.rng.choice([0, 1, 1, 2, 3])):
            value = self.unary(value)
        return self.binary(value, self.new(*shape)) if self.rng.random() < 0.3 else value

    def text(self) -> str:
        """The program, with its statements in some order in which all values are known."""
        known, left, found = {v.name for v in self.inputs}, dict(self.lines), list[str]()
        while left:
            line = self.rng.choice(
                [t for t, (_, *names) in left.items() if known.issuperset(names)]
            )
            known.add(left.pop(line)[0])
            found.append(line)
        return function_text(self.inputs, found, [self.output])


def check(seed: int) -> None:
    graph = Graph(seed)
    given: list[Any] = [graph.known[value.name].astype(np.float32) for value in graph.inputs]
    wanted = graph.known[graph.output.name]
    found = snippets_mlir.compile(graph.text(), num_threads=2)(*given)
    most = max(1.0, float(np.abs(wanted).max()))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4 * most, err_msg=f"seed {seed}")


@pytest.mark.parametrize("seed", sampled(range(12), 4))
def test_any_order_of_the_statements(seed: int) -> None:
    check(seed)


def test_more_programs_for_as_long_as_asked() -> None:
    seed, end = 1_000_000 * (SEED + 1), time.monotonic() + SECONDS
    while time.monotonic() < end:
        check(seed)
        seed += 1
    print(f"last seed: {seed}")
