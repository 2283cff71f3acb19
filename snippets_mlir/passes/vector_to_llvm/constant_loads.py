"""The plan of `llvm-constants-to-memory`: the constants that a block reads from memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    BytesAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.llvm import intrinsics
from snippets_mlir.dialects.llvm.globals import GlobalOp
from snippets_mlir.passes.vector_to_llvm.externals import symbols_of
from snippets_mlir.passes.vector_to_llvm.live_vectors import live_vectors
from snippets_mlir.support.walking import module_of, operands_of, ops_of
from snippets_mlir.targets.emitters.arith_builder import dense, vector_type

ARITHMETIC = frozenset({"llvm.fadd", "llvm.fsub", "llvm.fmul", "llvm.fdiv", "llvm.intr.fma"})
"""Ops for which LLVM generates no better code if it knows a constant operand."""

PREFIX = "constant_"
_FMA = "llvm.intr.fma"
_ADDEND = 2

Readers = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Registers:
    """The vector registers of a machine: how many, and the bits of one."""

    count: int
    bits: int


@dataclass(frozen=True)
class Loaded:
    """A constant that a block is to read from memory.

    Attributes:
        value: in every lane of one register; for `fabs` it is a mask.
        readers: the ops that read it, by their number in the block, and the operands that are it.
        symbol: the memory that holds it.
        stays: whether LLVM must not move the load, so that it takes no register.
    """

    value: DenseIntOrFPElementsAttr
    readers: Readers
    symbol: str
    stays: bool

    def __str__(self) -> str:
        number, type = next(iter(self.value.get_values())), self.value.get_type()
        ops = ", ".join(str(place) for place, _ in self.readers)
        where = "in the instruction that reads it" if self.stays else "in a register or operands"
        return f"{number} : {type} from @{self.symbol}, {where}; ops {ops}"


@dataclass(frozen=True)
class ConstantLoads:
    """The constants that the blocks of a function read from memory, by block number."""

    blocks: tuple[tuple[int, tuple[Loaded, ...]], ...]

    def __str__(self) -> str:
        lines = [f"block {i}: {one}" for i, loaded in self.blocks for one in loaded]
        return "\n".join(lines) or "no block reads more constants than registers hold"


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
    """The number in every lane of `operand`, other than 0.0; None for anything else."""
    op = operand.owner
    if op.__class__ is not llvm.ConstantOp:
        return None
    assert isinstance(op, llvm.ConstantOp)
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


def _readings(block: Block, bits: int) -> dict[DenseIntOrFPElementsAttr, Readers]:
    """The constants that arithmetic in `block` reads, in order; registers have `bits` bits."""
    found: dict[DenseIntOrFPElementsAttr, Readers] = {}
    for place, op in enumerate(ops_of(block)):
        if op.name in ARITHMETIC:
            values = [
                (i, _of_one_register(operand, bits)) for i, operand in enumerate(operands_of(op))
            ]
        elif op.name == intrinsics.FAbsOp.name:
            values = [(0, _mask(op.operands[0].type, bits))]
        else:
            continue
        for index, value in values:
            if value is not None:
                found[value] = (*found.get(value, ()), (place, index))
    return found


def size_of(value: DenseIntOrFPElementsAttr) -> int:
    """The size of a register of constants."""
    return len(value.data.data)


def is_constant_memory(op: Operation) -> bool:
    """Whether `op` is memory that the pass made for a constant."""
    if not isinstance(op, GlobalOp) or not op.sym_name.data.startswith(PREFIX):
        return False
    value, size = op.value, op.alignment.value.data if op.alignment is not None else 0
    filled = isinstance(value, DenseIntOrFPElementsAttr) and size == len(value.data.data)
    return filled and op.constant is None


class _Symbols:
    """Names of memory for constants: existing ones, then free ones."""

    def __init__(self, module: ModuleOp) -> None:
        self._taken = symbols_of(module)
        self._free = (n for i in count() if (n := f"{PREFIX}{i}") not in self._taken)
        self._names = {
            op.value: op.sym_name.data
            for op in module.ops
            if isinstance(op, GlobalOp) and is_constant_memory(op)
        }

    def name(self, value: DenseIntOrFPElementsAttr) -> str:
        """The symbol of the memory that holds `value`."""
        if (known := self._names.get(value)) is None:
            known = self._names[value] = next(self._free)
        return known


def _staying(
    block: Block, readings: dict[DenseIntOrFPElementsAttr, Readers], machine: Registers, keeps: int
) -> set[DenseIntOrFPElementsAttr]:
    """The constants that get no register: addends that one multiply-add reads.

    If other values leave fewer than `keeps` registers, more of them stay, if the multiply-add is
    one instruction: two instructions would share the load, in a register.
    """
    ops = ops_of(block)
    folding = {
        value: len(value) == _lanes(ops[place])
        for value, ((place, index), *others) in readings.items()
        if not others and ops[place].name == _FMA and index == _ADDEND
    }
    most = len(readings) - keeps
    first, rest = tuple(folding)[:most], tuple(folding)[most:]
    apart = {reader for readers in readings.values() for reader in readers}
    free = max(machine.count - live_vectors(block, machine.bits, apart), 0)
    more = [value for value in rest if folding[value]][: max(keeps - free, 0)]
    return {*first, *more}


def _lanes(op: Operation) -> int:
    type = op.results[0].type
    assert isinstance(type, VectorType)
    return type.element_count()


def plan_loads(function: llvm.FuncOp, machine: Registers, keeps: int) -> ConstantLoads:
    """The loads of the blocks with more than `keeps` constants."""
    symbols: _Symbols | None = None
    blocks: list[tuple[int, tuple[Loaded, ...]]] = []
    for number, block in enumerate(function.body.blocks):
        readings = _readings(block, machine.bits)
        if len(readings) <= keeps:
            continue
        symbols = symbols or _Symbols(module_of(function))
        staying = _staying(block, readings, machine, keeps)
        loads = (Loaded(v, r, symbols.name(v), v in staying) for v, r in readings.items())
        blocks.append((number, tuple(loads)))
    return ConstantLoads(tuple(blocks))
