"""Gather elements of a constant before they are converted to a wider type.

    %1 = onnx.node "Cast"(%0) {to = 1}       : (tensor<30522x768xf16>) -> tensor<30522x768xf32>
    %2 = onnx.node "Gather"(%1, %ids)        : (.., tensor<128xi64>) -> tensor<128x768xf32>

becomes

    %1 = onnx.node "Gather"(%0, %ids)        : (.., tensor<128xi64>) -> tensor<128x768xf16>
    %2 = onnx.node "Cast"(%1) {to = 1}       : (tensor<128x768xf16>) -> tensor<128x768xf32>

A model that stores its weights as f16 converts its whole embedding table. onnxruntime does so when
it loads the session: the load takes several times as long, and the table three times the memory. A
call needs only a few rows.

Legal because a conversion computes each element alone. Leaves tables that are no constants, tables
that are not converted from a smaller type, and tables with fewer elements than the result (a size
that only the call knows counts as 1). Exact. Ours.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import BFloat16Type, Float16Type
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import (
    bit_width,
    element_of,
    is_tensor,
    shape_of,
    tensor_of,
    tensor_type,
)
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import in_a_graph, not_skipped
from snippets_mlir.passes.patterns import Pattern, PatternPass


def _is_node(op: Operation | None, name: str) -> bool:
    """Whether `op` is a node of ONNX's own operator `name`."""
    return isinstance(op, NodeOp) and op.op_type.data == name and not op.domain.data


def gathers(op: NodeOp) -> bool:
    """The op is a Gather of a tensor, with a result of known rank."""
    return _is_node(op, "Gather") and all(is_tensor(v.type) for v in (*op.operands, *op.results))


def from_a_converted_constant(op: NodeOp) -> bool:
    """It gathers from a Cast of a constant."""
    owner = op.operands[0].owner
    return (
        isinstance(owner, NodeOp)
        and _is_node(owner, "Cast")
        and isinstance(owner.operands[0].owner, ConstantOp)
    )


def _stored(op: NodeOp) -> SSAValue:
    """The stored constant whose conversion a Gather reads."""
    owner = op.operands[0].owner
    assert isinstance(owner, NodeOp)
    return owner.operands[0]


def widens_16_bit_floats(op: NodeOp) -> bool:
    """The Cast widens elements of f16 or bf16."""
    stored, made = (tensor_of(v).element_type for v in (_stored(op), op.operands[0]))
    return isinstance(stored, Float16Type | BFloat16Type) and bit_width(made) > bit_width(stored)


def takes_a_part(op: NodeOp) -> bool:
    """The result has no more elements than the constant, by its known sizes."""
    sizes = (size for size in shape_of(op.results[0]) if isinstance(size, int) and size > 0)
    return prod(sizes) <= prod(tensor_of(op.operands[0]).get_shape())


class ConvertedTable(Pattern[NodeOp, SSAValue]):
    """`gather(convert(table), places)` is `convert(gather(table, places))`."""

    name = "converted-table"
    ops = (NodeOp,)
    conditions = (
        in_a_graph,
        not_skipped,
        gathers,
        from_a_converted_constant,
        widens_16_bit_floats,
        takes_a_part,
    )

    @override
    def match(self, op: NodeOp) -> SSAValue:
        return _stored(op)

    @override
    def rewrite(self, op: NodeOp, match: SSAValue, rewriter: PatternRewriter) -> None:
        cast, result = op.operands[0].owner, op.results[0]
        assert isinstance(cast, NodeOp)
        narrow = tensor_type(element_of(match.type), shape_of(result))
        gather = NodeOp.create(
            operands=[match, op.operands[1]],
            result_types=[narrow],
            properties=dict(op.properties),
            attributes=dict(op.attributes),
        )
        wide = NodeOp.create(
            operands=[gather.results[0]],
            result_types=[result.type],
            properties=dict(cast.properties),
            attributes=dict(cast.attributes),
        )
        gather.location = wide.location = op.location
        rewriter.replace(op, [gather, wide], wide.results)
        if not cast.results[0].uses:
            rewriter.erase(cast)


@dataclass(frozen=True)
class SnippetsGatherFirstPass(PatternPass):
    """Gather elements of constants before they are converted."""

    name = "snippets-gather-first"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (ConvertedTable,)
