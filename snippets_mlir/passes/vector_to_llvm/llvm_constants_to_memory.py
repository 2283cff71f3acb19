"""Read constants from memory where a block has more of them than registers.

    %c = llvm.mlir.constant(dense<1.5> : vector<8xf32>) : vector<8xf32>
    %r = llvm.intr.fma(%x, %y, %c) : ...

becomes, where a block reads many constants, and `%c` only there,

    llvm.mlir.global internal @constant_0(dense<1.5> : vector<8xf32>) {alignment = 32 : i64} : ...
    %p = llvm.mlir.addressof @constant_0 : !llvm.ptr
    %c = llvm.load %p {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
    %r = llvm.intr.fma(%x, %y, %c) : ...

LLVM keeps a constant as one element and broadcasts it into a register, in front of the loop. Where
that takes more registers than there are, it broadcasts some in the loop and puts others on the
stack. AVX-512 has operands that broadcast; AVX2 has operands that are whole vectors, so a whole
vector in memory costs no instruction and no register (`TargetMachine.whole_operands`).

A block is changed when arithmetic in it reads more vectors of floats that are one number than
`keeps` (0 is half of the machine's registers). So many loads are `invariant`: LLVM moves them in
front of the loop, and makes them operands where registers run out. The others, as far as they are
the addend of one multiply-add, may not move, for the global is not `constant`: they become its
operand. The mask of an absolute value, which LLVM would make, is a constant like the others, too;
a vector of more than one register reads one and repeats it.

Left as they are: 0.0, which needs no memory; constants in comparisons, choices, maxima and minima,
of which LLVM makes better code when it knows them; integers, which are shifts by immediates;
scalars, which are operands already. Refuses nothing, and does nothing on other machines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count

from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import SymbolOpInterface

from snippets_mlir.dialects.llvm import casts, intrinsics, memory
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.passes.vector_to_llvm.descriptors import POINTER
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET, machine_of
from snippets_mlir.targets.emitters.arith_builder import dense, vector_type

ARITHMETIC = frozenset({"llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.intr.fma"})
"""Ops that LLVM makes no better code for when it knows a constant that they read."""

_FMA = "llvm.intr.fma"
_ADDEND = 2


@dataclass(frozen=True)
class Reading:
    """A constant that a block reads.

    Attributes:
        value: it in every lane of one register.
        readers: the ops and the operands of theirs that are it, in order; for `fabs` it is a mask.
    """

    value: DenseIntOrFPElementsAttr
    readers: list[tuple[Operation, int]] = field(default_factory=list[tuple[Operation, int]])

    @property
    def folds(self) -> bool:
        """Whether it is read once, where an instruction can read memory instead."""
        (op, index), *others = self.readers
        return not others and op.name == _FMA and index == _ADDEND


def plan_readings(block: Block, bits: int) -> list[Reading]:
    """The constants that arithmetic in `block` reads, in order; registers have `bits` bits."""
    found: dict[DenseIntOrFPElementsAttr, Reading] = {}
    for op in block.ops:
        if op.name in ARITHMETIC:
            values = [(i, _of_one_register(operand, bits)) for i, operand in enumerate(op.operands)]
        elif op.name == intrinsics.FAbsOp.name:
            values = [(0, _mask(op.operands[0].type, bits))]
        else:
            continue
        for index, value in values:
            if value is not None:
                found.setdefault(value, Reading(value)).readers.append((op, index))
    return list(found.values())


def plan_staying(readings: Sequence[Reading], keeps: int) -> list[Reading]:
    """Those of `readings` that LLVM must not move, so that no more than `keeps` have registers."""
    return [reading for reading in readings if reading.folds][: max(0, len(readings) - keeps)]


def _register_type(type: Attribute, bits: int) -> VectorType[Attribute] | None:
    """One register of the elements of `type`, a vector of floats that fills some; else None."""
    if not isinstance(type, VectorType):
        return None
    element: Attribute = type.element_type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(element, Float32Type | Float64Type):
        return None
    lanes = bits // element.bitwidth
    return None if type.element_count() % lanes else vector_type(element, lanes)


def _of_one_register(operand: SSAValue, bits: int) -> DenseIntOrFPElementsAttr | None:
    """The number that `operand` is in every lane, other than 0.0; None for anything else."""
    op = operand.owner
    if not isinstance(op, llvm.ConstantOp):
        return None
    value, type = op.value, _register_type(operand.type, bits)
    if type is None or not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    raw = value.data.data
    lanes, whole = type.element_count(), len(raw)
    number = raw[: whole // len(value)]
    if not any(number) or number * len(value) != raw:
        return None
    return DenseIntOrFPElementsAttr(type, BytesAttr(number * lanes))  # pyright: ignore[reportArgumentType]


@lru_cache(maxsize=4096)
def _mask(type: Attribute, bits: int) -> DenseIntOrFPElementsAttr | None:
    """All bits but the sign, in the lanes of one register of `type`."""
    floats = _register_type(type, bits)
    if floats is None:
        return None
    lanes = floats.element_count()
    width = bits // lanes
    return dense(vector_type(IntegerType(width), lanes), [(1 << width - 1) - 1])


class _Globals:
    """The constants of a module that are in memory, each once."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._first = module.body.block.first_op
        self._made: dict[DenseIntOrFPElementsAttr, SymbolRefAttr] = {}
        self._taken: set[str] = set()

    def symbol(self, value: DenseIntOrFPElementsAttr) -> SymbolRefAttr:
        """The name of the memory that holds `value`."""
        if value not in self._made:
            self._made[value] = self._make(value)
        return self._made[value]

    def _make(self, value: DenseIntOrFPElementsAttr) -> SymbolRefAttr:
        """A global in front of the module; not `constant`, so that its loads stay in a loop."""
        assert self._first is not None
        if not self._made:
            self._taken = {name.data for op in self._module.ops if (name := _name_of(op))}
        number = len(self._made)
        name = next(n for i in count(number) if (n := f"constant_{i}") not in self._taken)
        self._taken.add(name)
        type = value.get_type()
        op = GlobalOp(type, name, "internal", value=value, alignment=_bytes(value), body=Region())
        self._module.body.block.insert_op_before(op, self._first)
        return SymbolRefAttr(name)


