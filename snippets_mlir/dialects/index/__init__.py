"""MLIR's `index`: arithmetic on `index`, which has 64 bits here, under upstream's names and syntax.

    %0 = index.floordivs %a, %b
    %1 = index.cmp slt(%0, %a)
    %2 = index.casts %0 : index to i32

xDSL 0.74 has no such dialect. Two things differ from upstream. A division has no effect, but it is
`Pure` only if its divisor is a constant other than 0 and -1, so that no pass hoists it above the
check of its divisor. Folders compute in 64 bits and do not check whether 32 bits give the same
result.
"""

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.ir import Attribute, Dialect, Operation

from snippets_mlir.dialects.index import arithmetic, bits, division
from snippets_mlir.dialects.index.comparison import CmpOp, CmpPredicate, CmpPredicateAttr
from snippets_mlir.dialects.index.ops import (
    BoolConstantOp,
    CastSOp,
    CastUOp,
    ConstantOp,
    SizeOfOp,
    constant_op,
)


class _Constants(ConstantMaterializationInterface):
    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        return constant_op(value)


Index = Dialect(
    "index",
    [
        *arithmetic.OPS,
        *bits.OPS,
        *division.OPS,
        BoolConstantOp,
        CastSOp,
        CastUOp,
        CmpOp,
        ConstantOp,
        SizeOfOp,
    ],
    [CmpPredicateAttr],
    [_Constants()],
)

__all__ = [
    "BoolConstantOp",
    "CastSOp",
    "CastUOp",
    "CmpOp",
    "CmpPredicate",
    "CmpPredicateAttr",
    "ConstantOp",
    "Index",
    "SizeOfOp",
]
