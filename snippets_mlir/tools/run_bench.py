"""Times of a program and of a peer, measured alternately in one process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True)
class Bench:
    """Medians in milliseconds; `runs` is the number of calls of each."""

    ours: float
    peer: float
    peer_name: str
    runs: int

    @property
    def speedup(self) -> float:
        """The peer's time divided by ours."""
        return self.peer / self.ours if self.ours else float("inf")

    def __str__(self) -> str:
        return (
            f"bench: {self.ours:.3f} ms, {self.peer_name} {self.peer:.3f} ms, "
            f"{self.speedup:.2f}x as fast ({self.runs} runs each, medians)"
        )

    def as_json(self) -> dict[str, object]:
        """The times in milliseconds, and their ratio, for JSON."""
        return {
            "ms": self.ours,
            "peer": self.peer_name,
            "peer_ms": self.peer,
            "speedup": self.speedup,
            "runs": self.runs,
        }


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def measure(
    ours: Callable[[], object],
    peer: Callable[[], object],
    peer_name: str,
    *,
    budget: float = 2.0,
    most: int = 50,
) -> Bench:
    """Call both alternately for about `budget` seconds, after one warm-up call each."""
    ours()
    once = _seconds(ours) + _seconds(peer)
    runs = max(3, min(most, int(budget / max(once, 1e-9))))
    times = [(_seconds(ours), _seconds(peer)) for _ in range(runs)]
    return Bench(
        1e3 * median(t for t, _ in times), 1e3 * median(t for _, t in times), peer_name, runs
    )
