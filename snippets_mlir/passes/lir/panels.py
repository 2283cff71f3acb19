"""The columns of a matrix product in panels: shared code of the passes that work on panels.

loops 1 (columns, inc 16, jam 3), 0 (rows, jam 8), 2 (sum)       become
loops 1 (panels, inc 48), 0 (rows, jam 8), 3 (work 48, inc 16, inner of 1, jam 3), 2 (sum)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from snippets_mlir.analysis.kernels.register_tiles import ANY_ROWS
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, set_loop_ids
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo

ROWS = 32
"""The least rows of a product that read panels often: copies and parts of sums pay off."""

PASSES = 3
"""The least passes over a panel for copies if its rows are whole pages apart: each pass misses the
first-level cache, which holds `WAYS` such rows."""

ROWS_APART = PASSES * ANY_ROWS
"""The least dynamic rows for copies if the rows of a panel are, or may be, whole pages apart."""

TERMS = (2048, 16384)
"""The most dynamic terms for copies of panels: of wide panels, and of the narrowest ones."""


@dataclass(frozen=True)
class Panels:
    """The loops of a product with the columns outside of the rows.

    Attributes:
        columns: the loop over columns, or over panels of them.
        rows: the loop over rows in it.
        tile: the loop over the columns of a panel, inside of the rows; None before there is one.
        terms: the loop over the sum, or over a part of it.
        part: the loop over the parts, right outside of the rows (`lir-brgemm-part-sums`); or None.
    """

    columns: LoopInfo
    rows: LoopInfo
    tile: LoopInfo | None
    terms: LoopInfo
    part: LoopInfo | None

    @property
    def width(self) -> int:
        """The number of columns of one panel."""
        return self.columns.increment * self.columns.jam


def products_of(kernel: KernelOp) -> list[tuple[BrgemmOp, ...]]:
    """The products of a kernel, in order; products side by side share all loops."""
    nests: dict[tuple[int, ...], list[BrgemmOp]] = {}
    for op in kernel.block.ops:
        if isinstance(op, BrgemmOp):
            nests.setdefault(loop_ids(op), []).append(op)
    return [tuple(products) for products in nests.values()]


def around_sum(op: BrgemmOp, table: dict[int, LoopInfo]) -> tuple[list[LoopInfo], LoopInfo]:
    """The loops around the sum of a product, and the one over all its terms; it may hold blocks."""
    around = [table[id_] for id_ in loop_ids(op)]
    terms = around.pop()
    while around and around[-1].id == terms.inner_of:
        terms = around.pop()
    return around, terms


def _size(port_dims: Sequence[object], loop: LoopInfo) -> object:
    return port_dims[len(port_dims) - 1 - loop.dim]


def loops_of(op: BrgemmOp, table: dict[int, LoopInfo]) -> tuple[LoopInfo | None, LoopInfo] | None:
    """The neighbouring loops over rows and columns around the one over the sum; else None."""
    left, right = (port.shape for port in input_ports(op))
    inner = around_sum(op, table)[0][-2:]
    columns = next((loop for loop in inner if loop.dim == 0), None)
    rows = next(
        (
            loop
            for loop in inner
            if loop.dim != 0 and _size(left, loop) != 1 and _size(right, loop) == 1
        ),
        None,
    )
    return None if columns is None else (rows, columns)


def panels_of(
    op: BrgemmOp, table: dict[int, LoopInfo], *, any_terms: bool = False
) -> Panels | None:
    """The loops of a product; None if its rows are outside, its terms dynamic, or a size is 0.

    With `any_terms`, its terms may be dynamic.
    """
    around, terms = around_sum(op, table)
    last = around[-1] if around else None
    tile = around.pop() if last and last.dim == 0 and last.inner_of is not None else None
    part = around.pop(-2) if len(around) > 2 and around[-2].id == terms.inner_of else None
    if len(around) < 2:
        return None
    columns, rows = around[-2:]
    if columns.dim != 0 or (terms.dynamic and not any_terms):
        return None
    if any(loop.work_amount == 0 for loop in (*around, terms)):
        return None
    return Panels(columns, rows, tile, terms, part)


def split_columns(
    kernel: KernelOp, columns: LoopInfo, inside: LoopInfo, table: dict[int, LoopInfo]
) -> tuple[LoopInfo, LoopInfo]:
    """Let `columns` step by panels, and put a loop over a panel's columns right into `inside`."""
    width = columns.increment * columns.jam
    tile = replace(
        columns,
        id=max(table) + 1,
        work_amount=width,
        inner_of=columns.id,
        parallel=False,
        diagonal=None,
    )
    whole = replace(columns, increment=width, jam=1)
    table.update({tile.id: tile, whole.id: whole})
    for op in kernel.block.ops:
        if columns.id in (ids := loop_ids(op)):
            place = ids.index(inside.id) + 1
            set_loop_ids(op, (*ids[:place], tile.id, *ids[place:]))
    return whole, tile


def make_panels(kernel: KernelOp, panels: Panels, table: dict[int, LoopInfo]) -> Panels:
    """Let the loop over columns step by panels, unless it already does."""
    if panels.tile is not None:
        return panels
    whole, tile = split_columns(kernel, panels.columns, panels.rows, table)
    return replace(panels, columns=whole, tile=tile)


def is_one_panel(panels: Panels) -> bool:
    """Whether there is only one panel."""
    return panels.width >= assumed(panels.columns.work_amount)
