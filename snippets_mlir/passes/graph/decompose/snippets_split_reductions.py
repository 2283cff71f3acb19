"""Split a large reduction with few results in two, so that all threads and lanes have work.

    %1 = snippets.reduce_sum %0 {axes = array<i64: 0, 1>} : (tensor<64x4096xf32>) -> tensor<f32>

becomes, with `snippets-split-reductions{threads=4}`,

    %2 = snippets.reshape %0 : (tensor<64x4096xf32>) -> tensor<16x16384xf32>
    %3 = snippets.reduce_sum %2 {axes = array<i64: 1>, keep_dims} : .. -> tensor<16x1xf32>
    %4 = snippets.reduce_sum %3 {axes = array<i64: 0>, keep_dims} : .. -> tensor<1x1xf32>
    %1 = snippets.reshape %4 : (tensor<1x1xf32>) -> tensor<f32>

A kernel divides the results of a reduction among its threads, and those along its vectors only if
there are no others. If there are fewer than four results for each thread, the pass splits the
outermost reduced dims into blocks, reduces each block, and combines the blocks with a second
reduction. If the dims after the reduced ones are shorter than two vectors (`64x100000x3`, axis 1),
the inner end of the reduced dims becomes a kept dim in the same way, and rows are long enough for
vectors. A block is a whole number of its dims' sizes, so that `snippets-eliminate-reshapes` can
give the same shape to the ops before.

If no divisor gives the wanted number of blocks, or up to 16 times as many, there are fewer; a prime
number of elements stays whole. Leaves reductions of fewer than `min-work` elements or with dims of
unknown size, softmax and normalizations, ops in subgraphs, and ops marked `snippets.skipped`. Run
it before the tokenizer. `threads=0`, the default, is 16 on every machine, so that the order of a
sum does not depend on the number of threads. Integers, max and min are exact; float sums and
products are reassociated, those of 16-bit floats in f32; means of integers are summed in i64.

Ours; the guide reduces only rows, and their number gives the parallelism.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from snippets_mlir.analysis.graph.eligibility import MAX_RANK
from snippets_mlir.dialects.builtin.dims import Shape, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceOp,
    ReduceSumOp,
    combines_elements,
)
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.formulas import Formula, Term, reshape, widened
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.graph.decompose.means import count_of, summable
from snippets_mlir.passes.graph.decompose.sharing import (
    ASSUMED_LANES,
    ASSUMED_THREADS,
    UNITS_PER_THREAD,
    aligned_block,
)
from snippets_mlir.passes.graph.graph_passes import FormulaPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET
from snippets_mlir.targets.machine import machine

MAX_EXCESS = 16
"""How many times more blocks than needed there may be."""
MIN_BLOCK = 64
"""The fewest elements that are worth a partial result."""


@dataclass(frozen=True)
class Split:
    """A reduction in two steps.

    Attributes:
        shape: of the operand in the first step.
        axes: the dims that the first step reduces.
        blocks: the dims that the second step reduces.
    """

    shape: Shape
    axes: tuple[int, ...]
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Demand:
    """The needs of a machine: `units` of work that threads can share, rows of two vectors."""

    units: int
    lanes: int


def _inner(shape: tuple[int, ...], run: Sequence[int], demand: Demand, limit: int) -> int:
    """The part of the inner end of the last reduced dims that is kept for the vectors."""
    row = prod(shape[run[-1] + 1 :])
    if row == 1 or row >= 2 * demand.lanes:
        return 1
    target = -(-4 * demand.lanes // row)
    return aligned_block([shape[d] for d in reversed(run)], target, min(limit, MAX_EXCESS * target))


def _outer(sizes: Sequence[int], results: int, row: int, demand: Demand, limit: int) -> int:
    """The number of blocks of the outermost reduced dims that threads share.

    The threads share the kept dims outside of the row, which goes by vectors; they share the row
    only if there is no other dim.
    """
    outside = results // row
    units = outside if outside > 1 else max(1, row // demand.lanes)
    if units >= demand.units:
        return 1
    target = -(-demand.units // outside)
    return aligned_block(sizes, target, min(limit, MAX_EXCESS * target))


def _without_end(sizes: Sequence[int], inner: int) -> list[int]:
    """`sizes` with `inner`, a product of their inner end, divided out."""
    rest = list(sizes)
    while inner > 1:
        if inner >= rest[-1]:
            inner //= rest.pop()
        else:
            rest[-1] //= inner
            inner = 1
    return rest


def plan_split(shape: Shape, axes: Sequence[int], demand: Demand, min_work: int) -> Split | None:
    """How to split a reduction of `shape` over `axes`, or None if it stays."""
    if not axes or not is_static(shape) or has_symbols(shape):
        return None
    shape = static_shape(shape)
    if prod(shape) < max(min_work, 1):
        return None
    runs = [list(dims) for _, dims in groupby(axes, key=lambda a: a - axes.index(a))]
    results = prod(size for dim, size in enumerate(shape) if dim not in axes)
    limit = prod(shape) // results // MIN_BLOCK
    inner = _inner(shape, runs[-1], demand, limit)
    first = [shape[dim] for dim in runs[0]]
    if len(runs) == 1:
        first = _without_end(first, inner)
    row = prod(shape[axes[-1] + 1 :])
    outer = _outer(first, results, row, demand, limit // inner)
    if inner == outer == 1:
        return None
    parts: list[tuple[int, str]] = []
    ends = {run[0]: run for run in runs}
    for dim, size in enumerate(shape):
        if dim not in axes:
            parts.append((size, "kept"))
        elif dim in ends:
            count = prod(shape[d] for d in ends[dim])
            before = outer if dim == runs[0][0] else 1
            after = inner if dim == runs[-1][0] else 1
            pieces = ((before, "block"), (count // before // after, "axis"), (after, "block"))
            parts += [piece for piece in pieces if piece[0] > 1 or piece[1] == "axis"]
    if len(parts) > MAX_RANK:
        return None
    return Split(
        tuple(size for size, _ in parts),
        tuple(i for i, (_, role) in enumerate(parts) if role == "axis"),
        tuple(i for i, (_, role) in enumerate(parts) if role == "block"),
    )


def _demand(module: ModuleOp, threads: int) -> Demand:
    threads = threads or ASSUMED_THREADS
    target = module.attributes.get(TARGET)
    lanes = machine(target.data).lanes if isinstance(target, StringAttr) else ASSUMED_LANES
    return Demand(UNITS_PER_THREAD * threads if threads > 1 else 1, lanes)


def in_two_steps(x: Term, kind: type[ReduceOp], split: Split) -> Term:
    """The blocks of `x`, each reduced on its own, combined."""
    partial = reshape(x, split.shape).reduced(kind, split.axes)
    return partial.reduced(kind, split.blocks)


class SplitReduction(Formula[ReduceOp, Split]):
    """A reduction is the reduction of its blocks' results; a mean is `sum(x) / count`."""

    name = "split-reduction"
    ops = (ReduceOp,)
    conditions = (not_skipped, outside_of_subgraphs, combines_elements)

    def __init__(self, demand: Demand, min_work: int) -> None:
        self.demand, self.min_work = demand, min_work

    @override
    def match(self, op: ReduceOp) -> Split | None:
        return plan_split(shape_of(op.operand), op.axes, self.demand, self.min_work)

    @override
    def formula(self, op: ReduceOp, match: Split, build: OpBuilder) -> Term:
        x = Term(op.operand, build)
        if isinstance(op, ReduceMeanOp):
            y = in_two_steps(summable(x), ReduceSumOp, match) / count_of(x.shape, op.axes)
        elif isinstance(op, ReduceMaxOp | ReduceMinOp):
            y = in_two_steps(x, type(op), match)
        else:
            y = in_two_steps(widened(x), type(op), match)
        return reshape(y, shape_of(op.result))


@dataclass(frozen=True)
class SnippetsSplitReductionsPass(FormulaPass):
    """Split a large reduction with few results in two."""

    name = "snippets-split-reductions"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (SplitReduction,)

    threads: int = 0
    min_work: int = 65536

    def facts(self, root: Operation) -> tuple[Demand, int]:
        """The needs of the machine, and the option."""
        if self.threads < 0 or self.min_work < 0:
            raise CompileError(
                "expected threads and min-work of 0 or more, "
                f"found {self.threads} and {self.min_work}"
            )
        assert isinstance(root, ModuleOp)
        return _demand(root, self.threads), self.min_work
