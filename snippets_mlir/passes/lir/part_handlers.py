"""Handlers that edit the parts of a loop for lir-insert-specific-iterations.

The compiler's handlers have a number `n`. A loop with a tail has the first two for its last part
without naming them, and the third with `tail=count`:

* `update-memory-access-counts` n: accesses of a whole vector count n elements;
* `set-fill-offset` n: `lir.fill` replaces the lanes from n on;
* `update-subtensors` n: vectors of the loop have n lanes, so the code is narrower instead of
  masked. Needs a body without carried values and without vectors from outside.

`n = -1` is the remainder of a dynamic loop. A pass that handles parts is a `PartPass`. The
definition of its class, in a pass plugin or in Python, registers it, and the loop table names it as
`handlers [first "name"]`. Source: the guide's SpecificIterationHandlers, UpdateMemoryAccessCounts,
SetFillOffset and UpdateSubtensors.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import is_array, loop_ids, port_of_result, ports, set_ports
from snippets_mlir.dialects.lir.handlers import IterationHandler
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopMarkerOp
from snippets_mlir.dialects.lir.memory import TAIL, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import FillOp
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import CompileError

COUNTS = "update-memory-access-counts"
FILL = "set-fill-offset"
SUBTENSORS = "update-subtensors"


@dataclass(frozen=True, eq=False)
class LoopPart:
    """A part of a loop for handlers.

    Attributes:
        loop: the part.
        ops: its ops in order of execution, including markers.
        table: the loops of the kernel by id.
    """

    loop: LoopInfo
    ops: Sequence[Operation]
    table: dict[int, LoopInfo]

    def by_vectors(self) -> list[Operation]:
        """The ops that go by the vectors of this loop: no loop inside walks their last dim."""
        if self.loop.dim != 0:
            return []
        return [op for op in self.ops if self._innermost(op) == self.loop.id]

    def _innermost(self, op: Operation) -> int | None:
        vector_loops = [id_ for id_ in loop_ids(op) if self.table[id_].dim == 0]
        return vector_loops[-1] if vector_loops else None


PartHandler = Callable[[Context, LoopPart, int | None], None]
"""Changes a part; the number is the handler's argument."""


def _fail(part: LoopPart, message: str) -> NoReturn:
    raise CompileError(f"loop {part.loop.id}: {message}", **position_of(part.ops[0]))


def _number(part: LoopPart, name: str, argument: int | None) -> int:
    if argument is None or argument < TAIL:
        found = "none" if argument is None else argument
        _fail(part, f'expected a number of elements for handler "{name}", found {found}')
    return argument


def handle_elements(op: Operation, count: int) -> None:
    """Let an op that goes by vectors handle only the first `count` elements of its vector."""
    if isinstance(op, MemoryAccessOp) and op.elements > 1:
        op.set_elements(count)
    if isinstance(op, StoreOp):
        op.make_plain()
    if isinstance(op, FillOp):
        op.set_first_filled(count)


def _update_counts(ctx: Context, part: LoopPart, argument: int | None) -> None:
    count = _number(part, COUNTS, argument)
    for op in part.by_vectors():
        if not isinstance(op, FillOp):
            handle_elements(op, count)


def _set_fill(ctx: Context, part: LoopPart, argument: int | None) -> None:
    lane = _number(part, FILL, argument)
    for op in part.by_vectors():
        if isinstance(op, FillOp):
            handle_elements(op, lane)


def cannot_narrow(part: LoopPart) -> str | None:
    """Why the vectors of a part cannot have fewer lanes, or None."""
    inside = set(part.ops)
    if any(isinstance(op, LoopMarkerOp) and op.operands for op in part.ops):
        return "it carries values, which have the lanes of all its parts"
    for op in part.by_vectors():
        for value in op.operands:
            outside = not isinstance(value, OpResult) or value.op not in inside
            if outside and not is_array(value) and _lanes_of(value) > 1:
                return f"{op.name} reads a vector from outside of it"
    return None


def _lanes_of(value: SSAValue) -> int:
    port = port_of_result(value)
    return 1 if port is None else port.lanes


def _update_subtensors(ctx: Context, part: LoopPart, argument: int | None) -> None:
    lanes = _number(part, SUBTENSORS, argument)
    reason = cannot_narrow(part)
    if lanes <= 0:
        reason = "how much it has to do is known only at run time"
    if reason is not None:
        _fail(part, f"its vectors cannot have {lanes} lanes: {reason}")

    def narrow(port: PortDescriptor) -> PortDescriptor:
        """The port, with vectors of `lanes` elements."""
        if port.lanes <= lanes:
            return port
        return replace(port, subtensor=(*port.subtensor[:-1], lanes))

    for op in part.by_vectors():
        set_ports(op, [narrow(port) for port in ports(op)])


HANDLERS: dict[str, PartHandler] = {
    COUNTS: _update_counts,
    FILL: _set_fill,
    SUBTENSORS: _update_subtensors,
}
"""The handlers by name; those of passes are added when their classes are defined."""


class PartPass(ModulePass):
    """A pass that handles parts of loops: a handler under the pass's name."""

    name: ClassVar[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" in vars(cls):
            HANDLERS[cls.name] = lambda ctx, part, argument: cls().apply_to_part(
                ctx, part, argument
            )

    @abstractmethod
    def apply_to_part(self, ctx: Context, part: LoopPart, argument: int | None) -> None:
        """Change the new part of a loop.

        Args:
            ctx: of the pass that made the part.
            part: its ops name it in `lir.loops` and in their ports.
            argument: the number after the name in the loop table, if there is one.
        """

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Raises an error: there are no parts to handle here."""
        raise CompileError(
            f"'{self.name}' handles parts of loops while lir-insert-specific-iterations makes "
            f'them; name it in the loop table: handlers [first "{self.name}"]'
        )


def run_handlers(ctx: Context, part: LoopPart, handlers: Sequence[IterationHandler]) -> None:
    """Run the handlers, in order, on a part of a loop.

    Raises:
        CompileError: there is no handler of that name, or it cannot handle the part.
    """
    for handler in handlers:
        run = HANDLERS.get(handler.name)
        if run is None:
            hint = close_match(handler.name, list(HANDLERS)) or f"; there are {', '.join(HANDLERS)}"
            _fail(part, f'no handler is called "{handler.name}"{hint}')
        run(ctx, part, handler.argument)
