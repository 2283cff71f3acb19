"""Give each abstract register of a kernel a physical one, or a slot in the scratchpad.

    #lir.port<..., reg "%vec4">     becomes     #lir.port<..., reg "vec2">
                                    or          #lir.port<..., reg "vec2/slot0">

Linear scan (`linear_scan.py`) assigns each file on its own: general-purpose registers to pointers
and counters, vector and mask registers to values. Registers of the kernel's call arguments are not
in the pool (`TargetMachine.reserved_registers`). An emitter of the target may need registers
besides operands and result; they are taken at its op and named there (`lir.auxiliary`). A value
that a loop carries stays in its register over the whole loop. Scalars get the remaining vector
registers; a scalar without a register is an immediate at each use.

Running out of registers is not an error. The cheapest values are spilled, and the ports say what
`lir-insert-reg-spills` does: `vec2/slot0` is written to the slot at a definition and read from it
at a use; `slot0` alone is read or carried in memory; `vec2/again` is computed again at a use, for
broadcast scalars and for broadcast loads of inputs. A pointer `gpr3/slot1` is in the slot, and in
the register for the access.

The options `vectors`, `masks` and `general` are sizes of the files; 0 is the target's size. Refuses
more than 1024 registers and kernels without abstract registers. Source: the design guide's
AssignRegisters, which fails if registers run out.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr

from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.registers import AUXILIARY
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass
from snippets_mlir.passes.lir.register_assignment import Assignment, plan_registers
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.target_machine import TargetMachine

LARGEST = 1024
"""The most registers of a file."""


def _sized(machine: TargetMachine, vectors: int, masks: int, general: int) -> RegisterFiles:
    """The machine's files with the sizes that are not 0."""
    files = machine.register_files
    for name, size in (("vectors", vectors), ("masks", masks), ("general", general)):
        if not 0 <= size <= LARGEST:
            raise CompileError(f"expected {name} of 0 to {LARGEST} registers, found {size}")
    if masks and not files.masks:
        raise CompileError(
            f"expected no option masks: the target {machine.name} keeps vectors of i1 in "
            "vector registers"
        )
    return replace(
        files,
        vectors=vectors or files.vectors,
        masks=masks or files.masks,
        general=general or files.general,
    )


@dataclass(frozen=True)
class LirAssignRegistersPass(KernelPlanPass[Assignment]):
    """Assign physical registers."""

    name = "lir-assign-registers"
    STAGES: ClassVar[Stages] = Stages(("looped",))

    vectors: int = 0
    masks: int = 0
    general: int = 0

    def plan(self, unit: KernelOp) -> Assignment:
        """The registers of the files with the sizes that are not 0."""
        machine = machine_of(module_of(unit))
        files = _sized(machine, self.vectors, self.masks, self.general)
        return plan_registers(unit, files, machine.emitters)

    def carry_out(self, unit: KernelOp, plan: Assignment) -> None:
        """Write the registers on the ports, and the auxiliary ones on their ops."""
        ops = list(unit.block.ops) if plan.auxiliary else []
        for place, names in plan.auxiliary:
            ops[place].attributes[AUXILIARY] = StringAttr(names)
        plan.naming.write(unit)
