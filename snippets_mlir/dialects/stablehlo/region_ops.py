"""Windows, sorts and scatters of StableHLO: ops with a region that have only the generic form.

Source: the StableHLO specification.
"""

from __future__ import annotations

from abc import ABC
from typing import NamedTuple

from xdsl.dialects.builtin import BoolAttr, DenseIntElementsAttr, IntegerAttr, TensorType, i64
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import RecursiveMemoryEffect

from snippets_mlir.dialects.stablehlo.attributes import ScatterAttr
from snippets_mlir.dialects.stablehlo.movement import DIMS


class _RegionOp(IRDLOperation, ABC):
    """An op that is only parsed and printed."""

    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    traits = traits_def(RecursiveMemoryEffect())


class Window(NamedTuple):
    """A dim of the windows.

    Attributes:
        size: elements of a window.
        stride: from one window to the next.
        spread: from one element of the input to the next (base dilation).
        step: from one element of a window to the next (window dilation).
        low, high: initial values before and after the input; negative to drop elements.
    """

    size: int
    stride: int
    spread: int
    step: int
    low: int
    high: int


@irdl_op_definition
class ReduceWindowOp(_RegionOp):
    """Combines the elements of windows by its region, from initial values."""

    name = "stablehlo.reduce_window"
    window_dimensions = prop_def(DIMS)
    window_strides = opt_prop_def(DIMS)
    base_dilations = opt_prop_def(DIMS)
    window_dilations = opt_prop_def(DIMS)
    padding = opt_prop_def(DenseIntElementsAttr)

    @property
    def windows(self) -> tuple[Window, ...]:
        """The dims of the windows; omitted attributes are 1, and no padding."""
        sizes = self.window_dimensions.get_values()
        given = (self.window_strides, self.base_dilations, self.window_dilations)
        steps = [(1,) * len(sizes) if dims is None else dims.get_values() for dims in given]
        padding = [0] if self.padding is None else list(self.padding.get_values())
        padding *= 2 * len(sizes) // len(padding) if padding else 1
        rows = zip(sizes, *steps, padding[::2], padding[1::2], strict=True)
        return tuple(Window(*map(int, row)) for row in rows)


@irdl_op_definition
class SortOp(_RegionOp):
    """Sorts the inputs together along a dim by the comparison of its region."""

    name = "stablehlo.sort"
    dimension = opt_prop_def(IntegerAttr.constr(i64))
    is_stable = opt_prop_def(BoolAttr)


@irdl_op_definition
class ScatterOp(_RegionOp):
    """Combines updates into slices of the inputs, each at a place of the indices."""

    name = "stablehlo.scatter"
    scatter_dimension_numbers = prop_def(ScatterAttr)
    indices_are_sorted = opt_prop_def(BoolAttr)
    unique_indices = opt_prop_def(BoolAttr)


OPS = [ReduceWindowOp, ScatterOp, SortOp]
