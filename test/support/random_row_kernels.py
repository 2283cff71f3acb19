"""Random subgraphs that reduce rows or columns again and again, so that values cross loops.

All ops of one graph are in one subgraph: elementwise ops, conversions between element sizes, and
reductions over one set of dims. Values are exact: floats only go through maxima, minima and ops
that do not round (f64 narrows to f32 everywhere alike), sums are over integers that wrap. So all
that allocates memory differently has to give equal bits.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass

from random_graphs import RandomProgram, random_array

from snippets_mlir.testing.graph_text import Value, op_text

UNARY = {"f": ("abs", "negative", "relu"), "i": ("abs", "negative", "bitwise_not")}
BINARY = {"f": ("maximum", "minimum"), "i": ("add", "subtract", "maximum", "bitwise_xor")}
REDUCTIONS = {"f": ("max", "min"), "i": ("sum", "prod", "max", "min")}
ELEMENTS = {"f": ("f32", "f64"), "i": ("i32", "i64")}
SIZES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 48)
COUNT = 64 if "SNIPPETS_FUZZ_SECONDS" in os.environ else 16
"""Kernels that a test compiles; more in `make fuzz`."""

Shape = tuple[int, ...]


@dataclass
class RowKernel(RandomProgram):
    """A random function around one subgraph: its text and its inputs."""

    def __post_init__(self) -> None:
        self.rng = rng = random.Random(self.seed)
        rank = rng.choice((1, 2, 2, 2, 3))
        self.shape = tuple(rng.choice(SIZES[:6] if dim else SIZES) for dim in range(rank))[::-1]
        first = rng.randrange(rank)
        self.axes = (first,) if rng.random() < 0.8 else tuple(range(first, rank))
        for index in range(rng.randint(1, 2)):
            element = rng.choice(("f32", "f32", "i32"))
            self.arrays.append(random_array(rng, self.shape, element))
            self.values.append(Value(f"%a{index}", self.shape, element))
        self.inputs = list(self.values)
        for _ in range(rng.randint(4, 16)):
            self._op()
        whole = [v for v in self.values[len(self.inputs) :] if v.shape == self.shape]
        if not whole:
            self._emit("abs", [self.values[0]], self.shape, self.values[0].element)
            whole = self.values[-1:]
        self.outputs = list(dict.fromkeys([whole[-1], rng.choice(whole)]))

    def _emit(self, op: str, operands: list[Value], shape: Shape, element: str) -> None:
        result = Value(f"%v{len(self.lines)}", shape, element)
        attributes = ""
        if op.startswith("reduce_"):
            attributes = f" {{axes = array<i64: {', '.join(map(str, self.axes))}>, keep_dims}}"
        self.lines.append(f"    {op_text(op, operands, result, attributes)}")
        self.values.append(result)

    def _op(self) -> None:
        rng = self.rng
        recent = self.values[-5:] if rng.random() < 0.8 else self.values
        a, kind = rng.choice(recent), rng.random()
        shape, element = a.shape, a.element
        if kind < 0.3 and shape == self.shape:
            reduced = tuple(1 if dim in self.axes else s for dim, s in enumerate(shape))
            name = rng.choice(REDUCTIONS[element[0]])
            self._emit(f"reduce_{name}", [a], reduced, element)
            if rng.random() < 0.8:
                binary = rng.choice(BINARY[element[0]])
                self._emit(binary, [a, self.values[-1]], shape, element)
        elif kind < 0.4:
            self._emit(rng.choice(UNARY[element[0]]), [a], shape, element)
        elif kind < 0.5:
            self._emit("convert_truncation", [a], shape, rng.choice(ELEMENTS[element[0]]))
        else:
            others = [v for v in self.values if v.element == element and v is not a]
            b = rng.choice(others or [a])
            joined = tuple(max(s, t) for s, t in zip(shape, b.shape, strict=True))
            self._emit(rng.choice(BINARY[element[0]]), [a, b], joined, element)

    @property
    def text(self) -> str:
        """The function `@main`."""
        arguments = ", ".join(f"{v.name}x: {v.type}" for v in self.inputs)
        operands = ", ".join(f"{v.name} = {v.name}x" for v in self.inputs)
        input_types = ", ".join(v.type for v in self.inputs)
        output_types = ", ".join(v.type for v in self.outputs)
        outputs = ", ".join(v.name for v in self.outputs)
        results = ", ".join(f"%r{i}" for i in range(len(self.outputs)))
        body = "\n".join(self.lines)
        return (
            f"func.func @main({arguments}) -> ({output_types}) {{\n"
            f"  {results} = snippets.subgraph ({operands}) : ({input_types}) -> ({output_types}) "
            f"{{\n{body}\n    snippets.yield {outputs} : {output_types}\n  }}\n"
            f"  func.return {results} : {output_types}\n}}\n"
        )
