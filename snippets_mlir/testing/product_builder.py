"""The ops of a random program around products, each with its value and a bound on its error."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from snippets_mlir.testing.graph_formulas import Array
from snippets_mlir.testing.graph_text import op_text

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


@dataclass
class ProductBuilder:
    """A program that grows op by op.

    Attributes:
        seed: of everything that is random in it.
        lines: its ops as text; `ops` their names.
        inputs: its arguments.
        work: its multiplications, and the elements of its values.
    """

    seed: int
    lines: list[str] = field(default_factory=list[str])
    inputs: list[Value] = field(default_factory=list[Value])
    ops: list[str] = field(default_factory=list[str])
    work: int = 0

    def __post_init__(self) -> None:
        """Draw the element type, and whether dims are dynamic."""
        self.rng, self.array_rng = random.Random(self.seed), np.random.default_rng(self.seed)
        self.element = "f64" if self.seed % 5 == 4 else "f32"
        self.unit = UNITS[self.element]
        self.is_dynamic = self.seed % 3 == 2

    @property
    def is_small(self) -> bool:
        """Whether the interpreter runs it at all levels in moderate time."""
        return not self.is_dynamic and self.work <= SMALL

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

    def _constant(self, shape: Shape) -> Value:
        dtype = np.float32 if self.element == "f32" else np.float64
        array = np.asarray(self.array_rng.standard_normal(shape).astype(dtype))
        type_ = f"tensor<{''.join(f'{size}x' for size in shape)}{self.element}>"
        value = Value(f"%c{len(self.lines)}", array.astype(np.float64), np.zeros(shape), type_)
        elements = f'dense<"0x{array.tobytes().hex()}">' if array.size else "dense<>"
        self.lines.append(f"{value.name} = snippets.constant {elements} : {type_}")
        return value
