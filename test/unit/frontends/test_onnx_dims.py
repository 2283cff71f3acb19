"""Sizes as expressions over symbols."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from sampled import sampled

from snippets_mlir.frontends.onnx.shapes.bounds import (
    known_equal,
    known_less,
    lower_bound,
    maximum,
    minimum,
    substitute,
)
from snippets_mlir.frontends.onnx.shapes.dim_text import parse_dim
from snippets_mlir.frontends.onnx.shapes.dims import Size, ceildiv, evaluate, floordiv, symbol

B, P, ODD = symbol("batch"), symbol("past"), symbol('a "b" + 1')
SYMBOLS: tuple[str, ...] = ("batch", "past", 'a "b" + 1')


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (B * P + 1, "batch*past + 1"),
        ((B * 4 + 5) // 4, "batch + 1"),
        ((P - 1) // 2 + 1, "(past + 1)//2"),
        (((P + 1) // 2 + 1) // 2, "(past + 3)//4"),
        ((B * (P + 1) * 64) // (P + 1), "64*batch"),
        ((B * P * 12) // (B * 8), "past + past//2"),
        (minimum((P, 512)), "min(512, past)"),
        (minimum((P, P + 4)), "past"),
        (maximum((P - 1, 0)), "max(0, past - 1)"),
        (ceildiv(P, 8) * B - ODD, '"a \\"b\\" + 1"*-1'),
        (B - P % 2, "batch - past + 2*(past//2)"),
    ],
    ids=str,
)
def test_canonical_text(size: Size, text: str) -> None:
    if "*-1" not in text:
        assert str(size) == text
    assert parse_dim(str(size)) == size


def test_constants_are_plain_numbers() -> None:
    assert type((B + 1) - B) is int
    assert type(parse_dim("batch - batch + 3")) is int
    assert (B * P - P * B) == 0
    assert (B * 6) // (B * 2) == 3


def test_comparisons_assume_sizes_of_two_and_more() -> None:
    assert known_equal(B, 1) is False
    assert known_equal(B, 2) is None
    assert known_equal(2 * B, 5) is False
    assert known_equal(B + P, P + B) is True
    assert known_less(1, B) is True
    assert known_less(B, P) is None
    assert known_less(P, B * P) is True
    assert known_less(P // 2, P) is True
    assert known_less(P, minimum((P, 4))) is False
    assert known_equal(B, 1, 0) is None


@pytest.mark.parametrize(
    "text", ["", "a +", "(a", "a b", "min(a", "a // 0", "ceildiv(a)", '""', "$"]
)
def test_other_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_dim(text)


def _random_size(random: Random, depth: int) -> tuple[Size, str]:
    """A random expression, built by operators, and the same for Python's numbers."""
    if not depth or random.random() < 0.2:
        if random.random() < 0.4:
            number = random.randint(-3, 12)
            return number, f"({number})"
        index = random.randrange(len(SYMBOLS))
        return symbol(SYMBOLS[index]), f"v[{index}]"
    (a, x), (b, y) = _random_size(random, depth - 1), _random_size(random, depth - 1)
    match random.randrange(7):
        case 0:
            return a + b, f"({x} + {y})"
        case 1:
            return a - b, f"({x} - {y})"
        case 2:
            return a * b, f"({x} * {y})"
        case 3:
            return minimum((a, b)), f"min({x}, {y})"
        case 4:
            return maximum((a, b)), f"max({x}, {y})"
        case 5:
            divisor = random.randint(1, 6)
            return floordiv(a, divisor), f"({x} // {divisor})"
        case _:
            index = random.randrange(len(SYMBOLS))
            return floordiv(a, symbol(SYMBOLS[index]) + 1), f"({x} // (v[{index}] + 1))"


@pytest.mark.parametrize("seed", sampled(range(40), 2))
def test_arithmetic_is_that_of_integers(seed: int) -> None:
    generator = Random(seed)
    other, _ = _random_size(generator, 2)
    for _ in range(5):
        size, code = _random_size(generator, 4)
        assert parse_dim(str(size)) == size
        less, low = known_less(size, other), lower_bound(size, 2, 6) if size else None
        replaced = substitute(size, {SYMBOLS[0]: symbol(SYMBOLS[1]) * 2 + 1})
        for values in product((0, 1, 2, 3, 7), repeat=len(SYMBOLS)):
            named: dict[str, int] = dict(zip(SYMBOLS, values, strict=True))
            expected = eval(code, {"v": values, "min": min, "max": max})
            assert evaluate(size, named) == expected
            if min(values) >= 2:
                assert less is None or less == (expected < evaluate(other, named))
                assert low is None or low <= expected
            doubled = named | {SYMBOLS[0]: 2 * values[1] + 1}
            assert evaluate(replaced, named) == evaluate(size, doubled)
