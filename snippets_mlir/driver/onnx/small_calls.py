"""Calls that are too small for the kernels of a dynamic model: they run as one session.

    planned for      tokens 1x128     26 kernels save 245 us, the cuts cost 182: kernels
    a call           tokens 2x9       they save 8 us, the cuts cost 150: one session
                     tokens 1x512     kernels

What kernels save depends on the sizes of a call; what the cuts of the session cost hardly does. So
a plan has the least work with which its kernels pay off (`cuts/least_work.py`), as a formula of the
sizes of the inputs. A call with less work runs as one session of the whole model.

Opening this session takes as long as some hundred small calls lose. So kernels run the first small
calls. After `MANY` of them a thread opens the session, which is beside the kernels from then on. It
would run another model if the file has changed, so then kernels take all calls.

This module does not import the compiler: programs from the cache use it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.cache.storing import later
from snippets_mlir.driver.onnx.size_formulas import Formula, Shapes, value_of
from snippets_mlir.driver.reports.kernel_entry import NO_KERNEL

if TYPE_CHECKING:
    from snippets_mlir.driver.building.built import Built


MANY = 16
"""The small calls of a program after which a thread opens their session."""

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
    """Decides which calls of one program with kernels are small, and opens their session.

    Attributes:
        least: the least work for kernels; None: no call is small.
    """

    def __init__(
        self,
        least: LeastWork | None,
        is_unchanged: Callable[[], bool],
        open_session: Callable[[], Built],
    ) -> None:
        """For one plan.

        Args:
            least: see the class.
            is_unchanged: returns whether the source is still the model of the kernels.
            open_session: opens the session of the whole model.
        """
        self.least = least
        self._is_unchanged, self._open = is_unchanged, open_session
        self._calls = 0
        self._session: Built | None = None

    def session(self, shapes: Shapes) -> Built | None:
        """The session that a call with inputs of `shapes` is to run in, if it is open."""
        return self._session if self._are_small(shapes) else None

    def counted(self, shapes: Shapes, built: Built) -> Built:
        """The build with kernels for a call, which a session may replace if the call is small."""
        return replace(built, is_provisional=True) if self.count(shapes) else built

    def count(self, shapes: Shapes) -> bool:
        """Whether a call in which kernels run is a small one; call number `MANY` has effects."""
        if not self._are_small(shapes):
            return False
        with KEEPING:
            self._calls += 1
            is_last = self._calls == MANY
        if is_last:
            later(self._open_session)
        return True

    def _are_small(self, shapes: Shapes) -> bool:
        return self.least is not None and self.least.exceeds(shapes)

    def _open_session(self) -> None:
        """Open the session, whose report says why its calls have no kernels."""
        whole = None
        if self._is_unchanged():
            with suppress(Exception):  # nobody waits for this thread, and kernels are right
                whole = self._open()
        if whole is None:
            self.least = None  # kernels take all calls
            return
        reasons = (TOO_SMALL if op.reason == NO_KERNEL else op.reason for op in whole.opaque)
        ops = tuple(op._replace(reason=why) for op, why in zip(whole.opaque, reasons, strict=True))
        self._session = replace(whole, opaque=ops)


def _no_session() -> Built:
    raise InternalError("a session that no call runs in")


NO_SMALL_CALLS = SmallCalls(None, lambda: False, _no_session)
