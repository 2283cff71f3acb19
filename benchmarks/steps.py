"""Benchmark programs: lists of steps, which every peer expresses in its own way.

A step names a result, an operation and its operands: names of arguments or earlier results,
numbers, or the sizes of a reshape and the order of a permutation. The operations are few
(`reference.OPS`), so that a peer is a table from operations to its own functions and not one
hand-written program per workload.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]
Operand = str | float | int | Shape

FLAT: dict[str, int] = {"call": 256, "l1": 8 << 10, "l2": 1 << 20, "mem": 64 << 20}
"""Bytes of one flat array: 64 float32 for the cost of a call; in L1; in L2 and L3; in memory."""

PRODUCT = "product"
"""The size of matrix products, each of which has shapes of its own; beside that of a call."""

SIZES: tuple[str, ...] = (*FLAT, PRODUCT)

MODES = ("rotating", "hot")
"""Sets of arrays in turn, or one set over and over."""

FORMS: Mapping[str, Mapping[str, Shape]] = {
    "nchw": {
        "call": (1, 4, 4, 4),
        "l1": (1, 8, 16, 16),
        "l2": (4, 64, 32, 32),
        "mem": (16, 64, 128, 128),
    },
    "rows": {"call": (1, 64), "l1": (4, 512), "l2": (512, 768), "mem": (4096, 1024)},
    "product": {"call": (8, 8)},
    "cube": {"call": (4, 4, 4), "l1": (16, 8, 16), "l2": (64, 64, 64), "mem": (256, 256, 256)},
}
"""Shapes of the arrays by size, of workloads that are not flat."""

ROW_OPS = frozenset({"softmax", "log_softmax", "layer_norm", "rms_norm"})
"""Operations on whole rows (the last dim)."""

SUMS = {"sum_first": 0, "sum_middle": 1, "sum_last": 2}
"""Sums of a cube, and the axis that goes."""


@dataclass(frozen=True)
class Step:
    """`result = op(operands)`."""

    result: str
    op: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class Workload:
    """One program.

    Attributes:
        name: its name on the command line.
        formula: for people.
        dtype: of all arguments and of the result.
        arguments: their names.
        steps: what it computes; the last step is the result.
        form: "flat", "network" (every argument has a shape of its own), or one of `FORMS`.
        roles: of arguments that have another shape than the whole: "channel" is (C, 1, 1), "row"
            is the last dim, "turned" is the transposed shape, "left" and "right" are the
            operands of a matrix product.
        result_shape: of a matrix product or a network, in the size `PRODUCT`.
        summed: the number of products that an element of a matrix product sums; for a network, the
            most.
        shapes: of the arguments of a network.
        multiplications: of the matrix products of a network.
        bar: what our time over the best peer's should be at most with one set of arrays.
        constants: arguments that never change, such as weights: all sets of arrays share them, and
            a package may prepare them.
    """

    name: str
    formula: str
    dtype: str
    arguments: tuple[str, ...]
    steps: tuple[Step, ...]
    form: str = "flat"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    result_shape: Shape = ()
    summed: int = 0
    constants: tuple[str, ...] = ()
    shapes: Mapping[str, Shape] = field(default_factory=dict[str, Shape])
    multiplications: int = 0
    bar: float | None = None

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that it has."""
        if self.form == "network":
            return (PRODUCT,)
        return ("call", PRODUCT) if self.form == "product" else (*FLAT,)

    @property
    def result(self) -> str:
        """The name of the last step's result."""
        return self.steps[-1].result

    @property
    def elementwise(self) -> bool:
        """Whether each element of the result depends on one element of each argument."""
        return self.form in ("flat", "nchw")

    def whole(self, size: str) -> Shape:
        """The shape that the steps compute on, for one of `SIZES`."""
        if self.form == "flat":
            return (FLAT[size] // np.dtype(self.dtype).itemsize,)
        if size == PRODUCT:
            return self.result_shape
        return FORMS[self.form][size]

    def shape(self, size: str) -> Shape:
        """The shape of the result of the last step."""
        whole = self.whole(size)
        axis = SUMS.get(self.steps[-1].op)
        return whole if axis is None else (*whole[:axis], *whole[axis + 1 :])

    def argument_shape(self, name: str, size: str) -> Shape:
        """The shape of the argument `name`."""
        if name in self.shapes:
            return self.shapes[name]
        shape = self.whole(size)
        summed = self.terms(size)
        by_role: dict[str, Shape] = {
            "whole": shape,
            "channel": (shape[1 % len(shape)], 1, 1),
            "row": shape[-1:],
            "turned": shape[::-1],
            "left": (*shape[:-1], summed),
            "right": (*shape[:-2], summed, shape[-1]),
        }
        return by_role[self.roles.get(name, "whole")]

    def inputs(self, size: str, seed: int = 0) -> dict[str, Array]:
        """Random arguments: normal numbers, or integers of the whole range.

        Constant matrices are divided by the root of their rows: a product with them keeps the size
        of the numbers.
        """
        rng = np.random.default_rng(seed)
        dtype: Any = np.dtype(self.dtype)
        arrays: dict[str, Array] = {}
        for name in self.arguments:
            shape = self.argument_shape(name, size)
            if dtype.kind == "i":
                info = np.iinfo(dtype)
                arrays[name] = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
            else:
                arrays[name] = rng.standard_normal(shape, dtype)
                if name in self.constants and len(shape) == 2:
                    arrays[name] /= dtype.type(math.sqrt(shape[0]))
        return arrays

    def array_bytes(self, size: str) -> int:
        """The bytes of one array of the full shape."""
        return math.prod(self.whole(size)) * np.dtype(self.dtype).itemsize

    def bytes_moved(self, size: str) -> int:
        """Bytes of all arguments and of the result, each counted once."""
        count = sum(math.prod(self.argument_shape(name, size)) for name in self.arguments)
        return (count + math.prod(self.shape(size))) * np.dtype(self.dtype).itemsize

    def terms(self, size: str) -> int:
        """The number of elements that one element of the result sums: with more of them, errors are
        larger.
        """
        if self.form in ("product", "network"):
            return self.summed if size == PRODUCT else self.whole(size)[-1]
        return math.prod(self.whole(size)) // math.prod(self.shape(size))

    def products(self, size: str) -> int:
        """The multiplications of matrix products; 0 of other programs."""
        if self.multiplications or not self.summed:
            return self.multiplications
        return self.terms(size) * math.prod(self.whole(size))

    def varied(self, number: int) -> Workload:
        """The same program with another constant, so that no cache of compiled code has it."""
        result = f"varied{number}"
        constant: Operand = number + 2 if self.dtype == "int32" else 1.0 + (number + 1) / 1024
        last = Step(result, "multiply", (self.result, constant))
        return replace(self, steps=(*self.steps, last))


def steps(*lines: tuple[Any, ...]) -> tuple[Step, ...]:
    """Steps from tuples (result, operation, operands...)."""
    return tuple(
        Step(result, op, operands) for result, op, *rest in lines for operands in [(*rest,)]
    )


def temporaries(workload: Workload) -> list[int]:
    """For each step the number of the temporary array it writes: as few as their lives allow."""
    last = {o: k for k, step in enumerate(workload.steps) for o in step.operands}
    slots: list[int] = []
    busy: dict[int, str] = {}
    for k, step in enumerate(workload.steps):
        slot = next(n for n in range(k + 1) if n not in busy)
        busy[slot] = step.result
        slots.append(slot)
        busy = {n: name for n, name in busy.items() if last.get(name, -1) > k}
    return slots
