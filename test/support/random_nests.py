"""Random affine loop nests, as text with arguments.

A nest has depth 1 to 4, up to 6 accesses, subscripts with coefficients, remainders and quotients,
chains of `affine.apply`, constants and uniform values, bounds that are constants, arguments, minima
or depend on the loop around, steps, and carried values that are reductions or are not. Each memref
is as large as its subscripts ask for, or a little larger.
"""

# pyright: basic

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

BINARY = {
    "f32": ("addf", "subf", "mulf", "minimumf", "maximumf"),
    "i32": ("addi", "subi", "muli", "minsi", "maxsi", "xori", "divsi"),
}
REDUCTIONS = {
    "f32": ("addf", "minimumf", "maximumf"),
    "i32": ("addi", "muli", "minsi", "maxsi", "minui", "maxui", "andi", "ori", "xori"),
}
DTYPES = {"f32": np.float32, "i32": np.int32}


@dataclass
class Memory:
    """A memref argument: how large it has to be."""

    name: str
    rank: int
    sizes: list[int]
    written: bool = False


@dataclass
class Nest:
    """A function with its arguments, and the options of its vectorization."""

    text: str
    shapes: list[tuple[int, ...]]
    dtype: Any
    bounds: list[int]
    options: dict[str, Any]
    seed: int

    def arguments(self) -> list[Any]:
        """Fresh arguments, the same at each call; small numbers, so that sums are exact."""
        numbers = np.random.default_rng(self.seed)
        arrays = [numbers.integers(-4, 5, shape).astype(self.dtype) for shape in self.shapes]
        return [*arrays, *self.bounds, self.dtype(3)]


@dataclass
class _Writer:
    random: Random
    element: str
    reductions: bool
    flat: bool
    memories: list[Memory] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    bounds: list[int] = field(default_factory=list)
    loops: list[tuple[str, int, int]] = field(default_factory=list)
    accesses: int = 0
    fresh: int = 0

    def name(self) -> str:
        self.fresh += 1
        return f"%v{self.fresh}"

    def line(self, text: str) -> None:
        self.lines.append("  " * (len(self.loops) + 1) + text)

    def subscript(self, dim: int, memory: Memory) -> str:
        """One subscript; the memref's size grows to hold it."""
        random, parts, low, high = self.random, [], 0, 0
        chosen: list[tuple[str, int, int]] = []
        place = len(self.loops) - memory.rank + dim
        if place >= 0 and random.random() < 0.85:
            chosen = [self.loops[place]]
        elif self.loops and random.random() < 0.4:
            chosen = random.sample(self.loops, min(len(self.loops), random.choice((1, 1, 2))))
        for iv, first, last in chosen:
            factor = random.choice((1,) * 14 + (2, -1, 3))
            kind, divisor = random.choice(("",) * 30 + ("mod", "floordiv")), 4
            term, lo, hi = f"{iv} * {factor}", *sorted((first * factor, last * factor))
            if kind == "mod":
                term, lo, hi = f"({term}) mod {divisor}", 0, divisor - 1
            elif kind == "floordiv":
                term, lo, hi = f"({term}) floordiv {divisor}", lo // divisor, hi // divisor
            elif factor == 1:
                term = iv
            parts.append(term)
            low, high = low + lo, high + hi
        offset = random.choice((0, 0, 0, 1, 2, 5)) - min(low, 0)
        memory.sizes[dim] = max(memory.sizes[dim], high + offset + 1)
        text = " + ".join([*parts, str(offset)] if offset or not parts else parts)
        if len(chosen) == 1 and random.random() < 0.15:
            return self.applied(text, chosen[0][0])
        return text

    def applied(self, text: str, iv: str) -> str:
        """A subscript through one or two `affine.apply`."""
        one = self.name()
        inner = text.replace(iv, "d0")
        self.line(f"{one} = affine.apply affine_map<(d0) -> ({inner})>({iv})")
        if self.random.random() < 0.5:
            return one
        two = self.name()
        self.line(f"{two} = affine.apply affine_map<(d0) -> (d0 + 0)>({one})")
        return two

    def load(self) -> str:
        pool = self.memories[:-1] if self.random.random() < 0.6 else self.memories[-1:]
        memory, name = self.random.choice(pool), self.name()
        place = ", ".join(self.subscript(d, memory) for d in range(memory.rank))
        self.line(f"{name} = affine.load {memory.name}[{place}] : TYPE{memory.name}")
        self.accesses += 1
        return name

    def store(self, value: str) -> None:
        memory = self.memories[-1 if self.random.random() < 0.8 else -2]
        place = ", ".join(self.subscript(d, memory) for d in range(memory.rank))
        self.line(f"affine.store {value}, {memory.name}[{place}] : TYPE{memory.name}")
        self.accesses += 1

    def value(self, known: list[str]) -> str:
        """An operand: something known, a constant, an argument."""
        pick = self.random.random()
        if pick < 0.6 and known:
            return self.random.choice(known)
        if pick < 0.8:
            return "%scale"
        name = self.name()
        constant = self.random.choice(("2", "-1", "0", "5"))
        constant += ".0" if self.element == "f32" else ""
        self.line(f"{name} = arith.constant {constant} : {self.element}")
        return name

    def statement(self, known: list[str]) -> None:
        """Loads, some arithmetic, and perhaps a store."""
        for _ in range(self.random.randint(0, 2)):
            if self.accesses < 5:
                known.append(self.load())
        for _ in range(self.random.randint(0, 3)):
            op, left, right = self.random.choice(BINARY[self.element]), *self.two(known)
            name = self.name()
            if op == "divsi":  # a divisor that is not 0 in any iteration of the loop
                one, right = self.name(), self.name()
                self.line(f"{one} = arith.constant 1 : i32")
                self.line(f"{right} = arith.ori {left}, {one} : i32")
            self.line(f"{name} = arith.{op} {left}, {right} : {self.element}")
            known.append(name)
        if self.random.random() < 0.3:
            self.select(known)
        if self.accesses < 6 and self.random.random() < 0.7:
            self.store(self.value(known))

    def two(self, known: list[str]) -> tuple[str, str]:
        return self.value(known), self.value(known)

    def select(self, known: list[str]) -> None:
        test, name = self.name(), self.name()
        (left, right), (a, b) = self.two(known), self.two(known)
        compare = "cmpf olt" if self.element == "f32" else "cmpi slt"
        self.line(f"{test} = arith.{compare}, {left}, {right} : {self.element}")
        self.line(f"{name} = arith.select {test}, {a}, {b} : {self.element}")
        known.append(name)

    def upper(self) -> tuple[str, int]:
        """An upper bound: text, and the largest value it has."""
        random = self.random
        size = random.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12) if self.flat else (1, 2, 3, 5))
        kind = random.choice(("constant", "constant", "argument", "argument", "min", "outer"))
        if kind == "constant":
            return str(size), size
        if kind == "outer" and self.loops:
            iv, _, last = random.choice(self.loops)
            return f"affine_map<(d0) -> (d0 + 1)>({iv})", last + 1
        self.bounds.append(size)
        name = f"%n{len(self.bounds) - 1}"
        if kind == "min":
            return f"min affine_map<()[s0] -> (s0, 7)>()[{name}]", min(size, 7)
        return name, size

    def loop(self, depth: int, known: list[str]) -> None:
        """One loop with what is in it; imperfect at times."""
        random = self.random
        iv = f"%i{self.fresh}"
        self.fresh += 1
        upper, end = self.upper()
        lower = random.choice((0, 0, 0, 0, 1, 2))
        step = random.choice((1,) * 30 + (2, 4))
        head = f"affine.for {iv} = {lower} to {upper}" + (f" step {step}" if step > 1 else "")
        carries = random.random() < (0.5 if self.reductions else 0.1) and depth <= 2
        result, start, carried = self.name(), self.value(known), self.name()
        if carries:
            head = f"{result} = {head} iter_args({carried} = {start}) -> ({self.element})"
        self.line(head + " {")
        self.loops.append((iv, lower, max(end - 1, lower)))
        inside = list(known)
        if depth == 1 or random.random() < 0.25:
            self.statement(inside)
        if depth > 1:
            for _ in range(random.choice((1, 1, 1, 2))):
                self.loop(depth - 1, inside)
        if random.random() < 0.25:
            self.statement(inside)
        if carries:
            op, next_ = random.choice(REDUCTIONS[self.element]), self.name()
            self.line(f"{next_} = arith.{op} {carried}, {self.value(inside)} : {self.element}")
            self.line(f"affine.yield {next_} : {self.element}")
        self.loops.pop()
        self.line("}")
        if carries:
            known.append(result)
            if self.accesses < 6:
                self.store(result)


