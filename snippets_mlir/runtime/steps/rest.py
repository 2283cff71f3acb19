"""A step of a network's table in which the threads of its kernels rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snippets_mlir.runtime.manifests.formulas import Numbers


class Rest:
    """Lets a team rest, if one has run a kernel in this call."""

    def __init__(self, works: Sequence[int], rest: Callable[[], None]) -> None:
        self._works, self._rest = works, rest
        self._needed = True

    def fit(self, teams: Numbers | Sequence[int] | memoryview) -> None:
        """Take the teams of a call."""
        self._needed = any(teams[work] > 1 for work in self._works)

    def __call__(self) -> None:
        """Let them rest, if some may have run."""
        if self._needed:
            self._rest()
