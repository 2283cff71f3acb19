"""The two ends of a vectorized reduction.

%init = arith.constant dense<0.0> : vector<8xf32>           the neutral element in all lanes
%v = affine.for ... iter_args(%acc = %init) -> (vector<8xf32>)
%r = vector.reduction <add>, %v : vector<8xf32> into f32    the lanes together
%s = arith.addf %r, %x : f32                                and what the loop started with
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.analysis.loops.reductions import Reduction, exact_zero, neutral_element
from snippets_mlir.dialects.vector.ops import ReductionOp


def start_of(reduction: Reduction, init: SSAValue) -> Attribute:
    """The start value of every lane.

    The neutral element of a floating-point sum is -0.0; upstream's 0.0 is as good if the loop
    starts with 0.0.
    """
    type_ = init.type
    neutral = neutral_element(reduction.kind, type_)
    if reduction.kind == "add" and isinstance(type_, AnyFloat) and not _is(init, neutral):
        return exact_zero(type_)
    return neutral


def _is(value: SSAValue, attribute: Attribute) -> bool:
    """Whether a value is a constant, the same bits."""
    return isinstance(value.owner, arith.ConstantOp) and str(value.owner.value) == str(attribute)


def finish_reduction(reduction: Reduction, init: SSAValue, lanes: SSAValue) -> list[Operation]:
    """Ops; the last one is the result of the scalar loop."""
    ops: list[Operation] = [ReductionOp(CombiningKindFlag(reduction.kind), lanes)]
    if not _is(init, start_of(reduction, init)):
        combiner = type(reduction.combiner).create(
            operands=[ops[0].results[0], init],
            result_types=[init.type],
            properties=reduction.combiner.properties.copy(),
            attributes=reduction.combiner.attributes.copy(),
        )
        ops.append(combiner)
    return ops
