"""What is measured: elementwise programs as lists of steps, which every peer writes in its own way.

A step names a result, an operation and its operands: names of arguments or earlier results, or
numbers. The operations are few (`OPS`), so that a peer is a table from operations to its own
functions and not one hand-written program per workload.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Operand = str | float | int

SIZES: dict[str, int] = {"call": 256, "l1": 8 << 10, "l2": 1 << 20, "mem": 64 << 20}
"""Bytes of one array: 64 float32 for the cost of a call; in L1; in L2 and L3; in memory."""

MLIR_TYPES = {"float32": "f32", "float64": "f64", "int32": "i32"}


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
        name: how the command line calls it.
        formula: for people.
        dtype: of all arguments and of the result.
        arguments: their names; those in `channels` have the shape (C, 1, 1), the others that of
            the result.
        steps: what it computes; the last step is the result.
        channels: names of the arguments that hold one number for each channel of NCHW.
    """

    name: str
    formula: str
    dtype: str
    arguments: tuple[str, ...]
    steps: tuple[Step, ...]
    channels: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        """The name of the last step's result."""
        return self.steps[-1].result

    def shape(self, size: str) -> tuple[int, ...]:
        """The result's shape for one of `SIZES`."""
        count = SIZES[size] // np.dtype(self.dtype).itemsize
        if not self.channels:
            return (count,)
        shapes = {"call": (1, 4, 4), "l1": (1, 8, 16), "l2": (4, 64, 32), "mem": (16, 64, 128)}
        n, c, h = shapes[size]
        return (n, c, h, count // (n * c * h))

    def argument_shape(self, name: str, size: str) -> tuple[int, ...]:
        """The shape of an argument."""
        shape = self.shape(size)
        return (shape[1], 1, 1) if name in self.channels else shape

    def inputs(self, size: str, seed: int = 0) -> dict[str, Array]:
        """Random arguments: normal numbers, or integers of the whole range."""
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
        return arrays

    def bytes_moved(self, size: str) -> int:
        """Bytes of all arguments and of the result, each counted once."""
        count = sum(math.prod(self.argument_shape(name, size)) for name in self.arguments)
        return (count + math.prod(self.shape(size))) * np.dtype(self.dtype).itemsize

    def varied(self, number: int) -> Workload:
        """The same program but for one constant: no cache of compiled code knows it."""
        result = f"varied{number}"
        constant: Operand = number + 2 if self.dtype == "int32" else 1.0 + (number + 1) / 1024
        last = Step(result, "multiply", (self.result, constant))
        return Workload(
            self.name,
            self.formula,
            self.dtype,
            self.arguments,
            (*self.steps, last),
            self.channels,
        )


def _steps(*lines: tuple[Any, ...]) -> tuple[Step, ...]:
    return tuple(
        Step(result, op, operands) for result, op, *rest in lines for operands in [(*rest,)]
    )


def _chain(length: int) -> tuple[Step, ...]:
    """`length` cheap operations, each on the result of the one before."""
    cycle: tuple[tuple[Any, ...], ...] = (
        ("multiply", 1.25),
        ("add", "y"),
        ("maximum", -3.0),
        ("subtract", "x"),
        ("minimum", 3.0),
    )
    steps: list[Step] = []
    last = "x"
    for k in range(length):
        op, operand = cycle[k % len(cycle)]
        steps.append(Step(f"t{k}", op, (last, operand)))
        last = f"t{k}"
    return tuple(steps)


_AFFINE = _steps(
    ("a", "multiply", "x", 1.5),
    ("b", "add", "a", "y"),
    ("c", "relu", "b"),
    ("d", "multiply", "c", 0.5),
    ("z", "subtract", "d", "x"),
)
_SILU = _steps(("s", "sigmoid", "x"), ("g", "multiply", "x", "s"), ("z", "multiply", "g", "y"))

WORKLOADS: tuple[Workload, ...] = (
    Workload("affine_relu", "relu(1.5x + y) * 0.5 - x", "float32", ("x", "y"), _AFFINE),
    Workload("silu_mul", "silu(x) * y", "float32", ("x", "y"), _SILU),
    Workload("gelu", "gelu(x), by erf", "float32", ("x",), _steps(("z", "gelu", "x"))),
    Workload(
        "bias_gelu_nchw",
        "gelu(x + b[c]) on NCHW",
        "float32",
        ("x", "b"),
        _steps(("a", "add", "x", "b"), ("z", "gelu", "a")),
        ("b",),
    ),
    Workload("chain20", "20 cheap ops on x and y", "float32", ("x", "y"), _chain(20)),
    Workload(
        "select",
        "x > y ? x * 0.5 : y - 0.25",
        "float32",
        ("x", "y"),
        _steps(
            ("m", "greater", "x", "y"),
            ("a", "multiply", "x", 0.5),
            ("b", "subtract", "y", 0.25),
            ("z", "select", "m", "a", "b"),
        ),
    ),
    Workload("affine_relu_f64", "relu(1.5x + y) * 0.5 - x", "float64", ("x", "y"), _AFFINE),
    Workload("silu_mul_f64", "silu(x) * y", "float64", ("x", "y"), _SILU),
    Workload(
        "affine_relu_i32",
        "relu(3x + y) * 5 - x",
        "int32",
        ("x", "y"),
        _steps(
            ("a", "multiply", "x", 3),
            ("b", "add", "a", "y"),
            ("c", "relu", "b"),
            ("d", "multiply", "c", 5),
            ("z", "subtract", "d", "x"),
        ),
    ),
    Workload(
        "bits_i32",
        "((x ^ y) & 0x0f0f0f0f) | ((x << 3) ^ (y >> 5))",
        "int32",
        ("x", "y"),
        _steps(
            ("a", "bitwise_xor", "x", "y"),
            ("b", "bitwise_and", "a", 0x0F0F0F0F),
            ("c", "shift_left", "x", 3),
            ("d", "shift_right", "y", 5),
            ("e", "bitwise_xor", "c", "d"),
            ("z", "bitwise_or", "b", "e"),
        ),
    ),
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


_MLIR_OPS = {"shift_left": "bitwise_left_shift", "shift_right": "bitwise_right_shift"}


def mlir(workload: Workload, size: str) -> str:
    """The workload as text for `snippets_mlir.compile`."""
    element = MLIR_TYPES[workload.dtype]

    def tensor(shape: Sequence[int], element: str = element) -> str:
        return f"tensor<{'x'.join([*map(str, shape), element])}>"

    full = tensor(workload.shape(size))
    mask = tensor(workload.shape(size), "i1")
    types = {name: tensor(workload.argument_shape(name, size)) for name in workload.arguments}
    lines: list[str] = []
    for step in workload.steps:
        names: list[str] = []
        for operand in step.operands:
            if isinstance(operand, str):
                names.append(operand)
                continue
            name = f"k{len(lines)}"
            value = repr(float(operand)) if element != "i32" else str(operand)
            lines.append(f"%{name} = snippets.scalar {value} : {element}")
            types[name] = f"tensor<{element}>"
            names.append(name)
        types[step.result] = mask if step.op == "greater" else full
        operands = ", ".join(f"%{name}" for name in names)
        signature = f"({', '.join(types[n] for n in names)}) -> {types[step.result]}"
        op = _MLIR_OPS.get(step.op, step.op)
        lines.append(f'%{step.result} = "snippets.{op}"({operands}) : {signature}')
    arguments = ", ".join(f"%{name}: {types[name]}" for name in workload.arguments)
    body = "\n  ".join([*lines, f"func.return %{workload.result} : {full}"])
    return f"func.func @main({arguments}) -> {full} {{\n  {body}\n}}\n"


def _gelu(x: Array) -> Array:
    erfc = np.fromiter(map(math.erfc, (-x.ravel() / math.sqrt(2)).tolist()), np.float64, x.size)
    return 0.5 * x * erfc.reshape(x.shape)


def _relu(x: Array) -> Array:
    return np.maximum(x, 0)


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _select(mask: Array, a: Array, b: Array) -> Array:
    return np.where(mask, a, b)


OPS: Mapping[str, Callable[..., Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "relu": _relu,
    "sigmoid": _sigmoid,
    "gelu": _gelu,
    "greater": np.greater,
    "select": _select,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
}
"""The operations, as the float64 reference (integers: wrapping) computes them."""

CHECKED = 1 << 18
"""So many elements of a result are compared: all of a small one, of a large one the first and last
few thousand and others evenly spread."""


class Mismatch(RuntimeError):
    """A contender computed something else."""


class Reference:
    """The right result of a workload on given inputs, at the elements that are compared."""

    def __init__(self, workload: Workload, inputs: Mapping[str, Array], size: str) -> None:
        """Compute it in float64, or in the integer type itself."""
        shape = workload.shape(size)
        count = math.prod(shape)
        self.dtype = np.dtype(workload.dtype)
        self.shape = shape
        self.index = np.arange(count)
        if count > CHECKED:
            edge = CHECKED // 64
            middle = np.linspace(edge, count - edge - 1, CHECKED - 2 * edge).astype(np.int64)
            self.index = np.concatenate([np.arange(edge), middle, np.arange(count - edge, count)])
        values: dict[str, Any] = {}
        for name, array in inputs.items():
            picked = np.broadcast_to(array, shape)[np.unravel_index(self.index, shape)]
            values[name] = picked if self.dtype.kind == "i" else picked.astype(np.float64)
        for step in workload.steps:
            operands = [values[o] if isinstance(o, str) else o for o in step.operands]
            values[step.result] = OPS[step.op](*operands)
        self.expected: Array = values[workload.result]

    def check(self, result: object, who: str) -> None:
        """Raise `Mismatch` when `result` is of another type or shape, or not close enough."""
        found: Array = np.asarray(result)
        if found.dtype != self.dtype or found.size != math.prod(self.shape):
            raise Mismatch(f"{who}: {found.dtype} of shape {found.shape}")
        picked = found.ravel()[self.index]
        if self.dtype.kind == "i":
            bad = picked != self.expected
        else:
            small = 1e-5 if self.dtype == np.float32 else 1e-13
            bad = ~(np.abs(picked - self.expected) <= small * (1 + np.abs(self.expected)))
        if bad.any():
            at = int(np.argmax(bad))
            raise Mismatch(
                f"{who}: element {self.index[at]} is {picked[at]}, expected {self.expected[at]}"
            )
