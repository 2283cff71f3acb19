"""Sizes that have to be equal for an op, and are not.

    x + y, of ?0 and ?1 elements         ?0 and ?1
    x @ y, of 4 x ?0 and 8 x 2           ?0 and 8

A symbol in them may be the other size: `equal_sizes.py` and `repeated_sizes.py` solve the equation.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size, format_size
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.concatenation import ConcatOp, others
from snippets_mlir.dialects.snippets.normalization import NormalizationOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.driver.dynamic.repeated_sizes import is_undetermined
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


class UnequalSizes(Exception):
    """Two sizes that have to be equal for an op; at least one has a symbol.

    Attributes:
        first: a size with a symbol.
        second: the other size.
        error: the error if they differ.
    """

    def __init__(self, first: Size, second: Dim, error: CompileError) -> None:
        super().__init__(f"{format_size(first)} and {format_size(second)}")
        self.first, self.second, self.error = first, second, error


def unequal(shapes: Sequence[Shape], *, same: bool = False) -> tuple[Size, Dim] | None:
    """Two unequal sizes that do not broadcast, the first one with a symbol in it.

    `same`: sizes of 1 do not broadcast either. They count beside the unknown size of a broadcast:
    other symbols are not 1.
    """
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    for sizes in zip(*padded, strict=True):
        ones = same and any(map(is_undetermined, sizes))
        met = list(dict.fromkeys(size for size in sizes if size != 1 or ones))
        dynamic = [size for size in met if isinstance(size, Size)]
        if len(met) > 1 and dynamic:
            return dynamic[0], next(size for size in met if size != dynamic[0])
    return None


def verify_sizes(copy: WholeTensorOp) -> None:
    """CompileError if sizes that are now known violate a constraint of the op.

    UnequalSizes if the operands of a normalization, product or concat can still fit together.
    """
    try:
        copy.verify_()
    except VerifyException as problem:
        error = CompileError(str(problem), **position_of(copy))
        if (pair := _unequal_operands(copy)) is not None:
            raise UnequalSizes(*pair, error) from None
        raise error from None


def _unequal_operands(op: WholeTensorOp) -> tuple[Size, Dim] | None:
    """Two sizes of operands that have to be equal and are not, the first one with a symbol."""
    if isinstance(op, ConcatOp):
        return unequal([others(shape_of(part), op.axis) for part in op.parts], same=True)
    if isinstance(op, MatMulOp):
        a, b = op.factors
        return unequal([(a.inner,), (b.inner,)], same=True) or unequal([a.batch, b.batch])
    if isinstance(op, NormalizationOp):
        pairs = ([op.parameter_target(), shape_of(p)] for p in op.parameters)
        return next((pair for shapes in pairs if (pair := unequal(shapes)) is not None), None)
    return None
