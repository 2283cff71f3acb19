"""Elements as they are in memory: i1 as bytes, 16-bit floats as i16, integers without a sign.

Between ops a 16-bit float is also an i16; only the code of a single op has it as bf16 or f16. LLVM
converts a bfloat to f32 if it is loaded or read in another block, and calls a library to convert it
back, and so with a half if the machine has no conversions; an i16 does not change. A masked store
becomes several blocks if the target has no masks.
"""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import IntegerType, bf16, f16, i1, i8, i16
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.support.walking import operands_of
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder

_HALVES = (bf16, f16)


@lru_cache
def stored_as(element: Attribute) -> Attribute:
    """The type in memory of elements of a type."""
    if element == i1:
        return i8
    if isinstance(element, IntegerType):
        return IntegerType(element.bitwidth)
    return i16 if element in _HALVES else element


def memory_element(access: MemoryAccessOp) -> Attribute:
    """The element type in memory of an accessed value."""
    return stored_as(tensor_of(operands_of(access)[0]).element_type)


def from_memory(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """A vector of `element` from a loaded vector."""
    if element == i1:
        return b.compare_int("ne", vector, b.constant(0, vector.type))
    return vector


def to_memory(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """The stored form of a vector of `element`."""
    if element == i1:
        return b.op("arith.extui", [vector], vector_type(i8, lanes_of(vector)))
    return vector


def as_operand(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """A vector of `element` in the form that the code of an op reads."""
    if element in _HALVES:
        return b.op("arith.bitcast", [vector], vector_type(element, lanes_of(vector)))
    return vector


def as_held(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """The result of an op's code, a vector of `element`, in the form between ops."""
    if element in _HALVES:
        return b.op("arith.bitcast", [vector], vector_type(i16, lanes_of(vector)))
    return vector
