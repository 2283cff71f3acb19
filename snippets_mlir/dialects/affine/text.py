"""Subscripts as `affine` text, and the expressions in them.

Subscripts are affine expressions over SSA values: `[%i + symbol(%n) * 2, %j floordiv 4 - 3]`.
Inside `symbol(...)` a value is a symbol of the access map, elsewhere it is a dimension. A value
that is written the same way several times is one operand. Dimensions come before symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

_ADDITIVE = 10
_MULTIPLICATIVE = 20
_PRECEDENCE = {
    AffineBinaryOpKind.Add: _ADDITIVE,
    AffineBinaryOpKind.Mul: _MULTIPLICATIVE,
    AffineBinaryOpKind.Mod: _MULTIPLICATIVE,
    AffineBinaryOpKind.FloorDiv: _MULTIPLICATIVE,
    AffineBinaryOpKind.CeilDiv: _MULTIPLICATIVE,
}
_DIVISIONS: dict[str, Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
    "floordiv": lambda a, b: a // b,
    "ceildiv": lambda a, b: a.ceil_div(b),
    "mod": lambda a, b: a % b,
}


def is_symbolic(expr: AffineExpr) -> bool:
    """Whether an expression has no dimension in it."""
    return not any(isinstance(part, AffineDimExpr) for part in expr.dfs())


class SubscriptParser:
    """Parses affine expressions over SSA values and collects the values they name.

    During parsing, every value has its own number as dimension or symbol; `map_of` and `operands`
    give the values in the order of first use.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._dims: dict[tuple[str, int], UnresolvedOperand] = {}
        self._symbols: dict[tuple[str, int], UnresolvedOperand] = {}

    def map_of(self, exprs: Sequence[AffineExpr]) -> AffineMap:
        """The map with these results over all values read so far."""
        return AffineMap(len(self._dims), len(self._symbols), tuple(exprs))

    def operands(self) -> list[SSAValue]:
        """The values read so far, dimensions before symbols."""
        names = [*self._dims.values(), *self._symbols.values()]
        return [self._parser.resolve_operand(name, IndexType()) for name in names]

    def expression(self) -> AffineExpr:
        """Parse a sum of products, the start symbol of a subscript."""
        value = self._product()
        while True:
            if self._parser.parse_optional_punctuation("+"):
                value = value + self._product()
            elif self._parser.parse_optional_punctuation("-"):
                value = value - self._product()
            else:
                return value

    def _product(self) -> AffineExpr:
        value = self._primary()
        while True:
            if self._parser.parse_optional_punctuation("*"):
                position = self._parser.pos
                factor = self._primary()
                if not (is_symbolic(value) or is_symbolic(factor)):
                    self._parser.raise_error(
                        "expected a constant or a symbol as one factor of a product",
                        position,
                        self._parser.pos,
                    )
                value = value * factor
                continue
            for word, divide in _DIVISIONS.items():
                if self._parser.parse_optional_keyword(word):
                    value = divide(value, self._divisor(word))
                    break
            else:
                return value

    def _divisor(self, word: str) -> AffineExpr:
        position = self._parser.pos
        divisor = self._primary()
        if not isinstance(divisor, AffineConstantExpr) or divisor.value <= 0:
            self._parser.raise_error(
                f"expected a positive constant after '{word}'", position, self._parser.pos
            )
        return divisor

    def _primary(self) -> AffineExpr:
        parser = self._parser
        if parser.parse_optional_punctuation("("):
            value = self.expression()
            parser.parse_punctuation(")")
            return value
        if parser.parse_optional_punctuation("-"):
            return self._primary() * -1
        if parser.parse_optional_keyword("symbol"):
            parser.parse_punctuation("(")
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(")")
            return AffineExpr.symbol(self._number(self._symbols, name))
        name = parser.parse_optional_unresolved_operand()
        if name is not None:
            return AffineExpr.dimension(self._number(self._dims, name))
        return AffineExpr.constant(parser.parse_integer(allow_boolean=False, allow_negative=False))

    @staticmethod
    def _number(known: dict[tuple[str, int], UnresolvedOperand], name: UnresolvedOperand) -> int:
        key = (name.operand_name, name.index)
        known.setdefault(key, name)
        return list(known).index(key)


def parse_subscripts(parser: Parser) -> tuple[AffineMapAttr, list[SSAValue]]:
    """Parse `[expression, ...]`: the map of the subscripts and its operands."""
    subscripts = SubscriptParser(parser)
    exprs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, subscripts.expression)
    return AffineMapAttr(subscripts.map_of(exprs)), subscripts.operands()


def print_subscripts(printer: Printer, map: AffineMap, operands: Sequence[SSAValue]) -> None:
    """Print the results of `map` over `operands` as `[expression, ...]`."""
    with printer.in_square_brackets():
        printer.print_list(
            map.results, lambda expr: print_expression(printer, expr, map.num_dims, operands)
        )


def print_expression(
    printer: Printer,
    expr: AffineExpr,
    num_dims: int,
    operands: Sequence[SSAValue],
    precedence: int = 0,
) -> None:
    """Print an expression over `operands`; the first `num_dims` operands are dimensions."""
    if isinstance(expr, AffineConstantExpr):
        printer.print_string(str(expr.value))
    elif isinstance(expr, AffineDimExpr):
        printer.print_operand(operands[expr.position])
    elif isinstance(expr, AffineSymExpr):
        printer.print_string("symbol(")
        printer.print_operand(operands[num_dims + expr.position])
        printer.print_string(")")
    else:
        assert isinstance(expr, AffineBinaryOpExpr)
        own = _PRECEDENCE[expr.kind]
        if own < precedence:
            printer.print_string("(")
        print_expression(printer, expr.lhs, num_dims, operands, own)
        rhs, sign = expr.rhs, expr.kind.get_token()
        if own == _ADDITIVE and isinstance(rhs, AffineConstantExpr) and rhs.value < 0:
            rhs, sign = AffineConstantExpr(-rhs.value), "-"
        printer.print_string(f" {sign} ")
        print_expression(printer, rhs, num_dims, operands, own + (own > _ADDITIVE))
        if own < precedence:
            printer.print_string(")")


def joined_bounds(
    groups: Sequence[Sequence[AffineExpr]],
) -> tuple[tuple[AffineExpr, ...], list[int]]:
    """The bounds of all dimensions in one list, and how many each dimension has."""
    flat = tuple(expr for group in groups for expr in group)
    return flat, [len(group) for group in groups]


def split_bounds(map: AffineMap, groups: Sequence[int]) -> list[tuple[AffineExpr, ...]]:
    """The results of `map` in groups of the given lengths, a group for each dimension."""
    places = count()
    return [tuple(map.results[next(places)] for _ in range(group)) for group in groups]
