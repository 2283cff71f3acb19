"""The state of a running kernel between its ops: values, pointers, and the units of each loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import MemoryAccessOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.interpreter.lir_memory import KernelMemory, Key, Place, dtype_of
from snippets_mlir.interpreter.poison import data_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True, eq=False)
class Access:
    """The constant facts of a memory access.

    Attributes:
        place: where its array is.
        dtype: of the elements.
        stride: bytes between neighbours along the last dim.
        offset: bytes from the pointer to the first element.
    """

    place: Place
    dtype: np.dtype[Any]
    stride: int
    offset: int


def immediate(op: ScalarOp) -> Array:
    """The number of a scalar, of rank 0."""
    return constant_array(dense_of_scalar(op.value, tensor_of(op.result))).reshape(())


class VectorState:
    """The vectors and pointers of the current iterations.

    Attributes:
        values: what ops computed in the current iterations: arrays `[lanes]`, `[]` for immediates.
        pointers: how many bytes each pointer has moved.
        steps: for each enclosing loop, the units of the current iteration.
    """

    def __init__(self, kernel: KernelOp, memory: KernelMemory) -> None:
        self.kernel = kernel
        self.memory = memory
        self.values: dict[SSAValue, Any] = {}
        self.pointers: dict[Key, int] = {}
        self.steps: dict[int, int] = {}
        self._vector_loops = {i for i, loop in kernel.loop_table.items() if loop.dim == 0}
        self._places: dict[Operation, Place] = {}
        self._filled: dict[tuple[Operation, int], tuple[Array, Array]] = {}
        self._immediates: dict[SSAValue, Array] = {
            op.result: immediate(op) for op in kernel.block.ops if isinstance(op, ScalarOp)
        }

    def place(self, access: MemoryAccessOp) -> Place:
        """Where an access finds its array."""
        if access not in self._places:
            self._places[access] = self.memory.place(access)
        return self._places[access]

    def move(self, key: Key, count: int) -> None:
        """Move the pointer of a port by a number of bytes."""
        self.pointers[key] = self.pointers.get(key, 0) + count

    def read(self, op: Operation, index: int) -> Any:
        """Operand `index` of an op, as it was computed."""
        value = op.operands[index]
        if (scalar := self._immediates.get(value)) is not None:
            return scalar
        return self.values[value]

    def write(self, op: Operation, value: Any, index: int = 0) -> None:
        """Give result `index` of an op its value."""
        self.values[op.results[index]] = value

    def _access(self, op: MemoryAccessOp) -> Access:
        port, dtype = memory_port(op), dtype_of(op.operands[0])
        stride = dtype.itemsize * static_size(port.stride(len(port.shape) - 1))
        offset = dtype.itemsize * static_size(op.distance)
        return Access(self.place(op), dtype, stride, offset)

    def _handled(self, op: Operation, count: int) -> int:
        """The number of the `count` elements that an access or fill handles in the enclosing
        iterations.
        """
        if self.kernel.reached("expanded") or count == 1:
            return count
        around = [self.steps[i] for i in loop_ids(op) if i in self._vector_loops]
        return min(count, around[-1]) if around else count

    def operand(self, op: Operation, index: int, lanes: int) -> Any:
        """An operand as a vector; an immediate fills it."""
        vector = self.read(op, index)
        data = data_of(vector)
        if data.ndim == 0:
            filled = self._filled.get((op, index))
            if filled is None or filled[0] is not data:
                filled = self._filled[op, index] = data, np.broadcast_to(data, (lanes,))
            return filled[1]
        if data.size != lanes:
            raise CompileError(f"operand {index} has {data.size} lanes, expected {lanes}")
        return vector

    def _address(self, access: Access, count: int) -> Array:
        """The byte offsets of `count` elements along the last dim; all have to be inside the
        array.
        """
        place, width = access.place, access.dtype.itemsize
        first = self.pointers.get(place.key, 0) + access.offset
        last = first + (count - 1) * access.stride
        if first < 0 or last + width > place.size:
            raise CompileError(
                f"accesses elements {first // width} to {last // width} of an array of "
                f"{place.size // width}"
            )
        return place.start + first + access.stride * np.arange(count)

    def _count(self, op: MemoryAccessOp, lanes: int) -> int:
        """The number of elements that an access handles in the current iteration."""
        count = self._handled(op, op.elements)
        if not 0 <= count <= lanes:
            raise CompileError(f"counts {count} elements for {lanes} lanes")
        return count
