"""Random graphs with reductions, transposes and reshapes whose values are exact.

Sums and products are over integers, maxima and minima over any numbers; so a compiled graph has to
be equal to the interpreter, NaN for NaN and zero for zero with its sign, whatever was fused.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import prod

import numpy as np
from random_graphs import RandomProgram, random_array

from snippets_mlir.testing.graph_text import Value, function_text, op_text

FLOAT_UNARY = ("abs", "negative", "relu", "ceiling", "sign")
INT_UNARY = ("abs", "negative", "relu", "sign", "bitwise_not")
FLOAT_BINARY = ("add", "subtract", "multiply", "maximum", "minimum", "squared_difference")
INT_BINARY = (*FLOAT_BINARY, "bitwise_and", "bitwise_xor")
SIZES = (1, 2, 3, 4, 6, 7, 8, 15, 16, 17, 33)
MAX_ELEMENTS = 20_000

Shape = tuple[int, ...]


def _listed(numbers: list[int]) -> str:
    return f"array<i64: {', '.join(map(str, numbers))}>" if numbers else "array<i64>"


@dataclass
class ReductionGraph(RandomProgram):
    """A random function: its text and its inputs."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        rank = self.rng.choice((1, 2, 2, 3, 3, 4, 5))
        self.master = tuple(self.rng.choice(SIZES) for _ in range(rank))
        while prod(self.master) > MAX_ELEMENTS:
            self.master = self.master[1:]
        if self.rng.random() < 0.05:
            place = self.rng.randrange(len(self.master))
            self.master = tuple(0 if i == place else s for i, s in enumerate(self.master))
        self.element = self._elements()
        for index in range(self.rng.randint(1, 3)):
            ones = 0.15 if index else 0.0
            shape = tuple(1 if self.rng.random() < ones else s for s in self.master)
            self.values.append(Value(f"%x{index}", shape, self.element))
            self.arrays.append(random_array(self.rng, shape, self.element))
        self.inputs = list(self.values)
        for _ in range(self.rng.randint(2, 12)):
            self._op()
        computed = self.values[len(self.inputs) :]
        self.outputs = self.rng.sample(computed, min(len(computed), self.rng.randint(1, 3)))

    def _elements(self) -> str:
        return self.rng.choice(("f32", "f32", "f64", "i32", "i64"))

    def _reductions(self) -> tuple[str, ...]:
        is_float = self.element.startswith("f")
        return ("max", "min") if is_float else ("max", "min", "sum", "prod")

    def _recent(self) -> Value:
        return self.rng.choice(self.values[-4:] if self.rng.random() < 0.7 else self.values)

    def _partner(self, a: Value) -> tuple[Value, Shape]:
        """A value that broadcasts with `a`, and the shape of both."""
        fitting: list[tuple[Value, Shape]] = []
        for value in self.values:
            if (shape := _broadcast(a.shape, value.shape)) is not None:
                fitting.append((value, shape))
        return self.rng.choice(fitting)

    def _emit(self, op: str, operands: list[Value], shape: Shape, attributes: str = "") -> None:
        result = Value(f"%{len(self.lines)}", shape, self.element)
        self.lines.append(op_text(op, operands, result, attributes))
        self.values.append(result)

    def _op(self) -> None:
        a, kind = self._recent(), self.rng.random()
        is_float = self.element.startswith("f")
        if kind < 0.25 and a.shape:
            self._reduce(a)
        elif kind < 0.32 and a.shape:
            self._transpose(a)
        elif kind < 0.45:
            self._view(a)
        elif kind < 0.6:
            self._emit(self.rng.choice(FLOAT_UNARY if is_float else INT_UNARY), [a], a.shape)
        else:
            b, shape = self._partner(a)
            operands = [a, b] if self.rng.random() < 0.5 else [b, a]
            self._emit(self.rng.choice(FLOAT_BINARY if is_float else INT_BINARY), operands, shape)

    def _reduce(self, a: Value) -> None:
        rank = len(a.shape)
        axes = sorted(
            self.rng.sample(range(rank), self.rng.choice((1, 1, 1, 2, rank)) % (rank + 1))
        )
        keeps = self.rng.random() < 0.7
        shape = tuple(
            1 if i in axes else s for i, s in enumerate(a.shape) if keeps or i not in axes
        )
        flag = ", keep_dims" if keeps else ""
        attributes = f" {{axes = {_listed(axes)}{flag}}}"
        self._emit(f"reduce_{self.rng.choice(self._reductions())}", [a], shape, attributes)

    def _transpose(self, a: Value) -> None:
        order = self.rng.sample(range(len(a.shape)), len(a.shape))
        shape = tuple(a.shape[i] for i in order)
        self._emit("transpose", [a], shape, f" {{permutation = {_listed(order)}}}")

    def _view(self, a: Value) -> None:
        kind, rank = self.rng.random(), len(a.shape)
        ones = [i for i, s in enumerate(a.shape) if s == 1]
        if kind < 0.3 and ones:
            shape = tuple(s for i, s in enumerate(a.shape) if i not in ones)
            self._emit("squeeze", [a], shape, f" {{axes = {_listed(ones)}}}")
        elif kind < 0.6 and rank < 5:
            axis = self.rng.randint(0, rank)
            shape = (*a.shape[:axis], 1, *a.shape[axis:])
            self._emit("unsqueeze", [a], shape, f" {{axes = {_listed([axis])}}}")
        elif kind < 0.8 and rank > 1:
            at = self.rng.randrange(rank - 1)
            shape = (*a.shape[:at], a.shape[at] * a.shape[at + 1], *a.shape[at + 2 :])
            self._emit("reshape", [a], shape)
        else:
            self._emit("reshape", [a], _split(self.rng, a.shape))

    @property
    def text(self) -> str:
        return function_text(self.inputs, self.lines, self.outputs)


def _broadcast(a: Shape, b: Shape) -> Shape | None:
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return None
    return shape if prod(shape) <= MAX_ELEMENTS else None


def _split(rng: random.Random, shape: Shape) -> Shape:
    """One dim as two, or the whole as two dims, or a dim of 1 more."""
    if rng.random() < 0.3 and prod(shape) > 1:
        factors = [n for n in range(1, prod(shape) + 1) if prod(shape) % n == 0]
        outer = rng.choice(factors)
        return (outer, prod(shape) // outer)
    places = [i for i, s in enumerate(shape) if s > 3 and s % 2 == 0]
    if not places or len(shape) > 4:
        return (1, *shape) if len(shape) < 5 else shape
    at = rng.choice(places)
    return (*shape[:at], 2, shape[at] // 2, *shape[at + 1 :])
