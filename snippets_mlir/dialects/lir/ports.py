"""`#lir.port`: a port of the linear IR, the facts about one operand or result, as an attribute.

    #lir.port<[4, 8], sub [8], loops [0: dim 1 ptr 8 fin -32, 1: dim 0 ptr 1 fin -8]>
    #lir.port<[4, 1], layout [1, 0], sub [1], reg "vec3">
    #lir.port<[1, 512, 96], panels 48>
    #lir.port<[3, 4], strides [8, 2]>

The size of a dynamic dimension is a formula over symbols; see `dialects/builtin/dims.py`.

It is a `Data` attribute over a frozen dataclass. It is cheap to build, and two are equal if their
fields are equal. Source: the design guide's PortDescriptor and LoopPort.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from typing_extensions import override
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.dims import Dim, Shape, format_size, known_less, product
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.builtin.sizes import parse_size
from snippets_mlir.dialects.lir.clauses import parse_clauses, parse_keyword_int, parse_keyword_size
from snippets_mlir.dialects.lir.loops import LoopInfo


@dataclass(frozen=True)
class LoopPort:
    """How one loop moves the pointer of a port; amounts are in elements.

    Attributes:
        loop: id of the loop.
        dim: dim of the port's shape that the loop walks, counted from the last (0 is the last).
        pointer_increment: pointer motion for one unit of the loop's counter.
        finalization_offset: pointer motion after the loop's last iteration.
    """

    loop: int
    dim: int
    pointer_increment: Dim = 0
    finalization_offset: Dim = 0

    @property
    def incremented(self) -> bool:
        """Whether the loop moves the pointer."""
        return self.pointer_increment != 0


@dataclass(frozen=True)
class PortDescriptor:
    """Facts about one operand or result.

    Attributes:
        shape: sizes, outermost first, padded in front to the kernel's rank, dims collapsed.
        layout: `layout[p]` is the dim of `shape` at place p in memory; empty is planar.
        subtensor: the tile that one evaluation handles, for the last dims.
        register: the physical register, once assigned.
        loops: how each enclosing loop moves the pointer, outermost first.
        panels: the width of the panels of the last dim: each is row-major and dense, one after the
            other, the last one padded; 0 for no panels.
        strides: distance in elements of neighbours in memory along each dim of `shape`, for a slice
            of an array; empty if shape, layout and panels determine them.
    """

    shape: Shape
    layout: tuple[int, ...] = ()
    subtensor: tuple[int, ...] = ()
    register: str | None = None
    loops: tuple[LoopPort, ...] = ()
    panels: int = 0
    strides: Shape = ()

    @property
    def lanes(self) -> int:
        """Elements of the last dim that one evaluation handles."""
        return self.subtensor[-1] if self.subtensor else 1

    @property
    def stored_shape(self) -> Shape:
        """The shape with whole panels: the last one is padded, by the largest amount for dynamic
        columns.
        """
        last = self.shape[-1] if self.shape else 1
        if not self.panels:
            return self.shape
        most = last + (self.panels - 1)
        return (
            *self.shape[:-1],
            most // self.panels * self.panels if isinstance(most, int) else most,
        )

    def stride(self, dim: int) -> Dim:
        """Distance in elements of neighbours along `dim`, an index into `shape`.

        For panels, the strides within one panel.
        """
        if self.strides:
            return self.strides[dim]
        places = self.layout or range(len(self.shape))
        inner = list(places)[list(places).index(dim) + 1 :]
        last = len(self.shape) - 1
        return product(self.panels if self.panels and d == last else self.shape[d] for d in inner)

    def with_loops(self, loops: tuple[LoopPort, ...]) -> PortDescriptor:
        """The port with other loops; the other facts are copied."""
        moved = object.__new__(PortDescriptor)
        vars(moved).update(vars(self), loops=loops)
        return moved

    def step(self, loop: LoopInfo) -> Dim:
        """The distance in memory, in elements, of one unit of `loop`.

        A loop over the last dim that is not inside another such loop goes from panel to panel.
        """
        if self.panels and loop.dim == 0 and loop.inner_of is None:
            return product(self.shape[:-1])
        return self.stride(len(self.shape) - 1 - loop.dim)


def _ints(parser: AttrParser) -> tuple[int, ...]:
    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def _shape(parser: AttrParser) -> Shape:
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_size(parser))
    )


def _strides(parser: AttrParser) -> Shape:
    """Sizes; numbers may be negative."""

    def stride() -> Dim:
        number = parser.parse_optional_integer()
        return parse_size(parser) if number is None else number

    return tuple(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, stride))


def _parse_loop_port(parser: AttrParser) -> LoopPort:
    loop = parser.parse_integer()
    parser.parse_punctuation(":")
    dim = parse_keyword_int(parser, "dim")
    if parser.parse_optional_keyword("fixed"):
        return LoopPort(loop, dim)
    return LoopPort(loop, dim, parse_keyword_size(parser, "ptr"), parse_keyword_size(parser, "fin"))


def _format_loop_port(port: LoopPort) -> str:
    increment, offset = format_size(port.pointer_increment), format_size(port.finalization_offset)
    motion = f"ptr {increment} fin {offset}"
    still = port.pointer_increment == 0 and port.finalization_offset == 0
    return f"{port.loop}: dim {port.dim} {'fixed' if still else motion}"


def _parse_loop_ports(parser: AttrParser) -> tuple[LoopPort, ...]:
    return tuple(
        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse_loop_port(parser))
    )


_CLAUSES: dict[str, Callable[[AttrParser], dict[str, Any]]] = {
    "layout": lambda parser: {"layout": _ints(parser)},
    "strides": lambda parser: {"strides": _strides(parser)},
    "panels": lambda parser: {"panels": parser.parse_integer()},
    "sub": lambda parser: {"subtensor": _ints(parser)},
    "reg": lambda parser: {"register": parser.parse_str_literal()},
    "loops": lambda parser: {"loops": _parse_loop_ports(parser)},
}
"""Optional facts of ports: keywords, and the fields of `PortDescriptor` that they set."""


@irdl_attr_definition
class PortAttr(Data[PortDescriptor]):
    """`#lir.port<...>`: a `PortDescriptor` as an attribute."""

    name = "lir.port"

    @override
    def __post_init__(self) -> None:
        """Skip xDSL's check of each attribute: kernels have tens of thousands of ports."""

    @classmethod
    def of(cls, port: PortDescriptor) -> PortAttr:
        """As `PortAttr(port)`, without the layers of a constructor."""
        attr = cls.__new__(cls)
        vars(attr)["data"] = port
        return attr

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> PortDescriptor:
        """Parse the text of the module docstring."""
        with parser.in_angle_brackets():
            port = PortDescriptor(_shape(parser), **parse_clauses(parser, _CLAUSES))
            if any(known_less(size, 0) for size in port.shape):
                parser.raise_error("expected sizes of 0 or more")
            if port.panels < 0 or (port.panels and port.layout):
                parser.raise_error("expected panels of at least 1 column, and no layout with them")
            rank = len(port.shape)
            if port.layout and sorted(port.layout) != list(range(rank)):
                parser.raise_error(f"expected a layout that names each dim of {rank} once")
            if len(port.subtensor) > rank or any(size < 1 for size in port.subtensor):
                parser.raise_error(f"expected a tile of at least 1 element of {rank} dims at most")
            return port

    @override
    def print_parameter(self, printer: Printer) -> None:
        port = self.data
        parts = [format_sizes(port.shape)]
        if port.layout:
            parts.append(f"layout {list(port.layout)}")
        if port.panels:
            parts.append(f"panels {port.panels}")
        if port.strides:
            parts.append(f"strides [{', '.join(map(format_size, port.strides))}]")
        if port.subtensor:
            parts.append(f"sub {list(port.subtensor)}")
        if port.register is not None:
            parts.append(f'reg "{port.register}"')
        if port.loops:
            parts.append(f"loops [{', '.join(map(_format_loop_port, port.loops))}]")
        printer.print_string(f"<{', '.join(parts)}>")
