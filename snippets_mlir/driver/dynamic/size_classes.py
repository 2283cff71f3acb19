"""Classes of sizes that a program's loops depend on: few rows of a product, or many.

    %c = snippets.matmul %a, %b : (tensor<?0x?1>, tensor<?1x500>)     called with 200 and 300

depends on whether `?0` is less than 32 or not, and on whether `?1` is less than 2049, less than
16385, or more: this call is in classes (1, 0). `lir-brgemm-copy-b` copies the right operand if many
rows read it and its panels fit. A template states the ranges of its classes
(`snippets.size_ranges`); its code is correct for all sizes. Calls with fewer than `SMALL`
multiply-adds take any existing class: another class would gain less than a call costs.

There are no classes for constant operands, which are packed for any number of rows; for narrow
operands of at most one or two panels, such as the values of an attention; and for programs with
more than `MOST` such sizes, which would have too many templates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.kernels.register_tiles import PAGE
from snippets_mlir.dialects.builtin.dims import Dim, Size, product
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.builtin.size_ranges import SizeRange
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.rules.match import is_constant
from snippets_mlir.passes.lir.panels import ROWS, ROWS_APART, TERMS

Bounds = tuple[int, ...]
"""Where the classes of a size begin, ascending; the first one begins at 0."""

OF_TERMS: Bounds = tuple(most + 1 for most in TERMS)

SMALL = 1 << 20
"""Multiply-adds that take about 10 us."""

PANEL = 64
"""Columns of a panel, also in a copy with few columns: a call with this many terms is not small."""


class Asked(NamedTuple):
    """A size that a program depends on: the bounds of its classes, and the work that depends on
    them.

    Attributes:
        bounds: of the classes.
        work: multiply-adds of the products, for one row of a panel.
    """

    bounds: Bounds
    work: Dim


NOTHING_ASKED: Mapping[Size, Asked] = {}

NARROW = 128
"""Columns of a right operand that is hardly ever copied."""

MOST = 3


def asked_sizes(module: ModuleOp) -> Mapping[Size, Asked]:
    """The sizes whose classes the code of a program depends on."""
    asked: dict[Size, Asked] = {}
    for op in module.walk():
        if isinstance(op, MatMulOp):
            work = (product(shape_of(op.result)) + PANEL) * op.factors[0].inner
            for size, bounds in _asked_by(op):
                known = asked.get(size, Asked((), 0))
                asked[size] = Asked(tuple(sorted({*known.bounds, *bounds})), known.work + work)
    return asked if len(asked) <= MOST else NOTHING_ASKED


def _asked_by(op: MatMulOp) -> Iterator[tuple[Size, Bounds]]:
    left, right = op.factors
    if is_constant(op.rhs) or (isinstance(right.free, int) and right.free <= NARROW):
        return
    rows = left.free if right.batch else product((*left.batch, left.free))
    if isinstance(rows, Size) and op.transpose_b is None:
        yield rows, (ROWS_APART if _may_be_pages(op) else ROWS,)
    if isinstance(right.inner, Size) and rows != 1:
        yield right.inner, OF_TERMS


def _may_be_pages(op: MatMulOp) -> bool:
    """Whether the rows of the right operand may be pages apart."""
    columns = op.factors[1].free
    return not isinstance(columns, int) or columns * element_bytes(op.result) % PAGE == 0


def class_of(number: int, bounds: Bounds) -> int:
    """How many of the bounds a number reaches."""
    return sum(number >= bound for bound in bounds)


def range_in(bounds: Bounds, index: int) -> SizeRange:
    """The numbers of a class."""
    edges = (0, *bounds, None)
    return SizeRange(edges[index] or 0, edges[index + 1])
