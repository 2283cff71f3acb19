"""The form of data from a JSON file."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

import pytest

from snippets_mlir.driver.cache.json_form import has_form


class Inner(TypedDict):
    """A form in another one."""

    size: int | None


class Outer(TypedDict):
    """A form with all kinds of values."""

    name: str
    pair: tuple[int, str]
    inner: list[Inner]
    more: NotRequired[dict[str, Inner | int]]
    rest: NotRequired[Any]


GOOD: dict[str, Any] = {"name": "a", "pair": [1, "b"], "inner": [{"size": 1}, {"size": None}]}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"inner": []},
        {"more": {"x": {"size": 2}, "y": 3}},
        {"rest": [object]},
        {"other": 1},
        {"inner": [{"size": 1, "other": 2}]},
    ],
)
def test_data_of_the_form(change: dict[str, Any]) -> None:
    assert has_form({**GOOD, **change}, Outer)


BAD: list[dict[str, Any]] = [
    {"name": None},
    {"pair": [1]},
    {"pair": [1, "b", 2]},
    {"pair": [True, "b"]},
    {"pair": "1b"},
    {"pair": None},
    {"inner": {"size": 1}},
    {"inner": [{}]},
    {"inner": [{"size": 1.0}]},
    {"inner": [None]},
    {"more": None},
    {"more": [1]},
    {"more": {"x": True}},
    {"more": {"x": {"size": "1"}}},
]


@pytest.mark.parametrize("change", BAD)
def test_data_of_another_form(change: dict[str, Any]) -> None:
    assert not has_form({**GOOD, **change}, Outer)


def test_a_missing_key_is_another_form() -> None:
    for key in GOOD:
        assert not has_form({k: v for k, v in GOOD.items() if k != key}, Outer)
    others: list[object] = [None, [], "x", 1]
    for data in others:
        assert not has_form(data, Outer)
