"""The elements of a matrix in panels of columns; see `PanelsAttr`.

[[0, 1, 2],        in panels of 2 columns       [[[0, 1], [3, 4]],
[3, 4, 5]]                                      [[2, 0], [5, 0]]]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.shaped import tensor_type
from snippets_mlir.dialects.snippets.attributes import PanelsAttr
from snippets_mlir.support.cache_lines import empty_on_line

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def matrix_shape(attr: PanelsAttr) -> tuple[int, int] | None:
    """Rows and columns of the packed matrix; None if more than two dims are above 1."""
    shape = attr.type.get_shape()
    if len(shape) < 2 or any(size != 1 for size in shape[:-2]):
        return None
    rows, columns = shape[-2:]
    return (columns, rows) if isinstance(attr.transposed, UnitAttr) else (rows, columns)


def panels_type(attr: PanelsAttr) -> TensorType[Attribute] | None:
    """The type [panels, rows, width] of a constant; None if `attr` is not a matrix."""
    shape, width = matrix_shape(attr), attr.width.data
    if shape is None or 0 in (*shape, width):
        return None
    rows, columns = shape
    return tensor_type(attr.type.element_type, (-(-columns // width), rows, width))


def pack(attr: PanelsAttr, source: Array) -> Array:
    """The elements of `source`, the data of `attr`, in panels: dense, aligned to a cache line.

    Args:
        attr: the form.
        source: f32 or f64 [.., rows, columns], or [.., columns, rows] if `attr` is transposed.

    Returns:
        [panels, rows, width], of the dtype of `source`.
    """
    type_, found = panels_type(attr), matrix_shape(attr)
    assert type_ is not None
    assert found is not None
    (rows, columns), width = found, attr.width.data
    matrix = source.reshape(attr.type.get_shape()[-2:])
    matrix = matrix.T if isinstance(attr.transposed, UnitAttr) else matrix
    panels = empty_on_line(type_.get_shape(), source.dtype)
    whole = columns // width
    panels[:whole] = matrix[:, : whole * width].reshape(rows, whole, width).swapaxes(0, 1)
    if rest := columns - whole * width:
        panels[whole, :, :rest] = matrix[:, whole * width :]
        panels[whole, :, rest:] = 0
    return panels


def unpack(panels: Array, columns: int) -> Array:
    """The matrix [rows, columns] of panels [panels, rows, width]."""
    return panels.swapaxes(0, 1).reshape(panels.shape[1], -1)[:, :columns]
