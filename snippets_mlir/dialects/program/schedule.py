"""`program.schedule`: which queue runs each node, and which queue waits for which event.

    program.schedule {
      program.launch "c1" queue 0
      program.launch "c2" queue 1
      %e = program.record queue 1
      program.wait %e queue 0
      program.launch "c3" queue 0
    }

A queue runs its launches in the order of the text. An event is recorded when all earlier work of
its queue is done. A queue that waits for the event starts no later work before that.
"""

from __future__ import annotations

from typing_extensions import override
from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, NoTerminator

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.program.attributes import in_graph


@irdl_attr_definition
class EventType(ParametrizedAttribute, TypeAttribute):
    """An event: a queue has finished all its earlier work."""

    name = "program.event"


@irdl_op_definition
class ScheduleOp(Op):
    """Launches, records and waits of a graph; see the module docstring."""

    name = "program.schedule"
    body = region_def("single_block")
    traits = lazy_traits_def(lambda: (NoTerminator(), in_graph()))

    def __init__(self, body: Region) -> None:
        super().__init__(regions=[body])

    @classmethod
    def parse(cls, parser: Parser) -> ScheduleOp:
        """Parse the ops of the queues in braces."""
        return cls(parser.parse_region([]))

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False, print_empty_block=False)


def _parse_queue(parser: Parser) -> IntegerAttr[I64]:
    parser.parse_keyword("queue")
    return IntegerAttr(parser.parse_integer(allow_boolean=False, allow_negative=False), i64)


@irdl_op_definition
class LaunchOp(Op):
    """Give a node to a queue."""

    name = "program.launch"
    node = prop_def(StringAttr)
    queue = prop_def(IntegerAttr[I64])
    traits = traits_def(HasParent(ScheduleOp))

    def __init__(self, node: str, queue: int) -> None:
        super().__init__(properties={"node": StringAttr(node), "queue": IntegerAttr(queue, i64)})

    @classmethod
    def parse(cls, parser: Parser) -> LaunchOp:
        """Parse `"node" queue 0`."""
        return cls(parser.parse_str_literal(), _parse_queue(parser).value.data)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.node.data)
        printer.print_string(f" queue {self.queue.value.data}")


@irdl_op_definition
class RecordOp(Op):
    """An event that occurs when the queue has finished all its earlier work."""

    name = "program.record"
    queue = prop_def(IntegerAttr[I64])
    event = result_def(EventType)
    traits = traits_def(HasParent(ScheduleOp))

    def __init__(self, queue: int) -> None:
        super().__init__(properties={"queue": IntegerAttr(queue, i64)}, result_types=[EventType()])

    @classmethod
    def parse(cls, parser: Parser) -> RecordOp:
        """Parse `queue 0`."""
        return cls(_parse_queue(parser).value.data)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" queue {self.queue.value.data}")


@irdl_op_definition
class WaitOp(Op):
    """The queue starts no later work before the event."""

    name = "program.wait"
    event = operand_def(EventType)
    queue = prop_def(IntegerAttr[I64])
    traits = traits_def(HasParent(ScheduleOp))

    def __init__(self, event: SSAValue, queue: int) -> None:
        super().__init__(operands=[event], properties={"queue": IntegerAttr(queue, i64)})

    @classmethod
    def parse(cls, parser: Parser) -> WaitOp:
        """Parse `%e queue 0`."""
        pos = parser.pos
        operand = parser.parse_unresolved_operand()
        (event,) = parser.resolve_operands([operand], [EventType()], pos)
        return cls(event, _parse_queue(parser).value.data)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.event)
        printer.print_string(f" queue {self.queue.value.data}")
