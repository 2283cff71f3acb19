"""Decide which constant right operands of matrix products are packed into panels.

    lir.brgemm %a, %w of 768x3072, in loops of 48 columns      %w in panels of 48 columns

`lir-brgemm-pack-constants` packs them. A constant has only one copy, so it is packed only if it has
no other reader in the kernel or in the host function or program, and if all calls of the kernel
pass a constant there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.ir import BlockArgument

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    users_through_views,
    view_source,
)
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.attributes import PanelsAttr
from snippets_mlir.passes.lir.given_constants import Given, constants_given, reads_of
from snippets_mlir.passes.lir.kernel_passes import op_text
from snippets_mlir.passes.lir.panels import around_sum
from snippets_mlir.support.walking import module_of, ops_inside


@dataclass(frozen=True, eq=False)
class Packing:
    """A constant right operand.

    Attributes:
        product: the product that reads it.
        argument: the kernel's argument.
        constants: the constants that the calls pass for it.
        loops: the loops of the product around its sum.
        reason: why the constants stay; None if they are packed.
    """

    product: BrgemmOp
    argument: BlockArgument
    constants: tuple[Given, ...]
    loops: tuple[LoopInfo, ...]
    reason: str | None

    @property
    def columns(self) -> LoopInfo:
        """The loop over columns, outside of the loop over rows if there is one."""
        return next(loop for loop in self.loops if loop.dim == 0)

    @property
    def width(self) -> int:
        """The columns of a panel, in elements: as many as a tile of the product has."""
        return self.columns.increment * self.columns.jam

    @property
    def transposed(self) -> bool:
        """Whether the terms of a column are adjacent in the constant."""
        return _is_transposed(input_ports(self.product)[1])

    def __str__(self) -> str:
        what = op_text(self.product)
        if self.reason is not None:
            return f"{what}, its constant stays as it is: {self.reason}"
        kind = ", transposed," if self.transposed else ""
        return f"{what}, its constant{kind} in panels of {self.width} columns"


@dataclass(frozen=True)
class Packings:
    """The constant right operands of a kernel's products."""

    found: tuple[Packing, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no right operand is constant"


def _is_transposed(port: PortDescriptor) -> bool:
    return port.stride(len(port.shape) - 1) != 1


def _other_reader(packing: Packing, calls: Sequence[CallOp]) -> str | None:
    """Another reader of a constant, or of its argument, beside the product."""
    if any(user is not packing.product for user in users_through_views(packing.argument)):
        return "another op of the kernel reads it"
    if packing.product.lhs in (packing.product.rhs, packing.argument):
        return "it is the left operand, too"
    for constant in packing.constants:
        if isinstance(constant.value, PanelsAttr):
            return "it is packed"
        for use in reads_of(constant.result):
            if use.operation not in calls or use.index != packing.argument.index:
                return f"{use.operation.name} reads it, too"
    return None


def _not_in_panels(packing: Packing, kernel: KernelOp, terms: LoopInfo) -> str | None:
    """Why the loops of a product do not go through panels."""
    loops, port = packing.loops, input_ports(packing.product)[1]
    columns = next((loop for loop in loops if loop.dim == 0), None)
    if columns is None or columns not in loops[-2:] or columns.inner_of is not None:
        return "no loop over its columns"
    inside = columns is loops[-1] and len(loops) > 1 and port.shape[-1 - loops[-2].dim] == 1
    if inside and not packing.transposed:
        return "the rows are outside"
    if columns.dynamic or terms.dynamic:
        return "the call decides about its size"
    rows, size = port.shape[-2:]
    stored = (size, rows) if packing.transposed else (rows, size)
    *others, inner, last = 1, 1, *shape_of(packing.argument)
    if (inner, last) != stored or any(size != 1 for size in others):
        return "it is a batch of matrices, or reshaped"
    if 0 in (columns.work_amount, terms.work_amount):
        return "it is empty"
    if packing.width >= assumed(columns.work_amount) and not packing.transposed:
        return "it is one panel"
    nest = tuple(loop.id for loop in loops)
    for op in kernel.block.ops:
        if columns.id in (ids := loop_ids(op)) and ids[: len(nest)] != nest:
            return "there are other loops over its columns"
    return None


def packings_of(kernel: KernelOp) -> Packings:
    """The constant right operands of a kernel's products, and whether they are packed."""
    products = [op for op in kernel.block.ops if isinstance(op, BrgemmOp)]
    if not products:
        return Packings(())
    calls = [op for op in ops_inside(module_of(kernel)) if isinstance(op, CallOp)]
    calls = [op for op in calls if op.callee.string_value() == kernel.sym_name.data]
    planned = (_plan(op, kernel, calls) for op in products)
    return Packings(tuple(it for it in planned if it is not None))


def _plan(op: BrgemmOp, kernel: KernelOp, calls: Sequence[CallOp]) -> Packing | None:
    """The plan for a product's right operand; None if it is no constant."""
    argument = view_source(op.rhs)
    if not isinstance(argument, BlockArgument):
        return None
    if (constants := constants_given(argument, calls)) is None:
        return None
    around, terms = around_sum(op, kernel.loop_table)
    packing = Packing(op, argument, constants, tuple(around), None)
    reason = _other_reader(packing, calls) or _not_in_panels(packing, kernel, terms)
    return replace(packing, reason=reason)
