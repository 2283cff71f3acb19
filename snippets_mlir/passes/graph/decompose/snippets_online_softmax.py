"""Take the softmax of long rows in blocks that stay in the first-level cache.

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

which the tokenizer makes three kernels of: one over blocks, one over their maxima and sums, and one
over elements, in which `log_softmax` is `(%x - %m) - log(%s)`. As one kernel a softmax reads a row,
reads it again and writes exp, reads exp and writes the quotients, and rows are all that threads can
share. In blocks a row is read twice and written once, and the blocks are shared. A softmax then
computes exp twice for each element. Where one exp costs more than the memory it saves, the last
kernel is `%e * (%w / %s)` instead (`kept`).

* S1: `log_softmax` of rows of `log-softmax-from` bytes or more, `softmax` of `softmax-from` or
more, when `%0` is in memory anyway: no kernel computes it. -1, the default, is the machine's
number, which may be None for never; 0 is for rows of any size.
* S2: `log_softmax`, and `softmax` with `%e` kept, of at least `min-work` elements in at most half
as many rows as there are threads.
* S3: rows of f32 or f64, with nothing behind the axis, whose length is known and has a divisor of
32 to 256 vectors: a block. The longest one that is a whole number of vectors is taken, if there is
one; with few rows a shorter one, so that each thread has four. A prime length stays plain.

Ops in subgraphs stay, and those marked `snippets.skipped`. Run it before the tokenizer. `threads=0`
takes the module's `snippets.threads`, and 16 when that is 0, too. Special values are those of the
plain form: a row with a NaN, an inf or nothing but -inf is NaN; a block of nothing but -inf in
another row adds 0. x - max is exp's argument in one step or in two of one sign, so rounding it
costs what it costs in the plain form; each further product and exp moves the result by at most two
units. Source: Milakov and Gimelshein, Online normalizer calculation for softmax (2018), by blocks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp, StringAttr, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.analysis.eligibility import why_not
from snippets_mlir.dialects.builtin.dims import Shape, has_symbols, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MaximumOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.elementary import ExpOp, LogOp
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view
from snippets_mlir.dialects.snippets.normalization import LogSoftmaxOp, SoftmaxOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceSumOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.passes.building.graph import OpBuilder, computing_ops
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.decompose.snippets_split_reductions import (
    ASSUMED_LANES,
    UNITS_PER_THREAD,
    divisors,
    thread_count,
)
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET
from snippets_mlir.targets.machine import TargetMachine, machine

FEWEST_VECTORS, MOST_VECTORS = 32, 256
"""Vectors of a block. Sums of more vectors are taken in blocks of their own (`lir-split-loops`)."""

LOWEST: dict[Attribute, float] = {f32: -3.4028234663852886e38, f64: -1.7976931348623157e308}


@dataclass(frozen=True)
class Demand:
    """When blocks are worth it.

    Attributes:
        threads: how many share the work.
        lanes: 32-bit elements of a vector.
        row_bytes: the size from which rows are taken in blocks that are read twice; None for never.
        min_work: elements from which few rows are shared by threads.
    """

    threads: int
    lanes: int
    row_bytes: int | None
    min_work: int


@dataclass(frozen=True)
class Forms:
    """What can be done with a row.

    Attributes:
        twice: reading it twice, because it is in memory.
        kept: keeping exp, because the result is made of it.
    """

    twice: bool
    kept: bool


@dataclass(frozen=True)
class Blocks:
    """A tensor of rows in blocks: `rows` times `count` times `length`.

    Attributes:
        kept: whether exp of a block is stored and scaled, not computed again.
    """

    rows: int
    count: int
    length: int
    kept: bool


def block_length(row: int, lanes: int, wanted: int) -> int | None:
    """The divisor of `row` that is a block of about `wanted` elements or less; None for none."""
    limits = range(FEWEST_VECTORS * lanes, min(MOST_VECTORS * lanes, row // 2) + 1)
    lengths = [d for d in divisors(row) if d in limits]
    lengths = [d for d in lengths if d % lanes == 0] or lengths
    return max((d for d in lengths if d <= wanted), default=min(lengths, default=None))


def plan_blocks(shape: Shape, width: int, demand: Demand, fits: Forms) -> Blocks | None:
    """How to take the softmax of rows in blocks; None for as they are.

    Args:
        shape: of the operand; the axis is its last dim.
        width: bytes of an element.
        demand: what the machine and the user want.
        fits: which forms the op can have.
    """
    if not is_static(shape) or has_symbols(shape):
        return None
    *outer, row = static_shape(shape)
    rows = prod(outer)
    lanes = max(1, demand.lanes * 4 // width)
    work = rows * row
    few = 2 * rows <= demand.threads and work >= max(1, demand.min_work)
    long = fits.twice and demand.row_bytes is not None and row * width >= demand.row_bytes
    if not work or not (few or long):
        return None
    wanted = work // (UNITS_PER_THREAD * demand.threads) if few else MOST_VECTORS * lanes
    length = block_length(row, lanes, wanted)
    if length is None:
        return None
    return Blocks(rows, row // length, length, kept=fits.kept and not long)


def _apply(op: SoftmaxOp | LogSoftmaxOp, plan: Blocks) -> None:
    builder = OpBuilder(op)
    x = builder.reshape(op.x, (plan.rows, plan.count, plan.length))
    largest = builder.add(ReduceMaxOp(x, [2], keep_dims=True))
    lowest = builder.scalar(LOWEST[tensor_of(x).element_type], x)
    finite = builder.add(MaximumOp(largest, lowest))
    exponential = builder.add(ExpOp(builder.add(SubtractOp(x, finite))))
    partial = builder.add(ReduceSumOp(exponential, [2], keep_dims=True))
    maximum = builder.add(ReduceMaxOp(largest, [1], keep_dims=True))
    weight = builder.add(ExpOp(builder.add(SubtractOp(largest, maximum))))
    weighted = builder.add(MultiplyOp(partial, weight))
    total = builder.add(ReduceSumOp(weighted, [1], keep_dims=True))
    if plan.kept:
        scale = builder.add(DivideOp(weight, total))
        value = builder.add(MultiplyOp(exponential, scale))
    elif isinstance(op, SoftmaxOp):
        scale = builder.add(DivideOp(builder.scalar(1.0, x), total))
        exponential = builder.add(ExpOp(builder.add(SubtractOp(x, maximum))))
        value = builder.add(MultiplyOp(exponential, scale))
    else:
        distance = builder.add(SubtractOp(x, maximum))
        value = builder.add(SubtractOp(distance, builder.add(LogOp(total))))
    builder.replace(builder.reshape(value, shape_of(op.result)))


def _plan(op: SoftmaxOp | LogSoftmaxOp, demand: Demand) -> Blocks | None:
    shape, element = shape_of(op.x), tensor_of(op.x).element_type
    if not isinstance(element, Float32Type | Float64Type):
        return None
    if any(size != 1 for size in shape[op.axis + 1 :]):
        return None
    forms = Forms(twice=not _is_computed(op.x), kept=isinstance(op, SoftmaxOp))
    return plan_blocks(shape[: op.axis + 1], element.size, demand, forms)


def _is_computed(value: SSAValue) -> bool:
    """Whether a kernel computes `value`, which is in memory only when another one needs it."""
    while isinstance(value.owner, LayoutOp) and is_view(value.owner):
        value = value.owner.operands[0]
    return not isinstance(value.owner, Block) and why_not(value.owner) is None


def _row_bytes_of(target: TargetMachine | None, log: bool) -> int | None:
    """The machine's number of bytes for S1; None where there is none, or no machine."""
    if target is None:
        return None
    return target.log_softmax_from if log else target.softmax_from


