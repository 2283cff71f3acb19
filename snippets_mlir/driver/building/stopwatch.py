"""The seconds of each phase of a compilation."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic_ns

from snippets_mlir.support.spans import add_span


@dataclass
class Stopwatch:
    """Measures the seconds of each phase of a compilation."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    _last: int = field(default_factory=monotonic_ns)

    def lap(self, phase: str) -> None:
        """Count the time since the last lap as `phase`."""
        now = monotonic_ns()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + (now - self._last) / 1e9
        add_span(phase, "phase", self._last, now)
        self._last = now
