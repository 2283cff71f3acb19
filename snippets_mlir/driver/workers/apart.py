"""Batches of kernels, compiled by this process and its helpers (`sharing.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.codegen.cache import cache_directory, cached
from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.reports.kernel_entry import KernelFacts
from snippets_mlir.driver.workers.batches import work_of
from snippets_mlir.driver.workers.forks import number_of
from snippets_mlir.driver.workers.helpers import helpers_for
from snippets_mlir.driver.workers.lowering import lowered, module_with
from snippets_mlir.driver.workers.messages import Answer, Task, encoded
from snippets_mlir.driver.workers.sharing import Made, Piece, shared
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import spell
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module, with_aliases
from snippets_mlir.support.spans import is_recording, recording
from snippets_mlir.targets.machine import machine

T = TypeVar("T")

Between = Callable[[ModuleOp], Callable[[], None] | None]
"""Begins concurrent work, and returns work that is better begun slightly later."""


class Later(Protocol):
    """Begins work, and returns a function that waits for its result."""

    def __call__(self, work: Callable[[], T], /) -> Callable[[], T]:
        """Begin `work`."""
        ...


@dataclass(frozen=True)
class Apart:
    """The results of compiling the kernels of a program.

    Attributes:
        facts: their facts for reports, by symbol.
        pieces: for each batch its object, or a function that waits for it.
    """

    facts: Mapping[str, KernelFacts]
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class _Here:
    """Compiles a batch in this process.

    Attributes:
        ctx: the context in which passes look up ops.
        passes: the passes that kernels still need.
        how: triple, CPU and features for LLVM.
        later: runs LLVM while the next batch is lowered; None if other processes use the
            processors.
        traced: whether spans are recorded.
    """

    ctx: ToolContext
    passes: Sequence[ModulePass]
    how: Mapping[str, Any]
    later: Later | None
    traced: bool

    def lower(self, module: ModuleOp) -> Made:
        """Lower the kernels of `module` to declarations; their facts, and their code."""
        facts, text = lowered(module, self.ctx, self.passes)
        code = partial(cached, text, bytes, **self.how, kernels=True)
        return facts, code() if self.later is None else self.later(code)

    def answer(self, module: ModuleOp) -> Answer:
        """The answer of a copy of this process for `module`."""
        alone = replace(self, later=None)
        with recording() as spans:
            facts, code = alone.lower(module)
        assert isinstance(code, bytes)
        return Answer(print_module(module), dict(facts), spans if self.traced else [], code)

    def task(self, module: ModuleOp) -> bytes:
        """The task of a worker in place of `lower`."""
        cache, text = str(cache_directory() or ""), with_aliases(module)
        return encoded(Task(text, spell(self.passes), dict(self.how), cache, self.traced))


def lower_apart(
    module: ModuleOp,
    ctx: ToolContext,
    passes: Sequence[ModulePass],
    batches: Sequence[range],
    target: str,
    processes: int,
    later: Later,
    between: Between,
) -> Apart:
    """Lower the kernels of `module` to declarations, batch by batch, with `processes` in all.

    With one process, LLVM compiles a batch while the next one is lowered: `later` begins that. The
    heaviest batch comes first: LLVM, or another process, has time for it.

    `between` is called after the processes exist, with the module without its kernels; its result
    is called after LLVM has a batch.

    Raises:
        CompileError: a pass refuses a kernel; the error of the first such kernel.
    """
    m = machine(target)
    how = {"triple": m.triple, "cpu": m.cpu, "features": m.features}
    kernels = kernels_of(module)
    parts = [module_with([kernels[i] for i in batch], module) for batch in batches]
    here = _Here(ctx, passes, how, later, is_recording())
    work = list(map(work_of, kernels))

    def compiles(number: int) -> Answer:
        return here.answer(parts[number])

    def for_worker(number: int) -> bytes:
        return here.task(parts[number])

    with helpers_for(work, len(batches), processes, ctx, compiles) as (helpers, are_copies):
        rest = between(module)
        if helpers and rest is not None:
            rest()  # they have kernels already
            rest = None
        order = sorted(range(len(parts)), key=lambda n: -sum(work[i] for i in batches[n]))
        alone = replace(here, later=None) if helpers else here
        task = number_of if are_copies else for_worker

        def lower(number: int) -> Made:
            nonlocal rest
            found = alone.lower(parts[number])
            if helpers:
                COMPILING.tidy()  # while they work; otherwise this thread waits for LLVM at the end
            if rest is not None:
                rest()
                rest = None
            return found

        made, answers = shared(order, lower, helpers, task)
    for number, answer in answers.items():
        parts[number] = parse_module(answer.text, ctx)
        made[number] = answer.facts, answer.code
    for part in parts:
        for op in list(part.ops):
            op.detach()
            module.body.block.add_op(op)
    facts = {name: fact for number in range(len(parts)) for name, fact in made[number][0].items()}
    return Apart(facts, [made[number][1] for number in range(len(parts))])
