"""Aliasing: which memrefs may share memory.

Every memref has a *root*: an allocation, a function argument, a global, or an unknown op. Views
(`memref.subview`, `memref.reinterpret_cast`, `memref.view` and the like) keep the root of their
source.

* Two roots share no memory if they are different allocations, arguments or globals. By the affine
  dialect's convention, two arguments of a function do not overlap; callers must ensure this.
* An unknown root may share memory with anything.
* Two memrefs with the same root may share memory in any way, unless they are the same value up to
  `memref.cast`s: then equal subscripts are equal cells, and different subscripts are different
  cells, provided that the strides keep cells apart (`cells_are_apart`).
"""

from __future__ import annotations

from enum import Enum
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from snippets_mlir.analysis.loops.affine_access import strip_casts
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.dialects.memref.views import CastOp, MemorySpaceCastOp, TransposeOp
from snippets_mlir.support.attribute_names import NO_ALIAS

VIEWS: tuple[type[Operation], ...] = (
    CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    memref.ExtractStridedMetaDataOp,
    MemorySpaceCastOp,
    memref.ReinterpretCastOp,
    memref.SubviewOp,
    TransposeOp,
    memref.ViewOp,
)
"""Ops whose result is a view of their first operand."""


class Alias(Enum):
    """How two memrefs lie to one another."""

    NONE = "no memory in common"
    SAME = "one memref: equal subscripts are equal cells"
    MAY = "perhaps memory in common, in an unknown way"


def root_of(value: SSAValue) -> SSAValue:
    """The memory that a memref is finally a view of; a memref without a source is its own root."""
    while isinstance(value.owner, VIEWS):
        value = value.owner.operands[0]
    return value


def is_marked(value: SSAValue) -> bool:
    """Whether a value is an argument of a function that is marked `NO_ALIAS`."""
    if not isinstance(value, BlockArgument):
        return False
    function = value.owner.parent_op()
    if not isinstance(function, func.FuncOp) or function.arg_attrs is None:
        return False
    return NO_ALIAS in function.arg_attrs.data[value.index].data


def _identity(root: SSAValue) -> object | None:
    """Something equal for equal memory and different for different memory; None if unknown."""
    owner = root.owner
    if isinstance(owner, Block):
        function = owner.parent_op()
        is_argument = isinstance(function, func.FuncOp) and function.body.blocks[0] is owner
        return root if is_argument else None
    if isinstance(owner, memref.GetGlobalOp):
        return owner.name_
    return root if isinstance(owner, memref.AllocOp | memref.AllocaOp) else None


def cells_are_apart(value: SSAValue) -> bool:
    """Whether different subscripts of a memref are surely different cells.

    Each stride has to reach over all of the dims with smaller ones. A part of a memref whose cells
    are apart needs no such proof.
    """
    value = strip_casts(value)
    owner = value.owner
    if isinstance(owner, memref.SubviewOp):
        kept = owner.static_strides.get_values()
        return 0 not in kept and DYNAMIC_INDEX not in kept and cells_are_apart(owner.source)
    layout = layout_of(value.type)
    if layout is None or not isinstance(cast("MemRefType", value.type).layout, StridedLayoutAttr):
        return layout is not None
    steps: list[tuple[int, int]] = []
    for stride, size in zip(layout[0], extents_of(value.type), strict=True):
        if size == 1:
            continue
        if not stride:
            return False
        steps.append((abs(stride), size))
    reach = 0
    for stride, size in sorted(steps):
        if stride <= reach or reach == _ENDLESS:
            return False
        reach = _ENDLESS if size == DYNAMIC_INDEX else reach + (size - 1) * stride
    return True


_ENDLESS = -1
"""The reach of a dim of unknown size."""


def alias(left: SSAValue, right: SSAValue) -> Alias:
    """How two memrefs lie to one another."""
    if strip_casts(left) is strip_casts(right):
        return Alias.SAME if cells_are_apart(left) else Alias.MAY
    first, second = _identity(root_of(left)), _identity(root_of(right))
    if first is None or second is None or first == second:
        return Alias.MAY
    return Alias.NONE
