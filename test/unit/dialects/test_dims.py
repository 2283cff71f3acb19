"""Sizes as polynomials over symbols: their algebra, what is known of them, and their text."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from copy import deepcopy

import pytest
from xdsl.parser import Parser

from snippets_mlir.dialects.builtin.dims import (
    MAX_SYMBOLS,
    Dim,
    Size,
    TooManySizesError,
    divided,
    format_size,
    known_less,
    known_max,
    product,
    static_shape,
    static_size,
    symbol,
    terms_of,
)
from snippets_mlir.dialects.builtin.size_estimates import assumed, evaluate
from snippets_mlir.dialects.builtin.size_facts import known_multiple, sum_of, symbols_of
from snippets_mlir.dialects.builtin.size_text import size_data, size_from
from snippets_mlir.dialects.builtin.sizes import parse_size
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET, SCRATCH, Choice, runtime_slots
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.support.errors import UndecidedError

A, B = symbol(0), symbol(1)

OPERATIONS: tuple[Callable[[Dim, Dim], Dim], ...] = (
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
)


def random_size(rng: random.Random, depth: int = 3) -> Dim:
    """A size of a few operations on symbols and small numbers."""
    if depth == 0 or rng.random() < 0.2:
        return symbol(rng.randrange(4)) if rng.random() < 0.6 else rng.randrange(-9, 10)
    operation = rng.choice(OPERATIONS)
    return operation(random_size(rng, depth - 1), random_size(rng, depth - 1))


def random_values(rng: random.Random) -> list[int]:
    return [rng.choice((0, 2, 3, 7, 64, 1 << 40)) for _ in range(4)]


def test_the_algebra_is_that_of_integers():
    rng = random.Random(1)
    for _ in range(3000):
        a, b, values = random_size(rng), random_size(rng), random_values(rng)
        x, y = evaluate(a, values), evaluate(b, values)
        for operation in OPERATIONS:
            result = operation(a, b)
            assert evaluate(result, values) == operation(x, y)
            assert isinstance(result, Size) == bool(symbols_of(result))
        assert evaluate(-a, values) == -x
        assert evaluate(product((a, b, 3)), values) == x * y * 3
        assert evaluate(sum_of((a, b, 3)), values) == x + y + 3


def test_equal_polynomials_are_equal_and_others_are_not():
    rng = random.Random(2)
    for _ in range(2000):
        a, b, c = (random_size(rng) for _ in range(3))
        left, right = a * (b + c), c * a + b * a
        assert left == right
        assert hash(left) == hash(right)
        if a != b:
            samples = ([rng.randrange(1 << 60) for _ in range(4)] for _ in range(3))
            assert any(evaluate(a, values) != evaluate(b, values) for values in samples)


def test_a_size_without_symbols_is_a_number():
    assert A - A == 0
    assert isinstance(A - A, int)
    assert A * 0 == 0
    assert (A + 5) - A == 5
    assert (A * B) // (B * A) == 1
    assert 4 * A == A * 4
    assert A != 4
    assert A != B
    assert len({A, symbol(0), A * 1, A + 0}) == 1


def test_what_is_known_of_an_order_holds_for_all_values():
    rng = random.Random(3)
    answers: set[bool | None] = set()
    for _ in range(3000):
        a, b = random_size(rng, 2), random_size(rng, 2)
        answer = known_less(a, b)
        answers.add(answer)
        for values in (random_values(rng) for _ in range(4)):
            if answer is not None:
                assert (evaluate(a, values) < evaluate(b, values)) == answer
    assert answers == {True, False, None}


def test_what_is_known_of_a_division_holds_for_all_values():
    rng = random.Random(4)
    known = 0
    for _ in range(4000):
        a, b = random_size(rng), rng.choice((1, 2, 3, 8, -4, A, A * B, A * 2 + B))
        a = a * b if rng.random() < 0.3 else a
        parts = divided(a, b)
        assert known_multiple(a, b) == (parts is not None and parts[1] == 0)
        for values in (random_values(rng) for _ in range(4)):
            if parts is not None and (by := evaluate(b, values)) != 0:
                known += 1
                assert divmod(evaluate(a, values), by) == (evaluate(parts[0], values), parts[1])
                assert (a // b, a % b) == parts
    assert known > 1000


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (lambda: A < 4, "?0 < 4"),  # pyright: ignore[reportOperatorIssue, reportUnknownLambdaType]
        (lambda: A <= 4, "?0 <= 4"),  # pyright: ignore[reportOperatorIssue, reportUnknownLambdaType]
        (lambda: 4 > A, "?0 < 4"),  # pyright: ignore[reportOperatorIssue, reportUnknownLambdaType]
        (lambda: A * 2 >= B, "?0*2 >= ?1"),  # pyright: ignore[reportOperatorIssue, reportUnknownLambdaType]
        (lambda: max(A, B), "?1 > ?0"),  # pyright: ignore
        (lambda: bool(A - B), "?0 + ?1*-1 != 0"),
        (lambda: A * 4 // 8, "?0*4 // 8"),
        (lambda: (A + 1) % 8, "?0 + 1 % 8"),
        (lambda: 8 // A, "8 // ?0"),
        (lambda: 8 % A, "8 % ?0"),
        (lambda: known_max(A, B), "max(?0, ?1)"),
        (lambda: static_size(A * 2), "?0*2"),
        (lambda: static_shape((3, A)), "?0"),
    ],
)
def test_a_question_without_an_answer_raises(question: Callable[[], object], text: str):
    with pytest.raises(UndecidedError) as caught:
        question()
    assert text in caught.value.question
    assert caught.value.place.startswith(__file__.rpartition("/")[2]) or __file__.endswith(
        caught.value.place.rpartition(":")[0]
    )


def test_questions_with_an_answer():
    assert (A + 1) > 0  # pyright: ignore[reportOperatorIssue]
    assert A >= 0  # pyright: ignore[reportOperatorIssue]
    assert not A < 0  # pyright: ignore[reportOperatorIssue]
    assert A * 2 <= A * 4  # pyright: ignore[reportOperatorIssue]
    assert bool(A + 1)
    assert known_max(A, A * 4) == A * 4
    assert (A * 8 + 3) % 8 == 3
    assert 0 // A == 0 % A == 0
    assert static_shape((3, 4)) == (3, 4)
    assert assumed(7) == 7
    assert assumed(A) > 1 << 30


def test_the_text_of_a_size_is_read_back():
    rng, ctx = random.Random(5), ToolContext()
    for _ in range(500):
        size = random_size(rng)
        assert parse_size(Parser(ctx, format_size(size))) == size
        assert size_from(json.loads(json.dumps(size_data(size)))) == size
    assert [*map(format_size, (A, A * B * 4, -A, A * 64 + 16, A - 1, 5))] == [
        *("?0", "?0*?1*4", "?0*-1", "?0*64 + 16", "?0 + -1", "5")
    ]
    for text in ("?", "?0*", "4 5", "?0+", "x"):
        with pytest.raises(ValueError, match=r"."):
            size_from(text)


def test_copies_are_equal():
    assert deepcopy(A * B + 4) == A * B + 4
    assert terms_of(A * B + 4) == (((0, 1), 1), ((), 4))
    assert terms_of(0) == ()


def test_there_are_only_so_many_symbols():
    with pytest.raises(TooManySizesError, match=r"expected a symbol of \?0 to \?63, found \?64"):
        symbol(MAX_SYMBOLS)
    with pytest.raises(TooManySizesError):
        symbol(-1)


def test_the_values_of_a_call():
    slots = runtime_slots([10, 3], [A * 4, 100, A * B * 4])
    assert slots[:3] == [10, 3, 0]
    assert slots[FIRST_OFFSET : FIRST_OFFSET + 3] == [0, 64, 192]
    assert slots[SCRATCH] == 320


@pytest.mark.parametrize(("keys", "rows"), [(3, 8), (10, 8), (12, 4), (20, 4), (21, 2), (900, 2)])
def test_what_a_call_chooses(keys: int, rows: int):
    """As many rows as fit 80 elements, else the fewest."""
    choice = Choice(A * 4, 320, (8, 4, 2))
    slots = runtime_slots([keys], [A * symbol(62) * 4], choice)
    assert slots[62] == rows
    assert slots[SCRATCH] == -(-4 * keys * rows // 64) * 64
