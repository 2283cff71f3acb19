"""`vector` ops that extract or insert a box of a vector, or take every other element.

`lanes.py` defines their results.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, VectorType, i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.dialects.vector.shapes import Moves


class _Slice(IRDLOperation):
    def _verify_slice(
        self, whole: tuple[int, ...], sizes: Sequence[int], strides: tuple[int, ...]
    ) -> None:
        offsets = integers_in(self.properties["offsets"])
        if len(sizes) > len(whole) or len(strides) > len(sizes) or any(s != 1 for s in strides):
            raise VerifyException(
                f"C1: expected at most {len(whole)} sizes and strides of 1, found {list(sizes)} "
                f"and {list(strides)}"
            )
        lead = len(offsets) - len(sizes)
        inner = zip(whole[lead:], offsets[lead:], sizes, strict=False)
        outer = zip(whole[:lead], offsets[:lead], strict=False)
        if (
            lead < 0
            or len(offsets) > len(whole)
            or any(not 0 <= o <= n - s for n, o, s in inner)
            or any(not 0 <= o < n for n, o in outer)
        ):
            raise VerifyException(
                f"C2: expected a slice inside {list(whole)}, found offsets {list(offsets)} and "
                f"sizes {list(sizes)}"
            )


@irdl_op_definition
class ExtractStridedSliceOp(_Slice, Moves):
    """A box of a vector; dimensions after the last offset are whole.

    C1: not more sizes than dimensions, and all strides are 1.
    C2: the box lies inside the vector.
    C3: the result has the sizes of the box.
    """

    name = "vector.extract_strided_slice"
    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType.constr(T))
    offsets = prop_def(ArrayAttr[IntegerAttr])
    sizes = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(VectorType.constr(T))
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    @override
    def verify_(self) -> None:
        shape, sizes = extents_of(self.source.type), integers_in(self.sizes)
        self._verify_slice(shape, sizes, integers_in(self.strides))
        expected = (*sizes, *shape[len(sizes) :])
        if extents_of(self.result.type) != expected:
            raise VerifyException(f"C3: expected sizes {list(expected)}, found {self.result.type}")


@irdl_op_definition
class InsertStridedSliceOp(_Slice, Moves):
    """A vector with a box replaced; the box has the last dimensions.

    C1: not more sizes than dimensions, and all strides are 1.
    C2: the box lies inside the vector.
    """

    name = "vector.insert_strided_slice"
    T: ClassVar = VarConstraint("T", AnyAttr())
    V: ClassVar = VarConstraint("V", VectorType.constr(T))

    source = operand_def(VectorType.constr(T))
    dest = operand_def(V)
    offsets = prop_def(ArrayAttr[IntegerAttr])
    strides = prop_def(ArrayAttr[IntegerAttr])
    result = result_def(V)
    traits = traits_def(Pure())

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$source `,` $dest attr-dict `:` type($source) `into` type($dest)"

    @override
    def verify_(self) -> None:
        sizes = extents_of(self.source.type)
        self._verify_slice(extents_of(self.dest.type), sizes, integers_in(self.strides))


@irdl_op_definition
class InterleaveOp(IRDLOperation, Moves):
    """Elements of two vectors in turn: `a0, b0, a1, b1, ...`.

    C1: the last dimension of the result is twice the operands' last dimension.
    """

    name = "vector.interleave"
    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    @override
    def verify_(self) -> None:
        if self.result.type != _stretched(self.lhs.type):
            raise VerifyException(
                f"C1: expected a result of type {_stretched(self.lhs.type)}, "
                f"found {self.result.type}"
            )


@irdl_op_definition
class DeinterleaveOp(IRDLOperation):
    """The elements at even and at odd places of the last dimension.

    C1: the last dimension of the source is twice the results' last dimension.
    """

    name = "vector.deinterleave"
    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))

    source = operand_def(VectorType)
    res1 = result_def(T)
    res2 = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `->` type($res1)"

    @override
    def verify_(self) -> None:
        if self.source.type != _stretched(self.res1.type):
            raise VerifyException(
                f"C1: expected a source of type {_stretched(self.res1.type)}, "
                f"found {self.source.type}"
            )


def _stretched(type: Attribute) -> Attribute:
    """`type` with twice the last dimension; a vector of rank 0 gives one of 2 elements."""
    shape = extents_of(type)
    last = shape[-1] if shape else 1
    return VectorType(element_of(type), [*shape[:-1], 2 * last])


def numbers(values: Sequence[int]) -> ArrayAttr[IntegerAttr]:
    """`[1, 2]`, an array of i64 attributes."""
    return ArrayAttr(IntegerAttr(value, i64) for value in values)


OPS: tuple[type[Operation], ...] = (
    DeinterleaveOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    InterleaveOp,
)