def random_nest(seed: int) -> Nest:
    random = Random(seed)
    element = random.choice(("f32", "i32"))
    rank = random.choice((1, 1, 1, 2, 2, 3))
    reductions = rank == 1 and random.random() < 0.4
    depth = max(random.randint(1, 4), rank)
    writer = _Writer(random, element, reductions, flat=depth <= 2)
    for number in range(random.randint(2, 4)):
        memory_rank = min(random.choice((1, 2, 2, 3)), depth + 1)
        writer.memories.append(Memory(f"%A{number}", memory_rank, [1] * memory_rank))
    writer.loop(depth, [])
    shapes, types, body = [], [], "\n".join(writer.lines)
    for memory in writer.memories:
        slack = random.choice((0, 0, 3))
        shape = tuple(size + slack for size in memory.sizes)
        static = random.random() < 0.6
        dims = "".join(f"{size}x" if static else "?x" for size in shape)
        type_ = f"memref<{dims}{element}>"
        body = body.replace(f"TYPE{memory.name}\n", f"{type_}\n")
        body = body.replace(f"TYPE{memory.name}", type_)
        shapes.append(shape)
        types.append(f"{memory.name}: {type_}")
    types += [f"%n{k}: index" for k in range(len(writer.bounds))]
    arguments = ", ".join([*types, f"%scale: {element}"])
    options: dict[str, Any] = {
        "virtual_vector_size": tuple(random.randint(2, 8) for _ in range(rank)),
        "vectorize_reductions": reductions,
    }
    if random.random() < 0.4:
        options["test_fastest_varying"] = tuple(range(rank))[::-1]
    text = f"func.func @nest({arguments}) {{\n{body}\n  func.return\n}}\n"
    return Nest(text, shapes, DTYPES[element], writer.bounds, options, seed)
