"""The table of times that `snippets-opt --mlir-timing` prints."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

_RULE = f"===-{'-' * 73}-==="


@dataclass
class Timing:
    """Seconds by name, in the order in which the names came up."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    _since: float = 0.0

    def start(self) -> None:
        """Start the clock; `stop` adds the time since then."""
        self._since = time.perf_counter()

    def stop(self, name: str) -> None:
        """Add the time since `start` to a name."""
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - self._since

    def table(self) -> str:
        """The table that `--mlir-timing` prints: seconds and percent of each pass."""
        total = sum(self.seconds.values())
        title = "... Execution time report ..."
        lines = [_RULE, title.center(len(_RULE)).rstrip(), _RULE]
        lines += [f"  Total Execution Time: {total:.4f} seconds", ""]
        lines += ["  ----Wall Time----  ----Name----"]
        for name, seconds in (*self.seconds.items(), ("Total", total)):
            share = 100.0 * seconds / total if total else 0.0
            lines.append(f"  {seconds:8.4f} ({share:5.1f}%)  {name}")
        return "\n".join(lines)
