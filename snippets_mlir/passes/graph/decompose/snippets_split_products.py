"""Sum a matrix product in parts if its result is too small for several threads.

    %1 = snippets.matmul %a, %b : (tensor<8x8192xf32>, tensor<8192x16xf32>) -> tensor<8x16xf32>

becomes

    %2 = snippets.reshape %a : (tensor<8x8192xf32>) -> tensor<8x8x1024xf32>
    %3 = snippets.transpose %2 {permutation = array<i64: 1, 0, 2>} : .. -> tensor<8x8x1024xf32>
    %4 = snippets.reshape %b : (tensor<8192x16xf32>) -> tensor<8x1024x16xf32>
    %5 = snippets.matmul %3, %4 : (..) -> tensor<8x8x16xf32>
    %6 = snippets.slice %5 {starts = array<i64: 0, 0, 0>, ..} : .. -> tensor<8x16xf32>
    %7 = snippets.slice %5 {starts = array<i64: 1, 0, 0>, ..} : .. -> tensor<8x16xf32>
    %8 = snippets.add %6, %7 : tensor<8x16xf32>
    ..
    %1 = snippets.add %18, %19

The reshapes and the transpose are views of the operands. The parts are a batch that threads share,
and a second kernel adds them in pairs. There are 16, 8 or 4 parts: the most that divide the terms
and leave `min-terms` terms and `min-work` multiplications to each. Their number and the order of
the sum follow from the shape, so results do not depend on the number of threads. With a reduction,
they would depend on the number of accumulators.

Leaves results of more than `max-results` elements, batches, products of one column or of one row
and a transposed operand (sums along the vectors), elements other than f32 and f64, sizes that only
the call knows, ops in subgraphs, and ops marked `snippets.skipped`. Run it before the tokenizer.
Ours; OpenVINO's kernels do not split the sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.formulas import Formula, Term, reshape
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.graph_passes import FormulaPass
from snippets_mlir.support.errors import CompileError

PARTS = (16, 8, 4)
"""The numbers of parts to try, best first."""


@dataclass(frozen=True)
class Limits:
    """The options of the pass: the largest result, and the fewest terms of a part."""

    results: int
    terms: int
    work: int


def plan_parts(rows: int, terms: int, columns: int, limits: Limits) -> int | None:
    """The number of parts of a product of these sizes; None if it stays whole."""
    results = rows * columns
    if not 0 < results <= limits.results:
        return None
    for parts in PARTS:
        each = terms // parts
        if terms % parts == 0 and each >= limits.terms and each * results >= limits.work:
            return parts
    return None


def has_one_matrix_each(op: MatMulOp) -> bool:
    """Both operands are matrices of known sizes, of f32 or f64."""
    shapes = [shape_of(value) for value in op.operands]
    known = all(len(s) == 2 and is_static(s) and not has_symbols(s) for s in shapes)
    return known and tensor_of(op.result).element_type in (f32, f64)


def is_not_along_the_vectors(op: MatMulOp) -> bool:
    """It is not a sum along the rows of both operands: such a kernel adds by vectors."""
    rows, columns = shape_of(op.result)
    return columns != 1 and not (rows == 1 and op.transpose_b is not None)


class SplitProduct(Formula[MatMulOp, int]):
    """A product is the sum of the products of parts of its terms."""

    name = "split-product"
    ops = (MatMulOp,)
    conditions = (
        not_skipped,
        outside_of_subgraphs,
        has_one_matrix_each,
        is_not_along_the_vectors,
    )

    def __init__(self, limits: Limits) -> None:
        self.limits = limits

    @override
    def match(self, op: MatMulOp) -> int | None:
        left, right = op.factors
        rows, terms, columns = static_shape((left.free, left.inner, right.free))
        return plan_parts(rows, terms, columns, self.limits)

    def formula(self, op: MatMulOp, match: int, build: OpBuilder) -> Term:
        """The products of the parts, added."""
        left, right = op.transposes
        a = _in_parts(Term(op.lhs, build), match, terms_first=left)
        b = _in_parts(Term(op.rhs, build), match, terms_first=not right)

        def product(value: SSAValue) -> Operation:
            return MatMulOp(value, b.value, left, right)

        parts = a.applied(product)
        return _sum_in_pairs([_part(parts, index) for index in range(match)])


def _part(x: Term, index: int) -> Term:
    """One of the matrices of a batch."""
    _, rows, columns = x.shape
    return x.applied(lambda v: SliceOp(v, (index, 0, 0), (1, rows, columns), (1, 1, 1), drops=(0,)))


def _sum_in_pairs(terms: Sequence[Term]) -> Term:
    """The sum of neighbours, then of those sums, and so on."""
    while len(terms) > 1:
        terms = [one + other for one, other in zip(terms[::2], terms[1::2], strict=True)]
    return terms[0]


def _in_parts(x: Term, parts: int, *, terms_first: bool) -> Term:
    """A matrix split into one for each part of its terms; these are its rows with `terms_first`."""
    first, second = static_shape(x.shape)
    if terms_first:
        return reshape(x, (parts, first // parts, second))
    split = reshape(x, (first, parts, second // parts))
    return split.applied(lambda value: TransposeOp(value, (1, 0, 2)))


@dataclass(frozen=True)
class SnippetsSplitProductsPass(FormulaPass):
    """Sum a matrix product in parts if its result is small."""

    name = "snippets-split-products"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (SplitProduct,)

    max_results: int = 256
    min_terms: int = 512
    min_work: int = 65536

    @override
    def facts(self, root: Operation) -> tuple[Limits]:
        found = self.max_results, self.min_terms, self.min_work
        if min(found) < 1:
            raise CompileError("expected max-results, min-terms and min-work of 1 or more")
        return (Limits(*found),)
