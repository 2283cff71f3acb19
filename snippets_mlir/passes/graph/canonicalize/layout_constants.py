"""Convert constants to a blocked layout or a higher rank; the last block is padded with zeros."""

from __future__ import annotations

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.passes.graph.canonicalize.layouts import Layout
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def rearranged(op: ConstantOp, layout: Layout) -> ConstantOp:
    """A constant of rank 1 or more in `layout`; CompileError for a constant in a file."""
    if isinstance(op.value, ResourceAttr):
        raise CompileError(
            f"a constant in a file stays planar, expected layout {layout.name}; make it an input",
            **position_of(op),
        )
    import numpy as np

    from snippets_mlir.dialects.snippets.values.constant import constant_array, dense_attr

    type_ = tensor_of(op.result)
    if type_.get_num_dims() > len(layout.letters):
        raise CompileError(
            f"a constant of rank {type_.get_num_dims()} does not fit layout {layout.name}",
            **position_of(op),
        )
    assert not isinstance(op.value, PanelsAttr), "constants are packed after layouts"
    array = constant_array(op.value)
    array = array.reshape((1,) * (len(layout.letters) - array.ndim) + array.shape)
    shape = static_shape(layout.shape(array.shape))
    if layout.axis is not None and shape[-1] > 1:
        axis, block = layout.axis, layout.block
        padding = [(0, 0)] * array.ndim
        padding[axis] = (0, shape[axis] * block - array.shape[axis])
        padded = np.pad(array, padding)
        split = padded.reshape((*array.shape[:axis], shape[axis], block, *array.shape[axis + 1 :]))
        array = np.moveaxis(split, axis + 1, -1)
    array = np.ascontiguousarray(array).reshape(shape)
    return ConstantOp(dense_attr(array, tensor_type(type_.element_type, shape)))
