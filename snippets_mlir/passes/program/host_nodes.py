"""Build the nodes of a program for ops of the host function."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import NoneType
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, Dense, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view, view_dims
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.subgraph import YieldOp as SubgraphYieldOp
from snippets_mlir.passes.building.names import body_names
from snippets_mlir.support.walking import operands_within, used_outside


def values_of(op: Operation) -> list[OpResult]:
    """The results of an op, except for outputs that a node of ONNX leaves out."""
    return [result for result in op.results if not isinstance(result.type, NoneType)]


def node_of(id: str, op: Operation, values: Mapping[SSAValue, SSAValue]) -> NodeOp:
    """A node that `op` moves into, on `values` of its operands.

    Its outputs are the `values_of` the op.
    """
    writes = values_of(op)
    if isinstance(op, SubgraphOp):
        reads, body = list(op.operands), op.detach_region(op.body)
        last = body.block.last_op
        assert isinstance(last, SubgraphYieldOp)
        Rewriter.replace_op(last, YieldOp(last.values), [])
    else:
        reads = operands_within(op)
        body = _body([op], reads, writes)
    names = body_names(body.block) if isinstance(op, SubgraphOp) else ()
    origin = () if names == (id,) else names
    return NodeOp(id, [values[v] for v in reads], [r.type for r in writes], body, origin=origin)


def session_node(
    ids: Sequence[str], ops: Sequence[Operation], values: dict[SSAValue, SSAValue]
) -> NodeOp | None:
    """A node that `ops` move into; None if no result has readers.

    The results of the node go into `values`.
    """
    members = {inner for op in ops for inner in op.walk()}
    inside = {result for op in ops for result in op.results}
    reads = [v for v in dict.fromkeys(v for op in ops for v in operands_within(op))]
    reads = [v for v in reads if v not in inside]
    writes = used_outside(ops, members)
    if not writes:
        return None
    body = _body(ops, reads, writes)
    node = NodeOp(ids[0], [values[v] for v in reads], [v.type for v in writes], body, origin=ids)
    values.update(zip(writes, node.outputs, strict=True))
    return node


def _body(
    ops: Sequence[Operation], reads: Sequence[SSAValue], writes: Sequence[SSAValue]
) -> Region:
    """The body of a node: `ops`, which move into it, on arguments instead of `reads`."""
    block = Block(arg_types=[v.type for v in reads])
    arguments = dict(zip(reads, block.args, strict=True))
    for value, argument in arguments.items():
        argument.name_hint = value.name_hint
    for op in ops:
        op.detach()
        for inner in op.walk():
            for index, operand in enumerate(inner.operands):
                if (argument := arguments.get(operand)) is not None:
                    inner.operands[index] = argument
    block.add_ops([*ops, YieldOp(writes)])
    return Region(block)


def converted(op: Operation, id: str, values: Mapping[SSAValue, SSAValue]) -> Operation:
    """The replacement of `op` in the graph; `op` moves only into a node."""
    match op:
        case ConstantOp():
            return DataOp(id, cast("Dense | ResourceAttr | PanelsAttr", op.value), op.result.type)
        case ScalarOp():
            type_ = tensor_of(op.result)
            return DataOp(id, dense_of_scalar(op.value, type_), type_)
        case LayoutOp() if is_view(op):
            dims = view_dims(op)
            known = None if dims is None else [-1 if d is None else d for d in dims]
            return ViewOp(id, values[op.operand], op.result.type, known)
        case _:
            return node_of(id, op, values)
