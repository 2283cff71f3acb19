"""Random programs around matrix products, with what they compute and how far a result may be off.

    %0 = snippets.transpose %x0 {permutation = array<i64: 1, 0, 2>} : ...      an operand
    %1 = snippets.matmul %0, %x1 {transpose_b} : ...                           the product
    %2 = snippets.add %1, %x2 : ...                                            what follows it

In every fourth program a softmax and a second product follow: an attention. In every seventh one
stand products of one left operand with constants: a gate, or queries, keys and values.

Sizes are 0 to 70 in every dim, ranks 1 to 5; batch dims broadcast; types are f32 or f64, and in
every third program dims are `?`. Each value is evaluated in float64 with a bound on its error:
(2 sqrt(K) + 4) * u * (|a| |b|) for a product with u = 2^-24 (f64: 2^-53), 8 u of the result for
each op that rounds, and what errors of the operands make of it. For f64 the values are those of
float64 themselves, and the bounds are doubled.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import numpy as np

from snippets_mlir.testing.graph_formulas import Array
from snippets_mlir.testing.graph_text import function_text, op_text

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 70)
WORK = 1 << 19
"""Multiplications of a product at most."""
SMALL = 1 << 10
"""Work of a program that the interpreter runs at all levels in a few seconds."""
UNITS = {"f32": 2.0**-24, "f64": 2.0**-53}
TINY = {"f32": 1e-37, "f64": 1e-300}
"""What a result near zero may be off."""

Shape = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Value:
    """A value, its float64 elements (or truth values), and how far each may be off."""

    name: str
    wide: Array
    error: Array
    type: str


def product_bound(a: Array, b: Array, unit: float) -> Array:
    """How far a sum of K products may be off: (2 sqrt(K) + 4) * unit * (|a| |b|)."""
    inner = a.shape[-1]
    return np.asarray((2 * sqrt(inner) + 4) * unit * (np.abs(a) @ np.abs(b)))


@dataclass
class ProductGraph:
    """The program of a seed.

    Attributes:
        seed: of everything that is random in it.
        lines: its ops as text; `ops` their names.
        inputs: its arguments; `outputs` its results.
        work: its multiplications, and the elements of its values.
    """

    seed: int
    lines: list[str] = field(default_factory=list[str])
    inputs: list[Value] = field(default_factory=list[Value])
    ops: list[str] = field(default_factory=list[str])
    work: int = 0

    def __post_init__(self) -> None:
        """Make the whole program: one product or two, one of which may read the other."""
        self.rng, self.array_rng = random.Random(self.seed), np.random.default_rng(self.seed)
        self.element = "f64" if self.seed % 5 == 4 else "f32"
        self.unit = UNITS[self.element]
        self.is_dynamic = self.seed % 3 == 2
        self.outputs = [self._epilogue(self._product())]
        if self.seed % 4 == 1 and self.outputs[0].wide.ndim > 1 and self.outputs[0].wide.size:
            self.outputs = [self._epilogue(self._product(self._softmax(self.outputs[0])))]
        if self.rng.random() < 0.3:
            self.outputs.append(self._epilogue(self._product(self.outputs[0])))
        if self.seed % 7 == 3:
            self.outputs += self._side_by_side()

    @property
    def is_small(self) -> bool:
        """Whether the interpreter runs it at all levels in moderate time."""
        return not self.is_dynamic and self.work <= SMALL

    @property
    def text(self) -> str:
        """The program as MLIR text."""
        return function_text(self.inputs, self.lines, self.outputs)

    @property
    def arrays(self) -> list[Array]:
        """The inputs as the program takes them."""
        dtypes = {"f32": np.float32, "f64": np.float64, "i1": np.bool_}
        elements = (re.split("[x<>]", value.type)[-2] for value in self.inputs)
        return [v.wide.astype(dtypes[e]) for v, e in zip(self.inputs, elements, strict=True)]

    def _type(self, shape: Shape, element: str | None = None, *, known: float = 0.0) -> str:
        """A tensor type; in dynamic programs with `?` for sizes, some of which are `known`."""
        dims = [
            "?" if self.is_dynamic and self.rng.random() >= known else str(size) for size in shape
        ]
        return f"tensor<{''.join(f'{d}x' for d in dims)}{element or self.element}>"

    def _input(self, shape: Shape, element: str | None = None) -> Value:
        drawn = np.asarray(self.array_rng.standard_normal(shape))
        if element == "i1":
            wide = np.asarray(drawn > 0)
        else:
            wide = np.asarray(drawn.astype(np.float32 if self.element == "f32" else np.float64))
            wide = wide.astype(np.float64)
        type_ = self._type(shape, element, known=0.5 if self.inputs else 0.0)
        value = Value(f"%x{len(self.inputs)}", wide, np.zeros(shape), type_)
        self.inputs.append(value)
        return value

    def _emit(
        self, op: str, operands: Sequence[Value], wide: Array, error: Array, attributes: str = ""
    ) -> Value:
        """Add an op with its value and the bound on its error."""
        self.work += wide.size
        result = Value(f"%{len(self.lines)}", wide, error, self._type(wide.shape))
        self.lines.append(op_text(op, operands, result, attributes))
        self.ops.append(op)
        return result

    def _rounded(self, op: str, operands: Sequence[Value], wide: Any, error: Any) -> Value:
        """Add an op whose result is rounded, or a function within 4 units."""
        wide = np.asarray(wide)
        more = 8 * self.unit * np.abs(wide) + TINY[self.element]
        return self._emit(op, operands, wide, np.asarray(error) + more)

    def _sizes(self) -> tuple[Shape, int, int, int]:
        """Batch dims, rows, terms and columns."""
        rng = self.rng
        batch = tuple(rng.choice((0, 1, 2, 3, 5)) for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))))
        rows, terms, columns = (rng.choice(SIZES) for _ in range(3))
        while int(np.prod(batch)) * rows * terms * columns > WORK:
            rows, terms, columns = (max(size // 2, 1) for size in (rows, terms, columns))
        return batch, rows, terms, columns

    def _product(self, given: Value | None = None) -> Value:
        """A product of two new operands, or of `given` and a new one."""
        rng = self.rng
        batch, rows, terms, columns = self._sizes()
        if given is not None and given.wide.ndim:
            terms = given.wide.shape[-1]
            batch = given.wide.shape[:-2]
            columns = min(columns, 9)
            lhs, left = given, False
        elif rng.random() < 0.1:
            lhs, left = self._operand((terms,), free=None)
        else:
            lhs, left = self._operand((*self._some(batch), rows, terms), free=0)
        if rng.random() < 0.1:
            rhs, right = self._operand((terms,), free=None)
        else:
            shape = (*(self._some(batch) if rng.random() < 0.6 else ()), terms, columns)
            rhs, right = self._operand(shape, free=1)
        a = lhs.wide.swapaxes(-1, -2) if left else lhs.wide
        b = rhs.wide.swapaxes(-1, -2) if right else rhs.wide
        da = lhs.error.swapaxes(-1, -2) if left else lhs.error
        db = rhs.error.swapaxes(-1, -2) if right else rhs.error
        wide = np.asarray(a @ b)
        self.work += wide.size * a.shape[-1]
        error = np.asarray(da @ np.abs(b) + np.abs(a) @ db + da @ db)
        error = error + product_bound(np.abs(a) + da, np.abs(b) + db, self.unit)
        words = [w for w, on in (("transpose_a", left), ("transpose_b", right)) if on]
        attributes = f" {{{', '.join(words)}}}" if words else ""
        factor = 2 if self.element == "f64" else 1
        return self._emit(
            "matmul", [lhs, rhs], wide, factor * error + TINY[self.element], attributes
        )

    def _constant(self, shape: Shape) -> Value:
        """A constant of drawn elements."""
        dtype = np.float32 if self.element == "f32" else np.float64
        array = np.asarray(self.array_rng.standard_normal(shape).astype(dtype))
        type_ = f"tensor<{''.join(f'{size}x' for size in shape)}{self.element}>"
        value = Value(f"%c{len(self.lines)}", array.astype(np.float64), np.zeros(shape), type_)
        elements = f'dense<"0x{array.tobytes().hex()}">' if array.size else "dense<>"
        self.lines.append(f"{value.name} = snippets.constant {elements} : {type_}")
        return value

    def _side_by_side(self) -> list[Value]:
        """Two or three products of one new operand; of two, one may be a gate for the other."""
        rng = self.rng
        batch, rows, terms, columns = self._sizes()
        x = self._input((*batch, rows, terms))
        found: list[Value] = []
        for _ in range(rng.choice((2, 2, 3))):
            w = self._constant((terms, columns))
            wide = np.asarray(x.wide @ w.wide)
            self.work += wide.size * terms
            factor = 2 if self.element == "f64" else 1
            error = factor * product_bound(np.abs(x.wide), np.abs(w.wide), self.unit)
            product = self._emit("matmul", [x, w], wide, error + TINY[self.element])
            found.append(self._epilogue(product) if rng.random() < 0.5 else product)
        if len(found) == 3 or rng.random() < 0.3:
            return found
        a, b = found
        error = a.error * np.abs(b.wide) + b.error * np.abs(a.wide) + a.error * b.error
        return [self._rounded("multiply", [a, b], a.wide * b.wide, error)]

    def _softmax(self, x: Value) -> Value:
        """Along the last dim; what an exponential and the sum may be off is relative to it."""
        distance = x.wide - x.wide.max(axis=-1, keepdims=True)
        e = np.exp(distance)
        wide = e / e.sum(axis=-1, keepdims=True)
        off = np.broadcast_to(x.error, x.wide.shape).max(axis=-1, keepdims=True)
        rounding = 24 + np.abs(distance) + 2 * sqrt(x.wide.shape[-1])
        error = wide * (np.expm1(4 * off) + self.unit * rounding) + TINY[self.element]
        axis = f" {{axis = {x.wide.ndim - 1} : i64}}"
        return self._emit("softmax", [x], wide, error, axis)

    def _some(self, batch: Shape) -> Shape:
        """Batch dims that broadcast to `batch`: some are 1, the first ones may be missing."""
        start = self.rng.randint(0, len(batch)) if self.rng.random() < 0.2 else 0
        return tuple(1 if self.rng.random() < 0.2 else size for size in batch[start:])

    def _operand(self, shape: Shape, free: int | None) -> tuple[Value, bool]:
        """A value with matrices of `shape`, and whether its last two dims are swapped."""
        rng = self.rng
        swapped = free is not None and rng.random() < 0.4
        seen = (*shape[:-2], shape[-1], shape[-2]) if swapped else shape
        if len(seen) > 1 and rng.random() < 0.3:
            order = list(range(len(seen)))
            rng.shuffle(order)
            source = self._input(tuple(seen[order.index(dim)] for dim in range(len(seen))))
            # Dim i of the result is dim order[i] of the operand.
            wide, error = source.wide.transpose(order), source.error.transpose(order)
            text = f" {{permutation = array<i64: {', '.join(map(str, order))}>}}"
            value = self._emit("transpose", [source], wide, error, text)
        else:
            value = self._input(seen)
        if rng.random() < 0.25:
            value = self._elementwise(value)
        return value, swapped

    def _beside(self, value: Value) -> Value:
        """A new input that broadcasts to a value."""
        shape = tuple(1 if self.rng.random() < 0.25 else size for size in value.wide.shape)
        return self._input(shape[self.rng.randint(0, len(shape)) :])

    def _elementwise(self, x: Value) -> Value:
        """An op that keeps the shape of `x`."""
        op = self.rng.choice(
            (
                "add",
                "subtract",
                "multiply",
                "maximum",
                "relu",
                "tanh",
                "sigmoid",
                "select",
                "negative",
            )
        )
        if op in ("relu", "negative"):
            wide = np.maximum(x.wide, 0) if op == "relu" else -x.wide
            return self._emit(op, [x], wide, x.error)
        if op in ("tanh", "sigmoid"):
            wide = np.tanh(x.wide) if op == "tanh" else 0.5 * (1 + np.tanh(x.wide / 2))
            return self._rounded(op, [x], wide, x.error + 4 * self.unit)
        y = self._beside(x)
        error = np.broadcast_to(x.error, x.wide.shape)
        if op == "select":
            mask = self._input(y.wide.shape, "i1")
            return self._emit(op, [mask, x, y], np.where(mask.wide, x.wide, y.wide), error)
        if op == "multiply":
            return self._rounded(op, [x, y], x.wide * y.wide, error * np.abs(y.wide))
        formulas = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum}
        return self._rounded(op, [x, y], formulas[op](x.wide, y.wide), error)

    def _epilogue(self, value: Value) -> Value:
        for _ in range(self.rng.randint(0, 4)):
            value = self._elementwise(value)
        return value


def wrong_elements(graph: ProductGraph, outputs: Sequence[Array]) -> tuple[float, str]:
    """The largest error as a part of its bound, and where it is; empty for none."""
    worst, where = 0.0, ""
    for index, (value, found) in enumerate(zip(graph.outputs, outputs, strict=True)):
        if found.shape != value.wide.shape:
            return np.inf, f"output {index} is {found.dtype}{list(found.shape)}"
        error = np.abs(found.astype(np.float64) - value.wide)
        ratio = np.where(np.isfinite(error), error, np.inf) / np.broadcast_to(
            value.error, error.shape
        )
        largest = float(ratio.max(initial=0.0))
        if largest > worst:
            worst, where = largest, f"output {index}: an error of {largest:.3g} of its bound"
    return worst, where
