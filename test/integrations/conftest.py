"""Tests with other packages; `make test-integrations` runs them in an environment of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_cache() -> Iterator[None]:
    """Every test compiles."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_CACHE_DIR", "")
        yield


@pytest.fixture
def torch() -> Iterator[Any]:
    """PyTorch without what dynamo has compiled before."""
    module: Any = import_module("torch")
    module.manual_seed(0)
    module._dynamo.reset()
    yield module
    module._dynamo.reset()


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of each program that is compiled."""
    graphs: Any = import_module("snippets_mlir.integrations.torch.graphs")
    found: list[str] = []
    compiled = graphs.compile_with_options

    def kept(source: str, *arguments: Any) -> Any:
        found.append(source)
        return compiled(source, *arguments)

    monkeypatch.setattr(graphs, "compile_with_options", kept)
    return found


@pytest.fixture
def wrong_in_threads() -> Callable[[Callable[[], bool], int], list[int]]:
    """Calls a check by four threads at once, each so many times; when it was false."""

    def run(is_right: Callable[[], bool], times: int) -> list[int]:
        wrong: list[int] = []

        def work() -> None:
            wrong.extend(number for number in range(times) if not is_right())

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return wrong

    return run
