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

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from snippets_mlir.testing.graph_formulas import Array
from snippets_mlir.testing.graph_text import function_text
from snippets_mlir.testing.product_builder import TINY, ProductBuilder, Shape, Value

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 70)
WORK = 1 << 19
"""Multiplications of a product at most."""


def product_bound(a: Array, b: Array, unit: float) -> Array:
    """How far a sum of K products may be off: (2 sqrt(K) + 4) * unit * (|a| |b|)."""
    inner = a.shape[-1]
    return np.asarray((2 * sqrt(inner) + 4) * unit * (np.abs(a) @ np.abs(b)))


@dataclass
class ProductGraph(ProductBuilder):
    """The program of a seed; `outputs` are its results."""

    def __post_init__(self) -> None:
        """Make the whole program: one product or two, one of which may read the other."""
        super().__post_init__()
        self.outputs = [self._epilogue(self._product())]
        if self.seed % 4 == 1 and self.outputs[0].wide.ndim > 1 and self.outputs[0].wide.size:
            self.outputs = [self._epilogue(self._product(self._softmax(self.outputs[0])))]
        if self.rng.random() < 0.3:
            self.outputs.append(self._epilogue(self._product(self.outputs[0])))
        if self.seed % 7 == 3:
            self.outputs += self._side_by_side()

    @property
    def text(self) -> str:
        """The program as MLIR text."""
        return function_text(self.inputs, self.lines, self.outputs)

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