def _softmax_ops(module: ModuleOp) -> Iterator[SoftmaxOp | LogSoftmaxOp]:
    """Those of functions, outside of subgraphs."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            for block in function.body.blocks:
                for op in computing_ops(block):
                    if isinstance(op, SoftmaxOp | LogSoftmaxOp):
                        yield op


@dataclass(frozen=True)
class SnippetsOnlineSoftmaxPass(ModulePass):
    """Take softmax and log_softmax of long rows in blocks."""

    name = "snippets-online-softmax"
    EFFECT: ClassVar[Effect] = APPROXIMATES

    threads: int = 0
    min_work: int = 32768
    softmax_from: int = -1
    log_softmax_from: int = -1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the ops of every function."""
        self._check_options()
        found = list(_softmax_ops(op))
        if not found:
            return
        name = op.attributes.get(TARGET)
        target = machine(name.data) if isinstance(name, StringAttr) else None
        threads = thread_count(op, self.threads)
        for inner in found:
            log = isinstance(inner, LogSoftmaxOp)
            row_bytes = self.log_softmax_from if log else self.softmax_from
            if row_bytes == -1:
                row_bytes = _row_bytes_of(target, log)
            lanes = target.lanes if target else ASSUMED_LANES
            plan = _plan(inner, Demand(threads, lanes, row_bytes, self.min_work))
            if plan is not None:
                _apply(inner, plan)

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
