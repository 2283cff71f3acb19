"""`#lir.loop`: a loop of the linear IR as an attribute.

    #lir.loop<1, work 8, inc 8, dim 0>
    #lir.loop<0, work 4, inc 1, dim 1, parallel>
    #lir.loop<2, work 992, inc 32, dim 0, unrolled of 1>
    #lir.loop<3, work 5, inc 5, dim 0, last of 1>
    #lir.loop<4, work 4096, inc 16, dim 0, inner of 3>
    #lir.loop<5, work ?0*4, inc 16, dim 0>
    #lir.loop<6, work 13, inc 8, dim 0, handlers [first "my-pass"]>
    #lir.loop<7, work 512, inc 1, dim 2, jam 6>
    #lir.loop<8, work 512, inc 16, dim 0, diagonal 0 of 7>
    #lir.loop<9, work ?0, inc 126, dim 2, step ?62>
    #lir.loop<10, work ?0 + ?1, inc 16, dim 0, diagonal ?1 of 9>
    #lir.loop<11, work ?1, inc 16, dim 0, for ?0 below 3>
    #lir.loop<12, work ?1, inc 16, dim 0, for ?0 from 3>

The size of a dynamic dimension is a formula over symbols; see `dialects/builtin/dims.py`.

It is a `Data` attribute over a frozen dataclass. It is cheap to build, and two are equal if their
fields are equal. Source: the design guide's LoopInfo.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from typing_extensions import override
from xdsl.ir import Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, known_less
from snippets_mlir.dialects.builtin.size_estimates import CHOSEN
from snippets_mlir.dialects.builtin.size_facts import known_multiple
from snippets_mlir.dialects.builtin.sizes import parse_size
from snippets_mlir.dialects.lir.chosen_calls import Calls, parse_calls
from snippets_mlir.dialects.lir.clauses import parse_clauses, parse_keyword_int, parse_keyword_size
from snippets_mlir.dialects.lir.handlers import IterationHandler, format_handlers, parse_handlers

Iteration = Literal["unified", "whole", "first", "unrolled", "main", "last"]
"""The part of a loop's iterations that a loop runs; `unified` is all of them.

