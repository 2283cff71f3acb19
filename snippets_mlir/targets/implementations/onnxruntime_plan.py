"""The ops of a block that join onnxruntime's fusions: one sweep over the table of rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.onnx.counting import counts_elements
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.targets.implementations.onnxruntime_rules import (
    RULES,
    STARTS,
    Chain,
    Rule,
    Step,
    is_engine_constant,
    is_f32_tensor,
)

FIRST_OPSET = 7
POOLS = ("AveragePool", "MaxPool")


LONE_TRANSPOSE = "onnxruntime moves it beside its own nodes (lone-transpose: no kernel reads it)"


@dataclass(frozen=True)
class Mark:
    """An op that is left to the engine, with the text of `snippets.skipped`."""

    op: ComputeOp
    reason: str


def is_lone_transpose(op: TransposeOp) -> bool:
    """Whether only the engine gains from `op`: a node is adjacent, and no kernel would read it.

    A kernel with only a transpose moves single elements, and cuts a session in two. A node that
    reads no elements does not count as adjacent: it needs no session.
    """
    readers = [use.operation for use in op.result.uses]
    beside = (o for o in (op.operand.owner, *readers) if isinstance(o, NodeOp))
    nodes = [node for node in beside if not counts_elements(node)]
    old = any(not n.domain.data and n.version.value.data < FIRST_OPSET for n in nodes)
    if not nodes or old or not is_f32_tensor(op.result):
        return False
    return not any(map(_takes_in, readers))


def _takes_in(reader: Operation) -> bool:
    """Whether `reader` and a transpose before it can be in one kernel."""
    is_kernel = isinstance(reader, ComputeOp) and why_not(reader) is None
    return is_kernel and not isinstance(reader, TransposeOp)


def plan_marks(ops: Sequence[Operation]) -> list[Mark]:
    """The ops of a block that the engine fuses, in one sweep in order.

    Every op has a level: how often a path to it changes between the engine and kernels. Only ops of
    the same level run in one session, so a chain accepts only ops of its own level.
    """
    return _Sweep().run(ops)


class _Sweep:
    def __init__(self) -> None:
        self.chains: dict[SSAValue, Chain] = {}
        self.blocked: set[SSAValue] = set()
        self.level: dict[Operation, int] = {}
        self.marks: list[Mark] = []

    def run(self, ops: Sequence[Operation]) -> list[Mark]:
        for op in ops:
            in_engine = isinstance(op, NodeOp) or self._join(op) or self._leave(op)
            if isinstance(op, NodeOp):
                self._start(op)
            if not op.has_trait(ConstantLike, value_if_unregistered=False):
                self.level[op] = self._level(op, 0 if in_engine else 1)
        return self.marks

    def _level(self, op: Operation, parity: int) -> int:
        level = -1 if parity else 0
        for operand in op.operands:
            if (before := self._level_of(operand)) is not None:
                level = max(level, before + (before % 2 != parity))
        return level

    def _level_of(self, value: SSAValue) -> int | None:
        return self.level.get(value.op) if isinstance(value, OpResult) else None

    def _start(self, op: NodeOp) -> None:
        kind = STARTS.get(op.op_type.data)
        is_known = not op.domain.data and op.version.value.data >= FIRST_OPSET
        if not is_known or len(op.results) != 1:
            return
        result = op.results[0]
        if kind is not None and len(op.inputs) >= 2 and is_f32_tensor(result):
            self.chains[result] = Chain(op, kind)
            if kind == "conv" and is_engine_constant(op.inputs[1]):
                self.blocked.add(result)
        elif op.op_type.data in POOLS and op.operands and op.operands[0] in self.blocked:
            self.blocked.add(result)

    def _join(self, op: Operation) -> bool:
        """Mark `op` if it joins a chain. Returns whether it runs in the engine."""
        if not isinstance(op, ComputeOp) or len(op.operands) > 2:
            return False
        for index, value in enumerate(op.operands):
            chain = self.chains.get(value)
            if chain is None or not value.has_one_use():
                continue
            other = op.operands[1 - index] if len(op.operands) == 2 else None
            step = Step(chain, value, other, lambda v, at=value: self._is_ready(v, at))
            for rule in RULES:
                if rule.applies(op, step):
                    self._mark(op, rule, chain)
                    return True
        return False

    def _leave(self, op: Operation) -> bool:
        """Mark `op` when it is a transpose that no kernel would take in."""
        if not isinstance(op, TransposeOp) or not is_lone_transpose(op):
            return False
        self.marks.append(Mark(op, LONE_TRANSPOSE))
        return True

    def _is_ready(self, value: SSAValue, at: SSAValue) -> bool:
        level, limit = self._level_of(value), self._level_of(at)
        return value in self.blocked and level is not None and limit is not None and level <= limit

    def _mark(self, op: ComputeOp, rule: Rule, chain: Chain) -> None:
        result = op.results[0]
        if rule.then is not None:
            self.chains[result] = Chain(chain.node, rule.then)
        if chain.kind in ("conv", "sum") and is_engine_constant(chain.node.inputs[1]):
            self.blocked.add(result)
        into = chain.node.op_type.data
        reason = f"onnxruntime fuses it into {into} ({rule.name}: {rule.fusion})"
        self.marks.append(Mark(op, reason))
