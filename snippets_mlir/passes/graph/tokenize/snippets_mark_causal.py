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
follow a cache of `?2` keys have the diagonal `#snippets.size<?2 : i64>`. Only sums and selects may
follow a mask before the softmax along the keys, and nothing else may read the scores.

Other masks, which may be inputs, may be combined with the causal one before it reaches the scores,
if hidden keys then have -inf in any case:

    %a = snippets.logical_and %m, %padding      %b = snippets.select %m, %bias, -inf
    %t = snippets.select %a, %s, -inf           %t = snippets.add %s, %b

A row whose keys are all hidden stays NaN. With a finite number, the keys above the diagonal would
count as much as the others in such a row. So a causal mask with a finite number is refused beside
values of a call that are added to the scores or selected. A sum of rows of a mask that is 0
above the diagonal has the mark, too, because the kernel sums it in the same loop over the keys.

Ops between the softmax and the next product must keep a weight of 0, as a factor does, or a select
of 0 where weights are NaN.

If keys are skipped, an infinity or NaN in their values, or in the keys themselves under an added
mask, no longer makes the row NaN by 0 * inf. The pass takes causal attention to mean that a row
does not depend on its hidden keys, as do the kernels of PyTorch and onnxruntime.

Leaves masks of inputs alone, those that lack the rows and keys of the scores or have more than 2^28
elements, and those that no diagonal bounds. Ours.
"""

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, f32, f64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.counted_places import diagonal_of_places
from snippets_mlir.analysis.graph.diagonals import LOW, diagonal_of
from snippets_mlir.analysis.graph.far_keys import Far, elements_of_mask, far_keys
from snippets_mlir.analysis.graph.products import reduces_rows
from snippets_mlir.dialects.builtin.dims import Dim, Shape, known_less
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.sizes import size_attr
from snippets_mlir.dialects.snippets.arithmetic import AddOp, DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import DIAGONAL, MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp, ReduceSumOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import Pattern, PatternPass


def f32_or_f64(op: MatMulOp) -> bool:
    """Kernels hold products of these."""
    return tensor_of(op.result).element_type in (f32, f64)


def _diagonal(mask: SSAValue, shape: Shape, inverted: bool = False) -> Dim | None:
    """The diagonal of a mask for the rows and keys `shape`; true (inverted: false) is kept."""
    op = mask.owner
    if shape_of(mask)[-2:] != shape:
        return None
    if isinstance(op, ConstantOp) and isinstance(found := op.attributes.get(DIAGONAL), IntegerAttr):
        return None if inverted else found.value.data
    if (counted := diagonal_of_places(mask)) is not None:
        return counted[1] if counted[0] == inverted else None
    array = elements_of_mask(mask)
    return None if array is None else diagonal_of(~array if inverted else array)


def hidden_by(op: Operation, scores: SSAValue, shape: Shape) -> Far | None:
    """What `op` gives all scores beyond a diagonal, at most `LOW`; None if it is no such mask."""
    if isinstance(op, AddOp):
        mask = op.rhs if op.lhs is scores else op.lhs
        found, exact = _diagonal(mask, shape), _far(mask, shape, -inf)
        if found is None or (exact is not None and exact.diagonal == found):
            return exact
        return Far(LOW, found)
    if not isinstance(op, SelectOp) or scores not in op.operands[1:]:
        return None
    condition, true, false = op.operands
    fill = elements_of_mask(false if true is scores else true)
    if fill is None or not (fill <= LOW).all():
        return None
    inverted, number = true is not scores, float(fill.max(initial=-inf))
    if (found := _diagonal(condition, shape, inverted)) is not None:
        return Far(number, found)
    if number > -inf or (far := _far(condition, shape, inverted)) is None:
        return None
    return Far(-inf, far.diagonal)


def may_hide(op: Operation, scores: SSAValue) -> bool:
    """Whether `op` adds or selects numbers of a call, which may hide the keys that a row keeps."""
    if isinstance(op, MultiplyOp | DivideOp):
        return False
    values = op.operands[1:] if isinstance(op, SelectOp) else op.operands
    others = (elements_of_mask(value) for value in values if value is not scores)
    return any(array is None or not (array > LOW / 2).all() for array in others)


def _far(mask: SSAValue, shape: Shape, number: float) -> Far | None:
    """The diagonal beyond which a mask is `number`, whatever its inputs are."""
    found = far_keys(mask, shape)
    return None if found is None or found.number != number or found.diagonal is None else found


def _least(one: Far | None, other: Far | None) -> Far | None:
    """The one with the least diagonal, as far as that is known; both hold."""
    if one is None or other is None:
        return other if one is None else one
    assert one.diagonal is not None
    assert other.diagonal is not None
    return one if known_less(one.diagonal, other.diagonal) else other


def _stays_zero(weights: SSAValue, diagonal: Dim, shape: Shape) -> bool:
    """Whether weights of 0 beyond a diagonal stay 0 up to the products that read them."""
    given = {weights: Far(0, diagonal)}
    waiting = [weights]
    while waiting:
        value = waiting.pop()
        for use in value.uses:
            reader = use.operation
            second = isinstance(reader, MatMulOp) and reader.lhs is value is not reader.rhs
            if second or not isinstance(reader, ComputeOp):
                continue
            if isinstance(reader, WholeTensorOp):
                return False
            found = far_keys(reader.results[0], shape, given)
            if found is None or found.diagonal not in (diagonal, None):
                return False
            given[reader.results[0]] = found
            waiting.append(reader.results[0])
    return all(
        it.number == 0
        for value, it in given.items()
        if any(isinstance(use.operation, MatMulOp) for use in value.uses)
    )


def has_rows(op: MatMulOp) -> bool:
    """The scores have rows and keys: neither operand is a vector."""
    return len(shape_of(op.result)) >= 2


def is_not_marked(op: MatMulOp | ReduceOp) -> bool:
    """It has no mark of its needed elements yet."""
    return DIAGONAL not in op.attributes


class Marks(Pattern[Any, Dim]):
    """An op gets the mark."""

    @override
    def rewrite(self, op: Any, match: Dim, rewriter: PatternRewriter) -> None:
        op.attributes[DIAGONAL] = size_attr(match)


class MarkScores(Marks):
    """Scores above the diagonal of a constant mask are not needed."""

    name = "mark-scores"
    ops = (MatMulOp,)
    conditions = (f32_or_f64, has_rows, is_not_marked)

    def match(self, op: MatMulOp) -> Dim | None:
        """The diagonal, if the masks before the softmax give one inside of the scores."""
        shape = shape_of(op.result)[-2:]
        hidden: Far | None = None
        scores: SSAValue = op.result
        hides = False
        while (reader := scores.get_user_of_unique_use()) is not None:
            if isinstance(reader, SoftmaxOp):
                if hidden is None or hidden.diagonal is None or (hides and hidden.number > -inf):
                    return None
                along = reader.normalized_dims() == (len(shape_of(scores)) - 1,)
                stays = along and _stays_zero(reader.result, hidden.diagonal, shape)
                return hidden.diagonal if stays else None
            if not isinstance(reader, ComputeOp) or isinstance(reader, WholeTensorOp):
                return None
            (result,) = reader.results
            before = None if hidden is None else far_keys(result, shape, {scores: hidden})
            before = None if before is None or before.number > LOW else before
            here = hidden_by(reader, scores, shape)
            if hidden is not None and before is None and here is None:
                return None
            hides |= (here is None or here.number == -inf) and may_hide(reader, scores)
            hidden = _least(before, here)
            scores = result
        return None


class MarkCounts(Marks):
    """The terms of a sum of a mask's rows above the diagonal are 0."""

    name = "mark-counts"
    ops = (ReduceSumOp,)
    conditions = (reduces_rows, is_not_marked)

    def match(self, op: ReduceSumOp) -> Dim | None:
        """The diagonal, if the operand has one."""
        found = _far(op.operand, shape_of(op.operand)[-2:], 0)
        return None if found is None else found.diagonal


@dataclass(frozen=True)
class SnippetsMarkCausalPass(PatternPass):
    """Mark the scores that a mask hides."""

    name = "snippets-mark-causal"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (MarkScores, MarkCounts)
