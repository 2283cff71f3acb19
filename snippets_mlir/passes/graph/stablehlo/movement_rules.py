"""Convert constants, broadcasts, reshapes and transposes of StableHLO.

    %c = stablehlo.constant dense<0.5> : tensor<4x8xf32>    -> snippets.scalar, snippets.broadcast
    %1 = stablehlo.broadcast_in_dim %x, dims = [0] :        -> snippets.reshape to 4x1,
         (tensor<4xf32>) -> tensor<4x8xf32>                    snippets.broadcast
    %2 = stablehlo.iota dim = 0 : tensor<64xf32>            -> snippets.iota

If a broadcast restores the dims of a reduction, the reduction keeps them instead. Elements only
move. Slices and reverses become `snippets.slice`. `optimization_barrier` goes. `join_rules.py`
handles concats, and `gather_rules.py` places that only the call knows. Refused: dynamic dims, if a
reshape or an iota would not know the sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from typing_extensions import override
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets import layout
from snippets_mlir.dialects.snippets.constants import ConstantOp, Dense, ScalarOp
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.rules.match import splat_value
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.stablehlo import movement, slices
from snippets_mlir.dialects.stablehlo.control import OptimizationBarrierOp
from snippets_mlir.passes.building.graph import number
from snippets_mlir.passes.graph.stablehlo.builder import (
    Replacement,
    in_a_function,
    of_known_elements,
)
from snippets_mlir.passes.patterns import Pattern

_HERE = (in_a_function, of_known_elements)


def of_static_shape(op: Operation) -> bool:
    """The result has no dynamic dims."""
    return is_static(shape_of(op.results[0]))


def has_elements(op: Operation) -> bool:
    """No dim of the result has size 0."""
    return 0 not in shape_of(op.results[0])


class Constant(Pattern[movement.ConstantOp, float | Dense]):
    """A constant of equal elements is a broadcast scalar; another one keeps its elements."""

    name = "constant"
    ops = (movement.ConstantOp,)
    conditions = _HERE

    @override
    def match(self, op: movement.ConstantOp) -> float | Dense | None:
        value = splat_value(op.value)
        return cast(Dense, op.value) if value is None else value

    @override
    def rewrite(
        self,
        op: movement.ConstantOp,
        match: float | Dense,
        rewriter: PatternRewriter,
    ) -> None:
        build = Replacement(op, rewriter)
        if isinstance(match, DenseIntOrFPElementsAttr):
            build.replace(build.add(ConstantOp(match)))
        else:
            element = tensor_of(op.output).element_type
            build.replace(build.add(ScalarOp(number(match, element))))


class Broadcast(Pattern[movement.BroadcastInDimOp, tuple[Dim, ...]]):
    """`broadcast_in_dim` is a transpose, a reshape that adds dims of size 1, and a broadcast."""

    name = "broadcast"
    ops = (movement.BroadcastInDimOp,)
    conditions = (*_HERE, of_static_shape)

    def match(self, op: movement.BroadcastInDimOp) -> tuple[Dim, ...]:
        """The operand's sizes at their places in the result, 1 elsewhere."""
        sizes: list[Dim] = [1] * len(shape_of(op.output))
        for dim, size in zip(op.dims, shape_of(op.operand), strict=True):
            sizes[dim] = size
        return tuple(sizes)

    def rewrite(
        self, op: movement.BroadcastInDimOp, match: tuple[Dim, ...], rewriter: PatternRewriter
    ) -> None:
        """Replace the op; steps that would change nothing are left out."""
        build = Replacement(op, rewriter)
        value, dims = op.operand, op.dims
        order = sorted(range(len(dims)), key=lambda i: dims[i])
        if order != list(range(len(dims))):
            value = build.add(layout.TransposeOp(value, order))
        inner = value.owner
        gone = tuple(dim for dim in range(len(match)) if dim not in dims)
        if isinstance(inner, ReduceOp) and not inner.keeps_dims and gone == inner.axes:
            value = build.add(type(inner)(inner.operand, inner.axes, keep_dims=True))
        elif dims:
            value = build.reshape(value, match)
        build.replace(value)


