"""Shapes of the results of an `onnx.node`, from the shapes of its operands in a call.

    %v = onnx.node "MatMul"(%a, %b) : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>

for operands of 3x4 and 4x5: 3x5. The node becomes a model, with the constants that it reads, and
`infer_shapes` of the front end infers the result shapes. This is not done with symbolic sizes; each
shape of a call then gets its own program.
"""

from __future__ import annotations

from collections.abc import Sequence

import onnx
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.shapes import compatible, format_shape
from snippets_mlir.emit.onnx_model import emit_onnx
from snippets_mlir.frontends.onnx.shapes import infer_shapes
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def node_types(op: NodeOp, operands: Sequence[SSAValue]) -> list[Attribute] | None:
    """The types of the results of a node, or None when they do not follow.

    Raises:
        CompileError: the text says other shapes.
    """
    if not all(is_tensor(v.type) for v in op.results):
        return None
    shapes = _shapes(op, operands)
    if shapes is None:
        return None
    for result, shape in zip(op.results, shapes, strict=True):
        if not compatible(shape, shape_of(result)):
            raise CompileError(
                f'{op.name} "{op.op_type.data}": operands of shape '
                f"{', '.join(format_shape(shape_of(v)) for v in operands if is_tensor(v.type))} "
                f"give {format_shape(shape)}, the text says {format_shape(shape_of(result))}",
                **position_of(op),
            )
    pairs = zip(op.results, shapes, strict=True)
    return [tensor_type(tensor_of(v).element_type, shape) for v, shape in pairs]


def _shapes(node: NodeOp, operands: Sequence[SSAValue]) -> list[Shape] | None:
    """The static shapes of all results; None if one is unknown.

    Args:
        node: the node, which is not changed.
        operands: values of its operands' types in a call.
    """
    sizes = [size for v in operands if is_tensor(v.type) for size in shape_of(v)]
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        return None
    model = onnx.load_model_from_string(emit_onnx(_function(node, operands)))
    types = infer_shapes(model).types
    found: list[Shape] = []
    for output in model.graph.output:
        type_ = types.get(output.name)
        sizes = None if type_ is None else type_.shape
        if sizes is None or not all(isinstance(size, int) for size in sizes):
            return None
        found.append(tuple(size for size in sizes if isinstance(size, int)))
    return found


def _function(node: NodeOp, operands: Sequence[SSAValue]) -> FuncOp:
    """A function of only the node and the constants that it reads."""
    mapping: dict[SSAValue, SSAValue] = {}
    block = Block()
    for value in dict.fromkeys(operands):
        made = value.owner
        if isinstance(made, Operation) and not made.operands and not made.regions:
            copy = made.clone()
            block.add_op(copy)
            mapping.update(zip(made.results, copy.results, strict=True))
        else:
            mapping[value] = block.insert_arg(value.type, len(block.args))
    for value, own in zip(operands, node.operands, strict=True):
        mapping[own] = mapping[value]
    copy = node.clone(mapping)
    block.add_ops([copy, ReturnOp(*copy.results)])
    results = [v.type for v in copy.results]
    return FuncOp("main", ([v.type for v in block.args], results), Region(block))
