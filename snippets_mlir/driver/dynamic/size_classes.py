"""Classes of sizes that a program's loops depend on: few rows of a product, or many.

    %c = snippets.matmul %a, %b : (tensor<?0x?1>, tensor<?1x500>)     called with 200 and 300

depends on whether `?0` is less than 32 or not, and on whether `?1` is less than 2049, less than
16385, or more: this call is in classes (1, 0). `lir-brgemm-copy-b` copies the right operand if many
rows read it and its panels fit. A template states the ranges of its classes
(`snippets.size_ranges`); its code is correct for all sizes. Calls with fewer than `SMALL`
multiply-adds take any existing class: another class would gain less than a call costs.

The keys of an attention are copied once for all blocks of its rows if half of the second-level
cache holds the copy (`lir-brgemm-copy-b`): up to 2048 keys of 64 columns, and up to `KEYS`.

There are no classes for constant operands, which are packed for any number of rows; for narrow
operands of at most one or two panels, such as the values of an attention; and for programs with
more than `MOST` such sizes, which would have too many templates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from snippets_mlir.analysis.kernels.register_tiles import PAGE
from snippets_mlir.dialects.builtin.dims import Dim, Size, format_size, product
from snippets_mlir.dialects.builtin.shaped import element_bytes, shape_of
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_ranges import SizeRange, set_size_ranges
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.rules.match import is_constant
from snippets_mlir.driver.dynamic.call_classes import Bounds, CallClasses, class_of
from snippets_mlir.passes.lir.panel_copies import NARROW
from snippets_mlir.passes.lir.panels import ROWS, ROWS_APART, TERMS

OF_TERMS: Bounds = tuple(most + 1 for most in TERMS)

COPY = 1 << 19
"""Bytes of a copy of all keys, at most: half of the second-level cache of all targets."""

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


KEYS = 4096
"""The most keys of a copy of few columns: for more, scores take the scratchpad."""

NOTHING_ASKED: Mapping[Size, Asked] = {}

MOST = 3


def asked_sizes(module: ModuleOp) -> Mapping[Size, Asked]:
    """The sizes whose classes the code of a program depends on."""
    asked = _asked(module, lambda op: (*_asked_by(op), *_keys(op)))
    return asked if len(asked) <= MOST else asked_keys(module)


def asked_keys(module: ModuleOp) -> Mapping[Size, Asked]:
    """The numbers of keys whose classes the code of a program depends on."""
    asked = _asked(module, _keys)
    return asked if len(asked) <= MOST else NOTHING_ASKED


def _asked(
    module: ModuleOp, by: Callable[[MatMulOp], Iterable[tuple[Size, Bounds]]]
) -> dict[Size, Asked]:
    asked: dict[Size, Asked] = {}
    for op in module.walk():
        if isinstance(op, MatMulOp):
            work = (product(shape_of(op.result)) + PANEL) * op.factors[0].inner
            for size, bounds in by(op):
                known = asked.get(size, Asked((), 0))
                asked[size] = Asked(tuple(sorted({*known.bounds, *bounds})), known.work + work)
    return asked


def _keys(op: MatMulOp) -> Iterator[tuple[Size, Bounds]]:
    """How many keys an attention has whose scores `op` makes, if only the call knows."""
    right = op.factors[1]
    if not isinstance(right.free, Size) or not isinstance(right.inner, int) or right.inner == 0:
        return
    if is_constant(op.rhs) or op.factors[0].free == 1:
        return
    value: SSAValue = op.result
    while True:
        readers = [use.operation for use in value.uses]
        if any(isinstance(reader, SoftmaxOp) for reader in readers):
            most = COPY // (right.inner * element_bytes(op.result))
            yield right.free, (min(most, KEYS) + 1,)
            return
        if len(readers) != 1 or len(readers[0].results) != 1:
            return
        value = readers[0].results[0]


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


def range_in(bounds: Bounds, index: int) -> SizeRange:
    """The numbers of a class."""
    edges = (0, *bounds, None)
    return SizeRange(edges[index] or 0, edges[index + 1])


def ranges_of(asked: Mapping[Size, Asked], classes: Sequence[int]) -> Mapping[Size, SizeRange]:
    """The ranges of the sizes in these classes; none if there are no classes."""
    pairs = zip(asked.items(), classes, strict=True) if classes else ()
    return {size: range_in(it.bounds, own) for (size, it), own in pairs}


def classes_for(
    module: ModuleOp, asked: Mapping[Size, Asked], values: Sequence[int]
) -> CallClasses:
    """The classes of a call whose symbols have these values; the module gets their ranges."""
    classes = [class_of(evaluate(size, values), it.bounds) for size, it in asked.items()]
    set_size_ranges(module, ranges_of(asked, classes))
    texts = [(format_size(size), it.bounds, format_size(it.work)) for size, it in asked.items()]
    return CallClasses(tuple(texts), tuple(classes))
