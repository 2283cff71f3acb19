"""Read constants from memory if a block has more of them than registers.

    %c = llvm.mlir.constant(dense<1.5> : vector<8xf32>) : vector<8xf32>
    %r = llvm.intr.fma(%x, %y, %c) : ...

becomes, if a block reads many constants, and only it reads `%c`,

    llvm.mlir.global internal @constant_0(dense<1.5> : vector<8xf32>) {alignment = 32 : i64} : ...
    %p = llvm.mlir.addressof @constant_0 : !llvm.ptr
    %c = llvm.load %p {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
    %r = llvm.intr.fma(%x, %y, %c) : ...

LLVM keeps a constant as one element and broadcasts it into a register before the loop. If that
takes too many registers, it broadcasts some in the loop and spills others to the stack. AVX-512 has
broadcast memory operands. AVX2 has only whole-vector ones, so a whole vector in memory costs no
instruction and no register (`TargetMachine.whole_operands`).

A block changes if its arithmetic reads more than `keeps` float vectors of one repeated number (0 is
half of the machine's registers). As many loads are `invariant`, or fewer if other values leave
fewer registers (`live_vectors.py`): LLVM moves these loads before the loop, and makes them operands
if registers run out. A load that is the addend of one multiply-add becomes its operand: it may not
move, because the global is not `constant`. The mask of an absolute value, which LLVM would make, is
also a constant like the others. A vector of more than one register reads one register and repeats
it.

Leaves 0.0, which needs no memory; constants in comparisons, selects, maxima and minima, because
LLVM generates better code if it knows them; integers, which are shifts by immediates; scalars,
which are operands already. Refuses nothing, and does nothing on other machines.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseArrayBase,
    ModuleOp,
    SymbolRefAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.llvm import casts, intrinsics, memory
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.passes.vector_to_llvm.constant_loads import (
    ConstantLoads,
    Loaded,
    Registers,
    is_constant_memory,
    plan_loads,
    size_of,
)
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.passes.vector_to_llvm.externals import symbols_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import TARGET, machine_of
from snippets_mlir.targets.emitters.arith_builder import vector_type


def _add_globals(module: ModuleOp, loads: Iterable[Loaded]) -> None:
    """Put the constants into memory; not `constant`, so that their loads stay in a loop."""
    taken = symbols_of(module)
    first = next(op for op in module.ops if not is_constant_memory(op))
    for one in loads:
        if one.symbol in taken:
            continue
        taken.add(one.symbol)
        value, size = one.value, size_of(one.value)
        type, body = value.get_type(), Region()
        op = GlobalOp(type, one.symbol, "internal", value=value, alignment=size, body=body)
        module.body.block.insert_op_before(op, first)


def _repeated(register: SSAValue, lanes: int, wanted: Attribute, count: int) -> Operation:
    """A vector of type `wanted` and `count` lanes; each of its registers is `register`."""
    mask = DenseArrayBase.from_list(i32, [i % lanes for i in range(count)])
    return llvm.ShuffleVectorOp(register, register, mask, wanted)


def _load(block: Block, ops: tuple[Operation, ...], loaded: Loaded) -> None:
    """Load the constant before its first reader, and let all of them read it there."""
    first = ops[loaded.readers[0][0]]

    def put(op: Operation, at: Operation) -> SSAValue:
        op.location = at.location
        block.insert_op_before(op, at)
        return op.results[0]

    value = loaded.value
    address = put(llvm.AddressOfOp(SymbolRefAttr(loaded.symbol), POINTER), first)
    invariant = not loaded.stays
    register = memory.LoadOp(address, value.get_type(), size_of(value), invariant=invariant)
    known = {len(value): put(register, first)}
    for op, index in ((ops[place], index) for place, index in loaded.readers):
        floats: Attribute = op.operands[index].type
        assert isinstance(floats, VectorType)
        lanes = floats.element_count()
        if lanes not in known:
            wanted = vector_type(value.get_element_type(), lanes)
            known[lanes] = put(_repeated(register.res, len(value), wanted, lanes), first)
        if op.name == intrinsics.FAbsOp.name:
            mask = known[lanes]
            bits = put(casts.BitcastOp(op.operands[0], mask.type), op)
            positive = put(llvm.AndOp(bits, mask), op)
            result = put(casts.BitcastOp(positive, op.results[0].type), op)
            op.results[0].replace_all_uses_with(result)
            block.erase_op(op)
        else:
            op.operands[index] = known[lanes]


@dataclass(frozen=True)
class LLVMConstantsToMemoryPass(PlanPass[llvm.FuncOp, ConstantLoads]):
    """Read constants from memory if a block has more of them than registers."""

    name = "llvm-constants-to-memory"
    STAGES: ClassVar[Stages] = Stages(("llvm",))
    KERNELS_APART: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    keeps: int = 0

    def units(self, module: ModuleOp) -> Iterator[llvm.FuncOp]:
        """The functions that become machine code, on a machine with whole operands.

        Raises:
            CompileError: `keeps` is negative.
        """
        if self.keeps < 0:
            raise CompileError(f"expected keeps of 0 or more, found {self.keeps}")
        machine = machine_of(module) if TARGET in module.attributes else None
        if machine is not None and machine.whole_operands:
            yield from (op for op in tuple(module.ops) if isinstance(op, llvm.FuncOp))

    def plan(self, unit: llvm.FuncOp) -> ConstantLoads:
        """The constants of the blocks that read too many."""
        machine = machine_of(module_of(unit))
        registers = Registers(machine.vector_registers, 32 * machine.lanes)
        return plan_loads(unit, registers, self.keeps or registers.count // 2)

    def carry_out(self, unit: llvm.FuncOp, plan: ConstantLoads) -> None:
        """Make the memory, then the loads."""
        if plan.blocks:
            _add_globals(module_of(unit), (one for _, loads in plan.blocks for one in loads))
        blocks = tuple(unit.body.blocks)
        for number, loads in plan.blocks:
            ops = tuple(blocks[number].ops)
            for one in loads:
                _load(blocks[number], ops, one)
