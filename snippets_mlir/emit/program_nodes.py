"""The nodes of a program as separate functions, and the constants that they read."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.data import DataOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.support.attribute_names import SKIPPED

ENGINE, REFERENCE = "onnxruntime", "reference"


def call_of(node: NodeOp) -> CallOp | None:
    """The call of a kernel, if a node consists of one."""
    first = node.block.first_op
    return first if isinstance(first, CallOp) and first.next_op is node.block.last_op else None


def check_of(node: NodeOp) -> CheckIndicesOp | None:
    """The check of indices, if a node consists of one."""
    first = node.block.first_op
    if node.kind != REFERENCE or not isinstance(first, CheckIndicesOp):
        return None
    return first if first.next_op is node.block.last_op else None


def is_constant(node: NodeOp) -> bool:
    """Whether passes have folded all ops of a node to constants, so that it needs no kernel."""
    return all(isinstance(op, ConstantOp | ScalarOp) for op in list(node.block.ops)[:-1])


def inputs_of(node: NodeOp) -> list[SSAValue]:
    """The inputs of a step of `node`; a step of onnxruntime contains its constants.

    A kernel may take a value more than once, for example two slices of it.
    """
    if (op := call_of(node) or check_of(node)) is not None:
        given = dict[SSAValue, SSAValue](zip(node.block.args, node.inputs, strict=True))
        return [given[value] for value in op.operands]
    if node.kind != ENGINE:
        return list(node.inputs)
    return [value for value in node.inputs if not isinstance(value.owner, DataOp)]


def constants_of(graph: GraphOp) -> list[DataOp]:
    """The constants in the program: those that an output, a view or a node outside of engines
    reads.
    """
    return [
        op
        for op in graph.block.ops
        if isinstance(op, DataOp)
        and any(
            not (isinstance(use.operation, NodeOp) and use.operation.kind == ENGINE)
            for use in op.result.uses
        )
    ]


def executed_nodes(graph: GraphOp) -> list[NodeOp]:
    """The nodes that need an executor, in processing order."""
    return [node for node in graph.nodes if call_of(node) is None and check_of(node) is None]


def function_of_node(
    name: str, node: NodeOp, types: Mapping[SSAValue, Attribute] | None = None
) -> func.FuncOp:
    """A function that computes the same as `node`.

    Its arguments are `inputs_of` the node; `types` are more precise types for some of them.
    """
    reads = inputs_of(node)
    block = Block(arg_types=[(types or {}).get(v, v.type) for v in reads])
    known: dict[SSAValue, SSAValue] = dict(zip(reads, block.args, strict=True))
    for value in dict.fromkeys(node.inputs):
        if value not in known:
            assert isinstance(value.owner, DataOp)
            block.add_op(constant := constant_of_data(value.owner))
            known[value] = constant.result
    mapping: dict[SSAValue, SSAValue] = {
        argument: known[v] for argument, v in zip(node.block.args, node.inputs, strict=True)
    }
    for op in list(node.block.ops)[:-1]:
        block.add_op(copy := op.clone(mapping))
        if node.kind == ENGINE and isinstance(copy, ComputeOp) and not isinstance(copy, OnnxNodeOp):
            copy.attributes.setdefault(SKIPPED, StringAttr("onnxruntime runs it"))
    results = [mapping[v] for v in node.results_inside]
    block.add_op(func.ReturnOp(*results))
    return func.FuncOp(
        name, ([a.type for a in block.args], [v.type for v in results]), Region(block)
    )


def constant_of_data(op: DataOp) -> ConstantOp:
    """`op` as a constant of the graph level."""
    constant = ConstantOp.create(
        result_types=[op.result.type], properties={"value": op.value}, attributes=op.attributes
    )
    assert isinstance(constant, ConstantOp)
    constant.result.name_hint = op.id.data if op.id.data.isidentifier() else None
    return constant
