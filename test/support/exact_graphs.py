"""Random graphs of whole numbers, which every order of computation gives alike.

    graph = ExactGraph(seed=3)      a function `@main` with static or dynamic dims, in MLIR text
    graph.call(rng)                 arrays for its inputs, with what NumPy computes of them

Ops that move elements (gathers, slices, concats, pads, transposes), ops that combine many of them
(reductions, cumulative ops, products) and ops of one element stand beside each other here, and
values are read by several of them. Each value has one of many element types. All numbers are
integers that its type holds exactly, partial sums included, or NaN, infinities and zeros of both
signs, so an element that differs at all is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from exact_values import (
    DTYPES,
    FLOATS,
    HELD,
    SPECIAL,
    Dims,
    UnfitError,
    Value,
    joined,
    magnitudes,
    wide,
)

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.testing.graph_text import function_text

SIZES = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33)
"""Sizes of dims, around the numbers of lanes of all targets."""
CALLED = (0, 1, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33)
"""What a dynamic dim is in a call."""
LARGEST = 4000
"""Elements of a value at most."""
MOST_RANK = 5
Formula = Callable[..., Any]
"""What NumPy computes of the operands' arrays: an array, or a number for rank 0."""


@dataclass(frozen=True)
class Step:
    """An op: what NumPy computes of the operands, and of their magnitudes the largest part."""

    operands: tuple[Value, ...]
    result: Value
    formula: Formula
    magnitude: Formula | None


