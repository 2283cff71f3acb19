"""Random graphs whose dims have names, for many shapes of the same text.

A name is a size that the text has, or a `?`, which each call gives: 0, 1, a few, or more than the
integers of a type can count. So one text is compiled once and evaluated for every call by
`sized_oracle`. Ops often read one value twice, and several values are results.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod

import numpy as np
from sized_numbers import FLOATS, INTEGERS, Array, Numbers, dtype_of, given, limits

Sizes = Mapping[str, int]

FEW = (0, 0, 0, 1, 2, 3, 5, 8, 17, 33)
MANY = (127, 128, 130, 200, 256, 300)
LONG = (16400, 70000)
"""More elements than the folder computes; only beside a dim of size 0."""

MOST, MOST_OF_LONG = 3000, 150_000
NARROW = ("i8", "ui8", "i8", "ui8", "i16", "f16", "bf16")
ELEMENTS = ("f32",) * 9 + ("i32",) * 8 + ("i64",) * 3 + ("f64",) * 2 + NARROW


@dataclass(frozen=True)
class Dim:
    """A size: a number times the sizes of some names."""

    number: int = 1
    names: tuple[str, ...] = ()

    def times(self, other: Dim) -> Dim:
        """The dim of as many elements as both have together."""
        return Dim(self.number * other.number, tuple(sorted(self.names + other.names)))

    def size(self, sizes: Sizes) -> int:
        return self.number * prod(sizes[name] for name in self.names)


ONE = Dim()
Dims = tuple[Dim, ...]


@dataclass(frozen=True, eq=False)
class Value:
    """A value: its name, dims and element type, and how it follows from earlier values."""

    name: str
    dims: Dims
    element: str
    operands: tuple[Value, ...] = ()
    function: Callable[..., Numbers] | None = None


@dataclass
class SizedGraph:
    """A random function; everything follows from `seed`.

    Attributes:
        seed: of the graph; calls draw from a seed of their own.
        fixed: the names whose sizes the text has, with them.
        names: all names.
        inputs: the arguments.
        values: the arguments, constants and results of ops.
        outputs: what the function returns.
    """

    seed: int
    rng: random.Random = field(init=False)
    fixed: dict[str, int] = field(default_factory=dict[str, int])
    names: list[str] = field(default_factory=list[str])
    inputs: list[Value] = field(default_factory=list[Value])
    values: list[Value] = field(default_factory=list[Value])
    lines: list[str] = field(default_factory=list[str])
    outputs: list[Value] = field(default_factory=list[Value])

    def __post_init__(self) -> None:
        """Choose the names and which of them the text has, then the inputs."""
        self.rng = random.Random(self.seed)
        rank = self.rng.choice((1, 2, 2, 2, 3, 3, 4))
        self.names = ["a", "b", "c", "d"][:rank]
        static = self.rng.choice(("all", "none", "some"))
        for name, size in zip(self.names, self.draw(self.names).values(), strict=True):
            if static == "all" or (static == "some" and self.rng.random() < 0.5):
                self.fixed[name] = size
        self.element = self.rng.choice(ELEMENTS)
        for _ in range(self.rng.randint(1, 3)):
            dims = tuple(ONE if self.rng.random() < 0.2 else Dim(1, (n,)) for n in self.names)
            dims = dims[self.rng.randrange(rank) if self.rng.random() < 0.2 else 0 :]
            value = Value(f"%x{len(self.inputs)}", dims, self.element)
            self.inputs.append(value)
            self.values.append(value)

    def draw(self, names: Sequence[str], rng: random.Random | None = None) -> dict[str, int]:
        """A size for each name: few elements altogether, or some of them 0."""
        rng = rng or self.rng
        sizes = {name: rng.choice(FEW) for name in names}
        if rng.random() < 0.4:
            sizes[rng.choice(names)] = rng.choice(MANY)
        if 0 in sizes.values() and rng.random() < 0.1:
            sizes[rng.choice(names)] = rng.choice(LONG)
        while prod(size or 1 for size in sizes.values()) > (
            MOST_OF_LONG if 0 in sizes.values() else MOST
        ):
            sizes[max(names, key=lambda name: sizes[name])] = rng.choice((0, 1, 2, 3))
        return sizes

    def type(self, value: Value) -> str:
        """The type of a value as text."""
        sizes = ("?" if self.is_dynamic(dim) else dim.size(self.fixed) for dim in value.dims)
        return f"tensor<{''.join(f'{size}x' for size in sizes)}{value.element}>"

    def is_dynamic(self, dim: Dim) -> bool:
        """Whether the text has no size for a dim."""
        return any(name not in self.fixed for name in dim.names)

    def emit(
        self,
        op: str,
        operands: Sequence[Value],
        dims: Dims,
        function: Callable[..., Numbers],
        element: str | None = None,
        attributes: str = "",
    ) -> Value:
        name = f"%{len(self.lines)}"
        result = Value(name, dims, element or operands[-1].element, tuple(operands), function)
        names, types = ", ".join(v.name for v in operands), ", ".join(map(self.type, operands))
        text = f" {{{attributes}}}" if attributes else ""
        self.lines.append(
            f"{name} = snippets.{op} {names}{text} : ({types}) -> {self.type(result)}"
        )
        self.values.append(result)
        return result

    def scalar(self, element: str, number: int) -> Value:
        """A constant of rank 0."""
        name = f"%{len(self.lines)}"
        shown = f"{number}.0" if element in FLOATS else str(number)
        array = np.asarray(number, dtype_of(element))
        value = Value(name, (), element, (), partial(given, element, array))
        self.lines.append(f"{name} = snippets.scalar {shown} : {element}")
        self.values.append(value)
        return value

    def pick(self, element: str | None = None) -> Value | None:
        """A value, more often a recent one."""
        fitting = [v for v in self.values if element in (None, v.element)]
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.6 else fitting)

    def partner(self, a: Value) -> tuple[Value, Dims]:
        """A value that broadcasts with `a`, often `a` itself, and the dims of both."""
        fitting = [(v, dims) for v in self.values if v.element == a.element
                   and (dims := broadcast(a.dims, v.dims)) is not None]  # fmt: skip
        return (a, a.dims) if self.rng.random() < 0.2 else self.rng.choice(fitting)

    @property
    def text(self) -> str:
        arguments = ", ".join(f"{v.name}: {self.type(v)}" for v in self.inputs)
        results = ", ".join(map(self.type, self.outputs))
        body = "\n  ".join(self.lines)
        return (
            f"func.func @main({arguments}) -> ({results}) {{\n  {body}\n  func.return "
            f"{', '.join(v.name for v in self.outputs)} : {results}\n}}\n"
        )

    def arrays(self, sizes: Sizes, seed: int) -> list[Array]:
        rng = np.random.default_rng(seed)
        shapes = (tuple(dim.size(sizes) for dim in v.dims) for v in self.inputs)
        return [
            array_of(rng, v.element, shape) for v, shape in zip(self.inputs, shapes, strict=True)
        ]

    def expected(self, arrays: Sequence[Array]) -> list[Numbers]:
        """What the function gives for inputs."""
        found = {v: given(v.element, a) for v, a in zip(self.inputs, arrays, strict=True)}
        for value in self.values:
            if value.function is not None:
                found[value] = value.function(*(found[operand] for operand in value.operands))
        return [found[value] for value in self.outputs]


def broadcast(a: Dims, b: Dims) -> Dims | None:
    """The dims of two values together, or None: dims are equal, or one is 1."""
    rank = max(len(a), len(b))
    pairs = zip((ONE,) * (rank - len(a)) + a, (ONE,) * (rank - len(b)) + b, strict=True)
    dims: list[Dim] = []
    for x, y in pairs:
        if x != y and ONE not in (x, y):
            return None
        dims.append(y if x == ONE else x)
    return tuple(dims)


def array_of(rng: np.random.Generator, element: str, shape: tuple[int, ...]) -> Array:
    """Random numbers: multiples of 1/8, or integers, small ones or any."""
    dtype = dtype_of(element)
    if element not in INTEGERS:
        return np.asarray(rng.integers(-32, 33, shape) / 8).astype(dtype)
    low, high = limits(element)
    if rng.random() < 0.5:
        return rng.integers(max(low, -9), 10, shape).astype(dtype)
    return np.asarray(rng.integers(low, high, shape, np.dtype(dtype), endpoint=True))
