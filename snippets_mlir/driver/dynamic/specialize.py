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

Refuses (a `CompileError` at the op): shapes that do not broadcast or contradict the text, a `?` of
a broadcast or reshape that the operand does not determine, sizes that break a constraint of an op,
and dynamic results of other ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, UnrankedTensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size, format_size
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.data import ViewOp
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.program.schedule import ScheduleOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp, others
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.normalization import NormalizationOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import (
    DYNAMIC,
    compatible,
    format_shape,
    is_static,
)
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.emit.host import body_of, find_entry
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


class UnequalSizes(Exception):
    """Two sizes that have to be equal for an op; at least one has a symbol.

    Attributes:
        first: a size with a symbol.
        second: the other size.
        error: the error if they differ.
    """

    def __init__(self, first: Size, second: Dim, error: CompileError) -> None:
        super().__init__(f"{format_size(first)} and {format_size(second)}")
        self.first, self.second, self.error = first, second, error


def _unequal(shapes: Sequence[Shape]) -> tuple[Size, Dim] | None:
    """Two unequal sizes that do not broadcast, the first one with a symbol in it."""
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    for sizes in zip(*padded, strict=True):
        met = list(dict.fromkeys(size for size in sizes if size != 1))
        dynamic = [size for size in met if isinstance(size, Size)]
        if len(met) > 1 and dynamic:
            return dynamic[0], next(size for size in met if size != dynamic[0])
    return None


def _broadcast_to(source: Shape, target: Shape) -> Shape | None:
    """`target` with each `?` taken from `source`; a source dim of 1 does not say it."""
    padded = (1,) * (len(target) - len(source)) + source
    shape = tuple(s if t == DYNAMIC else t for s, t in zip(padded, target, strict=True))
    unknown = any(s == 1 and t == DYNAMIC for s, t in zip(padded, target, strict=True))
    return None if unknown else shape


def _inferred(op: ComputeOp, operands: Sequence[SSAValue]) -> Shape | None:
    """The shape of the only result of a computing op, or None if it is not determined."""
    shapes = [shape_of(v) for v in operands]
    declared = shape_of(op.results[0])
    if isinstance(op, BroadcastLikeOp):
        return _broadcast_to(shapes[0], declared) if len(shapes[0]) <= len(declared) else None
    shape = op.infer_shape(shapes)
    return shape if shape is not None and is_static(shape) else None


def _result_types(op: Operation, operands: Sequence[SSAValue]) -> list[Attribute]:
    declared = [v.type for v in op.results]
    if all(is_tensor(t) and is_static(shape_of(t)) for t in declared):
        return declared
    if isinstance(op, OnnxNodeOp):
        from snippets_mlir.driver.dynamic.node_shapes import node_types  # it needs ONNX

        if (types := node_types(op, operands)) is not None:
            return types
    found = ", ".join(format_shape(shape_of(v)) for v in operands)
    shape = None
    if isinstance(op, ComputeOp):
        shape = _inferred(op, operands)
    elif isinstance(op, ViewOp):
        inferred = op.infer_shape(shape_of(operands[0]))
        shape = inferred if is_static(inferred) else None
    if shape is None:
        error = CompileError(
            f"{op.name}: the result's shape does not follow from operands of shape {found}",
            **position_of(op),
        )
        pair = _unequal([shape_of(v) for v in operands])
        if pair is not None and not isinstance(op, WholeTensorOp | BroadcastLikeOp | OnnxNodeOp):
            raise UnequalSizes(*pair, error)
        raise error
    result = tensor_of(op.results[0])
    if not compatible(shape, shape_of(result)):
        raise CompileError(
            f"{op.name}: operands of shape {found} give {format_shape(shape)}, "
            f"the text says {format_shape(shape_of(result))}",
            **position_of(op),
        )
    return [tensor_type(result.element_type, shape)]


def _verify(copy: WholeTensorOp) -> None:
    """CompileError if sizes that are now known violate a constraint of the op.

    UnequalSizes if the operands of a normalization, product or concat can still fit together.
    """
    try:
        copy.verify_()
    except VerifyException as problem:
        error = CompileError(str(problem), **position_of(copy))
        if (pair := _unequal_operands(copy)) is not None:
            raise UnequalSizes(*pair, error) from None
        raise error from None


def _unequal_operands(op: WholeTensorOp) -> tuple[Size, Dim] | None:
    """Two sizes of operands that have to be equal and are not, the first one with a symbol."""
    pairs: list[list[Shape]] = []
    if isinstance(op, NormalizationOp):
        pairs = [[op.parameter_target(), shape_of(p)] for p in op.parameters]
    elif isinstance(op, MatMulOp):
        a, b = op.factors
        pairs = [[(a.inner,), (b.inner,)], [a.batch, b.batch]]
    elif isinstance(op, ConcatOp):
        pairs = [[others(shape_of(part), op.axis) for part in op.parts]]
    return next((pair for shapes in pairs if (pair := _unequal(shapes)) is not None), None)


def _copy(op: Operation, mapping: dict[SSAValue, SSAValue]) -> Operation:
    operands = [mapping.get(v, v) for v in op.operands]
    if isinstance(op, SubgraphOp | NodeOp):
        body = _copy_block(op.block, [v.type for v in operands])
        terminator = body.last_op
        assert terminator is not None
        types = [v.type for v in terminator.operands]
        regions = [Region([body])]
    else:
        types = _result_types(op, operands)
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
        _verify(copy)
    for old, new in zip(op.results, copy.results, strict=True):
        mapping[old] = new
        new.name_hint = old.name_hint
    return copy


def _copy_block(block: Block, argument_types: Sequence[Attribute]) -> Block:
    result = Block(arg_types=argument_types)
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, result.args, strict=True))
    for old, new in zip(block.args, result.args, strict=True):
        new.name_hint = old.name_hint
    for op in block.ops:
        if not isinstance(op, ScheduleOp):
            result.add_op(_copy(op, mapping))
    return result


def _of_shape(type_: Attribute, shape: Shape) -> Attribute:
    """The type of an input in a call; only tensors have a shape."""
    if not isinstance(type_, TensorType | UnrankedTensorType):
        return type_
    tensor = cast("TensorType[Attribute] | UnrankedTensorType", type_)
    return tensor_type(tensor.element_type, shape)


def specialize(module: ModuleOp, entry: str, shapes: Sequence[Shape]) -> ModuleOp:
    """A copy of `module` in which program `entry` has inputs of the given static shapes."""
    result = module.clone()
    function = find_entry(result, entry)
    types = function.function_type.inputs
    inputs = [_of_shape(t, s) for t, s in zip(types, shapes, strict=True)]
    block = _copy_block(body_of(function), inputs)
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
