"""The elements that one op reads or writes.

    affine.load %x[%i + 1]                                  one, at i + 1
    vector.store %v, %x[%i, %j] : vector<4xf32>             four, from (i, j) to (i, j + 3)
    vector.transfer_read %x[%i] {in_bounds = [false]}       from i on, none after the end of %x

Masked accesses and gathers have lanes that are known only at run time: None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.affine import LoadOp, StoreOp, VectorLoadOp, VectorStoreOp
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.analysis.loops.index_formulas import Form, forms_of_map
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.vector import memory as vector
from snippets_mlir.dialects.vector.transfer import TransferReadOp, TransferWriteOp
from snippets_mlir.dialects.vector.transfer_maps import walked_dims


@dataclass(frozen=True)
class Elements:
    """A box of elements of a memref.

    Attributes:
        memref: the memref of the elements.
        first: the index of the first one.
        counts: their number in each dim.
        clipped: the dims in which elements after the end are left out.
    """

    memref: SSAValue
    first: Sequence[Linear]
    counts: Sequence[int]
    clipped: frozenset[int] = frozenset()


def elements_of(op: Operation, form: Form) -> Elements | None:
    """The elements that an op reads or writes; None for other ops and masked lanes."""
    match op:
        case LoadOp() | StoreOp():
            return _box(op.memref, forms_of_map(op.map.data, op.indices, form))
        case VectorLoadOp(result=moved) | VectorStoreOp(value=moved):
            return _box(op.memref, forms_of_map(op.map.data, op.indices, form), moved.type)
        case vector.LoadOp(result=moved) | vector.StoreOp(vector=moved):
            return _box(op.base, [form(index) for index in op.indices], moved.type)
        case memref.LoadOp() | memref.StoreOp():
            return _box(op.memref, [form(index) for index in op.indices])
        case TransferReadOp() | TransferWriteOp() if op.mask_or_none is None:
            return _transfer(op, form)
        case _:
            return None


def _box(source: SSAValue, first: Sequence[Linear], moved: Attribute | None = None) -> Elements:
    """One element, or the elements of a vector along the last dims."""
    shape = () if moved is None else extents_of(moved)
    return Elements(source, first, [*[1] * (len(first) - len(shape)), *shape])


def _transfer(op: TransferReadOp | TransferWriteOp, form: Form) -> Elements:
    first = [form(index) for index in op.start]
    counts, clipped = [1] * len(first), set[int]()
    sizes = extents_of(op.vector_type)
    for dim, count, inside in zip(walked_dims(op.map), sizes, op.bounds, strict=False):
        if dim is not None:
            counts[dim] = count
            if not inside:
                clipped.add(dim)
    return Elements(op.memory, first, counts, frozenset(clipped))