An `unrolled` part runs several iterations of the loop in each of its own iterations. There may be
several such parts, see `end_of`. A part that is the `whole` of a loop may end with a short
iteration, which the loops inside it handle: they run blocks of it.
"""

PARTS: tuple[Iteration, ...] = ("whole", "first", "unrolled", "main", "last")
"""The parts of a loop, in order of execution."""


@dataclass(frozen=True)
class LoopInfo:
    """Facts about one loop.

    Attributes:
        id: its number in the kernel, which ops name in `lir.loops`.
        work_amount: trip count of the counter, in units of the dim it walks.
        increment: units per iteration.
        dim: dim that the loop walks, counted from the last.
        parallel: whether threads share the loop: the kernel then runs the range it is called with.
        iteration: the part of the loop `origin` that this loop runs.
        origin: id of the unified loop that this loop is a part of; its own id if unified.
        inner_of: id of the loop whose increment is this one's work amount: this loop runs one block
            of it (the guide's InnerSplitted loop); None for an independent loop.
        handlers: actions on its first, main and last part when they are made; see `handlers.py`.
        jam: the number of iterations that lir-jam-loops runs in one pass of the inner loops; 1 lets
            the pass decide.
        diagonal: a distance d and the id of an enclosing loop: elements more than d units after the
            current iteration of that loop are not needed, so a kernel may skip them.
        step: the units per iteration if the call chooses them: the symbol of the kernel's choice
            (`choices.py`), at most the increment. Inner loops run blocks of it.
        calls: the calls in which it runs; None for all. In others it has no iteration.
    """

    id: int
    work_amount: Dim
    increment: int
    dim: int
    parallel: bool = False
    iteration: Iteration = "unified"
    origin: int = -1
    inner_of: int | None = None
    handlers: tuple[IterationHandler, ...] = ()
    jam: int = 1
    diagonal: tuple[Dim, int] | None = None
    step: Size | None = None
    calls: Calls | None = None

    @property
    def unified_id(self) -> int:
        """The id of the loop before it was split into first, main and last iterations."""
        return self.id if self.iteration == "unified" else self.origin

    @property
    def tail(self) -> int:
        """Units after the last whole iteration; UndecidedError if they depend on symbols."""
        return self.work_amount % self.increment

    @property
    def may_have_tail(self) -> bool:
        """Whether units remain, or may remain, after the last whole iteration."""
        return self.step is not None or not known_multiple(self.work_amount, self.increment)

    @property
    def dynamic(self) -> bool:
        """Whether the work amount depends on a dynamic dimension."""
        return isinstance(self.work_amount, Size)

    @property
    def evaluated_once(self) -> bool:
        """Whether the loop has exactly one iteration (then no counter is needed)."""
        return self.step is None and self.work_amount == self.increment

    @property
    def block(self) -> Dim:
        """The units of an iteration: its increment, or the number that the call chooses."""
        return self.increment if self.step is None else self.step

    @property
    def sizes(self) -> tuple[Dim, ...]:
        """What a call may decide: the work, the units of an iteration, the diagonal, if it runs."""
        distance = () if self.diagonal is None else self.diagonal[:1]
        decides = () if self.calls is None else (self.calls.size,)
        return (self.work_amount, self.block, *distance, *decides)

    @property
    def left_out(self) -> bool:
        """Whether the loop, of a kernel with known sizes, has no iteration because of `calls`."""
        return self.calls is not None and not self.calls.include_it


def leave_nothing(parts: Sequence[LoopInfo]) -> bool:
    """Whether the parts of a loop are unrolled by 4, 3 and 2, which sum up to any work except 1."""
    if any(part.iteration != "unrolled" for part in parts) or len(parts) != 3:
        return False
    four, three, two = (part.increment for part in parts)
    return 3 * four == 4 * three == 6 * two


def end_of(place: int, parts: Sequence[LoopInfo], work: int) -> int:
    """The units, of a loop of `work` units, that its parts have run up to and including the part at
    `place`.

    A part runs the remaining whole iterations, the last part the rest. If the parts leave nothing
    (`leave_nothing`), the first leaves 5 if 1 would remain, and the second leaves an even number.
    """
    part = parts[place]
    if place == len(parts) - 1:
        return work
    if not leave_nothing(parts):
        return work - work % part.increment
    unit = part.increment // (4 - place)
    left = work % (4 * unit)
    left += 4 * unit if left == unit else 0
    return work - (left if place == 0 else left - 3 * unit * (left // unit % 2))


def _parse_diagonal(parser: AttrParser) -> dict[str, Any]:
    distance = parse_size(parser)
    if known_less(distance, 0) is not False:
        parser.raise_error(f"expected a distance of 0 or more, found {format_size(distance)}")
    return {"diagonal": (distance, parse_keyword_int(parser, "of"))}


def _parse_step(parser: AttrParser) -> dict[str, Any]:
    step = parse_size(parser)
    if not isinstance(step, Size):
        parser.raise_error(f"expected the symbol of a choice, ?{CHOSEN}, found {step}")
    return {"step": step}


def _parse_part(part: Iteration, parser: AttrParser) -> dict[str, Any]:
    return {"iteration": part, "origin": parse_keyword_int(parser, "of")}


_CLAUSES: dict[str, Callable[[AttrParser], dict[str, Any]]] = {
    "parallel": lambda _: {"parallel": True},
    "inner": lambda parser: {"inner_of": parse_keyword_int(parser, "of")},
    "jam": lambda parser: {"jam": parser.parse_integer()},
    "diagonal": _parse_diagonal,
    "step": _parse_step,
    "for": lambda parser: {"calls": parse_calls(parser)},
    "handlers": lambda parser: {"handlers": parse_handlers(parser)},
    **{part: partial(_parse_part, part) for part in PARTS},
}
"""Optional facts of loops: keywords, and the fields of `LoopInfo` that they set."""


@irdl_attr_definition
class LoopAttr(Data[LoopInfo]):
    """`#lir.loop<0, work 64, inc 16, dim 0>`: a `LoopInfo` as an attribute."""

    name = "lir.loop"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> LoopInfo:
        """Parse the text of the module docstring."""
        with parser.in_angle_brackets():
            id_ = parser.parse_integer()
            parser.parse_punctuation(",")
            work = parse_keyword_size(parser, "work")
            parser.parse_punctuation(",")
            increment = parse_keyword_int(parser, "inc")
            parser.parse_punctuation(",")
            dim = parse_keyword_int(parser, "dim")
            loop = LoopInfo(id_, work, increment, dim, **parse_clauses(parser, _CLAUSES))
            if loop.jam < 1:
                parser.raise_error("expected a jam of at least 1")
            if loop.increment < 1 or known_less(loop.work_amount, 0):
                parser.raise_error("expected an increment of at least 1 and a work amount of 0 up")
            return loop

    @override
    def print_parameter(self, printer: Printer) -> None:
        loop = self.data
        work = format_size(loop.work_amount)
        text = f"{loop.id}, work {work}, inc {loop.increment}, dim {loop.dim}"
        if loop.parallel:
            text += ", parallel"
        if loop.inner_of is not None:
            text += f", inner of {loop.inner_of}"
        if loop.iteration != "unified":
            text += f", {loop.iteration} of {loop.origin}"
        if loop.jam != 1:
            text += f", jam {loop.jam}"
        if loop.diagonal is not None:
            text += ", diagonal {} of {}".format(*loop.diagonal)
        if loop.step is not None:
            text += f", step {format_size(loop.step)}"
        if loop.calls is not None:
            text += f", for {loop.calls}"
        if loop.handlers:
            text += f", handlers {format_handlers(loop.handlers)}"
        printer.print_string(f"<{text}>")
