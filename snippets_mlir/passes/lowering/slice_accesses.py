"""Slices of ops on memory, and which accesses may not share their loops.

A transfer moves its indices by the place of the slice and walks memory with the lanes of the last
dimension of the vector. Where that dimension repeats one element, the slice is a broadcast of it,
read in front of the loops that it does not depend on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith as upstream_arith
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.traits import ConstantLike

from snippets_mlir.analysis.aliasing import Alias, alias, root_of
from snippets_mlir.dialects.arith import CmpiOp, SelectOp
from snippets_mlir.dialects.memref.facts import DimOp
from snippets_mlir.dialects.shaped import element_of, rank_of
from snippets_mlir.dialects.vector import masked, memory
from snippets_mlir.dialects.vector.ops import CreateMaskOp
from snippets_mlir.dialects.vector.shapes import BroadcastOp, ExtractOp
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims
from snippets_mlir.passes.lowering.outline_parallel_loops import NO_ALIAS
from snippets_mlir.passes.lowering.slice_nests import Place, plus
from snippets_mlir.passes.lowering.super_vectors import ACCESSES, Transfer
from snippets_mlir.passes.lowering.unroll_pieces import vector_type


@dataclass(frozen=True)
class Access:
    """What a member of a nest touches.

    Attributes:
        memory: the memref.
        writes: whether it writes.
        cells: equal for accesses that touch the same cells with the same slices, and with each
            slice other cells; None when slices may share cells.
    """

    memory: SSAValue
    writes: bool
    cells: object | None


def access_of(op: Operation) -> Access | None:
    """What an op touches; None for an op that touches no memory."""
    if isinstance(op, Transfer):
        dims = walked_dims(op.map)
        start = _start(op.indices)
        cells = None if None in dims else (start, dims)
        return Access(op.memory, isinstance(op, TransferWriteOp), cells)
    if not isinstance(op, ACCESSES):
        return None
    writes = not op.results
    if isinstance(op, masked.GatherOp | masked.ScatterOp):
        return Access(op.base, writes, None)
    vector = op.vector if isinstance(op, memory.StoreOp) else op.operands[-1]
    walked = rank_of(op.results[0].type if op.results else vector.type)
    rank = rank_of(op.base.type)
    return Access(op.base, writes, (_start(op.indices), tuple(range(rank - walked, rank))))


def _start(indices: Sequence[SSAValue]) -> tuple[object, ...]:
    """Something equal for equal indices."""
    found: list[object] = []
    for index in indices:
        constant = ConstantLike.get_constant_value(index)
        found.append(constant.value.data if isinstance(constant, IntegerAttr) else index)
    return tuple(found)


def disturbs(first: Access, second: Access) -> bool:
    """Whether slice by slice may be another order for two accesses than vector by vector."""
    if not (first.writes or second.writes):
        return False
    how = alias(first.memory, second.memory)
    if how is Alias.NONE:
        return not _surely_apart(first.memory, second.memory)
    return how is Alias.MAY or first.cells is None or first.cells != second.cells


def _surely_apart(left: SSAValue, right: SSAValue) -> bool:
    """Whether memory that affine passes take as distinct is so by the text alone.

    Arguments may be given one memory, unless one of the two is marked.
    """
    roots = root_of(left), root_of(right)
    arguments = [root for root in roots if isinstance(root, BlockArgument)]
    if not arguments or any(_is_marked(root) for root in arguments):
        return True
    fresh = memref.AllocOp | memref.AllocaOp
    return any(isinstance(root.owner, fresh) for root in roots)


def _is_marked(argument: BlockArgument) -> bool:
    function = argument.owner.parent_op()
    if not isinstance(function, func.FuncOp) or function.arg_attrs is None:
        return False
    return NO_ALIAS in function.arg_attrs.data[argument.index].data


def slice_access(op: Operation, place: Place) -> list[SSAValue]:
    """A load, store, gather or scatter: the place moves the last indices.

    Gathers and scatters count from their base with all lanes, so their indices stay.
    """
    assert isinstance(op, ACCESSES)
    indices = list(op.indices)
    if not isinstance(op, masked.GatherOp | masked.ScatterOp):
        lead = len(indices) - len(place.at)
        indices[lead:] = [
            plus(place.b, index, by) for index, by in zip(indices[lead:], place.at, strict=True)
        ]
    first = 2 if isinstance(op, memory.StoreOp) else 1
    operands = [
        *op.operands[:first],
        *indices,
        *op.operands[first + len(indices) :],
    ]
    new = type(op).create(
        operands=[place.slice(value) for value in operands],
        result_types=[place.type(element_of(result.type)) for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    place.b.put(new)
    new.location = op.location
    return list(new.results)


class _Row:
    """The indices of a slice of a transfer, and its mask."""

    def __init__(self, op: Transfer, place: Place, lane: int, size: int, depth: int) -> None:
        self.b = b = place.before[depth]
        dims, bounds = walked_dims(op.map), op.bounds
        self.indices = list(op.indices)
        inside: SSAValue | None = None
        for k, dim in enumerate(dims):
            if dim is None:
                continue
            self.indices[dim] = plus(b, self.indices[dim], place.at[k])
            if k == lane or bounds[k]:
                continue
            end = b.add(DimOp(op.memory, b.constant(dim)))
            fits = b.add(CmpiOp(self.indices[dim], end, "slt"))
            inside = fits if inside is None else b.add(upstream_arith.AndIOp(inside, fits))
        self.mask: SSAValue | None = None
        if op.mask is not None:
            places = sorted(
                (k for k, dim in enumerate(dims) if dim is not None),
                key=lambda k: cast("int", dims[k]),
            )
            self.mask = place.mask(op.mask, places, lane, size=size, depth=depth)
        if inside is not None:
            count = b.add(SelectOp(inside, b.constant(size), b.constant(0)))
            row = b.add(CreateMaskOp([count], vector_type(i1, size)))
            whole = self.mask
            self.mask = row if whole is None else b.add(upstream_arith.AndIOp(whole, row))
        self.map = AffineMap(rank_of(op.memory.type), 0, (AffineDimExpr(cast("int", dims[lane])),))


def slice_transfer_read(op: Operation, place: Place) -> list[SSAValue]:
    """A transfer of rank 1, or a broadcast of one element."""
    assert isinstance(op, TransferReadOp)
    dims = walked_dims(op.map)
    type, lane = place.type(element_of(op.vector_type)), len(dims) - 1
    if dims[lane] is not None:
        row = _Row(op, place, lane, place.size, -1)
        bounds = [op.bounds[lane]]
        read = TransferReadOp(op.memory, row.indices, op.padding, type, bounds, row.map, row.mask)
        return [_put(place.b.add(read), op)]
    walked = [k for k, dim in enumerate(dims) if dim is not None]
    depth = walked[-1] + 1 if walked else 0
    b = place.before[depth]
    if op.mask is None and all(op.bounds[k] for k in walked):
        indices = list(op.indices)
        for k in walked:
            dim = cast("int", dims[k])
            indices[dim] = plus(b, indices[dim], place.at[k])
        element = b.add(memref.LoadOp.get(op.memory, indices))
    else:
        lane = max(walked, key=lambda k: cast("int", dims[k]))
        row = _Row(op, place, lane, 1, depth)
        one = vector_type(element_of(op.vector_type), 1)
        bounds = [op.bounds[lane]]
        read = TransferReadOp(op.memory, row.indices, op.padding, one, bounds, row.map, row.mask)
        element = b.add(ExtractOp(b.add(read), [0], element_of(one)))
    _put(element, op)
    return [b.add(BroadcastOp(element, type))]  # pyright: ignore


def slice_transfer_write(op: Operation, place: Place) -> list[SSAValue]:
    """A transfer of rank 1."""
    assert isinstance(op, TransferWriteOp)
    lane = len(place.at) - 1
    row = _Row(op, place, lane, place.size, -1)
    value, bounds = place.slice(op.vector), [op.bounds[lane]]
    write = TransferWriteOp(value, op.memory, row.indices, bounds, row.mask, row.map)
    place.b.put(write)
    write.location = op.location
    return []


def _put(value: SSAValue, op: Operation) -> SSAValue:
    """`value` with the location of the op that it is made for."""
    cast("Operation", value.owner).location = op.location
    return value
