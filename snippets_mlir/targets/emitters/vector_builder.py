"""Building vector-level IR: memory through `!llvm.ptr`, on top of the arithmetic.

Loads and stores are aligned to the element only: arrays come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    VectorType,
    f32,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, SSAValue

from snippets_mlir.dialects.builtin.shaped import byte_width
from snippets_mlir.targets.emitters.arith_builder import (
    ArithBuilder,
    dense,
    element_of,
    integer_attr,
    lanes_of,
    vector_type,
)
from snippets_mlir.targets.target_machine import TargetMachine

_POINTER = LLVMPointerType()
_GEP_DYNAMIC = -(1 << 31)

PERMUTE = "llvm.x86.avx512.vpermi2var.ps.512"
"""Each lane of a vector of integers picks one of the lanes of two vectors of f32."""
_TWICE = 32


@lru_cache(maxsize=4096)
def _gep_indices(index: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, [index])


class VectorBuilder(ArithBuilder):
    """Appends arithmetic and memory accesses to a block."""

    def __init__(
        self,
        ctx: Context,
        entry: Block,
        table_name: Callable[[DenseIntOrFPElementsAttr], str],
        machine: TargetMachine | None = None,
    ) -> None:
        """Start in the block `entry`; `table_name` returns the symbol of a constant table, and
        the code is for `machine`.
        """
        super().__init__(ctx, entry)
        self._table_name = table_name
        self._permuting = machine is not None and machine.permutes
        self.converts_f16 = machine is None or machine.f16_conversion

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

    def masked_scatter(
        self, value: SSAValue, pointers: SSAValue, mask: SSAValue, alignment: int
    ) -> None:
        """`llvm.intr.masked.scatter`: an element through the pointer of each active lane."""
        properties = {"alignment": integer_attr(alignment, 32)}
        self.make("llvm.intr.masked.scatter", [value, pointers, mask], [], properties)

    def shuffled(self, vector: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """The vector of the given lanes of `vector`."""
        return self.mixed(vector, vector, lanes)

    def mixed(self, first: SSAValue, second: SSAValue, lanes: Sequence[int]) -> SSAValue:
        """The vector of the given lanes of `first` and, numbered after them, of `second`."""
        type_ = vector_type(element_of(first), len(lanes))
        properties = {"mask": DenseArrayBase.from_list(i64, list(lanes))}
        return self.make("vector.shuffle", [first, second], [type_], properties).results[0]

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
        """`llvm.intr.masked.store` of the lanes whose mask is set."""
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

    def permutes(self, size: int, index: SSAValue, type_: Attribute) -> bool:
        """Whether `permuted` looks `index` up in a table of `size` as a vector of `type_`."""
        wanted = _TWICE, vector_type(i32, _TWICE // 2), vector_type(f32, _TWICE // 2)
        return self._permuting and (size, index.type, type_) == wanted

    def permuted(self, table: DenseIntOrFPElementsAttr, index: SSAValue) -> SSAValue:
        """`table[index mod 32]`, the table in two registers."""
        type_ = vector_type(f32, _TWICE // 2)
        halves: list[SSAValue] = []
        for half in range(2):
            key = ("half", half, table)
            if (known := self.constants_by_key.get(key)) is None:
                values = [float(cast("float", v)) for v in table.get_values()]
                half_of_them = values[half * _TWICE // 2 :][: _TWICE // 2]
                known = self.add_constant(key, dense(type_, half_of_them), type_)
            halves.append(known)
        properties = {
            "intrin": StringAttr(PERMUTE),
            "op_bundle_sizes": DenseArrayBase.from_list(i32, []),
            "operandSegmentSizes": DenseArrayBase.from_list(i32, [3, 0]),
        }
        operands = [halves[0], index, halves[1]]
        return self.make("llvm.call_intrinsic", operands, [type_], properties).results[0]

    def gather(self, base: SSAValue, index: SSAValue, type_: VectorType[Attribute]) -> SSAValue:
        """`base[index]` for each lane of the i64 vector `index`."""
        lanes = lanes_of(index)
        element = type_.element_type
        pointers = self.pointer_offset(base, element, index)
        return self.masked_gather(pointers, self.mask(lanes, lanes), type_, byte_width(element))
