"""The constant lookup tables of kernels: one global for each table.

    llvm.mlir.global internal constant @table_0(dense<[...]> : tensor<16xf32>)

Machines that look up values by permuting registers have none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    StringAttr,
)
from xdsl.dialects.llvm import GlobalOp, LLVMArrayType
from xdsl.ir import Operation

from snippets_mlir.targets.target_machine import TargetMachine


@dataclass
class LookupTables:
    """The constant lookup tables of kernels: one global each.

    There are none if the machine looks up by permuting registers.
    """

    ctx: Context
    machine: TargetMachine | None
    by_value: dict[DenseIntOrFPElementsAttr, Operation] = field(
        default_factory=dict[DenseIntOrFPElementsAttr, Operation]
    )

    def name(self, values: DenseIntOrFPElementsAttr) -> str:
        """The symbol of the table `values`."""
        if (op := self.by_value.get(values)) is None:
            op = self._make(values, f"table_{len(self.by_value)}")
            self.by_value[values] = op
        symbol = op.properties["sym_name"]
        assert isinstance(symbol, StringAttr)
        return symbol.data

    def _make(self, values: DenseIntOrFPElementsAttr, name: str) -> Operation:
        (size,) = values.get_shape()
        return GlobalOp(
            LLVMArrayType(size, values.get_element_type()),
            name,
            "internal",
            constant=True,
            value=values,
        )
