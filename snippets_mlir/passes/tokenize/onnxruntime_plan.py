"""Which ops of a block join the fusions of onnxruntime: one sweep over the table of rules."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.tokenize.onnxruntime_rules import (
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


@dataclass(frozen=True)
class Mark:
    """An op that the engine fuses, by which rule, and behind which node."""

    op: ComputeOp
    rule: Rule
    node: NodeOp

    @property
    def reason(self) -> str:
        """The text of `snippets.skipped`."""
        return (
            f"onnxruntime fuses it into {self.node.op_type.data} "
            f"({self.rule.name}: {self.rule.fusion})"
        )


def plan_marks(ops: Sequence[Operation]) -> list[Mark]:
    """The ops of a block that the engine fuses, in one sweep in order.

    Every op has a level: how often a path to it changes between the engine and kernels. Only ops of
    one level run in one session, so a chain takes an op in only at its own level.
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
            in_engine = isinstance(op, NodeOp) or self._join(op)
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
        """Mark `op` when it joins a chain; whether it runs in the engine."""
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

    def _is_ready(self, value: SSAValue, at: SSAValue) -> bool:
        level, limit = self._level_of(value), self._level_of(at)
        return value in self.blocked and level is not None and limit is not None and level <= limit

    def _mark(self, op: ComputeOp, rule: Rule, chain: Chain) -> None:
        result = op.results[0]
        if rule.then is not None:
            self.chains[result] = Chain(chain.node, rule.then)
        if chain.kind in ("conv", "sum") and is_engine_constant(chain.node.inputs[1]):
            self.blocked.add(result)
        self.marks.append(Mark(op, rule, chain.node))
