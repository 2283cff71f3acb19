"""Format functions for arithmetic of the `llvm` dialect, and code that all format functions share.

    %s = llvm.fadd %a, %b {fastmathFlags = #llvm.fastmath<nnan>} : vector<8xf32>
    fadd nnan <8 x float> %a, %b

A format function takes the op and the function being emitted and returns one instruction without
its result. `llvm_table.py` maps op classes to format functions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.llvm import ALL_FCMP_FLAGS, ALL_ICMP_FLAGS, FastMathAttr
from xdsl.dialects.utils.fast_math import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.llvm.loop_annotations import LoopAnnotationAttr
from snippets_mlir.support.walking import operands_of


class Names(Protocol):
    """What a format function needs of the function being emitted."""

    def value(self, value: SSAValue) -> str:
        """Operand text of a value: `%v3` or a constant."""
        ...

    def typed(self, value: SSAValue) -> str:
        """Type and operand text: `<8 x float> %v3`."""
        ...

    def type(self, type: Attribute) -> str:
        """The text of a type in LLVM IR, such as `<8 x float>`."""
        ...

    def suffix(self, type: Attribute) -> str:
        """The type in the name of an overloaded intrinsic: `v8f32`."""
        ...

    def label(self, block: Block) -> str:
        """The name of a block, as branches write it."""
        ...

    def loop(self, annotation: LoopAnnotationAttr) -> str:
        """The metadata of a loop, as the branch back to it refers to it."""
        ...


Format = Callable[[Operation, Names], str]

_FLAG_ORDER = tuple(FastMathFlag)
_FAST = frozenset(_FLAG_ORDER)


def fast_math(op: Operation) -> str:
    """Fast-math flags with a blank after each."""
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, FastMathAttr) or not flags.data:
        return ""
    if flags.data == _FAST:
        return "fast "
    return "".join(f"{f.value} " for f in _FLAG_ORDER if f in flags.data)


def overflow(op: Operation) -> str:
    """`nuw` and `nsw` with a blank after each."""
    flags = op.properties.get("overflowFlags")
    return "" if flags is None else _overflow(flags)


@lru_cache
def _overflow(flags: Attribute) -> str:
    if isinstance(flags, IntegerAttr):
        flags = upstream.OverflowAttr.from_int(flags.value.data)
    if not isinstance(flags, upstream.OverflowAttr):
        return ""
    return "".join(f"{f} " for f in ("nuw", "nsw") if f in {x.value for x in flags.data})


def flag(op: Operation, name: str, text: str) -> str:
    """`text` and a blank if the op has the unit property `name`."""
    return f"{text} " if name in op.properties else ""


def int_property(op: Operation, name: str) -> int:
    """The property `name` as an int."""
    attr = op.properties[name]
    assert isinstance(attr, IntegerAttr)
    return attr.value.data


def binary(opcode: str, flags: Callable[[Operation], str] = lambda op: "") -> Format:
    """`opcode flags type a, b`."""

    def write(op: Operation, names: Names) -> str:
        lhs, rhs = operands_of(op)
        return f"{opcode} {flags(op)}{names.typed(lhs)}, {names.value(rhs)}"

    return write


def cast(opcode: str, flags: Callable[[Operation], str] = lambda op: "") -> Format:
    """`opcode flags type a to type`."""

    def write(op: Operation, names: Names) -> str:
        return f"{opcode} {flags(op)}{names.typed(operands_of(op)[0])} to {result(op, names)}"

    return write


def result(op: Operation, names: Names) -> str:
    """The type of the result as LLVM text."""
    return names.type(op.results[0].type)


def intrinsic(name: str) -> Format:
    """A call of an intrinsic that is overloaded on the type of its last operand."""

    def write(op: Operation, names: Names) -> str:
        suffix = names.suffix(operands_of(op)[-1].type)
        arguments = ", ".join(map(names.typed, operands_of(op)))
        return f"call {fast_math(op)}{result(op, names)} @{name}.{suffix}({arguments})"

    return write


def stepvector(op: Operation, names: Names) -> str:
    """The vector 0, 1, 2, ..."""
    return f"call {result(op, names)} @llvm.stepvector.{names.suffix(op.results[0].type)}()"


def icmp(op: Operation, names: Names) -> str:
    """`llvm.icmp` as `icmp predicate type a, b`."""
    lhs, rhs = operands_of(op)
    predicate = ALL_ICMP_FLAGS[int_property(op, "predicate")]
    return f"icmp {predicate.value} {names.typed(lhs)}, {names.value(rhs)}"


def fcmp(op: Operation, names: Names) -> str:
    """`llvm.fcmp` as `fcmp flags predicate type a, b`."""
    lhs, rhs = operands_of(op)
    predicate = ALL_FCMP_FLAGS[int_property(op, "predicate")].value.lstrip("_")
    return f"fcmp {fast_math(op)}{predicate} {names.typed(lhs)}, {names.value(rhs)}"


def select(op: Operation, names: Names) -> str:
    """`llvm.select` as `select i1 c, type a, type b`."""
    cond, lhs, rhs = map(names.typed, operands_of(op))
    return f"select {fast_math(op)}{cond}, {lhs}, {rhs}"


def unary(opcode: str) -> Format:
    """`opcode flags type a`."""

    def write(op: Operation, names: Names) -> str:
        return f"{opcode} {fast_math(op)}{names.typed(operands_of(op)[0])}"

    return write


def quoted(name: str) -> str:
    """A symbol as LLVM writes it: bare when it can be, in quotes otherwise."""
    if (
        name
        and not name[0].isdigit()
        and all(c.isascii() and (c.isalnum() or c in "._$-") for c in name)
    ):
        return name
    escaped = "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in name.encode()
    )
    return f'"{escaped}"'
