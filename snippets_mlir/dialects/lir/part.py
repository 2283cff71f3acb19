"""The view of an output that consists of parts: a computed value as a part of the whole.

    %p = lir.part %0 {offset = 8 : i64, lir.loops = array<i64>, lir.ports = [#lir.port<[4, 16]>,
         #lir.port<[4, 24]>]} : (tensor<4x16xf32>) -> tensor<4x24xf32>
    lir.result %q, %p {index = 0 : i64, lir.ports = [#lir.port<[4, 8], strides [24, 1]>,
         #lir.port<[4, 16], strides [24, 1]>]} : (tensor<4x24xf32>, tensor<4x24xf32>) -> ()

%0 is columns 8 to 23 of the output. Its first element is element `offset` of the output. The parts
of a `lir.result` cover each element of the output exactly once. `lir-insert-load-store` creates
stores with this offset and the strides of the result's ports.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import (
    Dim,
    Shape,
    known_less,
    product,
    static_shape,
    static_size,
)
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.builtin.sizes import SizeAttr, size_attr, size_in
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp


def row_major(shape: Shape) -> Shape:
    """The distance of neighbours along each dim of a dense array."""
    return tuple(product(shape[dim + 1 :]) for dim in range(len(shape)))


def is_part(op: Operation) -> bool:
    """Whether the result of `op` is a part of an output: then `op` runs in loops of its own
    sizes.
    """
    return any(isinstance(use.operation, PartOp) for value in op.results for use in value.uses)


@irdl_op_definition
class PartOp(TypedOp):
    """An output that contains the operand from element `offset` on; emits no code."""

    name = "lir.part"
    source = operand_def(TensorType)
    offset_attr = prop_def(IntegerAttr | SizeAttr, prop_name="offset")
    result = result_def(TensorType)
    traits = traits_def(Pure(), HasParent(KernelOp))

    def __init__(
        self, source: SSAValue | Operation, starts: Sequence[Dim], type: Attribute
    ) -> None:
        """`starts` is the place of the first element in each dim of the output."""
        places = zip(starts, row_major(shape_of(type)), strict=True)
        offset = sum((start * stride for start, stride in places), start=0)
        super().__init__(
            operands=[source], result_types=[type], properties={"offset": size_attr(offset)}
        )

    @property
    def offset(self) -> Dim:
        """The distance in elements from the start of the output to the first element."""
        return size_in(self.offset_attr)

    @property
    def strides(self) -> Shape:
        """The distance in the output of neighbours in each dim, in elements."""
        return row_major(shape_of(self.result))

    @property
    def starts(self) -> tuple[int, ...] | None:
        """The first element's place in each dim of the output; None if it depends on symbols."""
        whole, offset = shape_of(self.result), self.offset
        if has_symbols((*whole, offset)):
            return None
        starts: list[int] = []
        rest = static_size(offset)
        for size in reversed(static_shape(whole)):
            starts.insert(0, rest % size if size else 0)
            rest = rest // size if size else 0
        return tuple(starts)

    def verify_(self) -> None:
        """The operand has the rank and the elements of the output, and is inside of it."""
        part, whole = shape_of(self.source), shape_of(self.result)
        same = tensor_of(self.source).element_type == tensor_of(self.result).element_type
        if len(part) != len(whole) or not same:
            raise VerifyException(
                f"lir.part: expected a part of {self.result.type}, found {self.source.type}"
            )
        starts = self.starts
        ends = part if starts is None else tuple(s + n for s, n in zip(starts, part, strict=True))
        inside = all(known_less(size, end) is not True for size, end in zip(whole, ends))
        if not inside or known_less(self.offset, 0) is True:
            raise VerifyException(
                f"lir.part: expected {self.source.type} inside of {self.result.type}, found it at "
                f"offset {self.offset}"
            )
