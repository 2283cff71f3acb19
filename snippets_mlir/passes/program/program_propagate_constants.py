"""Compute nodes that depend only on constants at compile time.

    %w = program.data "w" dense<[1.0, 4.0]> : tensor<2xf32>
    %0 = program.node "root" (%a = %w) : (tensor<2xf32>) -> tensor<2xf32> {
      %3 = snippets.sqrt %a : tensor<2xf32>
      program.yield %3 : tensor<2xf32>
    }
    %1 = program.node "sum" (%a = %x, %b = %0) {...}

becomes

    %0 = program.data "root" dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = program.node "sum" (%a = %x, %b = %0) {...}

The constant nodes run as a separate program, in the evaluator of the pass manager. A result that
other nodes read becomes a constant with the name of the result. Constants and views without other
readers are erased.

A node stays if it has an implementation already, if the dialect does not define an op of it (an
`onnx.node`: onnxruntime folds it in its session), or if a result has more than `max-bytes` bytes
(default 16 MiB) or a size known only at run time. Its readers stay, too.

A graph at a later stage does not change.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Container
from dataclasses import dataclass
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.layout import LayoutOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.values.constant import dense_attr
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.evaluator import evaluate
from snippets_mlir.passes.program.graph_passes import UnselectedPlanPass


@dataclass(frozen=True)
class Constants:
    """The plan of constant nodes.

    Attributes:
        nodes: the nodes that run, in the order of the text.
        results: their results with other readers.
        ids: the names of these.
        gone: the nodes, and constants and views without other readers, readers first.
        kept: nodes on constants that stay, each with the reason.
    """

    nodes: tuple[NodeOp, ...]
    results: tuple[SSAValue, ...]
    ids: tuple[str, ...]
    gone: tuple[Operation, ...]
    kept: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        named = zip(self.ids, self.results, strict=True)
        lines = [f'"{node.id.data}": computed' for node in self.nodes]
        lines += [f'"{id}": a constant of {_bytes(value)} bytes' for id, value in named]
        return "\n".join([*lines, *(f'"{id}" stays: {why}' for id, why in self.kept)]) or "nothing"


def _read_by(value: SSAValue, readers: Container[Operation]) -> bool:
    """Whether a value has readers, all of them among these."""
    return bool(value.uses) and all(use.operation in readers for use in value.uses)


def _bytes(value: SSAValue) -> int:
    """Bytes of a value of known sizes."""
    return prod(static_shape(shape_of(value))) * numpy_dtype(tensor_of(value).element_type).itemsize


@dataclass(frozen=True)
class ProgramPropagateConstantsPass(UnselectedPlanPass[Constants]):
    """Compute nodes that depend only on constants."""

    name = "program-propagate-constants"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused"))

    max_bytes: int = 16 << 20

    def plan(self, unit: GraphOp) -> Constants:
        """The nodes that depend only on constants and can be computed."""
        known: set[SSAValue] = set()
        nodes: dict[Operation, NodeOp] = {}
        kept: list[tuple[str, str]] = []
        for op in unit.block.ops:
            if isinstance(op, OutputOp) or not known.issuperset(op.operands):
                continue
            if isinstance(op, NodeOp):
                if (why := self.why_not(op)) is not None:
                    kept.append((op.id.data, why))
                    continue
                nodes[op] = op
            known.update(op.results)
        gone: dict[Operation, None] = {}
        for op in reversed(list(unit.block.ops)):
            if op in nodes or (isinstance(op, DataOp | ViewOp) and _read_by(op.result, gone)):
                gone[op] = None
        results = [
            value
            for node in nodes.values()
            for value in node.outputs
            if any(use.operation not in gone for use in value.uses)
        ]
        ids = tuple(map(unit.id_of, results))
        return Constants(tuple(nodes.values()), tuple(results), ids, tuple(gone), tuple(kept))

    def why_not(self, node: NodeOp) -> str | None:
        """Why a node on constants is not computed; None if it is."""
        if node.kind is not None:
            return f"it has the implementation {node.kind}"
        defined = ComputeOp | LayoutOp | ConstantOp | ScalarOp
        for op in list(node.block.ops)[:-1]:
            if not isinstance(op, defined):
                return f"{op.name} has no value at compile time"
        for value in node.outputs:
            if not is_static(shape_of(value)):
                return "a size is known at run time only"
            if (size := _bytes(value)) > self.max_bytes:
                return f"{size} bytes are more than {self.max_bytes}"
        return None

    def carry_out(self, unit: GraphOp, plan: Constants) -> None:
        """Run the nodes, and replace their results by constants."""
        gone = set(plan.gone)
        arrays = evaluate(program_of(unit, plan), unit.sym_name.data) if plan.results else ()
        for value, id_, array in zip(plan.results, plan.ids, arrays, strict=True):
            node = value.owner
            assert isinstance(node, NodeOp)
            data = DataOp(id_, dense_attr(array, tensor_of(value)), value.type)
            data.location = node.location
            data.result.name_hint = value.name_hint
            unit.block.insert_op_before(data, node)
            value.replace_uses_with_if(data.result, lambda use: use.operation not in gone)
        for op in plan.gone:
            unit.block.erase_op(op)


def program_of(unit: GraphOp, plan: Constants) -> ModuleOp:
    """A graph without inputs that computes the results of a plan."""
    needed = {value.owner for value in plan.results}
    for op in reversed(list(unit.block.ops)):
        if op in needed:
            needed.update(value.owner for value in op.operands)
    block, values = Block(), dict[SSAValue, SSAValue]()
    for op in unit.block.ops:
        if op in needed:
            block.add_op(op.clone(values))
    block.add_op(OutputOp([values[value] for value in plan.results], plan.ids))
    return ModuleOp([GraphOp(unit.sym_name.data, unit.stage.data, [], Region(block))])
