"""Facts about the machine on which the groups of a graph depend."""

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.graph.products import SIDE_BY_SIDE
from snippets_mlir.targets.attributes import TARGET, machine_of, side_by_side_of, threads_of


@dataclass(frozen=True)
class Machine:
    """What the tokenizers ask about the machine.

    Attributes:
        cache: bytes of the second-level cache of a core.
        threads: that share a kernel.
        side_by_side: the most products of one left operand in a kernel with many rows.
    """

    cache: int = 1 << 20
    threads: int = 1
    side_by_side: int = SIDE_BY_SIDE


def machine_facts(module: ModuleOp) -> Machine:
    """The facts for a module; those of an ordinary machine if it has no target."""
    has_target = TARGET in module.attributes
    cache = machine_of(module).second_cache if has_target else Machine.cache
    return Machine(cache, threads_of(module), side_by_side_of(module))
