"""Estimate LLVM's vector registers at one place of a block, without constants of arithmetic.

LLVM does not keep the order of the ops, so some values live longer than in the text:

* a value that depends only on values of other blocks moves before the loop, and lives in the whole
  block; a value that depends only on constants becomes a constant;
* a store may move to the end of the block, and reads its value there.

A bitcast is the register of its operand. 0 and the amounts of shifts take no register.
"""

from __future__ import annotations

from collections.abc import Container
from itertools import accumulate

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from snippets_mlir.dialects.llvm.casts import BitcastOp
from snippets_mlir.dialects.llvm.memory import StoreOp
from snippets_mlir.support.walking import operands_of, ops_of

_SHIFTS = frozenset({"llvm.shl", "llvm.ashr", "llvm.lshr"})
_MASK_BITS = 32


def _registers(type: Attribute, bits: int) -> int:
    """The vector registers of a value, each of `bits` bits; none for scalars and pointers."""
    if not isinstance(type, VectorType) or (lanes := type.element_count()) == 1:
        return 0
    element: Attribute = type.element_type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if not isinstance(element, Float32Type | Float64Type | IntegerType):
        return 1
    width = element.bitwidth if element.bitwidth > 1 else _MASK_BITS
    return -(-lanes * width // bits)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value.owner, llvm.ConstantOp)


def _is_zero(value: SSAValue) -> bool:
    op = value.owner
    assert isinstance(op, llvm.ConstantOp)
    return isinstance(op.value, DenseIntOrFPElementsAttr) and not any(op.value.data.data)


class _Lives:
    """The live ranges of a block's vectors.

    Attributes:
        first: the place of the op that defines a value; 0 for values of other blocks.
        last: the place of the last op that reads it, or the end of the block.
        constants: the ones that have to be in a register.
    """

    def __init__(self, block: Block, apart: Container[tuple[int, int]]) -> None:
        ops = ops_of(block)
        carried = [arg for successor in ops[-1].successors for arg in successor.args]
        self._end = len(ops)
        self._apart = apart
        self._varying: set[SSAValue] = {*block.args, *carried}
        self._folded = set[SSAValue]()
        self._same: dict[SSAValue, SSAValue] = {}
        self.first: dict[SSAValue, int] = {}
        self.last: dict[SSAValue, int] = {}
        self.constants = set[SSAValue]()
        for place, op in enumerate(ops):
            if isinstance(op, BitcastOp):
                self._same[op.results[0]] = self._register(operands_of(op)[0])
            elif not self._moves(op):
                self._stays(place, op)

    def _register(self, value: SSAValue) -> SSAValue:
        return self._same.get(value, value)

    def _moves(self, op: Operation) -> bool:
        """Whether `op` depends only on constants and on values of other blocks."""
        if not op.results or not is_side_effect_free(op):
            return False
        values = [self._register(v) for v in operands_of(op)]
        if all(_is_constant(v) or v in self._folded for v in values):
            self._folded.update(op.results)
        return self._varying.isdisjoint(values)

    def _stays(self, place: int, op: Operation) -> None:
        for index, operand in enumerate(operands_of(op)):
            value = self._register(operand)
            if value in self._folded or (index == 1 and op.name in _SHIFTS):
                continue
            if _is_constant(value):
                if (place, index) not in self._apart and not _is_zero(value):
                    self.constants.add(value)
            elif value in self._varying:
                last = self._end if isinstance(op, StoreOp) else place
                self.last[value] = max(last, self.last.get(value, 0))
            else:
                self.last[value] = self._end
        self._varying.update(op.results)
        self.first.update(dict.fromkeys(op.results, place))


def live_vectors(block: Block, bits: int, apart: Container[tuple[int, int]] = ()) -> int:
    """The most registers of `bits` bits that LLVM needs at one place of `block`.

    Args:
        block: of a function of the `llvm` dialect.
        bits: of a vector register.
        apart: ops by their number in the block, and their operands that do not count.
    """
    lives = _Lives(block, apart)
    changes = [0] * (len(ops_of(block)) + 1)
    for value, last in lives.last.items():
        count = _registers(value.type, bits)
        changes[lives.first.get(value, 0)] += count
        changes[last] -= count
    constants = sum(_registers(value.type, bits) for value in lives.constants)
    return max(accumulate(changes)) + constants
