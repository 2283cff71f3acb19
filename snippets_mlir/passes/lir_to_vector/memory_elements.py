"""Elements as they are in memory: i1 as bytes, bf16 as i16, and integers without a sign.

LLVM makes f32 of one bfloat that it loads, and calls a library to make a bfloat of that again; an
i16 stays what it is.
"""

from __future__ import annotations

from xdsl.dialects.builtin import FixedBitwidthType, IntegerType, bf16, i1, i8, i16
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.targets.emitters.arith_builder import lanes_of, vector_type
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


def stored_as(element: Attribute) -> Attribute:
    """The type in memory of elements of a type."""
    if element == i1:
        return i8
    if isinstance(element, IntegerType):
        return IntegerType(element.bitwidth)
    return i16 if element == bf16 else element


def memory_element(access: MemoryAccessOp) -> Attribute:
    """The element type in memory of what is accessed."""
    return stored_as(tensor_of(access.operands[0]).element_type)


def element_size(element: Attribute) -> int:
    """Bytes of an element in memory."""
    assert isinstance(element, FixedBitwidthType)
    return element.size


def from_memory(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """A vector of `element` from what was loaded."""
    if element == i1:
        return b.compare_int("ne", vector, b.constant(0, vector.type))
    if element == bf16:
        return b.op("arith.bitcast", [vector], vector_type(bf16, lanes_of(vector)))
    return vector


def to_memory(b: VectorBuilder, vector: SSAValue, element: Attribute) -> SSAValue:
    """What is stored for a vector of `element`."""
    if element == i1:
        return b.op("arith.extui", [vector], vector_type(i8, lanes_of(vector)))
    if element == bf16:
        return b.op("arith.bitcast", [vector], vector_type(i16, lanes_of(vector)))
    return vector
