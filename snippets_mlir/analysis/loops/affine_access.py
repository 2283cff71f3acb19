"""Bounds of affine loops and subscripts of accesses as linear forms.

Variables are SSA values: induction variables, and all other operands of the maps. Chains of
`affine.apply` and index constants are expanded. The sizes of a memref are also variables (`Size`),
unless they are known: static sizes, and operands of the allocation. `memref.dim` is the size it
returns; `memref.cast` is ignored.

    %n = memref.dim %A, %c0                          Size(%A, 0)
    %A = memref.alloc(%m)   %n = memref.dim %A, %c0  %m
    %j = affine.apply (d0)[s0] -> (2 * d0 + s0)(%i)[%m]   2 * %i + %m
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, memref
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from snippets_mlir.analysis.loops.linear_forms import Linear, linear_of
from snippets_mlir.dialects.memref.views import CastOp


@dataclass(frozen=True)
class Size:
    """The size of one dim of a memref that is known only at run time."""

    memref: SSAValue
    dim: int


@dataclass(frozen=True)
class Access:
    """One `affine.load` or `affine.store`.

    `indices` has one form for each dim of `memref`, or is None if one of them is not affine.
    """

    op: Operation
    memref: SSAValue
    indices: tuple[Linear, ...] | None
    writes: bool


@dataclass(frozen=True)
class Bounds:
    """`max(lower) <= iv < min(upper)`, in steps; None if a bound is not affine."""

    lower: tuple[Linear, ...] | None
    upper: tuple[Linear, ...] | None
    step: int

    def trip_count(self) -> int | None:
        """How often the loop runs, when both bounds are single constants."""
        if self.lower is None or self.upper is None or len(self.lower) + len(self.upper) != 2:
            return None
        extent = self.upper[0] - self.lower[0]
        return max(0, -(-extent.constant // self.step)) if extent.is_constant() else None


def form_of(value: SSAValue) -> Linear:
    """The form of an index: constants and `affine.apply` are written out, other values are
    variables.
    """
    owner = value.owner
    if isinstance(owner, ConstantOp) and isinstance(attr := owner.value, IntegerAttr):
        return Linear(constant=attr.value.data)
    if isinstance(owner, affine.ApplyOp):
        forms = forms_of_map(owner.map.data, owner.mapOperands)
        if forms is not None:
            return forms[0]
    if isinstance(owner, memref.DimOp):
        dim = form_of(owner.index)
        if dim.is_constant():
            return size_of(owner.source, dim.constant)
    return Linear.variable(value)


def forms_of_map(map: AffineMap, operands: Sequence[SSAValue]) -> tuple[Linear, ...] | None:
    """The forms of a map's results over its operands, or None when one is not affine."""
    inputs = [form_of(operand) for operand in operands]
    forms = [linear_of(result, inputs, map.num_dims) for result in map.results]
    known = tuple(form for form in forms if form is not None)
    return known if len(known) == len(forms) else None


def access_of(op: affine.LoadOp | affine.StoreOp) -> Access:
    """The access that an op makes."""
    writes = isinstance(op, affine.StoreOp)
    return Access(op, op.memref, forms_of_map(op.map.data, op.indices), writes)


def bounds_of(loop: affine.ForOp) -> Bounds:
    """Lower and upper bounds of a loop as linear forms, and its step."""
    return Bounds(
        forms_of_map(loop.lowerBoundMap.data, loop.lowerBoundOperands),
        forms_of_map(loop.upperBoundMap.data, loop.upperBoundOperands),
        loop.step.value.data,
    )


def iv_of(loop: affine.ForOp) -> SSAValue:
    """The induction variable of a loop."""
    return loop.body.block.args[0]


def strip_casts(value: SSAValue) -> SSAValue:
    """A memref without the `memref.cast`s on the way, which change its type only."""
    while isinstance(value.owner, CastOp):
        value = value.owner.source
    return value


def size_of(value: SSAValue, dim: int) -> Linear:
    """The size of a dim of a memref."""
    value = strip_casts(value)
    type_ = memref_type(value)
    shape = type_.get_shape()
    if not 0 <= dim < len(shape):
        return Linear.variable(Size(value, dim))
    if shape[dim] != DYNAMIC_INDEX:
        return Linear(constant=shape[dim])
    if isinstance(owner := value.owner, memref.AllocOp | memref.AllocaOp):
        place = sum(1 for size in shape[:dim] if size == DYNAMIC_INDEX)
        if place < len(owner.dynamic_sizes):
            return form_of(owner.dynamic_sizes[place])
    return Linear.variable(Size(value, dim))


def memref_type(value: SSAValue) -> MemRefType:
    """The memref type of a value; asserts that it has one."""
    type_ = value.type
    assert isinstance(type_, MemRefType)
    return type_  # pyright: ignore[reportUnknownVariableType]


def enclosing_loops(op: Operation) -> list[affine.ForOp]:
    """The affine loops around an op, outermost first."""
    loops: list[affine.ForOp] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, affine.ForOp):
            loops.append(parent)
        parent = parent.parent_op()
    return loops[::-1]


def is_inside(value: SSAValue, op: Operation) -> bool:
    """Whether a value is defined in a region of `op`."""
    owner = value.owner
    if isinstance(owner, Block):
        block_parent = owner.parent_op()
        return block_parent is not None and (block_parent is op or op.is_ancestor(block_parent))
    return owner is not op and op.is_ancestor(owner)
