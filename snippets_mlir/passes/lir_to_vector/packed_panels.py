"""Packed panels that loops read, and how much of the next one each iteration prefetches.

`prefetch_packed_panels.py` has the rules (N1 to N4).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import MuliOp, RemUIOp
from xdsl.dialects.math import FmaOp
from xdsl.dialects.scf import ForOp
from xdsl.ir import BlockArgument, SSAValue

from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.passes.lir_to_vector.align_nontemporal_stores import (
    constant_of,
    size_of,
    step_back,
)
from snippets_mlir.passes.lir_to_vector.cache_lines import LINE
from snippets_mlir.passes.lir_to_vector.prefetch_panels import loaded_vectors, width_of
from snippets_mlir.passes.lir_to_vector.row_walks import move_of
from snippets_mlir.support.walking import ops_of

PASSES = 64
"""The most row tiles that use a panel: with more, the first one hardly counts."""

LEAST, MOST = 8, 128
"""The least bytes that a term of a tile prefetches, and the most for dynamic rows.

Two prefetches a term are enough for one pass to hide the next panel.
"""


def passes_of(loops: Sequence[ForOp]) -> int | None:
    """How often rows use a panel; None if that is dynamic."""
    if not loops:
        return 1
    (rows, *others) = loops
    end, step = constant_of(rows.ub), constant_of(rows.step)
    if others or end is None or step is None:
        return None
    return -(-end // step)


def rows_of_panel(rows: ForOp) -> tuple[ForOp, ...]:
    """The loops over rows up to `rows`, one after another; none if the first begins elsewhere.

    A dynamic number of rows has whole tiles first, then loops over the remaining rows.
    """
    if constant_of(rows.step) is None:
        return ()
    if constant_of(rows.lb) == 0:
        return (rows,)
    for value in rows.iter_args:
        if isinstance(before := value.owner, ForOp):
            others = rows_of_panel(before) if constant_of(before.ub) is None else ()
            return (*others, rows) if others else ()
    return ()


@dataclass(frozen=True, eq=False)
class Packed:
    """A packed panel that a loop over terms reads.

    Attributes:
        begin: of the panel.
        size: bytes of a panel.
        width: bytes that a term reads.
        sums: the loops over terms, from the outermost one to the reading one.
        rows: the loops over rows up to the one around them; none for rows of one tile.
    """

    begin: SSAValue
    size: int
    width: int
    sums: tuple[ForOp, ...]
    rows: tuple[ForOp, ...]

    @property
    def most(self) -> int:
        """The most bytes that a term prefetches if the number of rows is dynamic."""
        return min(MOST, -(-self.width // LINE) * LINE)

    @property
    def terms(self) -> int:
        """The number of rows of the right operand in a panel."""
        return self.size // self.width

    @property
    def ahead(self) -> int | None:
        """Bytes of the next panel that a term prefetches; None if the number of rows is dynamic."""
        if (passes := passes_of(self.rows)) is None:
            return None
        part = -(-self.width // passes)
        return max(LEAST, 1 << (part - 1).bit_length()) if part < LINE else -(-part // LINE) * LINE


def packed_panels(loop: ForOp, most: int) -> list[Packed]:
    """The packed panels that `loop` reads (N1 to N4)."""
    ops = ops_of(loop.body.block)
    if any([op.regions for op in ops]):
        return []
    products = sum([op.name == FmaOp.name for op in ops])
    found: list[Packed | None] = []
    for pointer, vectors in loaded_vectors(loop.body.block).items():
        width, step = width_of(vectors), constant_of(loop.step)
        if width is None or step is None or width % step or move_of(loop, pointer) != width:
            continue
        if products >= 2 * len(vectors):
            found.append(_panel_of(loop, pointer, width // step))
    return [
        panel
        for panel in found
        if panel is not None and panel.size <= most and (passes_of(panel.rows) or 1) <= PASSES
    ]


def _panel_of(loop: ForOp, pointer: int, width: int) -> Packed | None:
    """N2 and N3, without the check of `most`."""
    sums = [loop]
    begin, distance = _begin_of(loop.iter_args[pointer])
    while distance == 0 and (carried := _carried_around(begin, sums[0])) is not None:
        around, index = carried
        terms = _terms_of(sums)
        if (
            terms not in (None, constant_of(around.step))
            and move_of(around, index) == terms * width
        ):
            return Packed(begin, terms * width, width, tuple(sums), ())
        sums.insert(0, around)
        begin, distance = _begin_of(around.iter_args[index])
    rows, terms = sums[0].parent_op(), _terms_of(sums)
    if distance != 0 or terms is None or not isinstance(rows, ForOp):
        return None
    if not (loops := rows_of_panel(rows)):
        return None
    carried = _carried_around(begin, rows)
    move = _move_of_unit(begin, rows) if carried is None else move_of(*carried)
    if move != terms * width:
        return None
    return Packed(begin, terms * width, width, tuple(sums), loops)


def _begin_of(pointer: SSAValue) -> tuple[SSAValue, int | None]:
    """The base of a pointer, and the bytes from it; the address of a unit is a base."""
    is_of_unit = isinstance(gep := pointer.owner, GEPOp) and len(gep.ssa_indices) > 0
    return (pointer, 0) if is_of_unit else step_back(pointer)


def _move_of_unit(pointer: SSAValue, rows: ForOp) -> int | None:
    """The bytes from the address of a unit of the parallel domain to that of the next unit.

    Units walk several loops; this is about the innermost one, up to its end.
    """
    units, gep = rows.parent_op(), pointer.owner
    if not isinstance(units, ForOp) or not isinstance(gep, GEPOp) or len(gep.ssa_indices) != 1:
        return None
    base = SSAValue.get(gep.ptr)
    if not isinstance(base, BlockArgument) or base.block is units.body.block:
        return None
    value, elements = gep.ssa_indices[0], size_of(gep.elem_type) * (constant_of(units.step) or 0)
    while isinstance(product := value.owner, MuliOp):
        value, elements = product.lhs, elements * (constant_of(product.rhs) or 0)
    if isinstance(last := value.owner, RemUIOp):
        value = last.lhs
    return elements if value is units.body.block.args[0] else None


def _carried_around(pointer: SSAValue, loop: ForOp) -> tuple[ForOp, int] | None:
    """The loop right around `loop` if it carries `pointer`, and the index of the carried value."""
    around = loop.parent_op()
    if not isinstance(pointer, BlockArgument) or not isinstance(around, ForOp):
        return None
    if pointer.block is not around.body.block or pointer.index == 0:
        return None
    return around, pointer.index - 1


def _steps_evenly(rows: ForOp) -> bool:
    """Whether a loop begins at 0 and steps by a constant."""
    return constant_of(rows.lb) == 0 and constant_of(rows.step) is not None


def _terms_of(sums: Sequence[ForOp]) -> int | None:
    """The number of terms of the loops; None if it is unknown."""
    return constant_of(sums[0].ub) if all(map(_steps_evenly, sums)) else None
