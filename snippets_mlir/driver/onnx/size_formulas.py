"""Sizes of an ONNX model as data that a call evaluates without the compiler.

    4*s + s//2      [[4, ["s"]], [1, [["floordiv", [[1, ["s"]]], 2]]]]

A formula is a number or a sum of terms. A term has a coefficient and the atoms it is multiplied
with. An atom is the name of a symbol, or an operation on formulas: `floordiv` of two, `min` and
`max` of any number. Formulas are made from the expressions of `frontends/onnx/shapes/dims.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.shapes.dims import Size

Formula = Any
"""`int | list[[int, list[str | [str, *list[Formula]]]]]`."""

Shapes = tuple[tuple[int, ...], ...]


def _atom(atom: Any) -> Any:
    return atom if isinstance(atom, str) else [atom.op, *map(formula_of, atom.args)]


def formula_of(size: Size) -> Formula:
    """An expression over symbols as JSON-able data: factors with their atoms."""
    if isinstance(size, int):
        return size
    return [[factor, [_atom(a) for a in monomial]] for monomial, factor in size.terms]


def value_of(formula: Formula, known: Mapping[str, int]) -> int:
    """The number that a formula is for these values of its symbols.

    Raises:
        ZeroDivisionError: a divisor is 0.
        KeyError, TypeError, ValueError: it is not a formula on these symbols.
    """
    if type(formula) is int:
        return formula
    total = 0
    for factor, atoms in cast("list[tuple[int, list[Any]]]", formula):
        product = factor
        for atom in atoms:
            product *= known[atom] if isinstance(atom, str) else _called(atom, known)
        total += product
    return total


def _called(atom: Sequence[Any], known: Mapping[str, int]) -> int:
    op, *arguments = atom
    numbers = [value_of(argument, known) for argument in arguments]
    match op:
        case "floordiv":
            first, second = numbers
            return first // second
        case "min":
            return min(numbers)
        case "max":
            return max(numbers)
        case _:
            raise ValueError(f"no operation {op!r}")


@dataclass(frozen=True)
class SizeFormulas:
    """The values that a program of symbols needs from a call.

    Attributes:
        symbols: name of a size -> its input, by position, and its dim.
        formulas: the formula of each symbol `?i` of the program.
        equalities: pairs of sizes that the program assumes to be equal.
        may_be_zero: the symbols that may be 0 (`empty_inputs.py`).
    """

    symbols: Mapping[str, Sequence[int]]
    formulas: Sequence[Formula]
    equalities: Sequence[Sequence[Formula]]
    may_be_zero: Sequence[int] = ()

    def values(self, shapes: Shapes) -> list[int] | None:
        """The symbols of a call with inputs of `shapes`; None when it needs another program.

        This is the case if an equality does not hold, or if another symbol is 0.
        """
        known = {name: shapes[i][dim] for name, (i, dim) in self.symbols.items()}
        try:
            if any(value_of(a, known) != value_of(b, known) for a, b in self.equalities):
                return None
            values = [value_of(size, known) for size in self.formulas]
        except ZeroDivisionError:
            return None
        empty = [number for number, value in enumerate(values) if value <= 0]
        may_be = all(values[number] == 0 and number in self.may_be_zero for number in empty)
        return values if may_be else None

    def check(self, ranks: Sequence[int]) -> None:
        """Raise some exception if it does not fit inputs of these ranks."""
        for i, dim in self.symbols.values():
            if not (0 <= i < len(ranks) and 0 <= dim < ranks[i]):
                raise ValueError("a size of no dim")
        known = dict.fromkeys(self.symbols, 2)
        for formula in (*self.formulas, *(f for pair in self.equalities for f in pair)):
            try:
                value_of(formula, known)
            except ZeroDivisionError:
                continue
        if any(len(pair) != 2 for pair in self.equalities):
            raise ValueError("an equality of one size")
        if not all(number in range(len(self.formulas)) for number in self.may_be_zero):
            raise ValueError("a symbol without a formula")
