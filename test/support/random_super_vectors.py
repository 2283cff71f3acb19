"""Random functions on super-vectors: transfers, masks, elementwise ops, moves, loops and branches.

    func.func @f(%A0: memref<?x?xf32>, ..., %i0: index, %i1: index, %s: f32, %n: index, %m: index)

Transfers run out of bounds where `in_bounds` is false, arguments may be marked as distinct or not,
and values are used in any order. `calls` are arguments for it, with special values in the arrays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

SHAPES: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((33, 64, 80, 100, 160),),
    2: ((1, 3, 5, 8), (7, 16, 20, 40, 48)),
    3: ((2,), (1, 3), (5, 24, 33)),
}
Call = tuple[list[Any], tuple[Any, ...]]


def _list(items: Any) -> str:
    return ", ".join(map(str, items))


@dataclass
class SuperVectors:
    """One function.

    Attributes:
        seed: gives the same function again.
        text: its MLIR text.
        shape: the shape of its vectors.
        distinct: which of its three memrefs are marked as distinct memory.
    """

    seed: int
    text: str = ""
    shape: tuple[int, ...] = ()
    distinct: list[bool] = field(default_factory=list[bool])

    def __post_init__(self) -> None:
        writer = _Writer(random.Random(self.seed))
        self.text, self.shape, self.distinct = writer.text(), writer.shape, writer.distinct

    def calls(self, count: int) -> Iterator[Call]:
        """Arrays and the other arguments; the last call passes one array three times if it may."""
        rng, numbers = random.Random(self.seed + 1), np.random.default_rng(self.seed)
        for number in range(count):
            base = [max(3, size + rng.choice([-3, -1, 0, 1, 2, 5])) for size in self.shape]
            arrays: list[Any] = []
            for _ in range(3):
                array = numbers.standard_normal([d + rng.choice([0, 0, 1]) for d in base])
                array = array.astype(np.float32)
                array.reshape(-1)[numbers.integers(0, array.size, 3)] = [np.nan, -0.0, np.inf]
                arrays.append(array)
            if number == count - 1 and not any(self.distinct):
                arrays = [arrays[0]] * 3
            starts = [rng.choice([0, 0, 1]) for _ in self.shape]
            yield arrays, (*starts, np.float32(1.25), rng.randrange(6), rng.randrange(5))


class _Writer:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rank = rng.choice([1, 2, 2, 2, 3])
        self.shape = tuple(rng.choice(sizes) for sizes in SHAPES[self.rank])
        self.distinct = [rng.random() < 0.7 for _ in range(3)]
        self.vector = self.type(self.shape)
        self.bits = self.vector.replace("f32", "i1")
        self.memref = f"memref<{'?x' * self.rank}f32>"
        self.lines: list[str] = []
        self.values: list[str] = []
        self.masks: list[str] = []
        self.count = 0

    def type(self, shape: Any) -> str:
        return f"vector<{'x'.join(map(str, shape))}xf32>"

    def text(self) -> str:
        own = [f"%i{d}" for d in range(self.rank)]
        marks = [" {llvm.noalias}" if distinct else "" for distinct in self.distinct]
        arguments = [f"%A{k}: {self.memref}{mark}" for k, mark in enumerate(marks)]
        arguments += [f"{name}: index" for name in own] + ["%s: f32, %n: index, %m: index"]
        self.add("%p = arith.constant 7.0 : f32")
        self.add("%c1 = arith.constant 1 : index")
        for name in own:
            self.add(f"{name}p = arith.addi {name}, %c1 : index")
        self.read()
        self.some(0, self.rng.randrange(4, 16))
        self.write()
        body = "\n".join(self.lines)
        return f"func.func @f({_list(arguments)}) {{\n{body}\n  func.return\n}}\n"

    def add(self, line: str) -> None:
        self.lines.append(f"  {line}")

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def value(self) -> str:
        return self.rng.choice(self.values)

    def make(self, op: str) -> None:
        self.values.append(self.new())
        self.add(f"{self.values[-1]} = {op}")

    def place(self) -> str:
        """A memref and where in it."""
        starts = [f"%i{d}{self.rng.choice(['', '', '', 'p'])}" for d in range(self.rank)]
        return f"%A{self.rng.randrange(3)}[{_list(starts)}]"

    def mask(self) -> str:
        return f", {self.rng.choice(self.masks)}" if self.masks and self.rng.random() < 0.3 else ""

    def map(self, *, repeats: bool) -> str:
        dims = [f"d{d}" for d in self.rng.sample(range(self.rank), self.rank)]
        if repeats:
            dims = [dim if self.rng.random() < 0.6 else "0" for dim in dims]
        names = _list(f"d{d}" for d in range(self.rank))
        flags = _list("true" if dim == "0" else "false" for dim in dims)
        return (
            f"{{in_bounds = [{flags}], permutation_map = affine_map<({names}) -> ({_list(dims)})>}}"
        )

    def read(self) -> None:
        if self.rng.random() < 0.3:
            last = f"%p {self.map(repeats=True)}"
        else:
            last = f"%p{self.mask()}"
        self.make(f"vector.transfer_read {self.place()}, {last} : {self.memref}, {self.vector}")

    def write(self) -> None:
        last = f" {self.map(repeats=False)}" if self.rng.random() < 0.2 else self.mask()
        place = f"{self.value()}, {self.place()}{last}"
        self.add(f"vector.transfer_write {place} : {self.vector}, {self.memref}")

    def some(self, depth: int, count: int) -> None:
        kinds = [self.read, self.write, self.splat, self.chosen, self.masked, self.moved]
        kinds += [self.extracted, self.whole, self.scalar, *[self.computed] * 3]
        for _ in range(count):
            if depth < 2 and self.rng.random() < 0.1:
                self.rng.choice([self.loop, self.branch])(depth + 1)
            else:
                self.rng.choice(kinds)()

    def splat(self) -> None:
        number = self.rng.choice(["1.5", "-0.0", "2.0"])
        constant = f"arith.constant dense<{number}> : {self.vector}"
        self.make(self.rng.choice([constant, f"vector.broadcast %s : f32 to {self.vector}"]))

    def masked(self) -> None:
        sizes = _list(self.rng.choice(["%n", "%m", "%c1"]) for _ in self.shape)
        compare = f"arith.cmpf olt, {self.value()}, {self.value()} : {self.vector}"
        create = f"vector.create_mask {sizes} : {self.bits}"
        self.masks.append(self.new())
        self.add(f"{self.masks[-1]} = {self.rng.choice([create, compare])}")

    def chosen(self) -> None:
        if self.masks:
            operands = f"{self.rng.choice(self.masks)}, {self.value()}, {self.value()}"
            self.make(f"arith.select {operands} : {self.bits}, {self.vector}")

    def computed(self) -> None:
        op = self.rng.choice(["addf", "mulf", "maximumf", "subf"])
        self.make(f"arith.{op} {self.value()}, {self.value()} : {self.vector}")

    def moved(self) -> None:
        order = self.rng.sample(range(self.rank), self.rank)
        other = self.type(self.shape[d] for d in order)
        back = [order.index(d) for d in range(self.rank)]
        there, twice = self.new(), self.new()
        self.add(f"{there} = vector.transpose {self.value()}, {order} : {self.vector} to {other}")
        self.add(f"{twice} = arith.addf {there}, {there} : {other}")
        self.make(f"vector.transpose {twice}, {back} : {other} to {self.vector}")

    def extracted(self) -> None:
        part = self.type(self.shape[1:]) if self.rank > 1 else "f32"
        name, place = self.new(), self.rng.randrange(self.shape[0])
        self.add(f"{name} = vector.extract {self.value()}[{place}] : {part} from {self.vector}")
        self.make(f"vector.broadcast {name} : {part} to {self.vector}")

    def whole(self) -> None:
        """An op that does not come in tiles."""
        name = self.new()
        if self.rank == 1:
            kind = self.rng.choice(["add", "maximumf"])
            self.add(f"{name} = vector.reduction <{kind}>, {self.value()} : {self.vector} into f32")
            self.make(f"vector.broadcast {name} : f32 to {self.vector}")
            return
        other = self.type([self.shape[0] * self.shape[1], *self.shape[2:]])
        self.add(f"{name} = vector.shape_cast {self.value()} : {self.vector} to {other}")
        twice = self.new()
        self.add(f"{twice} = arith.mulf {name}, {name} : {other}")
        self.make(f"vector.shape_cast {twice} : {other} to {self.vector}")

    def scalar(self) -> None:
        """A read that is no transfer."""
        name = self.new()
        place = _list(["%c1"] * self.rank)
        self.add(f"{name} = memref.load %A{self.rng.randrange(3)}[{place}] : {self.memref}")
        self.make(f"vector.broadcast {name} : f32 to {self.vector}")

    def region(self, depth: int, carried: list[str], results: int) -> None:
        outer = list(self.values), list(self.masks)
        self.values += carried
        self.some(depth, self.rng.randrange(1, 6))
        given = [self.rng.choice(self.values[-4:] + carried) for _ in range(results)]
        self.add(f"scf.yield {_list(given)} : {_list([self.vector] * results)}")
        self.values, self.masks = outer

    def loop(self, depth: int) -> None:
        name, results = self.new(), self.rng.choice([1, 2])
        carried = [self.new() for _ in range(results)]
        inits = _list(f"{own} = {self.value()}" for own in carried)
        types = _list([self.vector] * results)
        head = f"scf.for %k{name[1:]} = %c1 to %m step %c1"
        self.add(f"{name}:{results} = {head} iter_args({inits}) -> ({types}) {{")
        self.region(depth, carried, results)
        self.add("}")
        self.values += [f"{name}#{k}" for k in range(results)]

    def branch(self, depth: int) -> None:
        name, less, results = self.new(), self.new(), self.rng.choice([1, 2])
        self.add(f"{less} = arith.cmpi slt, %n, %m : index")
        self.add(f"{name}:{results} = scf.if {less} -> ({_list([self.vector] * results)}) {{")
        self.region(depth, [], results)
        self.add("} else {")
        self.region(depth, [], results)
        self.add("}")
        self.values += [f"{name}#{k}" for k in range(results)]
