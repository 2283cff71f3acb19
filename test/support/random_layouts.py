"""Random bodies full of reshapes, transposes and reductions, as MLIR text, with inputs for them.

Elements are i32, on which every order of summation gives the same bits.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.snippets.layout import permuted, with_ones, without
from snippets_mlir.dialects.snippets.reduction import reduced_shape
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes

UNARY = ("relu", "negative", "abs", "sign")
BINARY = ("add", "subtract", "multiply", "maximum")
REDUCTIONS = ("sum", "max", "min", "prod", "mean")
SIZES = (1, 2, 2, 3, 4, 6)
LAYOUTS = ("reshape", "transpose", "squeeze", "unsqueeze")
MAX_ELEMENTS = 4096

Shape = tuple[int, ...]


def tensor(shape: Shape) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}i32>"


def array(values: tuple[int, ...]) -> str:
    """A dense array of i64 as text."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"


@dataclass
class Body:
    """A random function `main`; `in_subgraph` puts its ops into a `snippets.subgraph`."""

    seed: int
    size: int = 12
    in_subgraph: bool = False
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    values: list[tuple[str, Shape]] = field(default_factory=list[tuple[str, Shape]])
    arrays: list[NDArray[np.int32]] = field(default_factory=list[NDArray[np.int32]])

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        master = tuple(self.rng.choice(SIZES) for _ in range(self.rng.randint(1, 4)))
        if self.rng.random() < 0.05:
            master = (*master[:-1], 0)
        numbers = np.random.default_rng(self.seed)
        for index in range(self.rng.randint(1, 3)):
            shape = tuple(1 if self.rng.random() < 0.2 else size for size in master)
            self.values.append((f"%x{index}", shape))
            self.arrays.append(numbers.integers(-9, 10, shape).astype(np.int32))
        self.inputs = list(self.values)
        for _ in range(self.rng.randint(2, self.size)):
            self._op()
        computed = self.values[len(self.inputs) :] or self.inputs
        count = min(len(computed), self.rng.randint(1, 2))
        self.outputs = [computed[-1], *self.rng.sample(computed[:-1], count - 1)]

    def _add(self, name: str, operands: list[tuple[str, Shape]], attrs: str, shape: Shape) -> None:
        result = f"%v{len(self.lines)}"
        names = ", ".join(operand for operand, _ in operands)
        types = ", ".join(tensor(operand) for _, operand in operands)
        self.lines.append(
            f"{result} = snippets.{name} {names}{attrs} : ({types}) -> {tensor(shape)}"
        )
        self.values.append((result, shape))

    def _op(self) -> None:
        value = self.rng.choice(self.values[-3:])
        kind = self.rng.random()
        if kind < 0.35:
            self._layout(value)
        elif kind < 0.5:
            self._reduction(value)
        elif kind < 0.7:
            self._add(self.rng.choice(UNARY), [value], "", value[1])
        else:
            self._binary(value)

    def _binary(self, value: tuple[str, Shape]) -> None:
        fitting = [v for v in self.values if self._fits(v[1], value[1])]
        other = self.rng.choice(fitting)
        shape = broadcast_shapes(value[1], other[1])
        assert shape is not None
        self._add(self.rng.choice(BINARY), [value, other], "", static_shape(shape))

    def _fits(self, shape: Shape, other: Shape) -> bool:
        together = broadcast_shapes(shape, other)
        return together is not None and prod(static_shape(together)) <= MAX_ELEMENTS

    def _reduction(self, value: tuple[str, Shape]) -> None:
        axes = tuple(d for d in range(len(value[1])) if self.rng.random() < 0.4)
        keep = self.rng.random() < 0.6
        attrs = f" {{axes = {array(axes)}{', keep_dims' if keep else ''}}}"
        shape = reduced_shape(value[1], axes, keep)
        self._add(f"reduce_{self.rng.choice(REDUCTIONS)}", [value], attrs, static_shape(shape))

    def _layout(self, value: tuple[str, Shape]) -> None:
        shape, name = value[1], self.rng.choice(LAYOUTS)
        rank = len(shape)
        if name == "transpose":
            order = tuple(self.rng.sample(range(rank), rank))
            attrs = f" {{permutation = {array(order)}}}"
            self._add(name, [value], attrs, static_shape(permuted(shape, order)))
        elif name == "squeeze":
            axes = tuple(d for d, size in enumerate(shape) if size == 1)
            self._add(
                name, [value], f" {{axes = {array(axes)}}}", static_shape(without(shape, axes))
            )
        elif name == "unsqueeze" and rank < 5:
            axes = (self.rng.randint(0, rank),)
            self._add(
                name, [value], f" {{axes = {array(axes)}}}", static_shape(with_ones(shape, axes))
            )
        else:
            self._add("reshape", [value], "", self._regrouped(shape))

    def _regrouped(self, shape: Shape) -> Shape:
        """Neighbours merged, or a dim split."""
        dims = list(shape)
        at = self.rng.randrange(len(dims)) if dims else 0
        if len(dims) > 1 and at and self.rng.random() < 0.5:
            dims[at - 1 : at + 1] = [dims[at - 1] * dims[at]]
        elif dims and len(dims) < 5 and dims[at] > 1:
            inner = self.rng.choice([d for d in range(1, dims[at] + 1) if dims[at] % d == 0])
            dims[at : at + 1] = [dims[at] // inner, inner]
        return tuple(dims)

    @property
    def text(self) -> str:
        outer = "%o" if self.in_subgraph else ""
        header = ", ".join(f"{outer or '%'}{name[1:]}: {tensor(s)}" for name, s in self.inputs)
        names = ", ".join(name for name, _ in self.outputs)
        types = ", ".join(tensor(shape) for _, shape in self.outputs)
        lines, result = self.lines, [f"func.return {names} : {types}"]
        if self.in_subgraph:
            bound = ", ".join(f"{name} = {outer}{name[1:]}" for name, _ in self.inputs)
            inputs = ", ".join(tensor(shape) for _, shape in self.inputs)
            outs = ", ".join(f"%out{i}" for i in range(len(self.outputs)))
            head = f"{outs} = snippets.subgraph ({bound}) : ({inputs}) -> ({types}) {{"
            lines = [head, *lines, f"snippets.yield {names} : {types}", "}"]
            result = [f"func.return {outs} : {types}"]
        body = "\n".join([*lines, *result])
        return f"func.func @main({header}) -> ({types}) {{\n{body}\n}}"
