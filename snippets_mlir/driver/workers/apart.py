"""Batches of kernels, compiled by this process and its workers.

This process takes batches from the front, workers take them from the back, one at a time, whoever
is free. That evens the work out better than shares made in advance, whose times would have to be
guessed. A worker that cannot be started, dies, refuses a batch or has not answered `PATIENCE`
seconds after all else is done only costs time: this process compiles what is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from queue import Empty
from typing import Any, Protocol, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.codegen.cache import cache_directory, cached
from snippets_mlir.codegen.locks import Line, new_line
from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.driver.kernel_entry import KernelFacts
from snippets_mlir.driver.workers.helpers import helpers_for
from snippets_mlir.driver.workers.lowering import lowered, module_with
from snippets_mlir.driver.workers.messages import Answer, Task, encoded
from snippets_mlir.driver.workers.processes import Worker, drop
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import spell
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import with_aliases
from snippets_mlir.support.spans import add_span, is_recording
from snippets_mlir.targets.machine import machine

PATIENCE = 10.0
"""Seconds that the last answers may take."""

FEW = 3
"""Batches that nobody has begun, at which workers take one at a time."""

IN_PIPE = 1 << 15
"""Bytes that can be written to a worker which reads nothing: Linux has twice as much room."""

Piece = bytes | Callable[[], bytes]
"""The object of a batch, or what waits for it."""

T = TypeVar("T")


class Later(Protocol):
    """Begins work, and gives what waits for its result."""

    def __call__(self, work: Callable[[], T], /) -> Callable[[], T]:
        """Begin `work`."""
        ...


@dataclass(frozen=True)
class Apart:
    """What the kernels of a program became.

    Attributes:
        facts: what reports say of them, by symbol.
        pieces: for each batch its object, or what waits for it.
    """

    facts: Mapping[str, KernelFacts]
    pieces: Sequence[Piece]


@dataclass(frozen=True)
class _Here:
    """Compiles a batch in this process.

    Attributes:
        ctx: where the passes look ops up.
        passes: the passes that kernels still need.
        how: triple, CPU and features for LLVM.
        later: what runs LLVM while the next batch is lowered; None where other processes have the
            processors.
        traced: whether spans are recorded.
    """

    ctx: ToolContext
    passes: Sequence[ModulePass]
    how: Mapping[str, Any]
    later: Later | None
    traced: bool

    def lower(self, module: ModuleOp) -> tuple[Mapping[str, KernelFacts], Piece]:
        """Lower the kernels of `module` to declarations; their facts, and their code."""
        facts, text = lowered(module, self.ctx, self.passes)
        code = partial(cached, text, bytes, **self.how, kernels=True)
        return facts, code() if self.later is None else self.later(code)

    def task(self, module: ModuleOp) -> Task:
        """What a worker is asked to do in place of `lower`."""
        cache = str(cache_directory() or "")
        return Task(with_aliases(module), spell(self.passes), dict(self.how), cache, self.traced)


def lower_apart(
    module: ModuleOp,
    ctx: ToolContext,
    passes: Sequence[ModulePass],
    batches: Sequence[range],
    target: str,
    processes: int,
    later: Later,
) -> Apart:
    """Lower the kernels of `module` to declarations, batch by batch, with `processes` in all.

    With one process, LLVM compiles a batch while the next one is lowered: `later` begins that, and
    the heaviest batch comes first.

    Raises:
        CompileError: a pass refuses a kernel, the first one that does.
    """
    m = machine(target)
    how = {"triple": m.triple, "cpu": m.cpu, "features": m.features}
    kernels = kernels_of(module)
    parts = [module_with([kernels[i] for i in batch], module) for batch in batches]
    helpers = helpers_for(batches, processes, ctx)
    here = _Here(ctx, passes, how, None if helpers else later, is_recording())
    made, answers = _shared(parts, here, helpers)
    for number, answer in answers.items():
        parts[number] = parse_module(answer.text, ctx)
        made[number] = answer.facts, answer.code
    for part in parts:
        for op in list(part.ops):
            op.detach()
            module.body.block.add_op(op)
    facts = {name: fact for number in range(len(parts)) for name, fact in made[number][0].items()}
    return Apart(facts, [made[number][1] for number in range(len(parts))])


Made = dict[int, tuple[Mapping[str, KernelFacts], Piece]]


def _shared(
    parts: Sequence[ModuleOp], here: _Here, helpers: Sequence[Worker]
) -> tuple[Made, dict[int, Answer]]:
    """What this process made, and what workers answered, by the number of the batch."""
    waiting = deque(range(len(parts)) if helpers else _heaviest_first(parts))
    done = new_line()

    def task(number: int) -> Task:
        return here.task(parts[number])

    made: Made = {}
    answers: dict[int, Answer] = {}
    with ExitStack() as stack:
        for row, worker in enumerate(helpers, 1):
            stack.enter_context(meanwhile(partial(_take, worker, row, waiting, task, done)))
        own = 0
        try:
            while (number := _next(waiting.popleft)) is not None:
                own += 1
                made[number] = _made_in_order(parts, number, made, here)
        finally:
            left = sum(1 for _ in iter(lambda: _next(waiting.pop), None))
            answers = _answered(len(parts) - own - left, helpers, done)
    for number in range(len(parts)):
        if number not in made and number not in answers:
            made[number] = here.lower(parts[number])
    return made, answers


def _heaviest_first(parts: Sequence[ModuleOp]) -> list[int]:
    """The numbers of the batches: LLVM has time for the heaviest while the others are lowered."""
    work = [sum(len(kernel.block.ops) for kernel in kernels_of(part)) for part in parts]
    return sorted(range(len(parts)), key=lambda number: -work[number])


def _made_in_order(
    parts: Sequence[ModuleOp], number: int, made: Made, here: _Here
) -> tuple[Mapping[str, KernelFacts], Piece]:
    """What a batch becomes; where it is refused, the first batch that is raises the error."""
    try:
        return here.lower(parts[number])
    except CompileError:
        for earlier in range(number):
            if earlier not in made:
                here.lower(parts[earlier])
        raise


def _next(pop: Callable[[], int]) -> int | None:
    try:
        return pop()
    except IndexError:
        return None


def _take(
    worker: Worker,
    row: int,
    waiting: deque[int],
    task: Callable[[int], Task],
    done: Line[Any],
) -> None:
    """Have batches compiled until none is `waiting`, or the process is gone.

    The worker has the next one before it ends one, but for the last ones, which are for whoever is
    free first, and for one that a pipe does not hold.
    """
    asked: deque[int] = deque()
    try:
        while True:
            alone = len(asked) > 1 or len(waiting) <= FEW
            number = None if asked and alone else _next(waiting.pop)
            if number is not None:
                asked.append(number)
                text = encoded(task(number))
                if len(asked) > 1 and len(text) > IN_PIPE:
                    done.put((asked[0], row, worker.answer()))
                    asked.popleft()
                worker.ask(text)
            elif asked:
                done.put((asked[0], row, worker.answer()))
                asked.popleft()
            else:
                return
    except Exception:  # it is gone, or says something else
        drop(worker)
    finally:
        for number in asked:
            done.put((number, row, None))


def _answered(count: int, helpers: Sequence[Worker], done: Line[Any]) -> dict[int, Answer]:
    """The answers to `count` tasks that workers took; those that have none are left out."""
    answers: dict[int, Answer] = {}
    while count:
        try:
            number, row, answer = done.get(timeout=PATIENCE)
        except Empty:
            for worker in helpers:
                drop(worker)  # its thread says so
            continue
        count -= 1
        if answer is not None:
            answers[number] = answer
            for span in answer.spans:
                add_span(span.name, span.kind, span.begin, span.end, span.row + row)
    return answers
