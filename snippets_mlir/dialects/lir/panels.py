"""The view of packed columns: a kernel's argument in panels, seen as the matrix it contains.

    %m = lir.panels %b {lir.loops = array<i64>, lir.ports = [#lir.port<[2, 512, 48]>,
         #lir.port<[1, 512, 96]>]} : (tensor<2x512x48xf32>) -> tensor<1x512x96xf32>

An op that reads the matrix has `panels 48` in its port.
"""

from __future__ import annotations

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import HasParent, Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import known_less
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp


@irdl_op_definition
class PanelsOp(TypedOp):
    """The matrix whose columns are in the operand's panels, [panels, rows, width]; emits no code.

    The elements of the last panel beyond the matrix are padding.
    """

    name = "lir.panels"
    source = operand_def(TensorType)
    result = result_def(TensorType)
    traits = traits_def(Pure(), HasParent(KernelOp))

    def __init__(self, source: SSAValue | Operation, type: Attribute) -> None:
        super().__init__(operands=[source], result_types=[type])

    def verify_(self) -> None:
        """Check that the panels fit the matrix."""
        held, shape = shape_of(self.source), shape_of(self.result)
        fits = (
            len(held) == 3
            and len(shape) >= 2
            and all(size == 1 for size in shape[:-2])
            and shape[-2] == held[1]
            and not known_less(held[0] * held[2], shape[-1])
            and known_less((held[0] - 1) * held[2], shape[-1])
            and tensor_of(self.source).element_type == tensor_of(self.result).element_type
        )
        if not fits:
            raise VerifyException(
                f"lir.panels: expected [panels, rows, width] of a matrix {self.result.type}, found "
                f"{self.source.type}"
            )
