"""`#program.impl` and `#program.mem`: how a node runs, and where its value is stored.

    #program.impl<"snippets", @softmax, cost = 182000, scratch = 4096>
    #program.impl<"onnxruntime">
    #program.mem<arena, 0, 802816>
    #program.mem<output, 0>

A node prints them as `impl<...>` and `mem<...>`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from typing_extensions import override
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import HasParent

POOLS = ("arena", "own", "output")
"""The memory pools of a network: a shared block, a separate block for the value, the array of an
output.
"""

_READ: list[Callable[[], Iterable[str]]] = [
    lambda: ("snippets", "onnxruntime", "reference", "inside")
]


def kinds() -> tuple[str, ...]:
    """The kinds of implementations in the registry, including those of plug-ins."""
    return tuple(_READ[-1]())


def read_kinds_from(registry: Callable[[], Iterable[str]]) -> None:
    """Let `kinds` read the registry, which this dialect cannot import."""
    _READ.append(registry)


@dataclass(frozen=True)
class Impl:
    """How a node runs.

    Attributes:
        kind: a kind of the registry of implementations, as `snippets`.
        symbol: the kernel, once it is in the module.
        cost: the estimated nanoseconds of one run on one thread.
        scratch: bytes of scratchpad that each thread needs.
    """

    kind: str
    symbol: str | None = None
    cost: int | None = None
    scratch: int | None = None


@dataclass(frozen=True)
class Mem:
    """Where a result of a node is.

    Attributes:
        pool: one of `POOLS`.
        offset: its first byte in the pool; for `output`, the number of the graph's output.
        size: its bytes; None for an output, because its array determines it.
    """

    pool: str
    offset: int = 0
    size: int | None = None

    @property
    def end(self) -> int:
        """The byte after the last one."""
        return self.offset + (self.size or 0)

    @property
    def range(self) -> str:
        """Its bytes in messages: `[0, 64)`."""
        return f"[{self.offset}, {self.end})"

    def overlaps(self, other: Mem) -> bool:
        """Whether the two share a byte of the arena."""
        same = self.pool == other.pool == "arena"
        return same and self.offset < other.end and other.offset < self.end


@irdl_attr_definition
class ImplAttr(Data[Impl]):
    """How a node runs: the kind of implementation, and its specific facts."""

    name = "program.impl"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Impl:
        """Parse `<"kind", @symbol, cost = 1, scratch = 64>`; all but the kind may be missing."""
        symbol: str | None = None
        numbers: dict[str, int] = {}
        with parser.in_angle_brackets():
            kind = parser.parse_str_literal()
            while parser.parse_optional_punctuation(","):
                if (name := parser.parse_optional_symbol_name()) is not None:
                    symbol = name.data
                    continue
                key = parser.parse_identifier()
                if key not in ("cost", "scratch") or key in numbers:
                    parser.raise_error(f"expected cost or scratch once, found {key}")
                parser.parse_punctuation("=")
                numbers[key] = parser.parse_integer(allow_boolean=False)
        return Impl(kind, symbol, numbers.get("cost"), numbers.get("scratch"))

    @override
    def print_parameter(self, printer: Printer) -> None:
        impl = self.data
        with printer.in_angle_brackets():
            printer.print_string_literal(impl.kind)
            if impl.symbol is not None:
                printer.print_string(", ")
                printer.print_symbol_name(impl.symbol)
            for key, number in (("cost", impl.cost), ("scratch", impl.scratch)):
                if number is not None:
                    printer.print_string(f", {key} = {number}")


@irdl_attr_definition
class MemAttr(Data[Mem]):
    """Where a result of a node is."""

    name = "program.mem"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Mem:
        """Parse `<pool, offset, size>`; the size may be missing."""
        with parser.in_angle_brackets():
            pool = parser.parse_identifier()
            if pool not in POOLS:
                parser.raise_error(f"expected one of {', '.join(POOLS)}, found {pool}")
            parser.parse_punctuation(",")
            offset = parser.parse_integer(allow_boolean=False, allow_negative=False)
            size = None
            if parser.parse_optional_punctuation(","):
                size = parser.parse_integer(allow_boolean=False, allow_negative=False)
        return Mem(pool, offset, size)

    @override
    def print_parameter(self, printer: Printer) -> None:
        mem = self.data
        with printer.in_angle_brackets():
            size = "" if mem.size is None else f", {mem.size}"
            printer.print_string(f"{mem.pool}, {mem.offset}{size}")


def in_graph() -> HasParent:
    """The trait of ops that are in a `program.graph`."""
    from snippets_mlir.dialects.program.graph import GraphOp

    return HasParent(GraphOp)
