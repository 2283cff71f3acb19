"""The pattern of `convert-vector-to-llvm` for `vector.reduction`.

    %r = vector.reduction <maximumf>, %v, %acc : vector<8xf32> into f32

becomes

    %m = llvm.intr.vector.reduce.fmaximum(%v) : (vector<8xf32>) -> f32
    %r = llvm.intr.maximum(%m, %acc) : (f32, f32) -> f32
"""

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, i32
from xdsl.dialects.vector import CombiningKindFlag as Kind
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.llvm import integer_intrinsics, intrinsics, reductions
from snippets_mlir.dialects.vector.ops import ReductionOp
from snippets_mlir.passes.building.lowering import Lowering
from snippets_mlir.passes.vector_to_llvm.convert_arith_to_llvm import fast_math_of

_INTEGERS: dict[Kind, tuple[type[Operation], type[Operation]]] = {
    Kind.ADD: (reductions.ReduceAddOp, llvm.AddOp),
    Kind.AND: (reductions.ReduceAndOp, llvm.AndOp),
    Kind.MAXSI: (reductions.ReduceSMaxOp, integer_intrinsics.SMaxOp),
    Kind.MAXUI: (reductions.ReduceUMaxOp, integer_intrinsics.UMaxOp),
    Kind.MINSI: (reductions.ReduceSMinOp, integer_intrinsics.SMinOp),
    Kind.MINUI: (reductions.ReduceUMinOp, integer_intrinsics.UMinOp),
    Kind.MUL: (reductions.ReduceMulOp, llvm.MulOp),
    Kind.OR: (reductions.ReduceOrOp, llvm.OrOp),
    Kind.XOR: (reductions.ReduceXorOp, llvm.XOrOp),
}
_FLOATS: dict[Kind, tuple[type[Operation], type[Operation]]] = {
    Kind.MAXIMUMF: (reductions.ReduceFMaximumOp, intrinsics.MaximumOp),
    Kind.MAXNUMF: (reductions.ReduceFMaxOp, llvm.VectorFMaxOp),
    Kind.MINIMUMF: (reductions.ReduceFMinimumOp, intrinsics.MinimumOp),
    Kind.MINNUMF: (reductions.ReduceFMinOp, llvm.VectorFMinOp),
}
_ORDERED: dict[Kind, tuple[type[Operation], float]] = {
    Kind.ADD: (llvm.VectorReduceFAddOp, -0.0),
    Kind.MUL: (llvm.VectorReduceFMulOp, 1.0),
}
_WRAPPING = {"overflowFlags": IntegerAttr(0, i32)}


def kind_of_the_type(op: ReductionOp) -> bool:
    """LLVM has the reduction for elements of the type."""
    floats = isinstance(op.dest.type, AnyFloat)
    return op.kind.data in ({**_ORDERED, **_FLOATS} if floats else _INTEGERS)


def reduction(op: Operation, low: Lowering) -> Sequence[SSAValue]:
    """An intrinsic `llvm.intr.vector.reduce`, and the op that combines with the accumulator."""
    assert isinstance(op, ReductionOp)
    vector = low.operand(op.vector)
    accumulator = None if op.acc is None else low.operand(op.acc)
    type = low.type(op.dest.type)
    assert type is not None
    kind = op.kind.data
    if isinstance(type, AnyFloat):
        return _float(op, low, vector, accumulator, type)
    reduce, combine = _INTEGERS[kind]
    value = low.make(reduce, (vector,), type)
    if accumulator is not None:
        flags = _WRAPPING if combine in (llvm.AddOp, llvm.MulOp) else None
        value = low.make(combine, (value, accumulator), type, flags)
    return (value,)


def _float(
    op: ReductionOp, low: Lowering, vector: SSAValue, accumulator: SSAValue | None, type: AnyFloat
) -> Sequence[SSAValue]:
    flags = fast_math_of(op)
    kind = op.kind.data
    if kind in _ORDERED:
        reduce, neutral = _ORDERED[kind]
        start = accumulator or low.constant(FloatAttr(neutral, type), type)
        return (low.make(reduce, (start, vector), type, flags),)
    reduce, combine = _FLOATS[kind]
    value = low.make(reduce, (vector,), type, flags)
    if accumulator is not None:
        value = low.make(combine, (value, accumulator), type, flags)
    return (value,)
