"""Plan the nodes of a host function for `convert-host-to-program`.

stage selected
"w": data
"c": node of snippets.check_indices by reference
"k0": node of lir.call by snippets @k0
"a", "b": node of onnx.node Conv, onnx.node Relu by onnxruntime
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import Impl
from snippets_mlir.dialects.program.host import body_of, interface_names
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.engine_forms import runs_in_engine
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.building.names import base_name
from snippets_mlir.passes.building.programs import Ids
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import operands_within


@dataclass(frozen=True)
class HostStep:
    """Ops that become one node, one view or one constant of the graph.

    Attributes:
        ids: the id of each op; the first one is that of the step.
        ops: in an order in which they can run.
        kind: `data`, `view` or `node`.
        impl: the implementation of a node, if it is decided.
    """

    ids: tuple[str, ...]
    ops: tuple[Operation, ...]
    kind: str
    impl: Impl | None

    def __str__(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.ids)
        if self.kind != "node":
            return f"{names}: {self.kind}"
        by = "" if self.impl is None else f" by {self.impl.kind}"
        kernel = "" if self.impl is None or not self.impl.symbol else f" @{self.impl.symbol}"
        return f"{names}: node of {', '.join(map(_shown, self.ops))}{by}{kernel}"


@dataclass(frozen=True)
class HostPlan:
    """The steps of a graph, in order, and the stage that it is at."""

    stage: str
    steps: tuple[HostStep, ...]

    def __str__(self) -> str:
        return "\n".join((f"stage {self.stage}", *map(str, self.steps)))


def _shown(op: Operation) -> str:
    return f"{op.name} {op.op_type.data}" if isinstance(op, OnnxNodeOp) else op.name


def is_engine_op(op: Operation) -> bool:
    """Whether onnxruntime runs an op of a function with kernels."""
    return isinstance(op, OnnxNodeOp) or runs_in_engine(op)


def kind_of_step(op: Operation) -> str:
    """The kind of step for a single op."""
    if isinstance(op, ConstantOp | ScalarOp):
        return "data"
    return "view" if is_view(op) else "node"


def implementation_of(op: Operation) -> Impl:
    """The implementation of a step of a function with kernels."""
    if isinstance(op, CallOp):
        return Impl("snippets", op.callee.string_value())
    return Impl("onnxruntime" if is_engine_op(op) else "reference")


def steps_in_order(
    ops: Sequence[Operation], sessions: Iterable[Sequence[Operation]]
) -> list[Sequence[Operation]]:
    """The ops of a block as steps, each after its operands, else in text order.

    A session is one step, and so is any other op. No path leaves a session and comes back.
    """
    step_with: dict[Operation, Sequence[Operation]] = {op: (op,) for op in ops}
    step_with.update((op, session) for session in sessions for op in session)
    order: dict[Operation, Sequence[Operation]] = {}  # by the first op of each step
    for first in ops:
        stack = [step_with[first]]
        while stack:
            step = stack[-1]
            missing: list[Sequence[Operation]] = []
            for op in step if step[0] not in order else ():
                for value in operands_within(op):
                    needed = step_with.get(cast("Operation", value.owner), step)
                    if needed is not step and needed[0] not in order:
                        missing.append(needed)
            if missing:
                stack.extend(reversed(missing))
                continue
            order.setdefault(step[0], step)
            stack.pop()
    return list(order.values())


def plan_of(function: FuncOp, *, lowered: bool) -> HostPlan:
    """The steps of a host function; with `lowered`, no other op becomes a kernel.

    Raises:
        CompileError: it has both subgraphs and kernels.
    """
    ops = list(body_of(function).ops)[:-1]
    has_calls = any(isinstance(op, CallOp) for op in ops)
    is_lowered = has_calls or lowered
    is_fused = any(isinstance(op, SubgraphOp) for op in ops)
    if is_lowered and is_fused:
        expected = "subgraphs or calls of kernels" if has_calls else "no subgraphs"
        raise CompileError(
            f"@{function.sym_name.data}: expected {expected}, "
            f"found {'both' if has_calls else 'some'}",
            **position_of(function),
        )
    inputs, _ = interface_names(function)
    ids = Ids(inputs)
    names = {op: ids.fresh(base_name(op)) for op in ops}
    order = steps_in_order(ops, sessions_of(ops, is_engine_op)) if lowered else zip(ops)
    steps: list[HostStep] = []
    for step in order:
        kind = kind_of_step(step[0]) if len(step) == 1 else "node"
        impl = implementation_of(step[0]) if is_lowered and kind == "node" else None
        steps.append(HostStep(tuple(names[op] for op in step), tuple(step), kind, impl))
    stage = "selected" if is_lowered else "fused" if is_fused else "topology"
    return HostPlan(stage, tuple(steps))
