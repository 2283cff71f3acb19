"""Facts for reports about kernels and ops in no kernel, as data, without the compiler.

kernel subgraph_0: snippets.reduce_max, snippets.subtract
  3 loops 8(64, 64), 0 buffers, 0 bytes of scratchpad a thread, domain 8
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from snippets_mlir.dialects.builtin.slots import SCRATCH

NO_KERNEL = "no kernel that pays reads or makes it"
"""Why an op is in no kernel, if nothing else is known."""


class OpaqueOp(NamedTuple):
    """An op that an executor runs.

    Attributes:
        op: the op's name; for an `onnx.node` the operator, as in `onnx.Conv` or `com.acme.Foo`.
        name: the node's name, in a program its id, else the name of the op's first result; may be
            empty.
        reason: why it is in no kernel.
    """

    op: str
    name: str
    reason: str

    def __str__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        return f"{self.op}{name} ({self.reason})"


@dataclass(frozen=True)
class KernelFacts:
    """The facts about a kernel from the linear IR.

    Attributes:
        loops: how many loops it has, each counted once however often it is copied later.
        nest: their work amounts, as in `8(64, 5000 by 4096)`; see `kernel_facts.py`.
        buffers: pieces of scratchpad memory.
        scratch: bytes of scratchpad that each thread needs.
    """

    loops: int
    nest: str
    buffers: int
    scratch: int | str


@dataclass(frozen=True)
class KernelEntry:
    """One kernel call of a program.

    Attributes:
        name: the symbol of its code.
        ops: full names of its computing ops when they become a kernel.
        names: the names of the model's ops that it computes: the names of their values in the text,
            else as in `ops`; empty if unknown.
        reason: why it is not fused with its neighbours, if a subgraph was dissolved.
        facts: see there; None if it did not become a kernel.
        domain: how many elements of work threads share; None as above. If it depends on dynamic
            dimensions, the text of a formula, like `facts.scratch`.
        place: its place among the subgraphs, if that is not its place among the calls.
    """

    name: str
    ops: tuple[str, ...]
    names: tuple[str, ...] = ()
    reason: str = ""
    facts: KernelFacts | None = None
    domain: int | str | None = None
    place: int | None = None

    def lines(self) -> list[str]:
        """The lines of the report of `snippets-run --report`."""
        found = [f"kernel {self.name}: {', '.join(self.ops) or '(a copy)'}"]
        if self.facts is not None:
            f = self.facts
            counts = f"{_count(f.loops, 'loop')}{' ' if f.nest else ''}{f.nest}"
            memory = f"{_count(f.buffers, 'buffer')}, {_shown(f.scratch)} bytes of scratchpad"
            found.append(f"  {counts}, {memory} a thread, domain {_shown(self.domain)}")
        return [*found, f"  {self.reason}"] if self.reason else found

    def as_json(self) -> dict[str, Any]:
        """The entry for programs; unknown facts are null."""
        facts: dict[str, Any] = dict.fromkeys(("loops", "nest", "buffers", "scratch"))
        if self.facts is not None:
            facts = {**asdict(self.facts), "scratch": _for_json(self.facts.scratch)}
        named: dict[str, Any] = {"name": self.name, "ops": list(self.ops)}
        domain = _for_json(self.domain)
        return {**named, **facts, "domain": domain, "reason": self.reason or None}


def _for_json(size: int | str | None) -> int | str | None:
    return _shown(size) if isinstance(size, str) else size


def _shown(size: int | str | None) -> str:
    """A size as text; `?0` is the first dynamic dimension."""
    if size is None:
        return "unknown"
    return "?" if size == f"?{SCRATCH}" else str(size)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
