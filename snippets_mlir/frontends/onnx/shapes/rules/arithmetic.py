"""Elementwise operators with which exporters compute sizes; inference tracks their elements.

Float elements are tracked as long as they are whole numbers; a quotient that is rounded immediately
(`Div` or `Mul`, then `Floor` or `Ceil`) is a rounding division.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from snippets_mlir.frontends.onnx.shapes.bounds import at_least, maximum, minimum
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, floordiv
from snippets_mlir.frontends.onnx.shapes.rules.elementwise import broadcast, like_first
from snippets_mlir.frontends.onnx.shapes.types import (
    FLOATS,
    Elements,
    UnknownShape,
    as_elements,
    combined,
    mapped,
)
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule

One = Callable[[NodeView, Size], Size | None]
Two = Callable[[NodeView, Size, Size], Size | None]


def _unary(function: One) -> Rule:
    """The rule of an operator on one input, from its function on an element."""

    def rule(node: NodeView) -> list[Out]:
        found = node.elements(0)
        return [
            Out(
                node.shape(0), None if found is None else mapped(lambda a: function(node, a), found)
            )
        ]

    return rule


def _binary(function: Two) -> Rule:
    """The rule of an operator on two inputs or more, taken from left to right."""

    def rule(node: NodeView) -> list[Out]:
        (out,) = broadcast(node)
        found = [node.elements(i) for i in range(len(node.inputs))]
        known = [e for e in found if e is not None]
        if len(known) < len(found):
            return [out]
        total: Elements | None = known[0]
        for other in known[1:]:
            total = (
                None if total is None else combined(lambda a, b: function(node, a, b), total, other)
            )
        return [Out(out.shape, total)]

    return rule


def _divide(node: NodeView, a: Size, b: Size) -> Size | None:
    whole = node.type(0).element not in FLOATS
    if isinstance(a, int) and isinstance(b, int):
        if a % b and not whole:
            return None
        return a // b if a * b >= 0 else -(-a // b)
    quotient = floordiv(a, b)
    if quotient * b == a:
        return quotient
    # ONNX rounds to zero, which is down for numbers that are not negative.
    return quotient if whole and at_least(b, 1) and _is_positive(node, a) else None


def _is_positive(node: NodeView, size: Size) -> bool:
    return node.assumptions.not_negative(size) == size


def _modulo(node: NodeView, a: Size, b: Size) -> Size | None:
    if isinstance(a, int) and isinstance(b, int):
        if not node.integer("fmod"):
            return a % b
        rest = abs(a) % abs(b)
        return rest if a >= 0 else -rest
    return a % b if at_least(b, 1) and _is_positive(node, a) else None


def _power(_: NodeView, a: Size, b: Size) -> Size | None:
    if not isinstance(b, int) or not 0 <= b <= 4:
        return None
    result: Size = 1
    for _time in range(b):
        result = result * a
    return result


def _absolute(node: NodeView, a: Size) -> Size | None:
    if isinstance(a, Dim):
        return a if _is_positive(node, a) else None
    return abs(a)


def _sign(node: NodeView, a: Size) -> Size:
    less = node.assumptions.is_less
    return -1 if less(a, 0) else int(less(0, a))


def _better(node: NodeView, a: Size, b: Size, largest: bool) -> Size:
    """Minimum or maximum; assumptions about sizes from 2 on decide where they can."""
    best = maximum((a, b)) if largest else minimum((a, b))
    if best in (a, b):
        return best
    try:
        return b if node.assumptions.is_less(a, b) == largest else a
    except UnknownShape:
        return best


def _clip(node: NodeView) -> list[Out]:
    x = node.elements(0)
    if "min" in node.attributes or "max" in node.attributes:
        return like_first(node)
    for index in (1, 2):
        if node.has(index) and x is not None:
            bound = node.elements(index)
            x = None if bound is None else combined(_bounding(node, index == 1), x, bound)
    return [Out(node.shape(0), x)]


def _bounding(node: NodeView, largest: bool) -> Callable[[Size, Size], Size]:
    return lambda a, b: _better(node, a, b, largest)


def _rounded(up: bool) -> Rule:
    """Floor and Ceil: of whole numbers themselves, of a quotient the division that rounds."""

    def rule(node: NodeView) -> list[Out]:
        found = node.elements(0)
        if found is None or None in found.reshape(-1).tolist():
            found = _rounded_ratio(node.producer(0), up)
        return [Out(node.shape(0), found)]

    return rule


def _rounded_ratio(node: NodeView | None, up: bool) -> Elements | None:
    """The rounded elements of a Div of whole numbers, or of a Mul by one fraction."""

    def rounded(a: Size, b: Size) -> Size | None:
        if not at_least(b, 1):
            return None
        return -floordiv(-a, b) if up else floordiv(a, b)

    if node is None or node.domain or node.op_type not in ("Div", "Mul"):
        return None
    a, b = node.elements(0), node.elements(1)
    if node.op_type == "Div" and a is not None and b is not None:
        return combined(rounded, a, b)
    for index, other in ((1, a), (0, b)):
        numbers = node.numbers(index)
        if numbers is None or other is None or numbers.size != 1:
            continue
        ratio = Fraction(float(numbers.item()))
        if node.op_type == "Div":
            ratio = 1 / ratio if index == 1 and ratio else Fraction(0)
        if ratio > 0 and max(ratio.denominator, ratio.numerator) <= 1024:
            above, below = (as_elements(np.array(n)) for n in (ratio.numerator, ratio.denominator))
            scaled = combined(lambda x, n: x * n, other, above)
            return None if scaled is None else combined(rounded, scaled, below)
    return None


def _sum(_: NodeView, a: Size, b: Size) -> Size:
    return a + b


RULES: dict[str, Rule] = {
    "Abs": _unary(_absolute),
    "Add": _binary(_sum),
    "And": _binary(lambda _, a, b: int(a != 0 and b != 0)),
    "Ceil": _rounded(up=True),
    "Clip": _clip,
    "Div": _binary(_divide),
    "Equal": _binary(lambda n, a, b: int(n.assumptions.is_equal(a, b))),
    "Floor": _rounded(up=False),
    "Greater": _binary(lambda n, a, b: int(n.assumptions.is_less(b, a))),
    "GreaterOrEqual": _binary(lambda n, a, b: int(not n.assumptions.is_less(a, b))),
    "Less": _binary(lambda n, a, b: int(n.assumptions.is_less(a, b))),
    "LessOrEqual": _binary(lambda n, a, b: int(not n.assumptions.is_less(b, a))),
    "Max": _binary(lambda n, a, b: _better(n, a, b, True)),
    "Min": _binary(lambda n, a, b: _better(n, a, b, False)),
    "Mod": _binary(_modulo),
    "Mul": _binary(lambda _, a, b: a * b),
    "Neg": _unary(lambda _, a: -a),
    "Not": _unary(lambda _, a: int(a == 0)),
    "Or": _binary(lambda _, a, b: int(a != 0 or b != 0)),
    "Pow": _binary(_power),
    "Relu": _unary(lambda n, a: _better(n, a, 0, True)),
    "Sign": _unary(_sign),
    "Sub": _binary(lambda _, a, b: a - b),
    "Sum": _binary(_sum),
    "Xor": _binary(lambda _, a, b: int((a != 0) != (b != 0))),
}
