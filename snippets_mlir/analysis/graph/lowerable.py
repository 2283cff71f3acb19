"""The bodies that one kernel can compute: the forms that `convert-snippets-to-lir` accepts.

* K1: every op is elementwise, a scalar, a reduction, a reshape or a transpose;
* K2: every shape is static;
* K3: a reduction is a sum, product, maximum or minimum and keeps its dims;
* K4: the operand of a reshape is an input of the subgraph, or its only reader is the yield;
* K5: the operand of a transpose is an input of the subgraph, or such a reshape, or such a slice
  that only matrix products read through it, or only concats if the transpose keeps the last dim;
  beside a matrix product, a computed value may also be transposed, if the transpose keeps the last
  dim and only the yield reads it: then it is a layout of the result;
* K6: a matrix product has a form that the linear IR holds (`products.py`);
* K7: the operand of a slice is an input of the subgraph, or such a reshape if matrix products, or
  concats through transposes, read the slice, and its readers are elementwise ops, concats,
  reductions or cumulative ops; or matrix products, directly or through transposes, or concats
  through transposes, if it leaves no elements of its parts out (steps of 1);
* K8: a concat is read by the yield or by another concat only, and beside it are elementwise ops:
  no reduction, cumulative op or product;
* K9: the operands of a gather and of a slice at places are inputs of the subgraph; places are i32
  or i64;
* K10: a cumulative op is inclusive and runs forward; beside it are no products, and reductions and
  cumulative ops along the same dim only.

The data-flow passes (`snippets-decompose-...`, `snippets-eliminate-reshapes`) rewrite a body into
these forms. A body that they cannot rewrite falls back to its single ops.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import UnitAttr, i32, i64
from xdsl.ir import BlockArgument, Operation

from snippets_mlir.analysis.graph.product_views import (
    is_input_view,
    is_slice_of_a_part,
    is_slice_of_a_product,
    transposes_result,
)
from snippets_mlir.analysis.graph.products import why_no_kernel
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

REDUCTIONS: Mapping[str, str] = DerivedTable(
    lambda: {
        r.name: r.op.ACCUMULATOR
        for r in records()
        if issubclass(r.op, ReduceOp) and r.op.ACCUMULATOR
    }
)
"""The reductions that kernels have, and the kind of accumulator of each."""


def is_core(op: Operation) -> bool:
    """Whether kernels support `op`; passes decompose some of the other ops."""
    kinds = ReshapeOp | TransposeOp | MatMulOp | SliceOp | ConcatOp | PlacesOp | CumulativeOp
    return not isinstance(op, WholeTensorOp) or isinstance(op, kinds) or op.name in REDUCTIONS


def why_not_in_kernel(op: Operation) -> str | None:
    """Why `op` cannot be in a kernel at its place, or None."""
    if isinstance(op, YieldOp):
        return None
    if not isinstance(op, ComputeOp | ScalarOp):
        return f"K1: {op.name} has no element-wise meaning; keep it outside of the subgraph"
    if isinstance(op, WholeTensorOp) and op.WITHOUT_KERNEL:
        return f"K1: {op.name} has no kernel: {op.WITHOUT_KERNEL}"
    if isinstance(op, WholeTensorOp) and not is_core(op):
        passes = op.DECOMPOSED_BY or "the pass of its plug-in that decomposes it"
        return f"K1: {op.name} is not decomposed; run {passes} first"
    if isinstance(op, MatMulOp) and (reason := why_no_kernel(op)) is not None:
        return f"K6: {reason}"
    for value in (*op.operands, *op.results):
        if not is_static(shape_of(value)):
            return (
                f"K2: {op.name} has dynamic dims ({value.type}); give them sizes with --shape "
                "NAME=2x3, or symbols with --symbols, as snippets_mlir.compile does in a call"
            )
    if op.name in REDUCTIONS and not isinstance(op.properties.get("keep_dims"), UnitAttr):
        return f"K3: {op.name} drops its dims; run snippets-decompose-reductions before"
    if isinstance(op, ReshapeOp) and not isinstance(op.operand, BlockArgument):
        readers = [use.operation for use in op.result.uses]
        if not all(isinstance(reader, YieldOp) for reader in readers):
            return (
                "K4: snippets.reshape stands between other ops; run snippets-eliminate-reshapes "
                "before"
            )
    if isinstance(op, TransposeOp) and not _is_a_layout(op):
        return "K5: snippets.transpose reads a computed value; run snippets-decompose-transpose"
    if isinstance(op, SliceOp):
        return _why_no_slice(op)
    if isinstance(op, ConcatOp):
        return _why_no_concat(op)
    if isinstance(op, PlacesOp):
        return _why_not_at_places(op)
    if isinstance(op, CumulativeOp):
        return _why_not_cumulative(op)
    return None


def _is_a_layout(op: TransposeOp) -> bool:
    before = op.operand.owner
    of_slice = isinstance(before, SliceOp) and _is_operand(before)
    return of_slice or is_input_view(op.operand) or transposes_result(op)


def _is_operand(op: SliceOp) -> bool:
    """Whether products or concats read the slice, also through transposes."""
    return is_slice_of_a_product(op) or is_slice_of_a_part(op)


def why_no_scan(op: CumulativeOp) -> str | None:
    """Why kernels do not walk the axis of `op` unchanged, None if they do."""
    way = "exclusive" if op.exclusive is not None else "reverse"
    if op.exclusive is None and op.reverse is None:
        return None
    return f"{op.name} is {way}: snippets-decompose-cumulative has not decomposed it"


def _why_not_cumulative(op: CumulativeOp) -> str | None:
    if (reason := why_no_scan(op)) is not None:
        return f"K10: {reason}"
    along = op.axis - len(shape_of(op.operand))
    for other in () if op.parent is None else op.parent.ops:
        dims = {along}
        if isinstance(other, CumulativeOp | ReduceOp):
            axes = (other.axis,) if isinstance(other, CumulativeOp) else other.axes
            dims = {axis - len(shape_of(other.operand)) for axis in axes}
        if dims != {along} or isinstance(other, MatMulOp):
            return (
                f"K10: {other.name} is beside {op.name}; keep one of them outside of the subgraph"
            )
    return None


def _why_not_at_places(op: PlacesOp) -> str | None:
    if not all(isinstance(value, BlockArgument) for value in op.operands):
        return f"K9: {op.name} reads a computed value; keep it outside of the subgraph"
    return None if (reason := why_no_places(op)) is None else f"K9: {reason}"


def why_no_places(op: PlacesOp) -> str | None:
    """Why kernels do not read the places of `op`, None if they do."""
    for value in op.places:
        if (element := tensor_of(value).element_type) not in (i32, i64):
            return f"{op.name} has places of {element}; kernels read i32 and i64"
    return None


def _why_no_slice(op: SliceOp) -> str | None:
    is_operand = _is_operand(op)
    if not isinstance(op.operand, BlockArgument) and not (is_operand and is_input_view(op.operand)):
        return "K7: snippets.slice reads a computed value; keep it outside of the subgraph"
    for reader in (use.operation for use in op.result.uses):
        reads = reader.name in REDUCTIONS or isinstance(reader, ConcatOp | CumulativeOp)
        reads = reads or (is_operand and isinstance(reader, MatMulOp | TransposeOp))
        if isinstance(reader, WholeTensorOp) and not reads:
            return f"K7: {reader.name} reads a slice; keep the slice outside of the subgraph"
    return None


def _why_no_concat(op: ConcatOp) -> str | None:
    for reader in (use.operation for use in op.result.uses):
        if not isinstance(reader, YieldOp | ConcatOp):
            return f"K8: {reader.name} reads a concat; keep one of them outside of the subgraph"
    for other in () if op.parent is None else op.parent.ops:
        if other.name in REDUCTIONS or isinstance(other, MatMulOp | CumulativeOp):
            return f"K8: {other.name} is beside a concat; keep one of them outside of the subgraph"
    return None


def why_not_lowerable(subgraph: SubgraphOp) -> tuple[Operation, str] | None:
    """The first op of the body that cannot be in a kernel, and why; None if all can."""
    for op in subgraph.block.ops:
        if (reason := why_not_in_kernel(op)) is not None:
            return op, reason
    return None
