"""A copy of a program for the shapes of one call: its dynamic dims become numbers.

    func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %0 = snippets.relu %x : tensor<?x8xf32>
      func.return %0 : tensor<?x8xf32>
    }

for an input of shape (4, 8) becomes

    func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = snippets.relu %x : tensor<4x8xf32>
      func.return %0 : tensor<4x8xf32>
    }

The result types of `snippets` ops are inferred again from their operands. A `program.graph` is
copied in the same way. Decisions about its memory and queues are discarded, because they depend on
the sizes. `node_shapes.py` infers the result shapes of ONNX nodes.

A `?` of a broadcast that its operand does not determine is the size of the values beside its result
(`repeated_sizes.py`).

Refuses (a `CompileError` at the op): shapes that do not broadcast or contradict the text, a `?` of
a reshape that the operand does not determine, sizes that break a constraint of an op,
and dynamic results of other ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.data import ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import ScheduleOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.shapes import (
    DYNAMIC,
    compatible,
    format_shape,
    is_static,
)
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.driver.dynamic.repeated_sizes import RepeatedSizes, is_undetermined
from snippets_mlir.driver.dynamic.unequal_sizes import UnequalSizes, unequal, verify_sizes
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def _broadcast_to(op: BroadcastLikeOp, source: Shape, sizes: RepeatedSizes) -> Shape | None:
    """The result's shape, with each `?` from `source` if that is not 1, else from `sizes`."""
    target = shape_of(op.result)
    if len(source) > len(target):
        return None
    padded = (1,) * (len(target) - len(source)) + source
    pairs = enumerate(zip(padded, target, strict=True))
    return tuple(t if t != DYNAMIC else sizes.of(op, dim) if s == 1 else s for dim, (s, t) in pairs)


def _inferred(op: ComputeOp, operands: Sequence[SSAValue], sizes: RepeatedSizes) -> Shape | None:
    """The shape of the only result of a computing op, or None if it is not determined."""
    shapes = [shape_of(v) for v in operands]
    if isinstance(op, BroadcastLikeOp):
        return _broadcast_to(op, shapes[0], sizes)
    shape = op.infer_shape(shapes)
    return shape if shape is not None and is_static(shape) else None


def _result_types(
    op: Operation, operands: Sequence[SSAValue], sizes: RepeatedSizes
) -> list[Attribute]:
    declared = [v.type for v in op.results]
    wanted = any(is_undetermined(n) for v in operands if is_tensor(v.type) for n in shape_of(v))
    is_known = all(is_tensor(t) and is_static(shape_of(t)) for t in declared)
    if is_known and not (wanted and declared):
        return declared
    if isinstance(op, OnnxNodeOp):
        from snippets_mlir.driver.dynamic.node_shapes import node_types  # it needs ONNX

        if (types := node_types(op, operands)) is not None:
            return types
    found = ", ".join(format_shape(shape_of(v)) for v in operands)
    shape = None
    if isinstance(op, ComputeOp):
        shape = _inferred(op, operands, sizes)
    elif isinstance(op, ViewOp):
        inferred = op.infer_shape(shape_of(operands[0]))
        shape = inferred if is_static(inferred) else None
    if shape is None:
        error = CompileError(
            f"{op.name}: the result's shape does not follow from operands of shape {found}",
            **position_of(op),
        )
        pair = unequal([shape_of(v) for v in operands])
        if pair is not None and not isinstance(op, WholeTensorOp | BroadcastLikeOp | OnnxNodeOp):
            raise UnequalSizes(*pair, error)
        raise error
    result = tensor_of(op.results[0])
    if not compatible(shape, shape_of(result)):
        error = CompileError(
            f"{op.name}: operands of shape {found} give {format_shape(shape)}, "
            f"the text says {format_shape(shape_of(result))}",
            **position_of(op),
        )
        pair = unequal([shape, shape_of(result)], same=True)
        if pair is not None and any(map(is_undetermined, pair)):
            raise UnequalSizes(*pair, error)
        raise error
    return [tensor_type(result.element_type, shape)]


