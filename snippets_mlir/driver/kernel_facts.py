"""What reports say about the kernels of a program: ops, loops, buffers, scratchpad.

The numbers are read from the linear IR when its loops and memory are final, before the first and
last iterations of loops get copies of their own:

    kernel subgraph_0: snippets.reduce_max, snippets.subtract
      3 loops 8(64, 64), 0 buffers, 0 bytes of scratchpad a thread, domain 8

The nest `8(64, 64)` is a loop over 8 rows that holds two loops over 64 elements, one after the
other. Sizes that a call brings are `?0`, `?1` and so on, and `?` for scratchpad that depends on
them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.sizes import SCRATCH, format_size, is_symbolic, symbol
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp

REASON = "snippets.reason"

LOOPS_ARE_FINAL = "lir-insert-specific-iterations"
"""The pass before which loops, buffers and scratchpad are counted."""


@dataclass(frozen=True)
class KernelFacts:
    """What the linear IR says of a kernel.

    Attributes:
        loops: how many loops it has, each counted once however often it is copied later.
        nest: their work amounts, as in `8(64, 64)`.
        buffers: pieces of scratchpad memory.
        scratch: bytes of scratchpad that each thread needs.
    """

    loops: int
    nest: str
    buffers: int
    scratch: int


@dataclass(frozen=True)
class KernelEntry:
    """One kernel call of a program.

    Attributes:
        name: the symbol of its code.
        ops: full names of its computing ops, as they are when they become a kernel.
        reason: why it is not fused with its neighbours, when a subgraph had to be taken apart.
        facts: see there; None when no kernel has been made of it.
        domain: how many elements of work threads share; None as above. A number of
            `dialects/sizes.py`, as `facts.scratch` is, when it depends on the sizes of a call.
    """

    name: str
    ops: tuple[str, ...]
    reason: str = ""
    facts: KernelFacts | None = None
    domain: int | None = None

    def lines(self) -> list[str]:
        """The text of a report."""
        found = [f"kernel {self.name}: {', '.join(self.ops) or '(a copy)'}"]
        if self.facts is not None:
            f = self.facts
            counts = f"{_count(f.loops, 'loop')}{' ' if f.nest else ''}{f.nest}"
            memory = f"{_count(f.buffers, 'buffer')}, {_shown(f.scratch)} bytes of scratchpad"
            found.append(f"  {counts}, {memory} a thread, domain {_shown(self.domain)}")
        return [*found, f"  {self.reason}"] if self.reason else found

    def as_json(self) -> dict[str, Any]:
        """The same for programs; what is not known is null."""
        facts: dict[str, Any] = dict.fromkeys(("loops", "nest", "buffers", "scratch"))
        if self.facts is not None:
            facts = {**asdict(self.facts), "scratch": _for_json(self.facts.scratch)}
        named: dict[str, Any] = {"name": self.name, "ops": list(self.ops)}
        domain = _for_json(self.domain)
        return {**named, **facts, "domain": domain, "reason": self.reason or None}


def _for_json(size: int | None) -> int | str | None:
    return size if size is None or not is_symbolic(size) else _shown(size)


def _shown(size: int | None) -> str:
    """A size as text; `?0` is the first size that a call brings."""
    if size is None:
        return "unknown"
    return "?" if size == symbol(SCRATCH) else format_size(size)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def held_ops(subgraph: SubgraphOp) -> tuple[str, ...]:
    """The names of the computing ops of a subgraph: no constants, no views, no structure."""
    return tuple(
        op.name
        for op in subgraph.block.ops
        if op.name.startswith("snippets.")
        and not op.has_trait(ConstantLike)
        and not is_view(op)
        and not isinstance(op, YieldOp)
    )


def reason_of(op: Operation) -> str:
    """The text of `snippets.reason`, or nothing."""
    reason = op.attributes.get(REASON)
    return reason.data if isinstance(reason, StringAttr) else ""


def entries_of(module: ModuleOp) -> list[KernelEntry]:
    """What is known of the kernels while they are subgraphs; their names are still empty."""
    subgraphs = [op for op in module.walk() if isinstance(op, SubgraphOp)]
    return [KernelEntry("", held_ops(s), reason_of(s)) for s in subgraphs]


def _nest(kernel: KernelOp) -> str:
    """The work amounts of the loops, in their nesting."""
    table, text = kernel.loop_table, ""
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            separator = ", " if text and text[-1] != "(" else ""
            text += f"{separator}{format_size(table[op.id].work_amount)}("
        elif isinstance(op, LoopEndOp):
            text = text[:-1] if text[-1] == "(" else f"{text})"
    return text


def facts_of(module: ModuleOp) -> dict[str, KernelFacts]:
    """The facts of each kernel by its symbol; loops and memory are final."""
    found: dict[str, KernelFacts] = {}
    for kernel in module.ops:
        if isinstance(kernel, KernelOp):
            ops = list(kernel.block.ops)
            found[kernel.sym_name.data] = KernelFacts(
                sum(isinstance(op, LoopBeginOp) for op in ops),
                _nest(kernel),
                sum(isinstance(op, BufferOp) for op in ops),
                kernel.scratch,
            )
    return found
