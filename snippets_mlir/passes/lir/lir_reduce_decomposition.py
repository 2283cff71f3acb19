"""Decompose reductions into fills, accumulators and a fold of the lanes; decompose scans.

    %s = snippets.reduce_sum %x {axes = array<i64: 1>, keep_dims,
                                 lir.loops = array<i64: 0, 1>, ...}

with loop 0 over a kept dim and loop 1 over the reduced one becomes

    %f = lir.fill %x {offset = 16 : i64, value = 0.0 : f32, lir.loops = array<i64: 0, 1>, ...}
    %a = lir.accumulate %f {kind = "sum", lir.loops = array<i64: 0, 1>, ...}
    %s = lir.horizon %a {kind = "sum", lir.loops = array<i64: 0>, ...}

There is one accumulator for each reduced loop, innermost first; each starts anew in every iteration
of its outer loops. Lanes are filled with the neutral value only if the vectors lie along a reduced
dim: `offset` is all lanes here, and the tail's copy of the loop gets the tail. Along a kept dim the
lanes are different results, and `lir.horizon` folds nothing. A reduction over dims of size 1 is its
operand. A scan along the vectors combines the lanes of each vector first:

    %c = lir.scan %x {dim = 0, kind = "sum"}   becomes   %p = lir.prefix %x {kind = "sum"}
                                                        %c = lir.scan %p {dim = 0, .., prefixed}

Source: the guide's ReduceDecomposition; a maximum starts from -inf here, and from the lowest finite
number there.

Refuses a reduction whose loops are not the innermost ones: run lir-mark-loops before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.graph.lowerable import REDUCTIONS
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp, neutral
from snippets_mlir.dialects.lir.scan import PrefixOp, ScanOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.lir.editing import insert_before, replace_with_expr
from snippets_mlir.passes.lir.kernel_passes import LoopPattern, LoopPatternPass
from snippets_mlir.passes.lir.reductions import reduced_dims
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def has_accumulator(op: Operation) -> bool:
    """Kernels reduce in this way."""
    return op.name in REDUCTIONS


def plan_accumulators(op: Operation, table: Mapping[int, LoopInfo]) -> list[int]:
    """Ids of the loops that `op` accumulates over, innermost first.

    Raises:
        CompileError: the loop over a kept dim is inside of one over a reduced dim.
    """
    rank = len(input_ports(op)[0].shape)
    reduced = {rank - 1 - dim for dim in reduced_dims(op)}
    ids = list(loop_ids(op))
    inner: list[int] = []
    while ids and table[ids[-1]].dim in reduced:
        inner.append(ids.pop())
    walked = {table[id_].dim for id_ in inner}
    if walked != reduced or any(table[id_].dim in reduced for id_ in ids):
        raise CompileError(
            f"expected the loops over the reduced dims of {op.name} innermost, found loops "
            f"{list(loop_ids(op))}; run lir-mark-loops before lir-reduce-decomposition",
            **position_of(op),
        )
    return inner


def accumulated(port: PortDescriptor, loop: LoopInfo) -> PortDescriptor:
    """The port of an accumulator over `loop`: one element of the dim, or one vector of the last."""
    place = len(port.shape) - 1 - loop.dim
    size = port.lanes if loop.dim == 0 else 1
    shape = (*port.shape[:place], size, *port.shape[place + 1 :])
    return replace(port, shape=shape, layout=(), strides=())


class Decompose(LoopPattern[ReduceOp, list[int]]):
    """A reduction is a fold of the lanes of its innermost accumulators."""

    name = "decompose"
    ops = (ReduceOp,)
    conditions = (has_accumulator,)

    def match(self, op: ReduceOp) -> list[int]:
        """The loops to accumulate over, innermost first."""
        return plan_accumulators(op, self.table)

    @override
    def rewrite(self, op: ReduceOp, match: list[int], rewriter: PatternRewriter) -> None:
        kind = REDUCTIONS[op.name]
        (source,), (target,) = input_ports(op), output_ports(op)
        ids, value = loop_ids(op), op.operands[0]

        def add(new: Operation, ports: list[PortDescriptor], loops: tuple[int, ...]) -> SSAValue:
            return insert_before(op, new, ports, loops, rewriter).results[0]

        if source.lanes > 1 and target.lanes == 1:
            start = neutral(kind, tensor_of(value).element_type)
            value = add(FillOp(value, source.lanes, start), [source, source], ids)
        port = source
        for loop in match:
            port, before = accumulated(port, self.table[loop]), port
            value = add(AccumulateOp(value, kind, value.type), [before, port], ids)
            ids = ids[:-1]
        if port is not source:
            value = add(HorizonOp(value, kind, op.results[0].type), [port, target], ids)
        replace_with_expr(op, value, rewriter)


def goes_along_lanes(op: ScanOp) -> bool:
    """The lanes of a vector are to be combined."""
    return op.dim == 0 and op.prefixed is None and output_ports(op)[0].lanes > 1


class PrefixLanes(LoopPattern[ScanOp, bool]):
    """A scan along the vectors is a scan over vectors of prefixes."""

    name = "prefix-lanes"
    ops = (ScanOp,)
    conditions = (goes_along_lanes,)

    def match(self, op: ScanOp) -> bool:
        """Each such scan."""
        return True

    def rewrite(self, op: ScanOp, match: bool, rewriter: PatternRewriter) -> None:
        """Insert the prefixes."""
        (source,), (target,) = input_ports(op), output_ports(op)
        kind, ids = op.kind.data, loop_ids(op)
        prefix = insert_before(op, PrefixOp(op.operand, kind), [source, target], ids, rewriter)
        scan = ScanOp(prefix.results[0], kind, 0, prefixed=True)
        insert_before(op, scan, [target, target], ids, rewriter)
        replace_with_expr(op, scan.result, rewriter)


@dataclass(frozen=True)
class LirReduceDecompositionPass(LoopPatternPass):
    """Decompose reductions into accumulators and folds, and scans along vectors into prefixes."""

    name = "lir-reduce-decomposition"
    STAGES: ClassVar[Stages] = Stages(("marked",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (Decompose, PrefixLanes)
