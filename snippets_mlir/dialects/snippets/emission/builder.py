"""The interface for vector code: `arith`, `math` and `vector` ops on `vector<NxT>` values.

A function takes a builder, the op of the linear IR, and its operands as vectors of the op's lanes.
It returns the vector of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue


class CodeBuilder(Protocol):
    """The operations for building vector code."""

    @property
    def converts_f16(self) -> bool:
        """Whether the machine converts f16 and f32 by one instruction."""
        ...

    def append(self, op: Operation) -> Operation:
        """Append `op` to the block; returns it."""
        ...

    def op(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute | None = None,
        **properties: Attribute,
    ) -> SSAValue:
        """Add the op `name`; its one result, of the first operand's type by default."""
        ...

    def like(self, value: float, other: SSAValue) -> SSAValue:
        """A constant of `other`'s type, `value` in every lane."""
        ...

    def compare_float(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpf` with an MLIR predicate name."""
        ...

    def compare_int(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpi` with an MLIR predicate name."""
        ...

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where `mask`, else `b`."""
        ...

    def table(self, values: DenseIntOrFPElementsAttr) -> SSAValue:
        """The address of a constant table of the module."""
        ...

    def gather(self, base: SSAValue, index: SSAValue, type_: VectorType[Attribute]) -> SSAValue:
        """`base[index]` for each lane of the i64 vector `index`."""
        ...

    def permutes(self, size: int, index: SSAValue, type_: Attribute) -> bool:
        """Whether `permuted` looks `index` up in a table of `size` as a vector of `type_`."""
        ...

    def permuted(self, table: DenseIntOrFPElementsAttr, index: SSAValue) -> SSAValue:
        """`table[index mod 32]`, the table in two registers."""
        ...


_LANES = "lanes"
"""The attribute in which an immutable vector type caches its lanes."""


@lru_cache(maxsize=4096)
def vector_type(element: Attribute, lanes: int) -> VectorType[Attribute]:
    """`vector<lanes x element>`, built once; integers are signless, as `arith` and `llvm` want."""
    if isinstance(element, IntegerType):
        element = IntegerType(element.bitwidth)
    return VectorType(element, [lanes])


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a vector value."""
    type_: Attribute = value.type
    assert isinstance(type_, VectorType)
    return cast("VectorType[Attribute]", type_)


def element_of(value: SSAValue) -> Attribute:
    """The element type of a vector value."""
    return vector_of(value).element_type


def lanes_of(value: SSAValue) -> int:
    """The lanes of a vector value."""
    known = vars(value.type)
    lanes: int | None = known.get(_LANES)
    if lanes is None:
        lanes = known[_LANES] = vector_of(value).get_shape()[0]
    return lanes
