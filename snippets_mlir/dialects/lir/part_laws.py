"""Laws L4 and L11 of a `lir.kernel`: the step that a call chooses, and the parts of loops.

* L4: the step of a loop is the number that the kernel's calls choose.

* L11: if a loop is a part of another loop, that loop is in the table and walks the same dim; the
  increment of an unrolled part is a multiple of the loop's increment.
* L11: loops that run blocks of a part that is a whole loop also run its short last iteration: their
  work is known if the loop's work is known, and their increments divide its increment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import format_size
from snippets_mlir.dialects.lir.choices import CHOSEN_SIZE, choice_of
from snippets_mlir.dialects.lir.loops import LoopInfo

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_steps(kernel: Operation, table: dict[int, LoopInfo], fail: Fail) -> None:
    """L4 for the steps of loops, and for the choice of the kernel."""
    try:
        known = None if choice_of(kernel) is None else CHOSEN_SIZE
    except ValueError as error:
        fail("L4", str(error))
    for loop in table.values():
        if loop.step is not None and loop.step != known:
            found = "none" if known is None else format_size(known)
            step = format_size(loop.step)
            fail("L4", f"expected the step {step} of loop {loop.id} as the choice, found {found}")


def check_parts(table: dict[int, LoopInfo], fail: Fail) -> None:
    """L11 for the loops of a kernel by id."""
    for part in table.values():
        if part.iteration != "unified":
            _check_part(part, table.get(part.origin), fail)
        if part.inner_of is not None:
            _check_block(table.get(part.unified_id, part), table.get(part.inner_of), fail)


def _check_part(part: LoopInfo, whole: LoopInfo | None, fail: Fail) -> None:
    if whole is None or whole.dim != part.dim:
        found = "none" if whole is None else f"one over dim {whole.dim}"
        fail(
            "L11",
            f"expected loop {part.origin}, of which loop {part.id} is a part, in the table "
            f"and over dim {part.dim}, found {found}",
        )
    elif part.iteration == "unrolled" and part.increment % whole.increment:
        fail(
            "L11",
            f"expected the increment of the unrolled loop {part.id} to be a multiple of "
            f"{format_size(whole.increment)}, that of loop {whole.id}, found "
            f"{format_size(part.increment)}",
        )


def _check_block(block: LoopInfo, outer: LoopInfo | None, fail: Fail) -> None:
    if outer is None or outer.iteration != "whole":
        return
    if block.dynamic != outer.dynamic or outer.increment % block.increment:
        known = "at run time" if outer.dynamic else "now"
        fail(
            "L11",
            f"expected loop {block.id} to do what is left of loop {outer.id}, which is known "
            f"{known}, by a divisor of {format_size(outer.increment)}, found work "
            f"{format_size(block.work_amount)} by {format_size(block.increment)}",
        )
