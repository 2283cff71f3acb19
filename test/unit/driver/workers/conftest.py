"""Programs of few kernels that workers may compile, and one worker that works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from four_kernels import SECONDS

from snippets_mlir.driver.workers import batches, helpers, processes, sharing


@pytest.fixture
def few_kernels(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Cut programs of two kernels, without a cache and ops of plug-ins, no copies of this process,
    and leave no worker; those of other tests are not there.

    Workers may take as long as they want.
    """
    monkeypatch.setattr(processes, "_workers", [])
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    monkeypatch.setattr(helpers, "PARTS", {})
    monkeypatch.setattr(batches, "MIN_KERNELS", 2)
    monkeypatch.setattr(helpers, "can_fork", lambda: False)
    monkeypatch.setattr(sharing, "PATIENCE", SECONDS)  # however busy the machine is
    yield
    processes.end_all()


@pytest.fixture(scope="module")
def kept() -> Iterator[list[processes.Worker]]:
    """Up to one worker for the tests that need one that works: starting one takes a second."""
    found: list[processes.Worker] = []
    yield found
    for worker in found:
        worker.end()


@pytest.fixture
def worker(kept: list[processes.Worker], few_kernels: None) -> Iterator[processes.Worker]:
    """It is started, and has done nothing; the test leaves one, too."""
    if not kept:
        kept.append(processes.Worker())
    (found,) = kept
    found.made = 0
    started = processes._workers  # pyright: ignore[reportPrivateUsage]
    started.append(found)
    yield found
    kept[:] = started
    started.clear()
    assert len(kept) == 1
