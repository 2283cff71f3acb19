"""`vector` ops that only move elements: broadcasts, transposes, shuffles.

`lanes.py` defines their results; constants and moves that change nothing fold through it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects import vector as upstream
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
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

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.vector.access import as_class
from snippets_mlir.dialects.vector.lane_folding import fold_lanes
from snippets_mlir.dialects.vector.lanes import integers_in
from snippets_mlir.support.extension import Folds


class _Composes(HasCanonicalizationPatternsTrait):
    """Two moves of one kind are one."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """One pattern for each kind of move that composes."""
        from snippets_mlir.dialects.vector.canonicalization import COMPOSED_MOVES

        return COMPOSED_MOVES


class Moves(HasFolderInterface):
    """Folding of the ops with a definition of their own."""

    @override
    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        return fold_lanes(self)


class _Folded(IRDLOperation):
    """Folding of the ops that xDSL defines."""

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """The op folded when its operands are constants; see `fold_lanes`."""
        return fold_lanes(self)


class BroadcastOp(_Folded, upstream.BroadcastOp):
    """Repeat a scalar or a vector along new leading dimensions and along dimensions of size 1.

    C1: the element types are the same.
    C2: the trailing sizes of the result equal the source's, except where the source has 1.
    """

    traits = traits_def(Pure(), Folds(), _Composes())

    @override
    def verify_(self) -> None:
        if element_of(self.source.type) != element_of(self.vector.type):
            raise VerifyException(
                f"C1: expected a result of {element_of(self.source.type)}, found {self.vector.type}"
            )
        source, target = extents_of(self.source.type), extents_of(self.vector.type)
        lead = len(target) - len(source)
        if lead < 0 or any(a not in (1, b) for a, b in zip(source, target[lead:], strict=True)):
            raise VerifyException(
                f"C2: expected sizes that {self.source.type} repeats to, found {self.vector.type}"
            )

    @classmethod
    @override
    def parse(cls, parser: Parser) -> BroadcastOp:
        return as_class(cls, upstream.BroadcastOp.parse(parser))


class ExtractOp(_Folded, upstream.ExtractOp):
    """An element or a part of a vector at a position of the leading dimensions."""

    traits = traits_def(Pure(), Folds())

    @classmethod
    @override
    def parse(cls, parser: Parser) -> ExtractOp:
        return as_class(cls, upstream.ExtractOp.parse(parser))


class InsertOp(_Folded, upstream.InsertOp):
    """Replace an element or a part of a vector at a position of the leading dimensions."""

    traits = traits_def(Pure(), Folds())

    @classmethod
    @override
    def parse(cls, parser: Parser) -> InsertOp:
        return as_class(cls, upstream.InsertOp.parse(parser))


class ShuffleOp(_Folded, upstream.ShuffleOp):
    """Rows of two vectors, chosen by number; -1 is a row without value."""

    traits = traits_def(Pure(), Folds())

    @classmethod
    @override
    def parse(cls, parser: Parser) -> ShuffleOp:
        return as_class(cls, upstream.ShuffleOp.parse(parser))


@irdl_op_definition
class TransposeOp(IRDLOperation, Moves):
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
        shape = extents_of(vector.type)
        result = VectorType(element_of(vector.type), [shape[d] for d in permutation])
        super().__init__(
            operands=[vector],
            result_types=[result],
            properties={"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    @override
    def verify_(self) -> None:
        shape = extents_of(self.vector.type)
        order = integers_in(self.permutation)
        if sorted(order) != list(range(len(shape))):
            raise VerifyException(
                f"C1: expected a permutation of {len(shape)} dimensions, found {list(order)}"
            )
        if tuple(shape[d] for d in order) != extents_of(self.result.type):
            raise VerifyException(
                f"C2: expected sizes {[shape[d] for d in order]}, found {self.result.type}"
            )


@irdl_op_definition
class ShapeCastOp(IRDLOperation, Moves):
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

    @override
    def verify_(self) -> None:
        before, after = (prod(extents_of(v.type)) for v in (self.source, self.result))
        if before != after:
            raise VerifyException(f"C1: expected {before} elements, found {self.result.type}")


OPS: tuple[type[Operation], ...] = (
    BroadcastOp,
    ExtractOp,
    InsertOp,
    ShapeCastOp,
    ShuffleOp,
    TransposeOp,
)
