"""Which matrix products kernels hold: what both partitioners and the lowering ask.

* P1: elements are f32 or f64;
* P2: in a subgraph, both operands are its inputs, reshaped or transposed or not;
* P3: a subgraph holds one product, no reduction or norm, and nothing larger than its result.
"""

from __future__ import annotations

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import BlockArgument, OpResult, SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

HELD = True
"""Whether kernels may hold matrix products of ONNX models; tests of nodes between them say no."""


def are_held() -> bool:
    """`HELD`, when it is asked for."""
    return HELD


def why_no_kernel(op: MatMulOp) -> str | None:
    """Why the linear IR does not hold the product `op`, or None when it does."""
    element = tensor_of(op.result).element_type
    if element not in (f32, f64):
        return f"P1: no kernel holds a matrix product of {element}"
    around = op.parent_op()
    return why_not_beside(around) if isinstance(around, SubgraphOp) else None


def product_in(subgraph: SubgraphOp) -> MatMulOp | None:
    """The product of a subgraph, the first of several."""
    return next((op for op in subgraph.block.ops if isinstance(op, MatMulOp)), None)


def why_not_beside(subgraph: SubgraphOp) -> str | None:
    """Why a subgraph with a product is no kernel, or None when it is one."""
    product = product_in(subgraph)
    assert product is not None
    whole = shape_of(product.result)
    for operand in product.operands:
        if not _is_input(operand):
            return "P2: an operand of the matrix product is computed in its subgraph"
    for op in subgraph.block.ops:
        if isinstance(op, YieldOp | ScalarOp | TransposeOp | ReshapeOp) or op is product:
            continue
        if isinstance(op, WholeTensorOp):
            return f"P3: {op.name} stands beside a matrix product"
        for result in op.results:
            shape = shape_of(result)
            if broadcast_shapes(shape, whole) != whole:
                found = f"{format_shape(shape)} beside a matrix product of {format_shape(whole)}"
                return f"P3: {op.name} computes {found}"
    return None


def _is_input(value: SSAValue) -> bool:
    """Whether `value` is an input of its subgraph under views."""
    while isinstance(value, OpResult) and isinstance(value.op, ReshapeOp | TransposeOp):
        value = value.op.operands[0]
    return isinstance(value, BlockArgument)
