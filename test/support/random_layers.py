"""Random linear layers: products with weights as models have them, and long ops after them.

    %0 = snippets.matmul %x, %w {transpose_b} : ...      the weights of a layer, often constant
    %1 = snippets.add %0, %b : ...
    %2 = snippets.gelu %1 : ...

One layer, two in a row (an MLP), a gate, or several of one input; any rows, few columns or many,
now and then many terms. Weights are constants or arguments, in either order of dims. Blocks of such
products depend on all of this and on the number of threads, which is drawn, too: results are
compared with NumPy's in float64, and bit by bit with those of one thread.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import snippets_mlir
from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

Array = NDArray[Any]
WORK = 1 << 21
"""Multiplications of a product at most."""
SIZES = (7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 47, 48, 49, 63, 64, 65, 96, 128)
"""Sizes around those of vectors and tiles."""
BATCHES = ((), (), (), (), (1,), (2,), (3,), (2, 3), (5,), (8,))
KINDS = ("layer", "layer", "layer", "mlp", "gate", "gated mlp", "side by side")
TOLERANCES = {"f32": 2e-4, "f64": 1e-11}
"""Errors as parts of the largest element, or of 1."""


def _erf(x: Array) -> Array:
    return np.vectorize(math.erf, otypes=[float])(x)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "abs": np.abs,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "swish": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x / 2 * (1 + _erf(x / math.sqrt(2))),
    "erf": _erf,
    "sin": np.sin,
    "atan": np.arctan,
}


@dataclass(frozen=True)
class Value:
    """A value of a program: its name, its type, and what it is in float64."""

    name: str
    type: str
    wide: Array


class Layers:
    """The program of a seed."""

    def __init__(self, seed: int) -> None:
        self.rng, self._numbers = random.Random(f"layers {seed}"), np.random.default_rng(seed)
        self.element = "f64" if self.rng.random() < 0.12 else "f32"
        self.arrays: list[Array] = []
        self.lines: list[str] = []
        self._arguments: list[str] = []
        self.outputs = self._made()

    @property
    def text(self) -> str:
        """The program."""
        types = ", ".join(value.type for value in self.outputs)
        names = ", ".join(value.name for value in self.outputs)
        body = "\n".join((*self.lines, f"  func.return {names} : {types}"))
        return f"func.func @main({', '.join(self._arguments)}) -> ({types}) {{\n{body}\n}}\n"

    def _size(self, most: int) -> int:
        rng = self.rng
        return min(most, rng.choice((rng.randint(1, -(-most // 6)), rng.randint(1, most), *SIZES)))

    def _made(self) -> list[Value]:
        rng = self.rng
        batch, kind = rng.choice(BATCHES), rng.choice(KINDS)
        rows = rng.choice((1, rng.randint(2, 9), rng.randint(9, 70), rng.randint(1, 300)))
        terms = rng.choice((rng.randint(1, 12), self._size(70), self._size(300)))
        if rng.random() < 0.06:
            batch, rows, terms = (), rng.randint(1, 33), rng.randint(1000, 9000)
        columns = self._size(rng.choice((24, 48, 100, 300)))
        columns = min(columns, max(1, WORK // (math.prod(batch) * rows * terms)))
        across = rng.random() < 0.12
        x = self._argument((*batch, terms, rows) if across else (*batch, rows, terms), 0.8)
        match kind:
            case "layer":
                return [self._after(self._product(x, columns, across))]
            case "mlp":
                hidden = self._after(self._product(x, columns, across))
                made = [self._after(self._product(hidden, self._size(100)))]
                return [*made, hidden] if rng.random() < 0.2 else made
            case "gate" | "gated mlp":
                left = self._activated(self._product(x, columns, across))
                hidden = self._joined("multiply", left, self._product(x, columns, across))
                if kind == "gated mlp":
                    hidden = self._product(hidden, self._size(100))
                return [self._after(hidden)]
            case _:
                sizes = (columns, rng.choice((columns, self._size(70))))
                return [self._after(self._product(x, size, across)) for size in sizes]

    def _type(self, shape: tuple[int, ...]) -> str:
        return f"tensor<{''.join(f'{size}x' for size in shape)}{self.element}>"

    def _drawn(self, shape: tuple[int, ...], scale: float) -> Array:
        dtype = np.float64 if self.element == "f64" else np.float32
        return (self._numbers.standard_normal(shape) * scale).astype(dtype)

    def _argument(self, shape: tuple[int, ...], scale: float) -> Value:
        array, type_ = self._drawn(shape, scale), self._type(shape)
        name = f"%a{len(self.arrays)}"
        self.arrays.append(array)
        self._arguments.append(f"{name}: {type_}")
        return Value(name, type_, array.astype(np.float64))

    def _constant(self, shape: tuple[int, ...], scale: float) -> Value:
        array = self._drawn(shape, scale)
        words = f'constant dense<"0x{array.tobytes().hex()}"> : {self._type(shape)}'
        return self._emit(words, array.astype(np.float64))

    def _emit(self, words: str, wide: Array) -> Value:
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = snippets.{words}")
        return Value(name, self._type(wide.shape), wide)

    def _given(self, shape: tuple[int, ...], scale: float) -> Value:
        make = self._constant if self.rng.random() < 0.65 else self._argument
        return make(shape, scale)

    def _product(self, x: Value, columns: int, across: bool = False) -> Value:
        """`x` times new weights, in the order in which they are stored or transposed."""
        left = x.wide.swapaxes(-1, -2) if across else x.wide
        turned, terms = self.rng.random() < 0.5, left.shape[-1]
        shape = (columns, terms) if turned else (terms, columns)
        w = self._given(shape, 1.2 / math.sqrt(terms))
        wide = left @ (w.wide.T if turned else w.wide)
        words = [word for word, on in (("transpose_a", across), ("transpose_b", turned)) if on]
        how = f" {{{', '.join(words)}}}" if words else ""
        types = f"({x.type}, {w.type}) -> {self._type(wide.shape)}"
        return self._emit(f"matmul {x.name}, {w.name}{how} : {types}", wide)

    def _joined(self, op: str, a: Value, b: Value) -> Value:
        wide = a.wide + b.wide if op == "add" else a.wide * b.wide
        types = f"({a.type}, {b.type}) -> {a.type}"
        return self._emit(f"{op} {a.name}, {b.name} : {types}", wide)

    def _activated(self, value: Value) -> Value:
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            op = self.rng.choice(list(ACTIVATIONS))
            value = self._emit(f"{op} {value.name} : {value.type}", ACTIVATIONS[op](value.wide))
        return value

    def _after(self, value: Value) -> Value:
        """A bias, activations, a residual, a softmax: each of them, or not."""
        rng, shape = self.rng, value.wide.shape
        if rng.random() < 0.4:
            value = self._joined("add", value, self._given(shape[-1:], 0.8))
        if rng.random() < 0.8:
            value = self._activated(value)
        if rng.random() < 0.2:
            value = self._joined(rng.choice(("add", "multiply")), value, self._argument(shape, 0.8))
        if rng.random() < 0.12:
            words = f"softmax {value.name} {{axis = {len(shape) - 1} : i64}} : {value.type}"
            numbers = np.exp(value.wide - value.wide.max(-1, keepdims=True))
            value = self._emit(words, numbers / numbers.sum(-1, keepdims=True))
        return value


def check(seed: int) -> None:
    """The program of a seed gives what NumPy does, and the bits that one thread gives."""
    layers, rng, threads = Layers(seed), random.Random(f"way {seed}"), drawn_threads(seed)
    options: dict[str, Any] = {"partitioner": rng.choice(("tokenize", "tokenize", "fuse-ops"))}
    if rng.random() < 0.2:
        options["target"] = "generic"
    where = f"seed {seed}, {threads} threads, {options}"
    found = _results(layers, threads, options)
    for array, value in zip(found, layers.outputs, strict=True):
        bound = TOLERANCES[layers.element] * max(1.0, float(np.abs(value.wide).max()))
        np.testing.assert_allclose(array, value.wide, 0, bound, err_msg=where)
    if threads > 1 and rng.random() < 0.25:
        for array, other in zip(found, _results(layers, 1, options), strict=True):
            assert array.tobytes() == other.tobytes(), f"{where}: other bits than one thread"


def _results(layers: Layers, threads: int, options: dict[str, Any]) -> list[Array]:
    with small_kernels_shared():
        program = snippets_mlir.compile(layers.text, num_threads=threads, **options)
        names = [spec.name for spec in program.inputs]
        return list(program.run(dict(zip(names, layers.arrays, strict=True))).values())
