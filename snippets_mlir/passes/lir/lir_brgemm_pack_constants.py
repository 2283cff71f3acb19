"""Pack constant right operands of matrix products into panels at compile time.

    %w = snippets.constant dense<...> : tensor<768x3072xf32>
    %r = lir.call @k(%x, %w)
    lir.kernel @k (%a: tensor<128x768xf32>, %b: tensor<768x3072xf32>) ...
      %m = snippets.reshape %b
      %c = lir.brgemm %a, %m {lir.loops = array<i64: 1, 0, 2>}        in
      loops [..., #lir.loop<1, work 3072, inc 16, dim 0, parallel, jam 3>, ...]

becomes

    %w = snippets.constant #snippets.panels<dense<...> : tensor<768x3072xf32>, width 48>
         : tensor<64x768x48xf32>
    %r = lir.call @k(%x, %w)
    lir.kernel @k (%a: tensor<128x768xf32>, %b: tensor<64x768x48xf32>) ...
      %m = lir.panels %b
      %c = lir.brgemm %a, %m {lir.loops = array<i64: 1, 0, 3, 2>, lir.ports = [..., #lir.port<
           [1, 768, 3072], panels 48>, ...]}        in
      loops [..., #lir.loop<1, work 3072, inc 48, dim 0, parallel>, ...,
             #lir.loop<3, work 48, inc 16, dim 0, inner of 1, jam 3>]

A panel is as wide as the register tile, so a pass over the sum reads one contiguous piece of memory
and the kernel copies nothing. Products side by side use panels of equal width. A constant has only
one copy, so it is packed only if it has no other reader in the kernel or in the host function, and
if all calls of the kernel pass a constant there. In a program the pass packs `program.data`, also
through nodes between it and the calls. Leaves rows outside with one panel, if the constant is not
transposed; sizes that only the call knows; batches of right operands. Refuses no kernel. Source:
the guide's repacking of constant weights.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import FunctionType, IntAttr, NoneAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, OpResult
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.lir.access import input_ports, loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.panels import PanelsOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.attributes import PanelsAttr
from snippets_mlir.dialects.snippets.panels import panels_type
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.constant_panels import Packing, Packings, packings_of
from snippets_mlir.passes.lir.editing import insert_before, replace_operand
from snippets_mlir.passes.lir.given_constants import pack_constant
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.panels import split_columns


@dataclass(frozen=True)
class LirBrgemmPackConstantsPass(KernelPlanPass[Packings]):
    """Pack constant right operands of matrix products."""

    name = "lir-brgemm-pack-constants"
    STAGES: ClassVar[Stages] = Stages(("marked",))
    KERNELS_APART: ClassVar[bool] = False  # it reads the calls

    def plan(self, unit: KernelOp) -> Packings:
        """The constant right operands, and whether they are packed."""
        return packings_of(unit)

    def carry_out(self, unit: KernelOp, plan: Packings) -> None:
        """Pack the constants, and let the product read panels."""
        table = unit.loop_table
        packed = [it for it in plan.found if it.reason is None]
        for packing in packed:
            _read_panels(unit, packing, _pack(packing), table)
        if packed:
            unit.set_loops(list(table.values()))


def _pack(packing: Packing) -> TensorType[Attribute]:
    """Pack the constants of the calls into panels; returns their type."""
    source = tensor_of(packing.argument)
    transposed = UnitAttr() if packing.transposed else NoneAttr()
    forms = [
        PanelsAttr(constant.value, source, IntAttr(packing.width), transposed)
        for constant in packing.constants
        if not isinstance(constant.value, PanelsAttr)  # such constants have a reason
    ]
    type_ = panels_type(forms[0])
    assert type_ is not None
    for constant, form in zip(packing.constants, forms, strict=True):
        pack_constant(constant, form, type_)
    return type_


def _read_panels(
    kernel: KernelOp, packing: Packing, type_: Attribute, table: dict[int, LoopInfo]
) -> None:
    """Give the argument panels of `type_`, and let the product walk them."""
    product, old = packing.product, packing.product.rhs
    argument = Rewriter.replace_value_with_new_type(packing.argument, type_)
    matrix = PanelsOp(argument, old.type)
    first = kernel.block.first_op
    assert first is not None
    views = [PortDescriptor(shape_of(value)) for value in (argument, old)]
    insert_before(first, matrix, views, ())
    port = replace(input_ports(product)[1], layout=(), strides=(), panels=packing.width)
    replace_operand(product, 1, matrix.result, port)
    while isinstance(old, OpResult) and old.first_use is None:
        view = old.op
        old = view.operands[0]
        kernel.block.erase_op(view)
    if all(table[id_].inner_of != packing.columns.id for id_ in loop_ids(product)):
        # They are split already for a product side by side.
        split_columns(kernel, packing.columns, packing.loops[-1], table)
    types = [value.type for value in kernel.block.args], kernel.function_type.outputs.data
    kernel.properties["function_type"] = FunctionType.from_lists(*types)
