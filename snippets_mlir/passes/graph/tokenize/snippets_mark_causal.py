"""Mark the scores of an attention with the diagonal above which a constant mask hides them.

    %m = snippets.constant dense<...> : tensor<9x9xi1>       true up to the diagonal
    %s = snippets.matmul %q, %k
    %t = snippets.select %m, %s, -inf
    %p = snippets.softmax %t

becomes the same with

    %s = snippets.matmul %q, %k {snippets.diagonal = 0 : i64}

Element (i, j) of such a product is not needed for j > i + 0: the masked score has a softmax of 0.
In the kernel of an attention, `lir-brgemm-row-blocks` then ends the loops over keys at the last key
that a block of rows needs. A mask is a `select` between the scores and a number, or an `add`. It
selects or adds -2^100 or less for a hidden score, and each row keeps a key. Masks are constants, or
computed element by element from constants; the import writes the diagonal on a mask in a file. If a
call decides the numbers of rows and keys, a mask compares places that a `cum_sum` counts; rows that
follow a cache of `?2` keys have the diagonal `#snippets.size<?2 : i64>`. Only
sums and selects may follow a mask before the softmax along the keys, and nothing else may read the
scores.

If keys are skipped, an infinity or NaN in their values, or in the keys themselves under an added
mask, no longer makes the row NaN by 0 * inf. The pass takes causal attention to mean that a row
does not depend on its hidden keys, as do the kernels of PyTorch and onnxruntime.

Leaves masks that are inputs, that lack the rows and keys of the scores, that have more than 2^28
elements, or that no diagonal bounds. Ours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.counted_places import diagonal_of_places
from snippets_mlir.analysis.graph.diagonals import LOW, diagonal_of
from snippets_mlir.dialects.builtin.dims import Dim, Shape, known_less, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import DIAGONAL, MatMulOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import Pattern, PatternPass

if TYPE_CHECKING:
    from snippets_mlir.dialects.builtin.dtypes import Array

LARGEST = 2**28
"""The most elements of a mask that is computed here."""


def f32_or_f64(op: MatMulOp) -> bool:
    """Kernels hold products of these."""
    return tensor_of(op.result).element_type in (f32, f64)


def _elements(value: SSAValue) -> "Array | None":
    """The elements of `value`, if they follow from constants in the text."""
    op = value.owner
    if isinstance(op, ConstantOp | ScalarOp):
        from snippets_mlir.dialects.snippets.constant_arrays import array_of

        return None if isinstance(op.value, ResourceAttr) else array_of(op)
    if not isinstance(op, ComputeOp) or isinstance(op, WholeTensorOp):
        return None
    shape = shape_of(value)
    if has_symbols(shape) or not is_static(shape) or prod(static_shape(shape)) > LARGEST:
        return None
    operands = [_elements(operand) for operand in op.operands]
    known = [array for array in operands if array is not None]
    if len(known) != len(operands):
        return None
    from snippets_mlir.dialects.snippets.values.evaluate import evaluate

    return evaluate(op, known)


def _diagonal(mask: SSAValue, shape: Shape, inverted: bool = False) -> Dim | None:
    """The diagonal of a mask for the rows and keys `shape`; true (inverted: false) is kept."""
    op = mask.owner
    if shape_of(mask)[-2:] != shape:
        return None
    if isinstance(op, ConstantOp) and isinstance(found := op.attributes.get(DIAGONAL), IntegerAttr):
        return None if inverted else found.value.data
    if not inverted and (counted := diagonal_of_places(mask)) is not None:
        return counted
    array = _elements(mask)
    return None if array is None else diagonal_of(~array if inverted else array)


def diagonal_by(op: Operation, scores: SSAValue, shape: Shape) -> Dim | None:
    """The diagonal beyond which `op` hides all scores; None if it is no such mask."""
    if isinstance(op, AddOp):
        return _diagonal(op.rhs if op.lhs is scores else op.lhs, shape)
    if not isinstance(op, SelectOp) or scores not in op.operands[1:]:
        return None
    condition, true, false = op.operands
    fill = _elements(false if true is scores else true)
    if fill is None or not (fill <= LOW).all():
        return None
    return _diagonal(condition, shape, inverted=true is not scores)


def _least(diagonals: Sequence[Dim]) -> Dim | None:
    """One of the diagonals, the least one as far as that is known; each holds."""
    least = None
    for it in diagonals:
        least = it if least is None or known_less(it, least) else least
    return least


def has_rows(op: MatMulOp) -> bool:
    """The scores have rows and keys: neither operand is a vector."""
    return len(shape_of(op.result)) >= 2


def is_not_marked(op: MatMulOp) -> bool:
    """It has no mark of its needed elements yet."""
    return DIAGONAL not in op.attributes


class MarkScores(Pattern[MatMulOp, Dim]):
    """Scores above the diagonal of a constant mask are not needed."""

    name = "mark-scores"
    ops = (MatMulOp,)
    conditions = (f32_or_f64, has_rows, is_not_marked)

    def match(self, op: MatMulOp) -> Dim | None:
        """The diagonal, if the masks before the softmax give one inside of the scores."""
        shape = shape_of(op.result)[-2:]
        found: list[Dim] = []
        scores: SSAValue = op.result
        while (reader := scores.get_user_of_unique_use()) is not None:
            if isinstance(reader, SoftmaxOp):
                along = reader.normalized_dims() == (len(shape_of(scores)) - 1,)
                return _least(found) if along else None
            if not isinstance(reader, ComputeOp) or isinstance(reader, WholeTensorOp):
                return None
            if found and not isinstance(reader, AddOp | SelectOp):
                return None
            if (diagonal := diagonal_by(reader, scores, shape)) is not None:
                found.append(diagonal)
            scores = reader.results[0]
        return None

    @override
    def rewrite(self, op: MatMulOp, match: Dim, rewriter: PatternRewriter) -> None:
        op.attributes[DIAGONAL] = size_attr(match)


@dataclass(frozen=True)
class SnippetsMarkCausalPass(PatternPass):
    """Mark the scores that a mask hides."""

    name = "snippets-mark-causal"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (MarkScores,)