def _copy(op: Operation, mapping: dict[SSAValue, SSAValue], sizes: RepeatedSizes) -> Operation:
    operands = [mapping.get(v, v) for v in op.operands]
    if isinstance(op, SubgraphOp | NodeOp):
        body = _copy_block(op.block, [v.type for v in operands], sizes)
        terminator = body.last_op
        assert terminator is not None
        types = [v.type for v in terminator.operands]
        regions = [Region([body])]
    else:
        types = _result_types(op, operands, sizes)
        regions = [region.clone() for region in op.regions]
    copy = type(op).create(
        operands=operands,
        result_types=types,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        regions=regions,
    )
    copy.location = op.location
    if isinstance(copy, WholeTensorOp):
        verify_sizes(copy)
    for old, new in zip(op.results, copy.results, strict=True):
        mapping[old] = new
        new.name_hint = old.name_hint
    return copy


def _copy_block(block: Block, argument_types: Sequence[Attribute], sizes: RepeatedSizes) -> Block:
    result = Block(arg_types=argument_types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, result.args, strict=True))
    for old, new in zip(block.args, result.args, strict=True):
        new.name_hint = old.name_hint
    for op in block.ops:
        if not isinstance(op, ScheduleOp):
            result.add_op(_copy(op, mapping, sizes))
    return result


def _of_shape(type_: Attribute, shape: Shape) -> Attribute:
    """The type of an input in a call; only tensors have a shape."""
    if not isinstance(type_, TensorType | UnrankedTensorType):
        return type_
    tensor = cast("TensorType[Attribute] | UnrankedTensorType", type_)
    return tensor_type(tensor.element_type, shape)


def _decided(block: Block, types: Sequence[Attribute], *, complete: bool) -> Block:
    """A copy of a block for arguments of these types, with the sizes of all broadcasts."""
    sizes = RepeatedSizes()
    while True:
        try:
            copy = _copy_block(block, types, sizes)
        except UnequalSizes as found:
            if not sizes.learn(found.first, found.second):
                raise
            continue
        if (op := sizes.unknown()) is None:
            return copy
        if complete:
            raise CompileError(
                f"{op.name}: the dynamic sizes of the result follow neither from the operand nor "
                "from another operand of an op that reads it",
                **position_of(op),
            )
        sizes.settle()


def specialize(
    module: ModuleOp, entry: str, shapes: Sequence[Shape], *, complete: bool = False
) -> ModuleOp:
    """A copy of `module` in which program `entry` has inputs of the given static shapes.

    Args:
        module: the program.
        entry: the function.
        shapes: of its inputs.
        complete: refuse broadcasts of sizes that no other value has; otherwise these are 1.
    """
    result = module.clone()
    function = find_entry(result, entry)
    types = function.function_type.inputs
    inputs = [_of_shape(t, s) for t, s in zip(types, shapes, strict=True)]
    block = _decided(body_of(function), inputs, complete=complete)
    terminator = block.last_op
    assert terminator is not None
    copy = type(function).create(
        properties=dict(function.properties),
        attributes=dict(function.attributes),
        regions=[Region([block])],
    )
    if isinstance(copy, GraphOp):
        _take_plan_back(copy)
    else:
        copy.properties["function_type"] = FunctionType.from_lists(
            inputs, [v.type for v in terminator.operands]
        )
    copy.location = function.location
    parent = function.parent
    assert parent is not None
    parent.insert_op_before(copy, function)
    function.detach()
    return result


def _take_plan_back(graph: GraphOp) -> None:
    """Remove decisions that depend on sizes from a graph."""
    if not graph.reached("planned"):
        return
    graph.set_stage("selected")
    for name in ("arena", "queue", "queues"):
        graph.attributes.pop(name, None)
    for node in graph.nodes:
        for name in ("mem", "conflicts"):
            node.properties.pop(name, None)
