"""`snippets.check_indices`: an error if an index is outside of a tensor.

    %4 = snippets.check_indices %i, %x {axis = 0 : i64, from_end} :
         (tensor<8xi64>, tensor<1000x64xf32>) -> tensor<8xi64>

It returns its indices, so that their readers run after the check. Front ends whose gathers refuse
indices that are outside insert it before a `snippets.gather`. It is a separate step between
kernels: machine code runs it (`codegen/stubs/index_checks.py`), and Python runs it only if an index
is outside. Among ONNX's operators RotaryEmbedding has such a check; Gather and similar operators
stay with onnxruntime, which checks the indices of the call. Source: the IndexError of `numpy.take`
and `torch.embedding`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import INTEGER
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import OpRecord, value_in
from snippets_mlir.dialects.snippets.whole_tensor import (
    AxisOp,
    normalized_axes,
    verify_axes,
)


@irdl_op_definition
class CheckIndicesOp(AxisOp):
    """The indices themselves; an error unless each is in bounds along `axis` of the operand.

    With `from_end`, indices below 0 count from the end; without it they are outside.
    """

    name = "snippets.check_indices"
    ELEMENT_KINDS: ClassVar = (INTEGER,)
    WITHOUT_KERNEL: ClassVar = "an index that is outside is an error, which no kernel has"
    indices = operand_def(TensorType)
    operand = operand_def(TensorType)
    from_end = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    def __init__(
        self,
        indices: SSAValue | Operation,
        operand: SSAValue | Operation,
        axis: int,
        from_end: bool = False,
    ) -> None:
        """A negative axis counts from the last dim of the operand."""
        (axis,) = normalized_axes(self.name, [axis], tensor_of(operand).get_num_dims())
        super().__init__(
            operands=[indices, operand],
            result_types=[tensor_of(indices)],
            properties={
                "axis": IntegerAttr(axis, i64),
                "from_end": UnitAttr() if from_end else None,
            },
        )

    @property
    @override
    def joined_operands(self) -> Sequence[SSAValue]:
        """Only the indices: only the shape of the operand matters."""
        return (self.indices,)

    @override
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        return shapes[0]

    def verify_attributes(self) -> None:
        """The axis is a dim of the operand (C7)."""
        verify_axes(self.name, [self.axis], len(shape_of(self.operand)))


RECORDS = (
    OpRecord(
        CheckIndicesOp,
        value=value_in("gathering:check_indices"),
        relay=PatternKind.OPAQUE,
        relax=PatternKind.OPAQUE,
    ),
)
