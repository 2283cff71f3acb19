"""The matrix product of the linear IR: one op until the loops have markers.

    %c = lir.brgemm %a, %b {lir.loops = array<i64: 0, 1, 2>, lir.ports = [#lir.port<[64, 512, 1]>,
         #lir.port<[1, 512, 96]>, #lir.port<[64, 1, 96]>]}
         : (tensor<64x512x1xf32>, tensor<1x512x96xf32>) -> tensor<64x1x96xf32>

The dims are the dims of the result, with the dim of the sum before the last one. `a` has no
columns, `b` no rows, and the leading dims broadcast. Loops 0 and 1 walk rows and columns; loop 2,
the innermost one, walks the sum. Source: the guide's Brgemm.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, traits_def
from xdsl.traits import HasParent, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.typed_op import TypedOp

IN_ORDER = "lir.in_order"
"""On the sum of an unfused step: terms are added one after the other, as `snippets.fma` does."""


@irdl_op_definition
class BrgemmOp(TypedOp):
    """Sums a * b over the dim before the last one, the first term first; each step adds one.

    A step is `fma(a, b, sum)`, or with `unfused` a rounded product and a sum. The sum starts from
    0.0. The result is available after the innermost loop of its `lir.loops`, like the result of an
    accumulator.
    """

    name = "lir.brgemm"
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)
    unfused = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(
        self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, *, unfused: bool = False
    ) -> None:
        lhs, rhs = SSAValue.get(lhs), SSAValue.get(rhs)
        terms = terms_shape(shape_of(lhs), shape_of(rhs))
        if terms is None:
            raise VerifyException(_mismatch(shape_of(lhs), shape_of(rhs)))
        shape = (*terms[:-2], 1, terms[-1])
        super().__init__(
            operands=[lhs, rhs],
            result_types=[tensor_type(tensor_of(lhs).element_type, shape)],
            properties={"unfused": UnitAttr() if unfused else None},
        )

    def verify_(self) -> None:
        """Check that the operands broadcast, and that the result keeps all dims but one."""
        left, right = shape_of(self.lhs), shape_of(self.rhs)
        terms = terms_shape(left, right)
        if terms is None:
            raise VerifyException(_mismatch(left, right))
        expected = (*terms[:-2], 1, terms[-1])
        if shape_of(self.result) != expected:
            raise VerifyException(
                f"lir.brgemm: expected a result of {format_shape(expected)}, found "
                f"{format_shape(shape_of(self.result))}"
            )
        elements = {tensor_of(v).element_type for v in (*self.operands, *self.results)}
        if len(elements) != 1:
            found = ", ".join(sorted(map(str, elements)))
            raise VerifyException(f"lir.brgemm: expected one element type, found {found}")


@irdl_op_definition
class BrgemmCopyBOp(TypedOp):
    """The right operand of a product, copied to a better order: the elements are the same.

    The panel of columns that the enclosing loops walk goes into a buffer. The op is gone at stage
    `looped`: the store of the buffer takes the loaded value.
    """

    name = "lir.brgemm_copy_b"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(MemoryWriteEffect(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation) -> None:
        source = SSAValue.get(source)
        super().__init__(operands=[source], result_types=[source.type])

    def verify_(self) -> None:
        """Check that the types are equal."""
        if self.source.type != self.result.type:
            raise VerifyException(
                f"lir.brgemm_copy_b: expected a result of {self.source.type}, found "
                f"{self.result.type}"
            )


def terms_shape(left: Shape, right: Shape) -> Shape | None:
    """The shape of all terms a * b; None when the operands do not broadcast."""
    if min(len(left), len(right)) < 3:
        return None
    return broadcast_shapes(left, right)


def _mismatch(left: Shape, right: Shape) -> str:
    return (
        "lir.brgemm: expected operands of rank 3 or more that broadcast, found "
        f"{format_shape(left)} and {format_shape(right)}"
    )
