"""Compute the softmax of long rows in blocks that stay in the first-level cache.

    %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<1x1048576xf32>

becomes, for blocks of 4096 elements,

    %x = snippets.reshape %0 : (tensor<1x1048576xf32>) -> tensor<1x256x4096xf32>
    %b = snippets.reduce_max %x {axes = array<i64: 2>, keep_dims} : .. -> tensor<1x256x1xf32>
    %c = snippets.maximum %b, %lowest        // the lowest finite number
    %e = snippets.exp (%x - %c)
    %t = snippets.reduce_sum %e {axes = array<i64: 2>, keep_dims} : .. -> tensor<1x256x1xf32>
    %m = snippets.reduce_max %b {axes = array<i64: 1>, keep_dims} : .. -> tensor<1x1x1xf32>
    %w = snippets.exp (%b - %m)
    %s = snippets.reduce_sum (%t * %w) {axes = array<i64: 1>, keep_dims} : .. -> tensor<1x1x1xf32>
    %y = snippets.exp (%x - %m) * (1.0 / %s)
    %1 = snippets.reshape %y : (tensor<1x256x4096xf32>) -> tensor<1x1048576xf32>

The tokenizer makes three kernels of it: one over blocks, one over their maxima and sums, and one
over elements, where `log_softmax` is `(%x - %m) - log(%s)`. A softmax in one kernel reads a row,
reads it again and writes exp, then reads exp and writes the quotients; threads can share only rows.
In blocks, a row is read twice and written once, and threads share the blocks, but exp is computed
twice for each element. If one exp costs more than the memory traffic it saves, the last kernel is
`%e * (%w / %s)` instead (`kept`).

* S1: `log_softmax` of rows of `log-softmax-from` bytes or more, `softmax` of `softmax-from` or
more, if `%0` is in memory anyway because no kernel computes it. -1, the default, is the machine's
number, which may be None for never; 0 is for rows of any size.
* S2: `log_softmax`, and `softmax` with `%e` kept, of at least `min-work` elements in at most half
as many rows as there are threads.
* S3: rows of f32 or f64, with nothing after the axis, of a known length that has a divisor of 32 to
256 vectors: the block. The pass takes the longest divisor that is a whole number of vectors, if
there is one, and a shorter one for few rows, so that each thread has four blocks. A prime length
stays plain.

Ops in subgraphs and ops marked `snippets.skipped` stay. Run it before the tokenizer. `threads=0`,
the default, is 4 on every machine, so that results do not depend on it. Special values are as in
the plain form: a row with a NaN, an inf or nothing but -inf is NaN; a block of nothing but -inf in
another row adds 0. exp's argument x - max is computed in one step, or in two of the same sign, so
its rounding costs as much as in the plain form; each further product and exp moves the result by at
most two units. Source: Milakov and Gimelshein, Online normalizer calculation for softmax (2018), by
blocks.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr, f32
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view
from snippets_mlir.dialects.snippets.normalization import LogSoftmaxOp, SoftmaxOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.formulas import (
    LOWEST,
    Formula,
    Term,
    exp,
    larger,
    log,
    max_,
    reshape,
    sum_,
)
from snippets_mlir.passes.building.graph import OpBuilder, not_skipped, outside_of_subgraphs
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.decompose.sharing import ASSUMED_LANES
from snippets_mlir.passes.graph.decompose.softmax_blocks import (
    Blocks,
    Demand,
    Forms,
    plan_blocks,
)
from snippets_mlir.passes.graph.graph_passes import FormulaPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET
from snippets_mlir.targets.machine import machine

FEW = 4
"""The threads that rows are divided for: more rows than half of it lose more than they gain."""

AnySoftmax = SoftmaxOp | LogSoftmaxOp


def _is_computed(value: SSAValue) -> bool:
    """Whether a kernel computes `value`, which is then in memory only for another kernel."""
    while isinstance(value.owner, LayoutOp) and is_view(value.owner):
        value = value.owner.operands[0]
    return not isinstance(value.owner, Block) and why_not(value.owner) is None


@dataclass(frozen=True)
class Sums:
    """The values of blocks of rows.

    Attributes:
        e: exp of each element's distance to the maximum of its block.
        weight: the factor of a block in its row.
        largest: the maximum of a row.
        total: the sum of exp along a row.
    """

    e: Term
    weight: Term
    largest: Term
    total: Term


BLOCK, ROW = [2], [1]


def sums_of(x: Term) -> Sums:
    """The sums of `x`, rows times blocks times elements."""
    of_block = max_(x, BLOCK)
    e = exp(x - larger(of_block, LOWEST[x.type.element_type]))
    partial = sum_(e, BLOCK)
    largest = max_(of_block, ROW)
    weight = exp(of_block - largest)
    return Sums(e, weight, largest, sum_(partial * weight, ROW))


def softmax_kept(_: Term, s: Sums) -> Term:
    """The softmax; exp is stored."""
    return s.e * (s.weight / s.total)


def softmax_twice(x: Term, s: Sums) -> Term:
    """The softmax; exp is computed again."""
    scale = 1.0 / s.total
    return exp(x - s.largest) * scale


def log_softmax(x: Term, s: Sums) -> Term:
    """The logarithm of the softmax."""
    return (x - s.largest) - log(s.total)


def f32_or_f64(op: AnySoftmax) -> bool:
    """Rows of 16-bit floats are summed without blocks."""
    return tensor_of(op.x).element_type in LOWEST


def along_the_last_dim(op: AnySoftmax) -> bool:
    """There are no elements after the axis."""
    return all(size == 1 for size in shape_of(op.x)[op.axis + 1 :])


class SoftmaxInBlocks(Formula[AnySoftmax, Blocks]):
    """A softmax, or its logarithm, from the maxima and sums of blocks."""

    name = "softmax-in-blocks"
    ops = (SoftmaxOp, LogSoftmaxOp)
    conditions = (not_skipped, outside_of_subgraphs, f32_or_f64, along_the_last_dim)

    def __init__(self, softmax: Demand, log_softmax: Demand) -> None:
        self.softmax, self.log_softmax = softmax, log_softmax

    def match(self, op: AnySoftmax) -> Blocks | None:
        """The blocks of the axis; None if the softmax should stay."""
        is_softmax = isinstance(op, SoftmaxOp)
        forms = Forms(twice=not _is_computed(op.x), kept=is_softmax)
        demand = self.softmax if is_softmax else self.log_softmax
        width = 4 if tensor_of(op.x).element_type == f32 else 8
        return plan_blocks(shape_of(op.x)[: op.axis + 1], width, demand, forms)

    def formula(self, op: AnySoftmax, match: Blocks, build: OpBuilder) -> Term:
        """The formula on the blocks, reshaped back."""
        x = reshape(Term(op.x, build), (match.rows, match.count, match.length))
        plain = softmax_twice if isinstance(op, SoftmaxOp) else log_softmax
        y = (softmax_kept if match.kept else plain)(x, sums_of(x))
        return reshape(y, shape_of(op.result))


@dataclass(frozen=True)
class SnippetsOnlineSoftmaxPass(FormulaPass):
    """Compute softmax and log_softmax of long rows in blocks."""

    name = "snippets-online-softmax"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (SoftmaxInBlocks,)

    threads: int = 0
    min_work: int = 32768
    softmax_from: int = -1
    log_softmax_from: int = -1

    def facts(self, root: Operation) -> tuple[Demand, Demand]:
        """The demands of the machine and the options for softmax and log_softmax."""
        self._check_options()
        assert isinstance(root, ModuleOp)
        name = root.attributes.get(TARGET)
        target = machine(name.data) if isinstance(name, StringAttr) else None
        lanes = target.lanes if target else ASSUMED_LANES
        threads = self.threads or FEW

        def demand(option: int, known: int | None) -> Demand:
            return Demand(threads, lanes, known if option == -1 else option, self.min_work)

        return (
            demand(self.softmax_from, target and target.softmax_from),
            demand(self.log_softmax_from, target and target.log_softmax_from),
        )

    def _check_options(self) -> None:
        if self.threads < 0 or self.min_work < 0:
            raise CompileError(
                "expected threads and min-work of 0 or more, "
                f"found {self.threads} and {self.min_work}"
            )
        if self.softmax_from < -1 or self.log_softmax_from < -1:
            raise CompileError(
                "expected softmax-from and log-softmax-from of -1 or more, "
                f"found {self.softmax_from} and {self.log_softmax_from}"
            )
