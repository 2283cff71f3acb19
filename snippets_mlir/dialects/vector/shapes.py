"""`vector` ops that only move elements: broadcasts, slices, transposes, shuffles.

What each gives is in `lanes.py`; constants and moves that change nothing fold through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects import vector as upstream
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, VectorType, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
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
from xdsl.parser import Parser
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.extension import Folds
from snippets_mlir.dialects.shaped import element_of, shape_of
from snippets_mlir.dialects.vector.lanes import fold_lanes, integers_in
from snippets_mlir.dialects.vector.memory import as_class


class _Composes(HasCanonicalizationPatternsTrait):
    """Two moves of one kind are one."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """One pattern for each kind of move that composes."""
        from snippets_mlir.dialects.canonicalization.vector import COMPOSED_MOVES

        return COMPOSED_MOVES


class _Moves(HasFolderInterface):
    """Folding of the ops with a definition of their own."""

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """See `fold_lanes`."""
        return fold_lanes(self)


class BroadcastOp(upstream.BroadcastOp):
    """Repeat a scalar or a vector along new leading dimensions and along those of size 1.

    C1: the element types are the same.
    C2: the trailing sizes of the result are those of the source, where that has not 1.
    """

    traits = traits_def(Pure(), Folds(), _Composes())

    def verify_(self) -> None:
        """Check C1 and C2."""
        if element_of(self.source.type) != element_of(self.vector.type):
            raise VerifyException(
                f"C1: expected a result of {element_of(self.source.type)}, found {self.vector.type}"
            )
        source, target = shape_of(self.source.type), shape_of(self.vector.type)
        lead = len(target) - len(source)
        if lead < 0 or any(a not in (1, b) for a, b in zip(source, target[lead:], strict=True)):
            raise VerifyException(
                f"C2: expected sizes that {self.source.type} repeats to, found {self.vector.type}"
            )

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """See `fold_lanes`."""
        return fold_lanes(self)

    @classmethod
    def parse(cls, parser: Parser) -> BroadcastOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.BroadcastOp.parse(parser))


class ExtractOp(upstream.ExtractOp):
    """An element or a part of a vector at a position of the leading dimensions."""

    traits = traits_def(Pure(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """See `fold_lanes`."""
        return fold_lanes(self)

    @classmethod
    def parse(cls, parser: Parser) -> ExtractOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.ExtractOp.parse(parser))


class InsertOp(upstream.InsertOp):
    """A vector with an element or a part replaced at a position of the leading dimensions."""

    traits = traits_def(Pure(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """See `fold_lanes`."""
        return fold_lanes(self)

    @classmethod
    def parse(cls, parser: Parser) -> InsertOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.InsertOp.parse(parser))


class ShuffleOp(upstream.ShuffleOp):
    """Rows of two vectors, chosen by number; -1 is a row without value."""

    traits = traits_def(Pure(), Folds())

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """See `fold_lanes`."""
        return fold_lanes(self)

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleOp:
        """Parse MLIR's form."""
        return as_class(cls, upstream.ShuffleOp.parse(parser))


