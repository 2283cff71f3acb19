"""Loads from addresses that depend on values.

    %r = lir.load %i {count = 1 : i64}                       // a place, or one for each lane
    %0 = lir.gather %x, %r {count = 16 : i64, limits = [999 : i64], steps = [64 : i64]}

reads 16 elements, starting 64 * r elements after the port's pointer, where r is %r clamped to 0 to
999: the lanes of a row are neighbours. If the places fill a vector, each lane reads one element at
its own place. The pointer walks the dims that the places do not determine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import HasParent, MemoryReadEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.sizes import SizeAttr, size_attr, size_in
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp


def _sizes(attr: ArrayAttr) -> tuple[Dim, ...]:
    return tuple(size_in(a) for a in cast("ArrayAttr[IntegerAttr | SizeAttr]", attr).data)


@irdl_op_definition
class GatherOp(MemoryAccessOp):
    """Reads `count` elements at the places given by its operands after the first one.

    Place k is clamped to 0 to `limits[k]`, and multiplied by `steps[k]` elements. With `from_end`,
    negative places first count from the end.
    """

    name = "lir.gather"
    source = operand_def(TensorType)
    places = var_operand_def(TensorType)
    limits_attr = prop_def(ArrayAttr, prop_name="limits")
    steps_attr = prop_def(ArrayAttr, prop_name="steps")
    from_end = opt_prop_def(UnitAttr)
    result = result_def(TensorType)
    traits = traits_def(MemoryReadEffect(), HasParent(KernelOp))

    def __init__(
        self,
        source: SSAValue,
        places: Sequence[SSAValue],
        limits: Sequence[Dim],
        steps: Sequence[Dim],
        count: int,
        result_type: Attribute,
        from_end: UnitAttr | None = None,
    ) -> None:
        super().__init__(
            operands=[source, places],
            result_types=[result_type],
            properties={
                "count": IntegerAttr(count, i64),
                "limits": ArrayAttr([size_attr(limit) for limit in limits]),
                "steps": ArrayAttr([size_attr(step) for step in steps]),
                "from_end": from_end,
            },
        )

    @property
    def limits(self) -> tuple[Dim, ...]:
        """The largest value of each place."""
        return _sizes(self.limits_attr)

    @property
    def steps(self) -> tuple[Dim, ...]:
        """The number of elements by which each place is multiplied."""
        return _sizes(self.steps_attr)

    def verify_(self) -> None:
        """A limit and a step for each place."""
        counts = len(self.places), len(self.limits_attr.data), len(self.steps_attr.data)
        sizes = (*self.limits_attr.data, *self.steps_attr.data)
        if len(set(counts)) != 1 or not all(isinstance(s, IntegerAttr | SizeAttr) for s in sizes):
            raise VerifyException(
                f"{self.name}: expected a limit and a step for each of {counts[0]} places"
            )
