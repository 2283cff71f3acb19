"""Counters in a kernel: calls and time of the ops between a begin and an end.

    lir.perf_count_begin 0 {clock = "rdtsc", label = "snippets.exp", position = "model.mlir:3:8"}
    %1 = snippets.exp %0 {...} : tensor<64xf32>
    lir.perf_count_end 0

Both belong to a counter of the kernel. A counter has several pairs if loops are copied. The result
of a kernel does not depend on counters. `convert-lir-to-vector` adds one array after the outputs of
a kernel with counters. It has a row of `row_words` 64-bit integers for each thread. The first two
integers are the calls and the ticks of counter 0, the next two belong to counter 1. The last ones
are free: two for the clock, `VALUE_WORDS` for values. The function names its counters in
`snippets.counters`.

* C1: a clock is `monotonic` (nanoseconds) or `rdtsc` (cycles of the time stamp counter).
* C2: a begin is followed by an end of its counter in the same loops; loops and counters that begin
  between the two also end between them.
* C3: an end follows a begin of its counter.
* C4: all begins of one counter have the same attributes.

Source: the guide's PerfCountBegin and PerfCountEnd.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, cast

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.ir import Operation
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.op_class import Op
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.support.walking import ops_of

CLOCKS = ("monotonic", "rdtsc")
COUNTERS = "snippets.counters"
CLOCK_WORDS = 2
VALUE_WORDS = 16
LINE_WORDS = 16
"""Rows begin 128 bytes apart, so that threads do not write to one cache line."""


def row_words(counters: int) -> int:
    """The number of integers per thread for a number of counters."""
    return -(-(2 * counters + CLOCK_WORDS + VALUE_WORDS) // LINE_WORDS) * LINE_WORDS


@dataclass(frozen=True)
class Counter:
    """The subject of one counter.

    Attributes:
        label: a name for the ops between begin and end.
        clock: one of `CLOCKS`.
        position: the source position, as `file:line:column`; empty if unknown.
    """

    label: str
    clock: str
    position: str = ""


class PerfCountOp(Op, ABC):
    """A begin or end of a counter."""

    counter = prop_def(IntegerAttr)

    @property
    def id(self) -> int:
        """The number of the counter in the kernel."""
        return self.counter.value.data

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse the number and the attributes; properties of the op become properties."""
        properties = {"counter": IntegerAttr(parser.parse_integer(), i64)}
        attributes = parser.parse_optional_attr_dict()
        names = cls.get_irdl_definition().properties
        properties |= {k: attributes.pop(k) for k in list(attributes) if k in names}
        return cls.create(properties=properties, attributes=attributes)

    @override
    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.id}")
        written = {k: v for k, v in self.properties.items() if k != "counter"} | self.attributes
        printer.print_op_attributes(written)


@irdl_op_definition
class PerfCountBeginOp(PerfCountOp):
    """Reads the clock (the guide's PerfCountBegin)."""

    name = "lir.perf_count_begin"
    clock = prop_def(StringAttr)
    label = prop_def(StringAttr)
    position = opt_prop_def(StringAttr)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, counter: int, about: Counter) -> None:
        position = StringAttr(about.position) if about.position else None
        super().__init__(
            properties={
                "counter": IntegerAttr(counter, i64),
                "clock": StringAttr(about.clock),
                "label": StringAttr(about.label),
                "position": position,
            }
        )

    @property
    def about(self) -> Counter:
        """Label, clock and source position of the counter."""
        position = "" if self.position is None else self.position.data
        return Counter(self.label.data, self.clock.data, position)

    def verify_(self) -> None:
        """Check C1, C2 and, against the begins before this one, C4."""
        if self.clock.data not in CLOCKS:
            raise VerifyException(
                f"C1: expected a clock of {', '.join(CLOCKS)}, found {self.clock.data!r}"
            )
        for other in _before(self):
            if isinstance(other, PerfCountBeginOp) and other.id == self.id:
                if other.about != self.about:
                    raise VerifyException(f"C4: counter {self.id} is {other.about.label!r} before")
                break
        open_marks: list[tuple[bool, int]] = []
        for op in _after(self):
            match op:
                case PerfCountBeginOp():
                    open_marks.append((True, op.id))
                case LoopBeginOp():
                    open_marks.append((False, op.id))
                case PerfCountEndOp() if not open_marks:
                    if op.id == self.id:
                        return
                    break
                case PerfCountEndOp() | LoopEndOp():
                    mark = isinstance(op, PerfCountEndOp), op.id
                    if not open_marks or open_marks.pop() != mark:
                        break
                case _:
                    pass
        raise VerifyException(
            f"C2: expected an end of counter {self.id} in the loops of its begin, "
            "after the ends of what begins between them"
        )


@irdl_op_definition
class PerfCountEndOp(PerfCountOp):
    """Adds a call, and the time since the begin (the guide's PerfCountEnd)."""

    name = "lir.perf_count_end"
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, counter: int) -> None:
        super().__init__(properties={"counter": IntegerAttr(counter, i64)})

    @override
    def verify_(self) -> None:
        depth = 0
        for op in _before(self):
            if isinstance(op, PerfCountOp) and op.id == self.id:
                depth += 1 if isinstance(op, PerfCountBeginOp) else -1
                if depth > 0:
                    return
        raise VerifyException(f"C3: expected a begin of counter {self.id} before its end")


def _before(op: Operation) -> Iterator[Operation]:
    while (previous := op.prev_op) is not None:
        yield previous
        op = previous


def _after(op: Operation) -> Iterator[Operation]:
    while (following := op.next_op) is not None:
        yield following
        op = following


def counters_of(kernel: KernelOp) -> dict[int, Counter]:
    """The counters of a kernel, by their numbers."""
    found = {op.id: op.about for op in ops_of(kernel.block) if isinstance(op, PerfCountBeginOp)}
    return dict(sorted(found.items()))


def counters_attr(counters: Sequence[Counter]) -> ArrayAttr[DictionaryAttr]:
    """The attribute `snippets.counters` of a function."""
    return ArrayAttr(
        [
            DictionaryAttr(
                {
                    "label": StringAttr(counter.label),
                    "clock": StringAttr(counter.clock),
                    "position": StringAttr(counter.position),
                }
            )
            for counter in counters
        ]
    )


def named_counters(function: Operation) -> list[Counter]:
    """The counters that the function of a kernel names, maybe none."""
    attr = function.attributes.get(COUNTERS)
    if not isinstance(attr, ArrayAttr):
        return []
    found: list[Counter] = []
    for item in cast("ArrayAttr[DictionaryAttr]", attr):
        texts = {k: v.data for k, v in item.data.items() if isinstance(v, StringAttr)}
        found.append(Counter(texts["label"], texts["clock"], texts.get("position", "")))
    return found
