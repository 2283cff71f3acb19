"""Random programs around matrix products, with their values and error bounds.

    %0 = snippets.transpose %x0 {permutation = array<i64: 1, 0, 2>} : ...      an operand
    %1 = snippets.matmul %0, %x1 {transpose_b} : ...                           the product
    %2 = snippets.add %1, %x2 : ...                                            a consumer

In every fourth program a mask, a softmax and a second product follow: an attention. Every seventh
program has products of one left operand with constants: a gate, or queries, keys and values. Every
eleventh program is one subgraph, with ops on rows before and after its products.

Sizes are 0 to 70 in every dim, ranks 1 to 5; batch dims broadcast; types are f32 or f64, and in
every third program dims are `?`. Right operands are arguments or constants. `product_values.py` has
the bounds, `product_ops.py` the ops beside the products.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from snippets_mlir.testing.graph_text import subgraph_text
from snippets_mlir.testing.product_ops import ProductOps
from snippets_mlir.testing.product_values import TINY, Shape, Value, product_bound

SIZES = (0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 63, 64, 65, 70)
"""Sizes around those of vectors and tiles, which half of the dims have."""
LARGEST = 70
WORK = 1 << 19
"""Multiplications of a product at most."""
SMALL = 1 << 10
"""Work of a program that the interpreter runs at all levels in a few seconds."""


@dataclass
class ProductGraph(ProductOps):
    """The program of a seed."""

    def __post_init__(self) -> None:
        """Make the whole program: one product or two, one of which may read the other."""
        super().__post_init__()
        if self.seed % 11 == 6:
            self.outputs = self._on_rows()
            return
        self.outputs = [self.epilogue(self._product())]
        if self.seed % 4 == 1 and self.outputs[0].wide.ndim > 1 and self.outputs[0].wide.size:
            scores = self.softmax(self.masked(self.outputs[0]))
            self.outputs = [self.epilogue(self._product(scores))]
        if self.rng.random() < 0.3:
            self.outputs.append(self.epilogue(self._product(self.outputs[0])))
        if self.seed % 7 == 3:
            self.outputs += self._side_by_side()

    @property
    def text(self) -> str:
        """The program as MLIR text."""
        if self.seed % 11 != 6:
            return super().text
        return subgraph_text(self.inputs, self.lines, self.outputs)

    @property
    def is_small(self) -> bool:
        """Whether the interpreter runs it at all levels in moderate time."""
        return self.work <= SMALL

    def _size(self) -> int:
        rng = self.rng
        return rng.choice(SIZES) if rng.random() < 0.5 else rng.randint(0, LARGEST)

    def _sizes(self) -> tuple[Shape, int, int, int]:
        """Batch dims, rows, terms and columns."""
        rng = self.rng
        count = rng.choice((0, 0, 0, 1, 1, 2, 3))
        batch = tuple(
            rng.choice((0, 1, 2, 3, 5)) if rng.random() < 0.9 else self._size()
            for _ in range(count)
        )
        rows, terms, columns = (self._size() for _ in range(3))
        while max(int(np.prod(batch)), 1) * max(rows, 1) * max(terms, 1) * max(columns, 1) > WORK:
            batch = tuple((size + 1) // 2 for size in batch)
            rows, terms, columns = ((size + 1) // 2 for size in (rows, terms, columns))
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
            rhs, right = self._operand(shape, free=1, constant=rng.random() < 0.25)
        return self._multiplied(lhs, rhs, left=left, right=right)

    def _multiplied(
        self, lhs: Value, rhs: Value, *, left: bool = False, right: bool = False
    ) -> Value:
        """A product; `left` and `right` say whose last two dims are swapped."""
        a = lhs.wide.swapaxes(-1, -2) if left else lhs.wide
        b = rhs.wide.swapaxes(-1, -2) if right else rhs.wide
        da = lhs.error.swapaxes(-1, -2) if left else lhs.error
        db = rhs.error.swapaxes(-1, -2) if right else rhs.error
        wide = np.asarray(a @ b)
        self.work += wide.size * a.shape[-1]
        with np.errstate(invalid="ignore"):  # rows that are NaN
            error = np.asarray(da @ np.abs(b) + np.abs(a) @ db + da @ db)
            error = error + product_bound(np.abs(a) + da, np.abs(b) + db, self.unit)
        words = [w for w, on in (("transpose_a", left), ("transpose_b", right)) if on]
        attributes = f" {{{', '.join(words)}}}" if words else ""
        factor = 2 if self.element == "f64" else 1
        return self.emit(
            "matmul", [lhs, rhs], wide, factor * error + TINY[self.element], attributes
        )

    def _side_by_side(self) -> list[Value]:
        """Two or three products of one new operand; of two, one may be a gate for the other."""
        rng = self.rng
        batch, rows, terms, columns = self._sizes()
        x = self.new_input((*batch, rows, terms))
        found: list[Value] = []
        for _ in range(rng.choice((2, 2, 3))):
            w = self.new_constant((terms, columns))
            wide = np.asarray(x.wide @ w.wide)
            self.work += wide.size * terms
            factor = 2 if self.element == "f64" else 1
            error = factor * product_bound(np.abs(x.wide), np.abs(w.wide), self.unit)
            product = self.emit("matmul", [x, w], wide, error + TINY[self.element])
            found.append(self.epilogue(product) if rng.random() < 0.5 else product)
        a, b = found[:2]
        if len(found) == 3 or rng.random() < 0.3 or a.wide.shape != b.wide.shape:
            return found
        error = a.error * np.abs(b.wide) + b.error * np.abs(a.wide) + a.error * b.error
        return [self.rounded("multiply", [a, b], a.wide * b.wide, error)]

    def _on_rows(self) -> list[Value]:
        """One or two products of a left operand that may be computed, and ops on their rows."""
        rng = self.rng
        batch, rows, terms, columns = self._sizes()
        x = self._rows_of(self.new_input((*batch, rows, terms)))
        found: list[Value] = []
        right = (*self._some(batch), terms, columns) if rng.random() < 0.3 else (terms, columns)
        for _ in range(rng.choice((1, 1, 2))):
            new = self.new_constant if rng.random() < 0.5 else self.new_input
            found.append(self._rows_of(self._multiplied(x, new(right))))
        is_computed = all(x is not value for value in self.inputs)
        return [*found, x] if is_computed and rng.random() < 0.3 else found

    def _rows_of(self, value: Value) -> Value:
        """Up to three ops on the rows of a value, which keep its shape."""
        for _ in range(self.rng.randint(0, 3)):
            kinds = ("each", "each", "softmax", "centred") if value.wide.size else ("each",)
            kind = self.rng.choice(kinds)
            if kind == "each":
                value = self._prologue(value)
            else:
                value = self.softmax(value) if kind == "softmax" else self.centred(value)
        return value

    def _some(self, batch: Shape) -> Shape:
        """Batch dims that broadcast to `batch`: some are 1, the first ones may be missing."""
        start = self.rng.randint(0, len(batch)) if self.rng.random() < 0.2 else 0
        return tuple(1 if self.rng.random() < 0.2 else size for size in batch[start:])

    def _operand(
        self, shape: Shape, free: int | None, *, constant: bool = False
    ) -> tuple[Value, bool]:
        """A value with matrices of `shape`, and whether its last two dims are swapped."""
        rng = self.rng
        swapped = free is not None and rng.random() < 0.4
        seen = (*shape[:-2], shape[-1], shape[-2]) if swapped else shape
        new = self.new_constant if constant else self.new_input
        if len(seen) > 1 and rng.random() < 0.3:
            order = list(range(len(seen)))
            rng.shuffle(order)
            source = new(tuple(seen[order.index(dim)] for dim in range(len(seen))))
            value = self.permuted(source, order)
        else:
            value = new(seen)
        if rng.random() < 0.25:
            value = self._prologue(value)
        return value, swapped

    def _prologue(self, value: Value) -> Value:
        """An op on each element that keeps the shape."""
        while True:
            state = len(self.lines), len(self.inputs), self.work
            result = self.elementwise(value)
            if result.wide.shape == value.wide.shape:
                return result
            del self.lines[state[0] :], self.ops[-1:], self.inputs[state[1] :]
            self.work = state[2]
