"""The matrix product.

    %1 = snippets.matmul %a, %b : (tensor<7x4x8xf32>, tensor<8x5xf32>) -> tensor<7x4x5xf32>
    %2 = snippets.matmul %x, %w {transpose_b} : (tensor<?x8xf32>, tensor<5x8xf32>)
         -> tensor<?x5xf32>
    %3 = snippets.matmul %v, %w : (tensor<5xf32>, tensor<5x8xf32>) -> tensor<8xf32>

Its constraint besides the constraints of `base.py` and `whole_tensor.py`:

* C9: the operands of a product have at least one dim; the sizes that it sums over are equal; the
  batch dims, which are all dims before the last two, broadcast.

Source: `numpy.matmul`; ONNX MatMul; OpenVINO's MatMul for the attributes, which are not allowed
here with an operand of rank 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from typing_extensions import override
from xdsl.dialects.builtin import TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import FLOAT, INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, compatible, format_shape
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

DIAGONAL = "snippets.diagonal"
"""An attribute of a product: its elements (i, j) with j > i + d are not needed."""


class Factor(NamedTuple):
    """An operand of a product as matrices.

    Attributes:
        batch: the dims before the matrices.
        free: the size that the result keeps; 1 for an operand of rank 1, a row or a column.
        inner: the size that the product sums over.
    """

    batch: Shape
    free: Dim
    inner: Dim


def left_factor(shape: Shape, transposed: bool) -> Factor:
    """A left operand of rank 1 or more: matrices of free x inner; transposed, inner x free."""
    if len(shape) == 1:
        return Factor((), 1, shape[0])
    first, second = shape[-2:]
    return Factor(shape[:-2], second, first) if transposed else Factor(shape[:-2], first, second)


def right_factor(shape: Shape, transposed: bool) -> Factor:
    """A right operand of rank 1 or more: matrices of inner x free; transposed, free x inner."""
    return left_factor(shape, len(shape) > 1 and not transposed)


@irdl_op_definition
class MatMulOp(WholeTensorOp):
    """`numpy.matmul`: the sum of a[.., i, k] * b[.., k, j] over k, for dims before that broadcast.

    `transpose_a` and `transpose_b` mean that the last two dims of an operand are swapped. A left
    operand of rank 1 is one row, a right operand of rank 1 is one column, and this dim is not in
    the result. The sum of no products is 0; NaN and inf * 0 give NaN; integers wrap. The order of
    the additions and the sign of a zero are not part of the meaning: a sum of K products is within
    (2 sqrt(K) + 4) * 2^-24 * sum |a * b| of the real value in f32, with 2^-53 in f64.
    """

    name = "snippets.matmul"
    ELEMENT_KINDS: ClassVar = (FLOAT, INTEGER)
    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        transpose_a: bool = False,
        transpose_b: bool = False,
    ) -> None:
        """The result's type follows; VerifyException (C7, C9) for operands that do not fit."""
        a, b = tensor_of(lhs), tensor_of(rhs)
        flags = transpose_a, transpose_b
        if (problem := why_no_product(shape_of(a), shape_of(b), *flags)) is not None:
            raise VerifyException(problem)
        super().__init__(
            operands=[lhs, rhs],
            result_types=[
                tensor_type(a.element_type, product_shape(shape_of(a), shape_of(b), *flags))
            ],
            properties=transposing(transpose_a, transpose_b),
        )

    @property
    def transposes(self) -> tuple[bool, bool]:
        """Whether the left and right matrices are transposed."""
        return self.transpose_a is not None, self.transpose_b is not None

    @property
    def factors(self) -> tuple[Factor, Factor]:
        """The operands as matrices."""
        left, right = self.transposes
        return left_factor(shape_of(self.lhs), left), right_factor(shape_of(self.rhs), right)

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """Batch dims, rows, columns; if batch dims do not broadcast, the left operand's."""
        return product_shape(shapes[0], shapes[1], *self.transposes)

    @override
    def verify_parameters(self) -> None:
        problem = why_no_product(shape_of(self.lhs), shape_of(self.rhs), *self.transposes)
        if problem is not None:
            raise VerifyException(problem)


def transposing(transpose_a: bool, transpose_b: bool) -> dict[str, Attribute]:
    """The properties of a product for the given transpositions."""
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return {name: UnitAttr() for name, on in flags.items() if on}


def why_no_product(
    lhs: Sequence[Dim], rhs: Sequence[Dim], transpose_a: bool, transpose_b: bool
) -> str | None:
    """Why operands of these shapes have no product (C7, C9), or None."""
    found = f"found {format_shape(lhs)} and {format_shape(rhs)}"
    words = [w for w, on in (("a", transpose_a), ("b", transpose_b)) if on]
    if words:
        found += " with " + " and ".join(f"transpose_{word}" for word in words)
    if not lhs or not rhs:
        return f"C9: {MatMulOp.name} expects operands of rank 1 or more, {found}"
    for shape, transposed in ((lhs, transpose_a), (rhs, transpose_b)):
        if transposed and len(shape) == 1:
            return f"C7: {MatMulOp.name} expects no transpose of an operand of rank 1, {found}"
    a, b = left_factor(tuple(lhs), transpose_a), right_factor(tuple(rhs), transpose_b)
    if not compatible((a.inner,), (b.inner,)):
        sizes = f"{format_shape((a.inner,))} and {format_shape((b.inner,))}"
        return f"C9: {MatMulOp.name} expects equal inner sizes, {found}: {sizes}"
    if broadcast_shapes(a.batch, b.batch) is None:
        return f"C9: {MatMulOp.name} expects batch dims that broadcast, {found}"
    return None


def product_shape(lhs: Shape, rhs: Shape, transpose_a: bool, transpose_b: bool) -> Shape:
    """The shape of a product of operands of these shapes, for which `why_no_product` is None.

    If batch dims do not broadcast, the result has the left operand's.
    """
    a, b = left_factor(lhs, transpose_a), right_factor(rhs, transpose_b)
    batch = broadcast_shapes(a.batch, b.batch)
    rows = (a.free,) if len(lhs) > 1 else ()
    columns = (b.free,) if len(rhs) > 1 else ()
    return (*(a.batch if batch is None else batch), *rows, *columns)


RECORDS = (
    OpRecord(
        MatMulOp,
        value=value_in("product:matmul"),
        patterns=("products:TransposedOperand", "one_hots:RowsOfConstant"),
        relay=PatternKind.OUT_ELEMWISE_FUSABLE,
    ),
)
