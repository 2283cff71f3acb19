"""Random kernels with loops for the assignment of registers: 1 to 64 values live at one time.

A kernel has one to three loops over rows of one vector each, nested or one behind the other, that
carry accumulators and read values from outside. Values are whole: integers that wrap, so that every
order of work has equal bits.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

T = "tensor<2x8xi32>"
VALUE = "#lir.port<[2, 8], sub [8]>"
SCALAR = "#lir.port<[1, 1], sub [1]>"
BINARY = ("add", "subtract", "bitwise_xor", "multiply", "bitwise_or", "bitwise_and")


@dataclass
class RegisterKernel:
    """A random kernel and the function that calls it.

    Attributes:
        seed: of the choices.
        live: how many values a block makes before it uses them; 0 for a random number.
    """

    seed: int
    live: int = 0
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    table: list[str] = field(default_factory=list[str])
    count: int = 0

    def __post_init__(self) -> None:
        """Build the kernel."""
        self.rng = rng = random.Random(self.seed)
        self.scalars = [self._scalar() for _ in range(rng.randint(1, 3))]
        self.live = self.live or min(64, int(2 ** rng.uniform(0, 6.2)))
        self.stored: str | None = None
        self.table.append("#lir.loop<0, work 2, inc 1, dim 1, parallel>")
        self.lines.append("lir.loop_begin 0")
        values = [self._load((0,))]
        self._block((0,), values, depth=0)
        self.stored = self._store(values[-1], (0,))
        self.lines.append("lir.loop_end 0")

    def _name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def _loops(self, path: tuple[int, ...]) -> str:
        ids = ", ".join(map(str, path))
        return f"lir.loops = array<i64: {ids}>" if path else "lir.loops = array<i64>"

    def _scalar(self) -> str:
        name = self._name()
        value = self.rng.randint(-9, 9)
        self.lines.append(
            f"{name} = snippets.scalar {value} : i32 {{{self._loops(())}, lir.ports = [{SCALAR}]}}"
        )
        return name

    def _memory(self, path: tuple[int, ...]) -> str:
        moves = ", ".join("0: dim 1 ptr 8 fin -16" if i == 0 else f"{i}: dim 1 fixed" for i in path)
        return f"#lir.port<[2, 8], sub [8], loops [{moves}]>"

    def _load(self, path: tuple[int, ...]) -> str:
        name, source = self._name(), self.rng.choice(("%x", "%y"))
        broadcast = self.rng.random() < 0.25
        kind, count = ("broadcast_load", 1) if broadcast else ("load", 8)
        self.lines.append(
            f"{name} = lir.{kind} {source} {{count = {count} : i64, {self._loops(path)}, "
            f"lir.ports = [{self._memory(path)}, {VALUE}]}} : {T}"
        )
        return name

    def _store(self, value: str, path: tuple[int, ...]) -> str:
        name = self._name()
        self.lines.append(
            f"{name} = lir.store {value} {{count = 8 : i64, {self._loops(path)}, "
            f"lir.ports = [{VALUE}, {self._memory(path)}]}} : {T}"
        )
        return name

    def _compute(self, path: tuple[int, ...], values: list[str]) -> str:
        rng, name = self.rng, self._name()
        kind = rng.random()
        if kind < 0.1:
            scalar = rng.choice(self.scalars)
            self.lines.append(
                f"{name} = snippets.broadcast {scalar} {{{self._loops(path)}, "
                f"lir.ports = [{SCALAR}, {VALUE}]}} : (tensor<i32>) -> {T}"
            )
            return name
        a, b = rng.choice(values), rng.choice(values)
        if kind < 0.2:
            scalar = rng.choice(self.scalars)
            self.lines.append(
                f"{name} = snippets.{rng.choice(BINARY)} {a}, {scalar} {{{self._loops(path)}, "
                f"lir.ports = [{VALUE}, {SCALAR}, {VALUE}]}} : ({T}, tensor<i32>) -> {T}"
            )
        elif kind < 0.3:
            mask, c = self._name(), rng.choice(values)
            b1 = T.replace("i32", "i1")
            self.lines.append(
                f"{mask} = snippets.less {a}, {b} {{{self._loops(path)}, "
                f"lir.ports = [{VALUE}, {VALUE}, {VALUE}]}} : ({T}, {T}) -> {b1}"
            )
            self.lines.append(
                f"{name} = snippets.select {mask}, {c}, {b} {{{self._loops(path)}, "
                f"lir.ports = [{', '.join([VALUE] * 4)}]}} : ({b1}, {T}, {T}) -> {T}"
            )
        else:
            self.lines.append(
                f"{name} = snippets.{rng.choice(BINARY)} {a}, {b} {{{self._loops(path)}, "
                f"lir.ports = [{VALUE}, {VALUE}, {VALUE}]}} : {T}"
            )
        return name

    def _block(self, path: tuple[int, ...], values: list[str], depth: int) -> None:
        """Make values until many live, loops in between, and then use them all up."""
        rng = self.rng
        own: list[str] = []
        for _ in range(max(1, self.live // (1 + 3 * depth))):
            make = self._load(path) if rng.random() < 0.3 else self._compute(path, values + own)
            own.append(make)
            if depth < 2 and rng.random() < 0.6 / self.live and len(self.table) < 5:
                own += self._loop(path, values + own, depth + 1)
        if depth < 2 and len(self.table) < 4 and rng.random() < 0.7:
            own += self._loop(path, values + own, depth + 1)
        rng.shuffle(own)
        total = own[0]
        for value in own[1:]:
            name = self._name()
            self.lines.append(
                f"{name} = snippets.{rng.choice(BINARY[:3])} {total}, {value} "
                f"{{{self._loops(path)}, lir.ports = [{VALUE}, {VALUE}, {VALUE}]}} : {T}"
            )
            total = name
        values.append(total)

    def _loop(self, path: tuple[int, ...], values: list[str], depth: int) -> list[str]:
        """A loop that carries up to 5 values; what it ends with may be any value around."""
        rng, number = self.rng, len(self.table)
        self.table.append(f"#lir.loop<{number}, work {rng.randint(1, 3)}, inc 1, dim 1>")
        carried = [rng.choice(values) for _ in range(rng.choice((0, 1, 1, 2, 5)))]
        types = ", ".join([T] * len(carried))
        inside = [self._name() for _ in carried]
        given = f" ({', '.join(carried)}) : {types}" if carried else ""
        results = f"{', '.join(inside)} = " if carried else ""
        self.lines.append(f"{results}lir.loop_begin {number}{given}")
        body = [*values, *inside]
        self._block((*path, number), body, depth)
        following = [rng.choice(body[-6:] if rng.random() < 0.8 else body) for _ in carried]
        outside = [self._name() for _ in carried]
        given = f" ({', '.join(following)}) : {types}" if carried else ""
        results = f"{', '.join(outside)} = " if carried else ""
        self.lines.append(f"{results}lir.loop_end {number}{given}")
        return outside

    @property
    def text(self) -> str:
        """The kernel at stage `looped`, and `@main`, which calls it."""
        body = "\n".join(f"  {line}" for line in self.lines)
        return (
            f"func.func @main(%x: {T}, %y: {T}) -> {T} {{\n"
            f"  %0 = lir.call @k(%x, %y) : ({T}, {T}) -> {T}\n  func.return %0 : {T}\n}}\n"
            f'lir.kernel @k "looped" (%x: {T}, %y: {T}) -> {T} loops [{", ".join(self.table)}] {{\n'
            f"{body}\n"
            f"  lir.result {self.stored} {{index = 0 : i64, lir.ports = [{VALUE}]}} : {T}\n}}\n"
        )
