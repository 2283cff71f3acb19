"""What a peer is: a module that prepares calls of a workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from steps import Array, Workload

Call = Callable[[], object]


class Unsupported(Exception):
    """A peer cannot write a workload, and why."""


@dataclass(frozen=True)
class Variant:
    """One way in which a peer computes a workload.

    Attributes:
        label: what is special about it; a peer's best variant counts.
        given: whether it writes into an output made before, or returns a new one.
        call: one call; for `given` the value is of no interest, else it is the result. It keeps
            alive all memory that it uses: the package may only know addresses.
        result: the result of a call as something `numpy.asarray` reads, from the call's value.
    """

    label: str
    given: bool
    call: Call
    result: Callable[[object], object]


class Peer(Protocol):
    """Something that computes workloads."""

    name: str

    def __init__(self, threads: int) -> None:
        """Import the package and set its threads; ImportError when it is not installed."""
        ...

    def version(self) -> str:
        """The package's version."""
        ...

    def prepare(
        self, workload: Workload, inputs: Mapping[str, Array], size: str
    ) -> tuple[Variant, ...]:
        """Calls that are ready, everything compiled; `Unsupported` or the package's own errors."""
        ...


def of_array(out: Array) -> Callable[[object], object]:
    """`Variant.result` of calls that write into `out`."""
    return lambda _: out


def itself(value: object) -> object:
    """`Variant.result` of calls that return an array."""
    return value
