"""Comparisons of the `snippets` dialect; the result is i1."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, traits_def
from xdsl.traits import Commutative

from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, INTEGER, BinaryOp


@irdl_op_definition
class EqualOp(BinaryOp):
    """lhs == rhs; false if either is NaN."""

    name = "snippets.equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    PREDICATE: ClassVar = True
    traits = traits_def(Commutative())


@irdl_op_definition
class NotEqualOp(BinaryOp):
    """lhs != rhs; true if either is NaN."""

    name = "snippets.not_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER, BOOL)
    PREDICATE: ClassVar = True
    traits = traits_def(Commutative())


@irdl_op_definition
class GreaterOp(BinaryOp):
    """lhs > rhs; false if either is NaN."""

    name = "snippets.greater"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


@irdl_op_definition
class GreaterEqualOp(BinaryOp):
    """lhs >= rhs; false if either is NaN."""

    name = "snippets.greater_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


@irdl_op_definition
class LessOp(BinaryOp):
    """lhs < rhs; false if either is NaN."""

    name = "snippets.less"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


@irdl_op_definition
class LessEqualOp(BinaryOp):
    """lhs <= rhs; false if either is NaN."""

    name = "snippets.less_equal"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    PREDICATE: ClassVar = True


COMPARISON_OPS = (
    EqualOp,
    GreaterEqualOp,
    GreaterOp,
    LessEqualOp,
    LessOp,
    NotEqualOp,
)