class Reshape(Pattern[movement.ReshapeOp, tuple[Dim, ...]]):
    """`stablehlo.reshape` is `snippets.reshape`."""

    name = "reshape"
    ops = (movement.ReshapeOp,)
    conditions = (*_HERE, of_static_shape)

    @override
    def match(self, op: movement.ReshapeOp) -> tuple[Dim, ...]:
        return tuple(shape_of(op.output))

    @override
    def rewrite(
        self, op: movement.ReshapeOp, match: tuple[Dim, ...], rewriter: PatternRewriter
    ) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.reshape(op.operand, match))


class Transpose(Pattern[movement.TransposeOp, tuple[int, ...]]):
    """`stablehlo.transpose` is `snippets.transpose`."""

    name = "transpose"
    ops = (movement.TransposeOp,)
    conditions = _HERE

    @override
    def match(self, op: movement.TransposeOp) -> tuple[int, ...]:
        return op.permutation

    @override
    def rewrite(
        self, op: movement.TransposeOp, match: tuple[int, ...], rewriter: PatternRewriter
    ) -> None:
        build = Replacement(op, rewriter)
        build.replace(build.add(layout.TransposeOp(op.operand, match)))


class Iota(Pattern[movement.IotaOp, int]):
    """An iota is one along its dim, broadcast along the others."""

    name = "iota"
    ops = (movement.IotaOp,)
    conditions = (*_HERE, of_static_shape)

    @override
    def match(self, op: movement.IotaOp) -> int:
        return op.dim

    @override
    def rewrite(self, op: movement.IotaOp, match: int, rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        element, shape = tensor_of(op.output).element_type, shape_of(op.output)
        sizes = [size if dim == op.dim else 1 for dim, size in enumerate(shape)]
        build.replace(build.add(IotaOp(tensor_type(element, sizes), match)))


class Slice(Pattern[slices.SliceOp, list[slice]]):
    """`stablehlo.slice` is `snippets.slice`."""

    name = "slice"
    ops = (slices.SliceOp,)
    conditions = (*_HERE, of_static_shape, has_elements)

    @override
    def match(self, op: slices.SliceOp) -> list[slice]:
        return op.ranges

    @override
    def rewrite(self, op: slices.SliceOp, match: list[slice], rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        sizes = static_shape(shape_of(op.results[0]))
        starts, steps = [one.start for one in match], [one.step for one in match]
        build.replace(build.add(SliceOp(op.operands[0], starts, sizes, steps)))


class Reverse(Pattern[slices.ReverseOp, list[int]]):
    """`stablehlo.reverse` is a slice with steps of -1."""

    name = "reverse"
    ops = (slices.ReverseOp,)
    conditions = (*_HERE, of_static_shape, has_elements)

    @override
    def match(self, op: slices.ReverseOp) -> list[int]:
        return list(op.dimensions.get_values())

    @override
    def rewrite(self, op: slices.ReverseOp, match: list[int], rewriter: PatternRewriter) -> None:
        build = Replacement(op, rewriter)
        sizes = static_shape(shape_of(op.output))
        starts = [size - 1 if dim in match else 0 for dim, size in enumerate(sizes)]
        steps = [-1 if dim in match else 1 for dim in range(len(sizes))]
        build.replace(build.add(SliceOp(op.operand, starts, sizes, steps)))


class Barrier(Pattern[OptimizationBarrierOp, Sequence[SSAValue]]):
    """The results of `optimization_barrier` are its operands: kernels may compute both sides."""

    name = "barrier"
    ops = (OptimizationBarrierOp,)
    conditions = (in_a_function,)

    @override
    def match(self, op: OptimizationBarrierOp) -> Sequence[SSAValue]:
        return op.operands

    @override
    def rewrite(
        self, op: OptimizationBarrierOp, match: Sequence[SSAValue], rewriter: PatternRewriter
    ) -> None:
        rewriter.replace(op, [], match)


RULES = (Barrier, Constant, Broadcast, Reshape, Transpose, Iota, Slice, Reverse)
