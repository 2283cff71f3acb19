"""Memory accesses and results of a `lir.kernel`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    HasParent,
    MemoryReadEffect,
    MemoryWriteEffect,
)
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr, size_attr, size_in
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp

TAIL = -1
"""The count of an access (or the offset of a fill) in the tail of a dynamic loop: the rest."""


class MemoryAccessOp(TypedOp, ABC):
    """An op that moves `count` elements between memory and a vector register.

    The access begins `offset` elements after the port's pointer; the default is 0 (the guide's
    MemoryAccess has both).
    """

    count = prop_def(IntegerAttr)
    offset = opt_prop_def(IntegerAttr | SizeAttr)

    @property
    def elements(self) -> int:
        """The number of elements that one evaluation loads or stores."""
        return self.count.value.data

    def set_elements(self, count: int) -> None:
        """Set the number of elements that one evaluation moves."""
        self.properties["count"] = IntegerAttr(count, i64)

    @property
    def distance(self) -> Dim:
        """Elements in memory from the pointer to the first element touched; may have symbols."""
        return 0 if self.offset is None else size_in(self.offset)

    def set_distance(self, elements: Dim) -> None:
        """Set the distance from the pointer to the first element."""
        if elements != 0:
            self.properties["offset"] = size_attr(elements)
        else:
            self.properties.pop("offset", None)


@irdl_op_definition
class LoadOp(MemoryAccessOp):
    """Reads `count` elements of the last dim at the port's pointer (the guide's Load)."""

    name = "lir.load"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation, count: int) -> None:
        source = SSAValue.get(source)
        super().__init__(
            operands=[source],
            result_types=[source.type],
            properties={"count": IntegerAttr(count, i64)},
        )


@irdl_op_definition
class BroadcastLoadOp(MemoryAccessOp):
    """Reads one element and broadcasts it to a vector (the guide's BroadcastLoad)."""

    name = "lir.broadcast_load"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(
            operands=[source],
            result_types=[result_type],
            properties={"count": IntegerAttr(1, i64)},
        )


@irdl_op_definition
class StoreOp(MemoryAccessOp):
    """Writes `count` elements at the pointer of its result's port (the guide's Store).

    With `nontemporal` it bypasses the caches; with `nontemporal_from` in addition, only if the
    call's range of the parallel domain has at least this many units (`lir-stream-stores` writes
    both). With `accumulate` it adds to the buffer's contents: memory + value.
    """

    name = "lir.store"
    value = operand_def(TensorType)
    target = result_def(TensorType)
    nontemporal = opt_prop_def(UnitAttr)
    nontemporal_from = opt_prop_def(IntegerAttr)
    accumulate = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(
        self,
        value: SSAValue | Operation,
        count: int,
        target: Attribute | None = None,
        *,
        accumulate: bool = False,
    ) -> None:
        """`target` is the type of the written array; None for the type of the value."""
        value = SSAValue.get(value)
        super().__init__(
            operands=[value],
            result_types=[target or value.type],
            properties={
                "count": IntegerAttr(count, i64),
                "accumulate": UnitAttr() if accumulate else None,
            },
        )

    def verify_(self) -> None:
        """Check that a store that accumulates adds floats to a buffer, through the caches."""
        if self.accumulate is None:
            return
        elements = {tensor_of(v).element_type for v in (self.value, self.target)}
        if len(elements) != 1 or not isinstance(next(iter(elements)), AnyFloat):
            found = ", ".join(sorted(map(str, elements)))
            raise VerifyException(
                f"expected floats of one type in lir.store with `accumulate`, found {found}"
            )
        if self.nontemporal is not None:
            raise VerifyException(
                "expected lir.store with `accumulate` or `nontemporal`, found both"
            )
        others = [use.operation for use in self.target.uses if use.operation.name != "lir.buffer"]
        if others:
            raise VerifyException(
                "expected the target of lir.store with `accumulate` in a lir.buffer, found "
                f"{others[0].name}"
            )

    def make_plain(self) -> None:
        """Let the store go through the caches."""
        self.properties.pop("nontemporal", None)
        self.properties.pop("nontemporal_from", None)


@irdl_op_definition
class ResultOp(TypedOp):
    """Output `index` of the kernel (the guide's Result).

    It takes the results of all stores that write the output: one, or one per part of a split loop.
    """

    name = "lir.result"
    RESULTS: ClassVar[int] = 0
    index = prop_def(IntegerAttr)
    values = var_operand_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, values: Sequence[SSAValue], index: int) -> None:
        super().__init__(operands=[values], properties={"index": IntegerAttr(index, i64)})
