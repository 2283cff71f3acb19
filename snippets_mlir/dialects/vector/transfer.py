"""`vector.transfer_read` and `vector.transfer_write`: vectors to and from memrefs and tensors.

    %v = vector.transfer_read %A[%i, %j], %pad, %mask {in_bounds = [true, false],
        permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<4x8xf32>

Result `k` of the permutation map is the dimension of the memory that dimension `k` of the vector
walks, or 0 for a broadcast. If `in_bounds` is false, elements outside of the memory read the
padding and are not written. The mask has one dimension for each dimension of the memory that is
walked, in the same order. On tensors no memory is touched: `transfer_write` returns a new tensor.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import vector as upstream
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, BoolAttr, TensorType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap
from xdsl.irdl import traits_def
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, rank_of
from snippets_mlir.dialects.vector.transfer_form import TransferForm
from snippets_mlir.dialects.vector.transfer_maps import (
    flags_of,
    mask_type_of,
    minor_identity,
    walked_dims,
)


class _TransferEffects(MemoryEffect):
    """Reads or writes memory unless the memory is a tensor."""

    @classmethod
    @override
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, _Transfer)
        if isinstance(op.memory.type, TensorType):
            return frozenset()
        kind = MemoryEffectKind.READ if op.READS else MemoryEffectKind.WRITE
        return frozenset({EffectInstance(kind)})


class _Transfer(TransferForm, ABC):
    """What both transfers share.

    C1: one index for each dimension of the memory.
    C2: the map has one dimension for each dimension of the memory, no symbols, and one result for
        each dimension of the vector (beyond those of a vector element).
    C3: the results of the map are different dimensions; a read may have constants 0, too.
    C4: `in_bounds` has one flag for each result of the map.
    C5: the mask has the type that `mask_type_of` gives.
    C6: vector, padding and memory have the same element type; memory of vectors has no mask.
    """

    @override
    def verify_(self) -> None:
        memory, vector = self.memory.type, self.vector_type
        rank, map = rank_of(memory), self.map
        self._verify_map(memory, vector)
        if len(self.start) != rank:
            raise VerifyException(
                f"C1: expected {rank} indices of {memory}, found {len(self.start)}"
            )
        if len(self.bounds) != len(map.results):
            raise VerifyException(
                f"C4: expected {len(map.results)} flags in in_bounds, found {len(self.bounds)}"
            )
        mask = self.mask_or_none
        element = element_of(memory)
        if mask is not None and isinstance(element, VectorType):
            raise VerifyException("C6: expected no mask of memory of vectors, found one")
        if mask is not None and mask.type != mask_type_of(vector, map):
            raise VerifyException(
                f"C5: expected a mask of type {mask_type_of(vector, map)}, found {mask.type}"
            )
        padding = self.padding_or_none
        if element_of(vector) != element_of(element) or (
            padding is not None and padding.type != element
        ):
            found = vector if padding is None else f"{vector} and padding {padding.type}"
            raise VerifyException(f"C6: expected elements of {memory}, found {found}")

    def _verify_map(self, memory: Attribute, vector: Attribute) -> None:
        map = self.map
        walked = rank_of(vector) - rank_of(element_of(memory))
        if (map.num_dims, map.num_symbols, len(map.results)) != (rank_of(memory), 0, walked):
            raise VerifyException(
                f"C2: expected a permutation map from {rank_of(memory)} dimensions to {walked} "
                f"results, found {map}"
            )
        dims = [dim for dim in walked_dims(map) if dim is not None]
        good = all(
            isinstance(e, AffineDimExpr)
            or (isinstance(e, AffineConstantExpr) and e.value == 0 and self._may_broadcast())
            for e in map.results
        )
        if not good or len(set(dims)) != len(dims):
            raise VerifyException(
                f"C3: expected different dimensions{' or 0' if self._may_broadcast() else ''} as "
                f"results of the permutation map, found {map}"
            )

    def _may_broadcast(self) -> bool:
        return self.READS or rank_of(self.memory.type) == 0


class TransferReadOp(_Transfer, upstream.TransferReadOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """Read a vector along a permutation map; elements out of bounds or masked are the padding."""

    READS: ClassVar = True
    traits = traits_def(_TransferEffects())

    def __init__(
        self,
        source: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        padding: SSAValue | Operation,
        result_type: Attribute,
        in_bounds: Sequence[bool] | ArrayAttr[BoolAttr] | None = None,
        permutation_map: AffineMap | AffineMapAttr | None = None,
        mask: SSAValue | Operation | None = None,
    ) -> None:
        source = SSAValue.get(source)
        map, bounds = _defaults(permutation_map, in_bounds, source.type, result_type)
        super().__init__(source, indices, padding, result_type, bounds, map, mask)


class TransferWriteOp(_Transfer, upstream.TransferWriteOp):  # pyright: ignore[reportIncompatibleMethodOverride]
    """Write a vector along a permutation map; elements out of bounds or masked are not written."""

    READS: ClassVar = False
    traits = traits_def(_TransferEffects())

    def __init__(
        self,
        vector: SSAValue | Operation,
        source: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        in_bounds: Sequence[bool] | ArrayAttr[BoolAttr] | None = None,
        mask: SSAValue | Operation | None = None,
        permutation_map: AffineMap | AffineMapAttr | None = None,
        result_type: TensorType | None = None,
    ) -> None:
        vector, source = SSAValue.get(vector), SSAValue.get(source)
        map, bounds = _defaults(permutation_map, in_bounds, source.type, vector.type)
        if result_type is None and isinstance(source.type, TensorType):
            result_type = source.type  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        super().__init__(vector, source, indices, bounds, mask, map, result_type)


def _defaults(
    map: AffineMap | AffineMapAttr | None,
    bounds: Sequence[bool] | ArrayAttr[BoolAttr] | None,
    memory: Attribute,
    vector: Attribute,
) -> tuple[AffineMapAttr, ArrayAttr[BoolAttr]]:
    if map is None:
        map = minor_identity(memory, vector)
    if isinstance(map, AffineMap):
        map = AffineMapAttr(map)
    if bounds is None:
        bounds = [False] * len(map.data.results)
    return map, bounds if isinstance(bounds, ArrayAttr) else flags_of(bounds)


OPS: tuple[type[Operation], ...] = (TransferReadOp, TransferWriteOp)
