"""The objects of stubs that a compilation begins beside its passes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from snippets_mlir.codegen.stubs import objects
from snippets_mlir.codegen.stubs.objects import OF_CALLS, begin_objects, stub_object

Work = Callable[[], bytes]


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stub has an object, in this process or on disk."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    for name in ("_objects", "_loaded"):
        monkeypatch.setattr(objects, name, {})


def begun(*names: str) -> list[Work]:
    """The work that `begin_objects` gives to a thread."""
    work: list[Work] = []
    begin_objects(names, work.append)
    return work


def refuse(*_: object, **__: object) -> object:
    """In the place of LLVM."""
    raise AssertionError("it is compiled again")


def test_an_object_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for work in begun(*OF_CALLS):
        assert work().startswith(b"\x7fELF")
    assert begun(*OF_CALLS) == []
    monkeypatch.setattr(objects, "cached", refuse)
    for name in OF_CALLS:
        assert stub_object(name).address(objects.STUBS[name].symbols[0])
    assert begun(*OF_CALLS) == []  # they are loaded


def test_work_that_was_not_done_is_done_when_it_is_needed() -> None:
    assert len(begun("call")) == 1
    assert stub_object("call").address("snippets_call")


def test_what_is_begun_twice_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = [*begun("call", "fields"), *begun("fields", "call")]
    made = [work() for work in twice[:2]]
    monkeypatch.setattr(objects, "cached", refuse)
    assert [work() for work in twice[2:]] == made[::-1]


def test_the_order_changes_no_object(monkeypatch: pytest.MonkeyPatch) -> None:
    first = [work() for work in begun("call", "fields")]
    monkeypatch.setattr(objects, "_objects", {})
    assert [work() for work in begun("fields", "call")] == first[::-1]
