"""Move elementwise nodes before views that prevent their fusion.

    %0 = program.node "sum" (%a = %x, %b = %y) : (...) -> tensor<2x4xf32> {...}
    %1 = program.view "flat" (%0) : tensor<2x4xf32> -> tensor<8xf32>
    %2 = program.node "relu" (%a = %1) : (tensor<8xf32>) -> tensor<8xf32> {...}
    program.output %2 as "z"

becomes

    %0 = program.node "sum" (%a = %x, %b = %y) : (...) -> tensor<2x4xf32> {...}
    %2 = program.node "relu" (%a = %0) : (tensor<2x4xf32>) -> tensor<2x4xf32> {...}
    %1 = program.view "flat" (%2) : tensor<2x4xf32> -> tensor<8xf32>
    program.output %1 as "z"

`program-fuse-primitives` then fuses the two nodes. Each element is computed as before; ids and
names of outputs stay. A walk starts at a view and follows values with a single reader:

* it passes views, and nodes that work element by element on the value and on single elements; these
  nodes move before the first view, in their order;
* if views restore the shape before the first one, as in `2x4 -> 8 -> 2x4`, they are dropped, and
  the readers of the last view read the value before the first.

Nodes move only if that can save a step: the node that computes the value before the first view can
be fused and has no other reader, and the last moved node could not be fused with its reader. Sizes
have to be known. Options: `force`, as in `program-select-implementations`; a node stays if another
kind than `snippets` is forced for it.

A graph at the stage `selected` or later does not change.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.program.data import ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.forcing import forced_kinds
from snippets_mlir.passes.building.programs import sort_graph
from snippets_mlir.passes.program.elementwise_nodes import why_not_fused
from snippets_mlir.passes.program.graph_passes import UnselectedPlanPass
from snippets_mlir.passes.program.reshape_moves import Move, move_at
from snippets_mlir.targets.implementations.registry import computing_ops


@dataclass(frozen=True)
class Moves:
    """The moves of a graph.

    Attributes:
        moves: in the order of the text; no op is in two.
        kept: the other views that a walk began at, each with the reason why nothing changes.
    """

    moves: tuple[Move, ...]
    kept: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = [*map(str, self.moves), *(f'"{id}" stays: {why}' for id, why in self.kept)]
        return "\n".join(lines) or "no views"


def retyped(value: SSAValue, element: Attribute, shape: Shape) -> SSAValue:
    """`value` after its type has become a tensor of another shape or element type."""
    return Rewriter.replace_value_with_new_type(value, tensor_type(element, shape))


def reshape_node(node: NodeOp, read: SSAValue, value: SSAValue) -> SSAValue:
    """Let a node read `value` instead of `read`, with its shape; returns the result."""
    shape = shape_of(value)
    changed: list[SSAValue] = [r for op in computing_ops(node) for r in op.results]
    for index, operand in enumerate(node.inputs):
        if operand is read:
            node.operands[index] = value
            changed.append(node.block.args[index])
    for inside in changed:
        retyped(inside, tensor_of(inside).element_type, shape)
    return retyped(node.outputs[0], tensor_of(node.outputs[0]).element_type, shape)


def put_after(views: Sequence[ViewOp], value: SSAValue) -> None:
    """Let the first view read `value`, and the readers of `value` the last view."""
    element = tensor_of(value).element_type
    value.replace_all_uses_with(views[-1].result)
    for view in views:
        view.operands[0] = value
        value = retyped(view.result, element, shape_of(view.result))


@dataclass(frozen=True)
class ProgramPrepareFusingPass(UnselectedPlanPass[Moves]):
    """Move elementwise nodes before views that prevent their fusion."""

    name = "program-prepare-fusing"
    STAGES: ClassVar[Stages] = Stages(("topology", "fused"))

    force: str = ""

    def plan(self, unit: GraphOp) -> Moves:
        """A walk from each view that no earlier walk has passed."""
        forced = forced_kinds(unit.nodes, self.force)
        barred = {node: why_not_fused(node, forced.get(node.id.data)) for node in unit.nodes}
        moves: list[Move] = []
        kept: list[tuple[str, str]] = []
        passed: set[Operation] = set()
        for view in unit.block.ops:
            if not isinstance(view, ViewOp) or view in passed:
                continue
            move = move_at(view, barred)
            if isinstance(move, Move):
                moves.append(move)
                passed.update(move.ops)
            else:
                kept.append((view.id.data, move))
        return Moves(tuple(moves), tuple(kept))

    def carry_out(self, unit: GraphOp, plan: Moves) -> None:
        """Move the nodes, and put the views after them or drop them."""
        for move in plan.moves:
            value = read = move.views[0].operand
            for op in move.ops:
                if isinstance(op, NodeOp):
                    value = read = reshape_node(op, read, value)
                else:
                    read = op.result
            if move.left_out:
                read.replace_all_uses_with(value)
                for view in reversed(move.views):
                    unit.block.erase_op(view)
            else:
                put_after(move.views, value)
        sort_graph(unit)
