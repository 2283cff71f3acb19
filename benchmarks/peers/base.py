"""The interface of peers: modules that prepare calls of a workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from steps import Array, Workload

Call = Callable[[], object]
Inputs = Mapping[str, Array]


class Unsupported(Exception):
    """A peer cannot express a workload; the text has the reason."""


@dataclass(frozen=True)
class Way:
    """One way in which a peer computes a workload, compiled.

    Attributes:
        label: its distinguishing property; a peer's best way counts.
        given: whether its calls write into an existing output, or return a new one.
        bind: a call on given arguments and a given output. With `given` the value of the call is
            of no interest; else it is the result, and the output is left alone. The call keeps
            alive all memory that it uses: the package may only know addresses.
        read: a result as something that `numpy.asarray` reads.
    """

    label: str
    given: bool
    bind: Callable[[Inputs, Array], Call]
    read: Callable[[Any], object] = lambda value: value


class Peer(Protocol):
    """A package that computes the workloads of the benchmark."""

    name: str

    def __init__(self, threads: int) -> None:
        """Import the package and set its threads; ImportError when it is not installed."""
        ...

    def version(self) -> str:
        """The version of the package, for the report."""
        ...

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Ways that are ready, everything compiled for arguments like `inputs`.

        Raises `Unsupported` or the package's own errors.
        """
        ...
