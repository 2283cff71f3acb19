"""Choose the right operands of products to copy; `lir_brgemm_copy_b.py` has the rules."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

from snippets_mlir.analysis.kernels.register_tiles import LINE
from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_ranges import SizeRange
from snippets_mlir.dialects.lir.access import input_ports, is_array, loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.lir.copied_panels import Ranges, is_copied, most_terms
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.panels import TERMS, Panels, panels_of
from snippets_mlir.passes.lir.shared_batches import is_even
from snippets_mlir.targets.target_machine import TargetMachine

NARROW = 128
"""Columns of a right operand that is not copied if only the call knows its terms."""


@dataclass(frozen=True, eq=False)
class Copy:
    """A right operand to copy.

    Attributes:
        product: the product that reads it.
        panels: the loops of the product.
        turned: whether the operand is transposed.
        repeated: the loops outside of which all panels are copied once; none if each is copied in
            its iteration of the loop over columns.
    """

    product: BrgemmOp
    panels: Panels
    turned: bool
    repeated: tuple[int, ...] = ()

    def __str__(self) -> str:
        kind = "transposed, " if self.turned else ""
        once = f", once outside of loop {self.repeated[0]}" if self.repeated else ""
        return f"{op_text(self.product)}, {kind}panels of {self.panels.width} columns{once}"


@dataclass(frozen=True)
class Copies:
    """The right operands of a kernel to copy."""

    made: tuple[Copy, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.made)) or "nothing is copied"


def narrowed(panels: Panels, column: int, room: int, least: int = 1) -> Panels:
    """Panels of fewer vectors, so that columns of `column` bytes fit `room`, down to `least`."""
    columns = panels.columns
    fitting = room // (columns.increment * column)
    return replace(panels, columns=replace(columns, jam=min(columns.jam, max(least, fitting))))


def _trips(loops: Iterable[LoopInfo]) -> int:
    return prod(-(-assumed(loop.work_amount) // loop.increment) for loop in loops)


def _fits(
    columns: Dim, terms: int, rows: int, element: int, room: int, known: SizeRange | None
) -> bool:
    """Whether the caches hold an operand, and the results of a block of rows beside it.

    For a dynamic number of columns the copy has at most as many elements as those results, which
    are also in a scratchpad; and it fits for all columns in the range that is `known`, if one is.
    """
    if not isinstance(columns, int):
        if known is None:
            return terms <= rows
        below = known.below
        return terms <= rows and below is not None and (below - 1) * terms * element <= room
    size = columns * terms * element
    return size <= room and size + columns * rows * element < 2 * room


def repeated_loops(
    copy: Copy, table: dict[int, LoopInfo], room: int, threads: int, ranges: Ranges
) -> Copy:
    """The copy outside of the loops around its columns that walk no dim of the operand.

    Args:
        copy: of panels in iterations of the loop over columns.
        table: the loops of the kernel.
        room: bytes that the operand may have; with the results of a block of rows less than twice
            as many.
        threads: that share the outer loops; 0 if only the call knows.
        ranges: of sizes that are known only at run time.
    """
    port, panels = input_ports(copy.product)[1], copy.panels
    ids = loop_ids(copy.product)
    around = [table[id_] for id_ in ids[: ids.index(panels.columns.id)]]
    inner = list[LoopInfo]()
    while around and port.shape[-1 - around[-1].dim] == 1:
        inner.insert(0, around.pop())
    columns, terms = panels.columns.work_amount, panels.terms.work_amount
    if not isinstance(terms, int) or panels.columns.parallel:
        return copy
    while _trips(inner) > 1:
        rows = prod(loop.increment for loop in inner)
        element, known = element_bytes(copy.product.result), ranges.get(columns)
        if not _fits(columns, terms, rows, element, room, known):
            return copy
        units = _trips(around) if threads else 0
        if not any(loop.parallel for loop in inner) or (units and is_even(units, threads)):
            return replace(copy, repeated=tuple(loop.id for loop in inner))
        around.append(inner.pop(0))
    return copy


def plan_copy(
    op: BrgemmOp,
    table: dict[int, LoopInfo],
    machine: TargetMachine,
    threads: int,
    ranges: Ranges,
) -> Copy | None:
    """The copy of the right operand of a product; None for none."""
    panels, port = panels_of(op, table, any_terms=True), input_ports(op)[1]
    if panels is None or (panels.tile is not None and panels.part is None):
        return None
    terms, columns = panels.terms.work_amount, panels.columns.work_amount
    turned, room = port.stride(len(port.shape) - 1) != 1, machine.second_cache // 2
    if isinstance(terms, Size) and isinstance(columns, int):
        weights = columns <= NARROW and not is_array(op.lhs)  # such as those of an attention
        if 2 * columns < panels.width if turned else weights:
            return None
    most = most_terms(terms, ranges)
    if most is None and turned:
        most = TERMS[-1]
    if most is None or not is_copied(op, panels, machine, ranges):
        return None
    column = max(1, element_bytes(op.result) * most)
    line = 1 if turned else -(-LINE // (panels.columns.increment * element_bytes(op.result)))
    panels = narrowed(panels, column, room, line)
    if panels.width * column > machine.cache // 4:
        return None
    copy = Copy(op, panels, turned)
    return copy if panels.part is not None else repeated_loops(copy, table, room, threads, ranges)
