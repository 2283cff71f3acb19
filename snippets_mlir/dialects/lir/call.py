"""The host's side of a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    FlatSymbolRefAttrConstr,
    SymbolRefAttr,
    TensorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    Pure,
)

from snippets_mlir.dialects.builtin.op_class import Op


@irdl_op_definition
class CallOp(Op):
    """Runs a kernel over its whole parallel domain, on the host's side.

    `%r = lir.call @kernel(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>`
    """

    name = "lir.call"
    callee = prop_def(FlatSymbolRefAttrConstr)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    traits = traits_def(Pure())
    assembly_format = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)"

    def __init__(
        self, callee: str, inputs: Sequence[SSAValue], output_types: Sequence[Attribute]
    ) -> None:
        super().__init__(
            operands=[inputs],
            result_types=[output_types],
            properties={"callee": SymbolRefAttr(callee)},
        )
