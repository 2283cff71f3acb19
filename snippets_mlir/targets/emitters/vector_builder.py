"""Building vector-level IR: memory through `!llvm.ptr`, on top of the arithmetic.

Loads and stores are aligned to the element only: arrays come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, SSAValue

from snippets_mlir.targets.emitters.arith_builder import (
    ArithBuilder,
    dense,
    element_of,
    integer_attr,
    lanes_of,
    vector_type,
)

_POINTER = LLVMPointerType()
_GEP_DYNAMIC = -(1 << 31)


@cache
def _gep_indices(index: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, [index])


class VectorBuilder(ArithBuilder):
    """Appends arithmetic and memory accesses to a block."""

    def __init__(
        self, ctx: Context, entry: Block, table_name: Callable[[DenseIntOrFPElementsAttr], str]
    ) -> None:
        """Start in the block `entry`; `table_name` gives the symbol of a constant table."""
        super().__init__(ctx, entry)
        self._table_name = table_name

    def pointer_offset(
        self, pointer: SSAValue, element: Attribute, index: int | SSAValue
    ) -> SSAValue:
        """`llvm.getelementptr` by `index` elements; 0 is the pointer itself."""
        if index == 0:
            return pointer
        if isinstance(index, int) and abs(index) >= -_GEP_DYNAMIC:
            index = self.index(index)
        dynamic = not isinstance(index, int)
        properties = {
            "rawConstantIndices": _gep_indices(_GEP_DYNAMIC if dynamic else index),
            "elem_type": element,
        }
        operands = [pointer, index] if dynamic else [pointer]
        result = pointer.type
        if dynamic and isinstance(index.type, VectorType):
            result = vector_type(pointer.type, lanes_of(index))
        return self.make("llvm.getelementptr", operands, [result], properties).results[0]

    def pointers_apart(
        self, pointer: SSAValue, element: Attribute, stride: int, lanes: int
    ) -> SSAValue:
        """A vector of pointers: lane i is `pointer` moved by `i * stride` elements."""
        offsets = self.steps(stride, lanes)
        return self.pointer_offset(pointer, element, offsets)

    def steps(self, stride: int, lanes: int) -> SSAValue:
        """The i64 vector 0, stride, 2 * stride, ..."""
        key = ("steps", stride, lanes)
        if (known := self.constants_by_key.get(key)) is None:
            type_ = vector_type(i64, lanes)
            attr = dense(type_, [i * stride for i in range(lanes)])
            known = self.add_constant(key, attr, type_)
        return known

    def masked_gather(
        self, pointers: SSAValue, mask: SSAValue, type_: VectorType[Attribute], alignment: int
    ) -> SSAValue:
        """`llvm.intr.masked.gather`; lanes that are off give 0."""
        properties = {"alignment": integer_attr(alignment, 32)}
        operands = [pointers, mask, self.constant(0, type_)]
        return self.make("llvm.intr.masked.gather", operands, [type_], properties).results[0]

    def shuffled(self, vector: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """The vector of the given lanes of `vector`."""
        type_ = vector_type(element_of(vector), len(lanes))
        properties = {"mask": DenseArrayBase.from_list(i64, list(lanes))}
        return self.make("vector.shuffle", [vector, vector], [type_], properties).results[0]

    def load(self, pointer: SSAValue, type_: Attribute, alignment: int) -> SSAValue:
        """`llvm.load` of a scalar or a vector."""
        properties = {"alignment": integer_attr(alignment, 64), "ordering": integer_attr(0, 64)}
        return self.make("llvm.load", [pointer], [type_], properties).results[0]

    def store(
        self,
        value: SSAValue,
        pointer: SSAValue,
        alignment: int,
        attributes: Mapping[str, Attribute] | None = None,
        *,
        nontemporal: bool = False,
    ) -> None:
        """`llvm.store` of a scalar or a vector, with discardable `attributes`."""
        properties: dict[str, Attribute] = {
            "alignment": integer_attr(alignment, 64),
            "ordering": integer_attr(0, 64),
        }
        if nontemporal:
            properties["nontemporal"] = UnitAttr()
        op = self.make("llvm.store", [value, pointer], [], properties)
        op.attributes.update(attributes or {})

    def masked_load(
        self, pointer: SSAValue, mask: SSAValue, type_: Attribute, alignment: int
    ) -> SSAValue:
        """`llvm.intr.masked.load`; lanes that are off give 0."""
        zero = self.constant(0, type_)
        properties = {"alignment": integer_attr(alignment, 32)}
        op = self.make("llvm.intr.masked.load", [pointer, mask, zero], [type_], properties)
        return op.results[0]

    def masked_store(
        self, value: SSAValue, pointer: SSAValue, mask: SSAValue, alignment: int
    ) -> None:
        """`llvm.intr.masked.store`."""
        properties = {"alignment": integer_attr(alignment, 32)}
        self.make("llvm.intr.masked.store", [value, pointer, mask], [], properties)

    def table(self, values: DenseIntOrFPElementsAttr) -> SSAValue:
        """The address of a constant table of the module."""
        key = ("table", values)
        if (known := self.constants_by_key.get(key)) is None:
            name = self._table_name(values)
            op = self.op_class("llvm.mlir.addressof").create(
                result_types=[_POINTER], properties={"global_name": SymbolRefAttr(name)}
            )
            known = self.constants_by_key[key] = self.at_entry(op)
        return known

    def gather(self, base: SSAValue, index: SSAValue, type_: VectorType[Attribute]) -> SSAValue:
        """`base[index]` for each lane of the i64 vector `index`."""
        lanes = lanes_of(index)
        element = type_.element_type
        pointers = self.pointer_offset(base, element, index)
        assert isinstance(element, FixedBitwidthType)
        return self.masked_gather(pointers, self.mask(lanes, lanes), type_, element.size)
