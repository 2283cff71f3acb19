"""Calls that are too small for the kernels of a dynamic model: they run as one session.

    planned for      tokens 1x128     26 kernels save 245 us, the cuts cost 182: kernels
    a call           tokens 2x9       they save 8 us, the cuts cost 150: one session
                     tokens 1x512     kernels

What kernels save depends on the sizes of a call; what the cuts of the session cost hardly does. So
a plan has the least work with which its kernels pay off (`cuts/least_work.py`), as a formula of the
sizes of the inputs. A call with less work runs as one session of the whole model, whichever calls
came before. The first such call opens this session, which is beside the kernels from then on. The
session would run another model if the file has changed, so then kernels take small calls, too.

This module does not import the compiler: programs from the cache use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.onnx.size_formulas import Formula, Shapes, value_of
from snippets_mlir.driver.reports.kernel_entry import NO_KERNEL

if TYPE_CHECKING:
    from snippets_mlir.driver.building.built import Built


TOO_SMALL = "the call is too small for its kernel to pay off"


class LeastWorkData(TypedDict):
    """`LeastWork` as JSON-able data."""

    symbols: dict[str, Any]
    work: Any
    least: int
    text: str


@dataclass(frozen=True)
class LeastWork:
    """The least work of a call for which the kernels of a plan pay off.

    Attributes:
        symbols: name of a size -> its input, by position, and its dim.
        work: the work of a call, in a unit of its own.
        least: the kernels pay off from this work on.
        text: the smallest inputs for which they do, in words.
    """

    symbols: Mapping[str, Sequence[int]]
    work: Formula
    least: int
    text: str

    def __str__(self) -> str:
        """`one session: calls smaller than about tokens 1x64; kernels would save less ...`."""
        return (
            f"one session: calls smaller than about {self.text}; kernels save less of them than "
            "the cuts of the session cost"
        )

    def exceeds(self, shapes: Shapes) -> bool:
        """Whether a call with inputs of `shapes` has less work."""
        known = {name: shapes[i][dim] for name, (i, dim) in self.symbols.items()}
        try:
            return value_of(self.work, known) < self.least
        except ZeroDivisionError:
            return False

    def data(self) -> LeastWorkData:
        """The same as JSON-able data."""
        symbols = {name: [*place] for name, place in self.symbols.items()}
        return {"symbols": symbols, "work": self.work, "least": self.least, "text": self.text}


def least_work_from(data: LeastWorkData | None, ranks: Sequence[int]) -> LeastWork | None:
    """The least work of its data; some exception if it does not fit inputs of these ranks."""
    if data is None:
        return None
    for i, dim in data["symbols"].values():
        if not (0 <= i < len(ranks) and 0 <= dim < ranks[i]):
            raise ValueError("a size of no dim")
    found = LeastWork(**data)
    found.exceeds(tuple((2,) * rank for rank in ranks))  # its formula gives a number
    return found


class SmallCalls:
    """Decides which calls of one program with kernels are small.

    Attributes:
        least: the least work for kernels; None: no call is small.
    """

    def __init__(self, least: LeastWork | None, is_unchanged: Callable[[], bool]) -> None:
        """`is_unchanged` returns whether the source is still the model of the kernels."""
        self.least = least
        self._is_unchanged, self._is_checked = is_unchanged, False
        self._session: Built | None = None

    def have(self, shapes: Shapes) -> bool:
        """Whether a call with inputs of `shapes` is to run as one session."""
        if (least := self.least) is None or not least.exceeds(shapes):
            return False
        return self._is_checked or self._may_open()

    def _may_open(self) -> bool:
        """Whether the session may be opened: the first small call decides."""
        is_unchanged = self._is_unchanged()
        with KEEPING:
            if not self._is_checked and not is_unchanged:
                self.least = None
            self._is_checked = True
        return self.least is not None

    def session(self, whole: Built) -> Built:
        """The session of the whole model; the report says why a small call has no kernels."""
        found = self._session
        if found is None or found.program is not whole.program:
            ops = (
                op._replace(reason=TOO_SMALL) if op.reason == NO_KERNEL else op
                for op in whole.opaque
            )
            found = self._session = replace(whole, opaque=tuple(ops))
        return found


NO_SMALL_CALLS = SmallCalls(None, lambda: False)
