"""Symbols for the sizes of a dynamic ONNX model, and their values for the shapes of a call.

    batch, length           ?0, ?1
    batch*length            ?0*?1: products of sizes are products of symbols
    past + 1                ?2 + 1: sums of sizes are sums of symbols
    length - 1              ?3: any other expression has a symbol of its own

The model is imported and compiled with these sizes (`dialects/builtin/dims.py`) in place of its
dynamic dims; `OnnxTemplate.values` evaluates the expressions for a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.size_formulas import SizeFormulas, formula_of
from snippets_mlir.frontends.onnx.shapes.dims import Dim as NamedDim
from snippets_mlir.frontends.onnx.shapes.dims import Size, evaluate, make
from snippets_mlir.frontends.onnx.shapes.infer import InferredShapes


@dataclass(frozen=True)
class OnnxTemplate:
    """The values that a program of symbols needs from a call.

    Attributes:
        symbols: name of a size -> its input, by position, and its dim.
        formulas: the formula of each symbol `?i` of the program.
        equalities: pairs of sizes that the program assumes to be equal.
    """

    symbols: Mapping[str, tuple[int, int]]
    formulas: tuple[Size, ...]
    equalities: tuple[tuple[Size, Size], ...]

    def values(self, shapes: Shapes) -> list[int] | None:
        """As `SizeFormulas.values`, of a call in which no size may be 0."""
        return self.as_data().values(shapes)

    def sizes(self, shapes: Shapes) -> list[int] | None:
        """The symbols of a call, whether the equalities hold or not; None if a size is 0."""
        known = self._known(shapes)
        try:
            values = [evaluate(size, known) for size in self.formulas]
        except ZeroDivisionError:
            return None
        return values if all(value > 0 for value in values) else None

    def _known(self, shapes: Shapes) -> dict[str, int]:
        """The sizes that inputs have."""
        return {name: shapes[i][dim] for name, (i, dim) in self.symbols.items()}

    def as_data(self, may_be_zero: Sequence[int] = ()) -> SizeFormulas:
        """The same without the compiler's expressions; these symbols may be 0."""
        pairs = [[formula_of(a), formula_of(b)] for a, b in self.equalities]
        return SizeFormulas(self.symbols, [*map(formula_of, self.formulas)], pairs, may_be_zero)


class Numbering:
    """Gives every size its symbols; see the module docstring."""

    def __init__(self) -> None:
        self._symbols: dict[Size, int] = {}
        self._numbers: dict[Size, Dim | None] = {}

    def number(self, size: Size) -> Dim | None:
        """`size` in symbols `?i`; None if no symbol is left."""
        if isinstance(size, int):
            return size
        if size not in self._numbers:
            self._numbers[size] = self._number(size)
        return self._numbers[size]

    def _number(self, size: NamedDim) -> Dim | None:
        if len(size.terms) > 1 and any(factor < 0 for _, factor in size.terms):
            return self._symbol(size)
        total: Dim = 0
        for monomial, factor in size.terms:
            part: Dim | None = factor
            for atom in monomial:
                known = self._symbol(make({(atom,): 1}))
                part = None if part is None or known is None else part * known
            if part is None:
                return None
            total = total + part
        return total

    def _symbol(self, size: Size) -> Dim | None:
        index = self._symbols.setdefault(size, len(self._symbols))
        return symbol(index) if index < FIRST_OFFSET else None

    def template(self, inferred: InferredShapes, names: Sequence[str]) -> OnnxTemplate:
        """The template of a program whose symbols are only the sizes numbered so far."""
        places = {name: i for i, name in enumerate(names)}
        symbols = {s: (places[name], dim) for s, (name, dim) in inferred.symbols.items()}
        formulas = tuple(map(inferred.spelt_out, tuple(self._symbols)[:FIRST_OFFSET]))
        return OnnxTemplate(symbols, formulas, tuple(inferred.equalities))

    def guesses(self, inferred: InferredShapes, size: int) -> list[int]:
        """The symbols if every dynamic dim of an input is `size`, for estimates."""
        known = inferred.with_defined(dict.fromkeys(inferred.symbols, size))
        return [max(1, _guess(formula, known, size)) for formula in self._symbols]


def _guess(formula: Size, known: Mapping[str, int], size: int) -> int:
    try:
        return evaluate(formula, known)
    except ZeroDivisionError:
        return size