@irdl_op_definition
class TransposeOp(IRDLOperation, _Moves):
    """Dimensions in another order: dimension `k` of the result is `permutation[k]` of the source.

    C1: the permutation has every dimension once.
    C2: the result has the permuted sizes.
    """

    name = "vector.transpose"
    T: ClassVar = VarConstraint("T", AnyAttr())

    vector = operand_def(VectorType.constr(T))
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(VectorType.constr(T))
    traits = traits_def(Pure(), _Composes())

    assembly_format = "$vector `,` $permutation attr-dict `:` type($vector) `to` type($result)"

    def __init__(self, vector: SSAValue | Operation, permutation: Sequence[int]) -> None:
        vector = SSAValue.get(vector)
        shape = shape_of(vector.type)
        result = VectorType(element_of(vector.type), [shape[d] for d in permutation])
        super().__init__(
            operands=[vector],
            result_types=[result],
            properties={"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    def verify_(self) -> None:
        """Check C1 and C2."""
        shape = shape_of(self.vector.type)
        order = integers_in(self.permutation)
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(
                f"C1: expected a permutation of {len(shape)} dimensions, found {list(order)}"
            )
        if tuple(shape[d] for d in order) != shape_of(self.result.type):
            raise VerifyException(
                f"C2: expected sizes {[shape[d] for d in order]}, found {self.result.type}"
            )


@irdl_op_definition
class ShapeCastOp(IRDLOperation, _Moves):
    """The same elements, row by row, under another shape.

    C1: the number of elements stays.
    """

    name = "vector.shape_cast"
    T: ClassVar = VarConstraint("T", AnyAttr())

    source = operand_def(VectorType.constr(T))
    result = result_def(VectorType.constr(T))
    traits = traits_def(Pure(), _Composes())

    assembly_format = "$source attr-dict `:` type($source) `to` type($result)"

    def __init__(self, source: SSAValue | Operation, result_type: Attribute) -> None:
        super().__init__(operands=[source], result_types=[result_type])

    def verify_(self) -> None:
        """Check C1."""
        before, after = (prod(shape_of(v.type)) for v in (self.source, self.result))
        if before != after:
            raise VerifyException(f"C1: expected {before} elements, found {self.result.type}")


class _Slice(IRDLOperation):
    """Checks of the strided slices."""

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
class ExtractStridedSliceOp(_Slice, _Moves):
    """A box of a vector; dimensions behind the last offset are whole.

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

    def __init__(
        self, source: SSAValue | Operation, offsets: Sequence[int], sizes: Sequence[int]
    ) -> None:
        source = SSAValue.get(source)
        shape = shape_of(source.type)
        super().__init__(
            operands=[source],
            result_types=[VectorType(element_of(source.type), [*sizes, *shape[len(sizes) :]])],
            properties={
                "offsets": numbers(offsets),
                "sizes": numbers(sizes),
                "strides": numbers([1] * len(sizes)),
            },
        )

    def verify_(self) -> None:
        """Check C1 to C3."""
        shape, sizes = shape_of(self.source.type), integers_in(self.sizes)
        self._verify_slice(shape, sizes, integers_in(self.strides))
        expected = (*sizes, *shape[len(sizes) :])
        if shape_of(self.result.type) != expected:
            raise VerifyException(f"C3: expected sizes {list(expected)}, found {self.result.type}")


@irdl_op_definition
class InsertStridedSliceOp(_Slice, _Moves):
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

    def __init__(
        self, source: SSAValue | Operation, dest: SSAValue | Operation, offsets: Sequence[int]
    ) -> None:
        source, dest = SSAValue.get(source), SSAValue.get(dest)
        rank = len(shape_of(source.type))
        super().__init__(
            operands=[source, dest],
            result_types=[dest.type],
            properties={"offsets": numbers(offsets), "strides": numbers([1] * rank)},
        )

    def verify_(self) -> None:
        """Check C1 and C2."""
        sizes = shape_of(self.source.type)
        self._verify_slice(shape_of(self.dest.type), sizes, integers_in(self.strides))


@irdl_op_definition
class InterleaveOp(IRDLOperation, _Moves):
    """Elements of two vectors in turn: `a0, b0, a1, b1, ...`.

    C1: the last dimension of the result is twice that of the operands.
    """

    name = "vector.interleave"
    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))

    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(VectorType)
    traits = traits_def(Pure())

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        lhs = SSAValue.get(lhs)
        super().__init__(operands=[lhs, rhs], result_types=[_stretched(lhs.type)])

    def verify_(self) -> None:
        """Check C1."""
        if self.result.type != _stretched(self.lhs.type):
            raise VerifyException(
                f"C1: expected a result of type {_stretched(self.lhs.type)}, "
                f"found {self.result.type}"
            )


@irdl_op_definition
class DeinterleaveOp(IRDLOperation):
    """The elements at even and those at odd places of the last dimension.

    C1: the last dimension of the source is twice that of the results.
    """

    name = "vector.deinterleave"
    T: ClassVar = VarConstraint("T", VectorType.constr(AnyAttr()))

    source = operand_def(VectorType)
    res1 = result_def(T)
    res2 = result_def(T)
    traits = traits_def(Pure())

    assembly_format = "$source attr-dict `:` type($source) `->` type($res1)"

    def __init__(self, source: SSAValue | Operation) -> None:
        source = SSAValue.get(source)
        *outer, last = shape_of(source.type)
        type = VectorType(element_of(source.type), [*outer, last // 2])
        super().__init__(operands=[source], result_types=[type, type])

    def verify_(self) -> None:
        """Check C1."""
        if self.source.type != _stretched(self.res1.type):
            raise VerifyException(
                f"C1: expected a source of type {_stretched(self.res1.type)}, "
                f"found {self.source.type}"
            )


def _stretched(type: Attribute) -> Attribute:
    """`type` with twice the last dimension; a vector of rank 0 gives one of 2 elements."""
    shape = shape_of(type)
    last = shape[-1] if shape else 1
    return VectorType(element_of(type), [*shape[:-1], 2 * last])


def numbers(values: Sequence[int]) -> ArrayAttr[IntegerAttr]:
    """`[1, 2]`, an array of i64 attributes."""
    return ArrayAttr(IntegerAttr(value, i64) for value in values)


OPS: tuple[type[Operation], ...] = (
    BroadcastOp,
    DeinterleaveOp,
    ExtractOp,
    ExtractStridedSliceOp,
    InsertOp,
    InsertStridedSliceOp,
    InterleaveOp,
    ShapeCastOp,
    ShuffleOp,
    TransposeOp,
)
