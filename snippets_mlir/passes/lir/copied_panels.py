"""Decide whether a product's right operand is copied by panels: transposed, or badly placed.

`lir-brgemm-copy-b` has the rules and their reasons; `lir-brgemm-part-sums` uses them, too.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippets_mlir.analysis.kernels.register_tiles import PAGE, WAYS
from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import element_bytes
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.builtin.size_ranges import SizeRange, range_of
from snippets_mlir.dialects.lir.access import input_ports, is_array
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.passes.lir.panels import PASSES, ROWS, ROWS_APART, TERMS, Panels, is_one_panel
from snippets_mlir.targets.target_machine import TargetMachine

Ranges = Mapping[Dim, SizeRange]

NOTHING_KNOWN: Ranges = {}


def _lies_badly(op: BrgemmOp, panels: Panels, machine: TargetMachine, ranges: Ranges) -> bool:
    """Whether enough rows use panels with own rows at distances that are slow to read."""
    port, rows = input_ports(op)[1], range_of(panels.rows.work_amount, ranges)
    apart = port.stride(len(port.shape) - 1 - panels.terms.dim) * element_bytes(op.result)
    known = isinstance(panels.rows.work_amount, int)
    pages = apart % PAGE == 0 if isinstance(apart, int) else None
    least = ROWS if pages is False or (known and pages) else ROWS_APART
    if known and pages and assumed(panels.terms.work_amount) > WAYS:
        least = min(least, (PASSES - 1) * panels.rows.jam + 1)
    if rows.below is not None and rows.below <= least:
        return False
    narrow = panels.width * element_bytes(op.result) <= machine.narrow
    many = rows.least >= least or (panels.rows.work_amount not in ranges and not known)
    return bool(pages) or (many and (narrow or pages is None))


def is_copied(
    op: BrgemmOp, panels: Panels, machine: TargetMachine, ranges: Ranges = NOTHING_KNOWN
) -> bool:
    """Whether a right operand in memory is copied, if panels of it fit the caches."""
    port = input_ports(op)[1]
    turned = port.stride(len(port.shape) - 1) != 1
    if not is_array(op.rhs) or (is_one_panel(panels) and not turned):
        return False
    return turned or _lies_badly(op, panels, machine, ranges)


def most_terms(terms: Dim, ranges: Ranges) -> int | None:
    """The number of terms for panels; None if there may be too many for panels."""
    if isinstance(terms, int):
        return terms
    least, below = range_of(terms, ranges)
    if below is None:
        return TERMS[0] if least == 0 else None
    return next((most for most in TERMS if below <= most + 1), None)
