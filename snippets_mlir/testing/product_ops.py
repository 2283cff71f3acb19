"""The surroundings of the products of a random program: operands, constants, adjacent ops.

%0 = snippets.transpose %x0 {permutation = array<i64: 1, 0, 2>} : ...      an operand
%2 = snippets.add %1, %x2 : ...                                            an op of an epilogue
%3 = snippets.select %x3, %2, %c2 : ...                                    masked scores
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from snippets_mlir.testing.graph_formulas import Array
from snippets_mlir.testing.graph_text import function_text, op_text
from snippets_mlir.testing.product_values import TINY, UNITS, Shape, Value, softmax_with_bound

LOW = -1e30
"""A large negative number, used in masks in place of -inf."""


@dataclass
class ProductOps:
    """The ops of a program so far.

    Attributes:
        seed: of all random choices.
        lines: its ops as text; `ops` their names.
        inputs: its arguments; `outputs` its results.
        work: its multiplications, and the elements of its values.
    """

    seed: int
    lines: list[str] = field(default_factory=list[str])
    inputs: list[Value] = field(default_factory=list[Value])
    outputs: list[Value] = field(default_factory=list[Value])
    ops: list[str] = field(default_factory=list[str])
    work: int = 0

    def __post_init__(self) -> None:
        """Start the random numbers, and choose the element type."""
        self.rng, self.array_rng = random.Random(self.seed), np.random.default_rng(self.seed)
        self.element = "f64" if self.seed % 5 == 4 else "f32"
        self.unit = UNITS[self.element]
        self.is_dynamic = self.seed % 3 == 2

    @property
    def text(self) -> str:
        """The program as MLIR text."""
        return function_text(self.inputs, self.lines, self.outputs)

    @property
    def arrays(self) -> list[Array]:
        """The inputs in the program's element types."""
        dtypes = {"f32": np.float32, "f64": np.float64, "i1": np.bool_}
        elements = (re.split("[x<>]", value.type)[-2] for value in self.inputs)
        return [v.wide.astype(dtypes[e]) for v, e in zip(self.inputs, elements, strict=True)]

    def _type(self, shape: Shape, element: str | None = None, *, known: float = 0.0) -> str:
        """A tensor type; in dynamic programs with `?` for sizes, some of which are `known`."""
        dims = [
            "?" if self.is_dynamic and self.rng.random() >= known else str(size) for size in shape
        ]
        return f"tensor<{''.join(f'{d}x' for d in dims)}{element or self.element}>"

    def input_of(self, wide: Array, element: str | None = None) -> Value:
        """A new argument with these elements."""
        type_ = self._type(wide.shape, element, known=0.5 if self.inputs else 0.0)
        value = Value(f"%x{len(self.inputs)}", wide, np.zeros(wide.shape), type_)
        self.inputs.append(value)
        return value

    def new_input(self, shape: Shape, element: str | None = None) -> Value:
        """A new argument with random elements, or truth values for `i1`."""
        return self.input_of(self._drawn(shape, element), element)

    def _drawn(self, shape: Shape, element: str | None = None) -> Array:
        """Random elements that are exact in the element type."""
        drawn = np.asarray(self.array_rng.standard_normal(shape))
        if element == "i1":
            return np.asarray(drawn > 0)
        wide = np.asarray(drawn.astype(np.float32 if self.element == "f32" else np.float64))
        return wide.astype(np.float64)

    def constant_of(self, wide: Array) -> Value:
        """A constant with these elements."""
        array = wide.astype(np.float32 if self.element == "f32" else np.float64)
        type_ = f"tensor<{''.join(f'{size}x' for size in wide.shape)}{self.element}>"
        value = Value(f"%c{len(self.lines)}", array.astype(np.float64), np.zeros(wide.shape), type_)
        elements = f'dense<"0x{array.tobytes().hex()}">' if array.size else "dense<>"
        self.lines.append(f"{value.name} = snippets.constant {elements} : {type_}")
        return value

    def new_constant(self, shape: Shape) -> Value:
        """A constant with random elements."""
        return self.constant_of(self._drawn(shape))

    def emit(
        self, op: str, operands: Sequence[Value], wide: Array, error: Array, attributes: str = ""
    ) -> Value:
        """Add an op with its value and the bound on its error."""
        self.work += wide.size
        result = Value(f"%{len(self.lines)}", wide, error, self._type(wide.shape))
        self.lines.append(op_text(op, operands, result, attributes))
        self.ops.append(op)
        return result

    def rounded(self, op: str, operands: Sequence[Value], wide: Any, error: Any) -> Value:
        """Add an op whose result is rounded, or a function within 4 units."""
        wide = np.asarray(wide)
        more = 8 * self.unit * np.abs(wide) + TINY[self.element]
        return self.emit(op, operands, wide, np.asarray(error) + more)

    def transposed(self, value: Value) -> Value:
        """A value with its dims in a random order."""
        order = list(range(value.wide.ndim))
        self.rng.shuffle(order)
        return self.permuted(value, order)

    def permuted(self, value: Value, order: Sequence[int]) -> Value:
        """A value whose dim i is dim `order[i]` of the given one."""
        error = np.broadcast_to(value.error, value.wide.shape)
        text = f" {{permutation = array<i64: {', '.join(map(str, order))}>}}"
        wide = value.wide.transpose(order)
        return self.emit("transpose", [value], wide, error.transpose(order), text)

    def softmax(self, x: Value) -> Value:
        """Softmax along the last dim."""
        wide, error = softmax_with_bound(x, self.element)
        return self.emit("softmax", [x], wide, error, f" {{axis = {x.wide.ndim - 1} : i64}}")

    def centred(self, x: Value) -> Value:
        """The difference to the maximum of each row."""
        last = x.wide.ndim - 1
        text = f" {{axes = array<i64: {last}>, keep_dims}}"
        most = x.wide.max(axis=-1, keepdims=True)
        error = np.broadcast_to(x.error, x.wide.shape)
        worst = error.max(axis=-1, keepdims=True)
        maximum = self.emit("reduce_max", [x], most, worst, text)
        return self.rounded("subtract", [x, maximum], x.wide - most, error + worst)

    def masked(self, x: Value) -> Value:
        """Scores, some of which a mask hides. The mask is added or selects; it is random or a
        constant triangle.
        """
        low = self.rng.choice((-np.inf, LOW))
        shape = x.wide.shape[self.rng.randint(0, x.wide.ndim - 2) :] if x.wide.ndim > 1 else ()
        rows, keys = (*(1, 1), *shape)[-2:]
        kind = self.rng.choice(("none", "drawn", "drawn", "triangle", "triangle"))
        if kind == "none" or not x.wide.size:
            return x
        if kind == "triangle":
            first = self.rng.randint(-2, max(keys - 1, 0))  # below 0: rows without a visible score
            seen = np.arange(keys) <= np.arange(rows)[:, None] + first
        else:
            seen = np.asarray(self.array_rng.standard_normal(shape) > -0.5)
        hidden = np.where(seen, 0.0, low)
        if kind == "drawn" and self.rng.random() < 0.5:
            mask, fill = self.input_of(seen, "i1"), self.constant_of(np.asarray(low))
            wide = np.where(seen, x.wide, fill.wide)
            return self.emit("select", [mask, x, fill], wide, np.where(seen, x.error, 0.0))
        mask = (self.constant_of if kind == "triangle" else self.input_of)(
            hidden.astype(np.float32).astype(np.float64)
        )
        wide = x.wide + mask.wide
        # A hidden score is lost in the mask, in float64 as in the element type.
        error = x.error + 8 * self.unit * np.abs(x.wide) + TINY[self.element]
        return self.emit("add", [x, mask], wide, np.where(seen, error, 0.0))

    def _beside(self, value: Value) -> Value:
        """A new input that broadcasts with a value."""
        shape = tuple(1 if self.rng.random() < 0.25 else size for size in value.wide.shape)
        shape = shape[self.rng.randint(0, len(shape)) :]
        if self.rng.random() < 0.1:
            own = value.wide.shape
            wider = tuple(3 if size == 1 else size for size in own)
            shape = wider if self.rng.random() < 0.5 or len(own) > 4 else (2, *wider)
        return self.new_input(shape)

    def elementwise(self, x: Value) -> Value:
        """An op on each element of `x`, which may be broadcast."""
        binary = ("add", "subtract", "multiply", "maximum", "select")
        op = self.rng.choice((*binary, "relu", "tanh", "sigmoid", "negative"))
        if op in ("relu", "negative"):
            wide = np.maximum(x.wide, 0) if op == "relu" else -x.wide
            return self.emit(op, [x], wide, x.error)
        if op in ("tanh", "sigmoid"):
            wide = np.tanh(x.wide) if op == "tanh" else 0.5 * (1 + np.tanh(x.wide / 2))
            return self.rounded(op, [x], wide, x.error + 4 * self.unit)
        y = self._beside(x)
        shape = np.broadcast_shapes(x.wide.shape, y.wide.shape)
        error = np.broadcast_to(x.error, shape)
        if op == "select":
            mask = self.new_input(y.wide.shape, "i1")
            wide = np.where(mask.wide, x.wide, y.wide)
            return self.emit(op, [mask, x, y], wide, np.where(mask.wide, error, 0.0))
        if op == "multiply":
            return self.rounded(op, [x, y], x.wide * y.wide, error * np.abs(y.wide))
        formulas = {"add": np.add, "subtract": np.subtract, "maximum": np.maximum}
        return self.rounded(op, [x, y], formulas[op](x.wide, y.wide), error)

    def epilogue(self, value: Value) -> Value:
        """Up to four ops on each element, and sometimes a transpose."""
        for _ in range(self.rng.randint(0, 4)):
            value = self.elementwise(value)
        turned = value.wide.ndim > 1 and self.rng.random() < 0.1
        return self.transposed(value) if turned else value
