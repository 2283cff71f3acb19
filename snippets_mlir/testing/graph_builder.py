"""Graphs of the `snippets` dialect, with their values in float64 and in float32.

A graph is built op by op on random inputs, and each op is evaluated immediately, in float64 and
float32. An op is used only if its result can be compared: it is finite, of moderate size, and does
not amplify small changes of the operands beyond bounds. NumPy's float32 may happen to be much more
accurate than random rounding of each op (few elements after a cancellation). Its error is then no
bound for other correct roundings, so such an op is not used. No product is used if some partial
product might leave the range of float32, since kernels multiply in another order than NumPy.
Comparisons and functions that jump read values that are exact in both types.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from snippets_mlir.dialects.snippets.record import Formula
from snippets_mlir.testing.graph_formulas import Array, Unary
from snippets_mlir.testing.graph_text import function_text
from snippets_mlir.testing.graph_values import (
    DTYPES,
    Shape,
    Value,
    largest,
    narrowed,
    of_nothing,
    part_overflows,
)

SIZES = (1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33)
LARGEST = 600
"""Elements of a value at most."""
NO_ELEMENTS, ITSELF = 0.06, 0.08
"""The frequency of dims of size 0, and of binary ops that read one value twice."""
MAGNITUDE = 1e4
CHANGE, AMPLIFIED = 1e-6, 20.0
"""The relative change of operands is CHANGE; results may change by AMPLIFIED times that."""
TRIALS = 3
"""The number of evaluations of a graph with random roundings."""


@dataclass
class Graph:
    """A function that grows by an op at a time.

    Attributes:
        seed: of all random choices.
    """

    seed: int
    rng: random.Random = field(init=False)
    rare: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    inputs: list[Value] = field(default_factory=list[Value])
    values: list[Value] = field(default_factory=list[Value])
    ops: list[str] = field(default_factory=list[str])
    read: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        """Choose the shape that most values have, and the inputs."""
        self.rng, self.rare = random.Random(self.seed), random.Random(~self.seed)
        self.array_rng = np.random.default_rng(self.seed)
        rank = self.rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6))
        shape = [self.rng.choice(SIZES) for _ in range(rank)]
        while np.prod(shape) > LARGEST:
            shape[self.rng.randrange(rank)] = self.rng.choice((1, 2, 3))
        if self.rare.random() < NO_ELEMENTS:
            shape[self.rare.randrange(rank)] = 0
        self.master: Shape = tuple(shape)
        for _ in range(self.rng.randint(1, 4)):
            self.input(self.sub_shape())

    @property
    def outputs(self) -> list[Value]:
        """All values that no op reads, so that each op contributes to an output."""
        leaves = [v for v in self.values if v.name not in self.read and v not in self.inputs]
        return leaves or self.values[-1:]

    def sub_shape(self) -> Shape:
        """The shape that most values have, or one that broadcasts to it."""
        dims = [s if self.rng.random() < 0.8 else 1 for s in self.master]
        start = self.rng.randrange(len(dims)) if self.rng.random() < 0.25 else 0
        return tuple(dims[start:])

    def input(self, shape: Shape, kind: str = "f32") -> Value:
        """A new argument of the function: floats are multiples of 1/64 below 4."""
        drawn = self.array_rng.integers(-255, 256, shape)
        if kind == "f32":
            wide, exact = np.asarray(drawn / 64, np.float64), self.rng.random() < 0.3
            if not exact:
                wide = np.asarray(self.array_rng.standard_normal(shape), np.float32)
                wide = wide.astype(np.float64)
        else:
            wide = np.asarray(drawn % 2 == 0 if kind == "i1" else drawn).astype(DTYPES[kind])
        narrow, noisy = narrowed(wide, kind), (wide,) * TRIALS
        value = Value(f"%x{len(self.inputs)}", kind, True, wide, narrow, noisy)
        self.inputs.append(value)
        self.values.append(value)
        return value

    def pick(self, element: str, where: Callable[[Value], bool] = lambda v: True) -> Value | None:
        """A value of the element type, more often a recent one; None when there is none."""
        fitting = [v for v in self.values if v.element == element and where(v)]
        if not fitting:
            return None
        recent = fitting[-4:] if self.rng.random() < 0.6 else fitting
        return self.rng.choice(recent)

    def partner(self, a: Value, exact: bool = False) -> Value:
        """A value of the element type of `a` that broadcasts with it; `a` itself always does."""

        def fits(b: Value) -> bool:
            try:
                shape = np.broadcast_shapes(a.shape, b.shape)
            except ValueError:
                return False
            return int(np.prod(shape)) <= LARGEST and len(shape) <= 6 and (b.exact or not exact)

        found = self.pick(a.element, fits) or a
        return a if self.rare.random() < ITSELF else found

    def emit(
        self,
        name: str,
        operands: Sequence[Value],
        formula: Formula,
        *,
        element: str | None = None,
        attributes: str = "",
        exact: bool = False,
    ) -> Value | None:
        """Add an op; None, without an op, if its result cannot be compared."""
        element = element or operands[-1].element
        with np.errstate(all="ignore"):
            wide = np.asarray(formula(*(v.wide for v in operands)))
            narrow = np.asarray(formula(*(v.narrow for v in operands)))
            if wide.size > LARGEST or wide.ndim > 6:
                return None
            neutral = of_nothing(name, operands)
            if element == "f32" and not (neutral or np.isfinite(wide).all()):
                return None
            exact = exact or neutral
            noisy = (wide,) * TRIALS
            if name == "reduce_prod" and part_overflows(operands[0]):
                return None
            if element == "f32" and not exact:
                if not self._tame(operands, formula, wide, narrow):
                    return None
                noisy = self._noisy(operands, formula)
                if not self._typical(wide, narrow, noisy):
                    return None
        narrow = narrowed(narrow, element)
        result = Value(f"%{len(self.lines)}", element, exact, wide, narrow, noisy)
        full = name if "." in name else f"snippets.{name}"
        names = ", ".join(v.name for v in operands)
        types = ", ".join(v.type for v in operands)
        self.lines.append(
            f"{result.name} = {full} {names}{attributes} : ({types}) -> {result.type}"
        )
        self.values.append(result)
        self.ops.append(full.removeprefix("snippets."))
        self.read.update(v.name for v in operands)
        return result

    def apply(
        self, name: str, a: Value, formula: Unary, attributes: str = "", exact: bool = False
    ) -> Value | None:
        """Add an op of one operand, whose element type it keeps."""
        return self.emit(name, [a], formula, attributes=attributes, exact=exact)

    def _tame(
        self, operands: Sequence[Value], formula: Formula, wide: Array, narrow: Array
    ) -> bool:
        """Whether a result is finite, of moderate size, and does not amplify small changes."""
        if not np.isfinite(narrow).all():
            return False
        size = float(np.abs(wide).max(initial=0.0))
        inputs = [float(np.abs(v.wide).max(initial=0.0)) for v in operands if v.element == "f32"]
        if size > MAGNITUDE:
            return False
        changed = formula(*(self._changed(v) for v in operands))
        moved = float(np.abs(changed - wide).max(initial=0.0))
        return bool(np.isfinite(changed).all()) and (
            moved <= AMPLIFIED * CHANGE * max([size, *inputs, 1e-2])
        )

    def _noisy(self, operands: Sequence[Value], formula: Formula) -> tuple[Array, ...]:
        """The randomly rounded result of the op on randomly rounded operands."""
        results = [np.asarray(formula(*(v.noisy[k] for v in operands))) for k in range(TRIALS)]
        return tuple(x * (1 + 2.0**-24 * self.array_rng.uniform(-1, 1, x.shape)) for x in results)

    def _typical(self, wide: Array, narrow: Array, noisy: Sequence[Array]) -> bool:
        """Whether NumPy's error is about as large as that of random roundings, or both are
        small.
        """
        error = float(np.abs(narrow.astype(np.float64) - wide).max(initial=0.0))
        spread = max(float(np.abs(x - wide).max(initial=0.0)) for x in noisy)
        most = largest([wide, *(v.wide for v in self.values if v.element == "f32")])
        return spread <= 3 * error + float(np.spacing(np.float32(most)))

    def _changed(self, value: Value) -> Any:
        if value.element != "f32":
            return value.wide
        return value.wide * (1 + CHANGE * self.array_rng.uniform(-1, 1, value.shape))

    @property
    def text(self) -> str:
        """The whole graph as the MLIR text of `@main`."""
        return function_text(self.inputs, self.lines, self.outputs)

    @property
    def arrays(self) -> list[Array]:
        """The inputs in the program's element types."""
        return [v.narrow for v in self.inputs]

    def tolerance(self, output: Value) -> float:
        """8 times NumPy's error in float32, plus 4 units in the last place of the largest value."""
        with np.errstate(invalid="ignore"):
            error = largest([output.narrow.astype(np.float64) - output.wide])
        most = largest([v.wide for v in self.values if v.element == "f32"])
        return 8 * error + 4 * float(np.spacing(np.float32(most)))