@dataclass
class ExactGraph:
    """A function that grows by an op at a time.

    Attributes:
        seed: of everything that is random in it.
        dynamic: whether some dims have sizes of a call.
        special: whether float inputs hold NaN, infinities and zeros of both signs.
    """

    seed: int
    dynamic: bool = False
    special: bool = False
    rng: random.Random = field(init=False)
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    inputs: list[Value] = field(default_factory=list[Value])
    values: list[Value] = field(default_factory=list[Value])
    steps: list[Step] = field(default_factory=list[Step])
    lines: list[str] = field(default_factory=list[str])
    ops: list[str] = field(default_factory=list[str])
    outputs: list[Value] = field(default_factory=list[Value])
    limits: dict[str, int] = field(default_factory=dict[str, int])
    found: dict[str, Array] = field(default_factory=dict[str, Array])

    def __post_init__(self) -> None:
        """Choose the shape that most values have, and inputs with arrays for the first call."""
        self.rng = random.Random(self.seed)
        rank = self.rng.choice((1, 2, 2, 3, 3, 4))
        self.master: list[int | str] = [self.rng.choice(SIZES) for _ in range(rank)]
        while np.prod([int(d) for d in self.master]) > LARGEST // 4:
            self.master[self.rng.randrange(rank)] = self.rng.choice((1, 2, 3))
        if self.dynamic:
            chosen = [i for i in range(rank) if self.rng.random() < 0.6] or [0]
            for i in chosen:
                name = f"d{i}"
                self.sizes[name] = max(int(self.master[i]), 2)
                self.master[i] = name
        elif self.rng.random() < 0.04:
            self.master[self.rng.randrange(rank)] = 0
        self.main = self.rng.choice((*FLOATS, "f32", "f32", "f32", "i32", "i64", "i8"))
        for _ in range(self.rng.randint(1, 3)):
            self.input(self.sub_dims(), self.main)

    def sub_dims(self) -> Dims:
        """The dims that most values have, or some that broadcast to them."""
        dims = [d if self.rng.random() < 0.85 else 1 for d in self.master]
        start = self.rng.randrange(len(dims)) if self.rng.random() < 0.2 else 0
        return tuple(dims[start:])

    def shape(self, dims: Sequence[int | str]) -> tuple[int, ...]:
        """The sizes of dims in the current call."""
        return tuple(self.size(d) if isinstance(d, str) else d for d in dims)

    def size(self, dim: str) -> int:
        """The size of a dynamic dim in the current call: a sum of products such as `d0*3+d1+2`."""
        return sum(
            prod(
                self.sizes.get(factor) or (0 if factor in self.sizes else int(factor))
                for factor in term.split("*")
            )
            for term in dim.split("+")
        )

    def input(self, dims: Sequence[int | str], element: str, most: int = 4) -> Value:
        """A new argument; `most` bounds its numbers."""
        value = Value(f"%x{len(self.inputs)}", element, tuple(dims))
        self.limits[value.name] = most
        self.inputs.append(value)
        self.values.append(value)
        self.found[value.name] = self._drawn(value, self.seed + len(self.inputs))
        return value

    def _drawn(self, value: Value, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        shape, most = self.shape(value.dims), self.limits[value.name]
        if value.element == "i1":
            return rng.integers(0, 2, shape).astype(np.bool_)
        low = 0 if value.element.startswith("u") else -most
        drawn = rng.integers(low, most + 1, shape).astype(DTYPES[value.element])
        if self.special and value.element in FLOATS:
            chosen = rng.random(shape) < 0.05
            special = rng.choice(np.array(SPECIAL), shape).astype(drawn.dtype)
            drawn = np.where(chosen, special, drawn)
        return drawn

    def array(self, value: Value) -> Array:
        """What a value is in the current call."""
        return self.found[value.name]

    def pick(self, elements: Sequence[str], rank: int = 0) -> Value | None:
        """A value of one of the element types with `rank` dims at least, rather a recent one."""
        fitting = [v for v in self.values if v.element in elements and len(v.dims) >= rank]
        if not fitting:
            return None
        return self.rng.choice(fitting[-5:] if self.rng.random() < 0.6 else fitting)

    def partner(self, a: Value) -> tuple[Value, Dims]:
        """A value of the type of `a` that broadcasts with it, and the dims that both give."""
        fitting = [
            (b, dims)
            for b in self.values
            if b.element == a.element and (dims := joined(a.dims, b.dims)) is not None
        ]
        return self.rng.choice(fitting)

    def scalar(self, element: str, number: int) -> Value:
        """A constant of rank 0."""
        text = f"{number}.0 : {element}" if element in FLOATS else f"{number} : {element}"
        value = Value(f"%{len(self.lines)}", element, ())
        self.lines.append(f"{value.name} = snippets.scalar {text}")
        self.found[value.name] = np.asarray(number, DTYPES[element])
        return value

    def emit(
        self,
        op: str,
        operands: Sequence[Value],
        dims: Sequence[int | str],
        formula: Formula,
        *,
        element: str = "",
        attributes: str = "",
        magnitude: Formula | None = None,
    ) -> Value | None:
        """Add an op; None, and no op, when its result is no good.

        Args:
            op: its name without the dialect.
            operands: its operands.
            dims: those of the result.
            formula: what NumPy computes of the operands.
            element: the result's element type; that of the last operand unless given.
            attributes: text between the braces.
            magnitude: the same of absolute values, for ops with partial results.
        """
        element = element or operands[-1].element
        result = Value(f"%{len(self.lines)}", element, tuple(dims))
        step = Step(tuple(operands), result, formula, magnitude)
        if len(dims) > MOST_RANK:
            return None
        try:
            self.found[result.name] = self._evaluated(step)
        except UnfitError:
            return None
        names = ", ".join(v.name for v in operands)
        types = ", ".join(v.type for v in operands)
        braces = f" {{{attributes}}}" if attributes else ""
        self.lines.append(
            f"{result.name} = snippets.{op} {names}{braces} : ({types}) -> {result.type}"
        )
        self.steps.append(step)
        self.ops.append(op)
        self.values.append(result)
        return result

    def _evaluated(self, step: Step) -> Array:
        """The result of a step in the current call; UnfitError where it is no good."""
        arrays = [self.found[v.name] for v in step.operands]
        element = step.result.element
        with np.errstate(all="ignore"):
            held = HELD.get(element)
            if held is not None:
                compute = step.magnitude or step.formula
                parts = [magnitudes(a) if step.magnitude else wide(a) for a in arrays]
                most = np.asarray(compute(*parts)).astype(np.float64)
                if np.abs(most[np.isfinite(most)]).max(initial=0) > held:
                    raise UnfitError
            found = step.formula(*(wide(a) if held is not None else a for a in arrays))
            found = np.asarray(found).astype(DTYPES[element])
        assert found.shape == self.shape(step.result.dims), (step, found.shape)
        if found.size > 4 * LARGEST:
            raise UnfitError
        return found

    def finish(self) -> None:
        """Choose the outputs: what no op reads, and some other values."""
        read = {v.name for step in self.steps for v in step.operands}
        computed = [step.result for step in self.steps]
        leaves = [v for v in computed if v.name not in read]
        rest = [v for v in computed if v.name in read]
        more = self.rng.sample(rest, min(len(rest), self.rng.choice((0, 0, 1, 2))))
        self.first = dict(self.sizes), dict(self.found)
        self.outputs = self.rng.sample(leaves, len(leaves)) + more or self.values[:1]

    @property
    def text(self) -> str:
        """The whole graph as the MLIR text of `@main`."""
        return function_text(self.inputs, self.lines, self.outputs)

    def call(self, seed: int) -> tuple[list[Array], list[Array]] | None:
        """The inputs of a call and what it gives; None where its sizes give no good values.

        Seed 0 is the call for which the graph was made; others draw dynamic dims and arrays.
        """
        if not seed:
            self.sizes, self.found = dict(self.first[0]), dict(self.first[1])
        else:
            rng = random.Random(self.seed * 1009 + seed)
            self.sizes = {name: rng.choice(CALLED) for name in self.sizes}
            for index, value in enumerate(self.inputs):
                self.found[value.name] = self._drawn(value, rng.getrandbits(30) + index)
            try:
                for step in self.steps:
                    self.found[step.result.name] = self._evaluated(step)
            except (UnfitError, ValueError, IndexError):
                return None
        return [self.array(v) for v in self.inputs], [self.array(v) for v in self.outputs]
