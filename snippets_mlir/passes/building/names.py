"""The names of a model's ops: in ids of a program, and in patterns of users.

%h = snippets.add %x, %y                               h
snippets.tanh %0 (its value has no name in the text)   tanh
onnx.node "Conv"(%x) {node_name = "first"}             first
lir.call @subgraph_0(%0)                               subgraph_0
"""

from __future__ import annotations

from xdsl.ir import Block, Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp


def base_name(op: Operation) -> str:
    """The name of an op before it is made unique."""
    hint = op.results[0].name_hint if op.results else None
    match op:
        case OnnxNodeOp() if op.node_name is not None and op.node_name.data:
            return op.node_name.data
        case ConstantOp() if (key := _key(op)) is not None:
            return key
        case OnnxNodeOp():
            return hint or op.op_type.data
        case CallOp():
            return hint or op.callee.string_value()
        case _:
            return hint or op.name.split(".")[-1]


def _key(op: ConstantOp) -> str | None:
    """The key of a constant that is named by reference."""
    value = op.value.source if isinstance(op.value, PanelsAttr) else op.value
    return value.key.data if isinstance(value, ResourceAttr) else None


def body_names(block: Block) -> tuple[str, ...]:
    """The names of a block's computing ops, each once: no constants, no terminator."""
    last = block.last_op
    ops = (op for op in block.ops if op is not last and not op.has_trait(ConstantLike))
    return tuple(dict.fromkeys(map(base_name, ops)))