def _name_of(op: Operation) -> StringAttr | None:
    """The symbol that `op` defines."""
    trait = op.get_trait(SymbolOpInterface)
    return None if trait is None else trait.get_sym_attr_name(op)


def _bytes(value: DenseIntOrFPElementsAttr) -> int:
    """The size of a register of constants."""
    return len(value.data.data)


def _repeated(register: SSAValue, lanes: int, wanted: Attribute, count: int) -> Operation:
    """A vector of type `wanted` and `count` lanes of which each register is `register`."""
    mask = DenseArrayBase.from_list(i32, [i % lanes for i in range(count)])
    return llvm.ShuffleVectorOp(register, register, mask, wanted)


def _apply(reading: Reading, symbol: SymbolRefAttr, stays: bool) -> None:
    """Load the constant in front of its first reader, and let all of them read it there."""
    first = reading.readers[0][0]
    block = first.parent
    assert block is not None

    def put(op: Operation, at: Operation) -> SSAValue:
        op.location = at.location
        block.insert_op_before(op, at)
        return op.results[0]

    value = reading.value
    address = put(llvm.AddressOfOp(symbol, POINTER), first)
    register = memory.LoadOp(address, value.get_type(), _bytes(value), invariant=not stays)
    loaded = {len(value): put(register, first)}
    for op, index in reading.readers:
        floats: Attribute = op.operands[index].type
        assert isinstance(floats, VectorType)
        lanes = floats.element_count()
        if lanes not in loaded:
            wanted = vector_type(value.get_element_type(), lanes)
            loaded[lanes] = put(_repeated(register.res, len(value), wanted, lanes), first)
        if op.name == intrinsics.FAbsOp.name:
            mask = loaded[lanes]
            bits = put(casts.BitcastOp(op.operands[0], mask.type), op)
            positive = put(llvm.AndOp(bits, mask), op)
            result = put(casts.BitcastOp(positive, op.results[0].type), op)
            op.results[0].replace_all_uses_with(result)
            block.erase_op(op)
        else:
            op.operands[index] = loaded[lanes]


@dataclass(frozen=True)
class LLVMConstantsToMemoryPass(ModulePass):
    """Read constants from memory where a block has more of them than registers."""

    name = "llvm-constants-to-memory"

    keeps: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move the constants of blocks of functions that become machine code.

        Raises:
            CompileError: `keeps` is negative.
        """
        if self.keeps < 0:
            raise CompileError(f"expected keeps of 0 or more, found {self.keeps}")
        machine = machine_of(op) if TARGET in op.attributes else None
        if machine is None or not machine.whole_operands:
            return
        keeps = self.keeps or machine.vector_registers // 2
        symbols = _Globals(op)
        blocks = [b for f in op.ops if isinstance(f, llvm.FuncOp) for b in f.body.blocks]
        for block in blocks:
            readings = plan_readings(block, 32 * machine.lanes)
            if len(readings) <= keeps:
                continue
            staying = plan_staying(readings, keeps)
            for reading in readings:
                _apply(reading, symbols.symbol(reading.value), reading in staying)
