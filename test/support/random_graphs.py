"""Random graphs of the `snippets` dialect as MLIR text, with inputs for them.

The graphs hold only ops whose value is exact, so that a compiled graph has to be bit-equal to
the interpreter, whatever was fused.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from snippets_mlir.testing.graph_text import Value, function_text, op_text

FLOAT_UNARY = ("abs", "ceiling", "floor", "negative", "relu", "sign", "sqrt", "round")
INT_UNARY = ("abs", "negative", "relu", "sign", "bitwise_not")
_SHARED = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "prelu")
FLOAT_BINARY = (*_SHARED, "squared_difference", "mod", "floor_mod")
_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor")
_SHIFTS = ("bitwise_left_shift", "bitwise_right_shift")
INT_BINARY = (*FLOAT_BINARY, *_BITWISE, *_SHIFTS, "power")
COMPARE = ("equal", "not_equal", "greater", "greater_equal", "less", "less_equal")
LOGICAL = ("logical_and", "logical_or", "logical_xor")
PREDICATES = ("is_nan", "is_inf", "is_finite")
ELEMENTS = ("f32", "f64", "i32", "i64", "i1")
SIZES = (1, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33)

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}
SPECIAL_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -2.5, float("inf"), float("-inf"), float("nan"))
SPECIAL_INTS = (0, 1, -1, 2, 31, 32, 63, 64)

Shape = tuple[int, ...]


@dataclass
class RandomProgram:
    """What random functions have in common: their text so far, and their inputs.

    Attributes:
        seed: everything follows from it.
        lines: the ops.
        values: the inputs, then what the ops give.
        arrays: for each input its numbers.
    """

    seed: int
    rng: random.Random = field(init=False)
    lines: list[str] = field(default_factory=list[str])
    values: list[Value] = field(default_factory=list[Value])
    arrays: list[NDArray[np.generic]] = field(default_factory=list[NDArray[np.generic]])


@dataclass
class Graph(RandomProgram):
    """A random function: its text and its inputs."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        rank = self.rng.choice((0, 1, 1, 2, 2, 3, 4, 5))
        self.master = tuple(self.rng.choice(SIZES) for _ in range(rank))
        if self.rng.random() < 0.03 and rank:
            self.master = (*self.master[:-1], 0)
        for index in range(self.rng.randint(1, 4)):
            self._input(index)
        self.inputs = list(self.values)
        for _ in range(self.rng.randint(1, 14)):
            self._op()
        computed = self.values[len(self.inputs) :] or self.inputs
        self.outputs = self.rng.sample(computed, min(len(computed), self.rng.randint(1, 3)))

    def _shape(self) -> Shape:
        dims = [s if self.rng.random() < 0.75 else 1 for s in self.master]
        return tuple(dims[self.rng.randint(0, len(dims)) if self.rng.random() < 0.3 else 0 :])

    def _input(self, index: int) -> None:
        element = self.rng.choice(ELEMENTS)
        value = Value(f"%x{index}", self._shape(), element)
        self.values.append(value)
        self.arrays.append(random_array(self.rng, value.shape, element))

    def _pick(self, *elements: str) -> Value | None:
        fitting = [v for v in self.values if v.element in elements]
        return self.rng.choice(fitting) if fitting else None

    def _emit(self, op: str, operands: list[Value], element: str, attributes: str = "") -> None:
        shape = np.broadcast_shapes(*(v.shape for v in operands))
        result = Value(f"%{len(self.lines)}", shape, element)
        self.lines.append(op_text(op, operands, result, attributes))
        self.values.append(result)

    def _op(self) -> None:
        a = self.rng.choice(self.values)
        kind = self.rng.random()
        numeric = a.element != "i1"
        b = self._pick(a.element)
        assert b is not None
        is_float = a.element in ("f32", "f64")
        if kind < 0.1:
            target = self.rng.choice(ELEMENTS)
            op = self.rng.choice(("convert_truncation", "convert_saturation"))
            self._emit(op, [a], target)
        elif kind < 0.2 and (condition := self._pick("i1")) is not None:
            self._emit("select", [condition, a, b], a.element)
        elif kind < 0.3 and numeric:
            self._emit(self.rng.choice(COMPARE), [a, b], "i1")
        elif kind < 0.35 and is_float:
            self._emit(self.rng.choice(PREDICATES), [a], "i1")
        elif not numeric:
            self._emit(self.rng.choice(LOGICAL), [a, b], "i1")
        elif kind < 0.55:
            op = self.rng.choice(FLOAT_UNARY if is_float else INT_UNARY)
            mode = self.rng.choice(("half_to_even", "half_away"))
            self._emit(op, [a], a.element, f' {{mode = "{mode}"}}' if op == "round" else "")
        else:
            self._emit(self.rng.choice(FLOAT_BINARY if is_float else INT_BINARY), [a, b], a.element)

    @property
    def text(self) -> str:
        return function_text(self.inputs, self.lines, self.outputs)


def random_array(rng: random.Random, shape: Shape, element: str) -> NDArray[np.generic]:
    """An array with special values among the random ones."""
    generator = np.random.default_rng(rng.getrandbits(32))
    dtype = DTYPES[element]
    if element == "i1":
        return generator.integers(0, 2, shape).astype(np.bool_)
    if element in ("f32", "f64"):
        array = (generator.standard_normal(shape) * 4).astype(dtype)
        special = np.asarray(SPECIAL_FLOATS, dtype)
    else:
        info = np.iinfo(element.replace("i", "int"))
        array = generator.integers(-50, 50, shape).astype(dtype)
        special = np.asarray([*SPECIAL_INTS, info.min, info.max], dtype)
    array = np.array(array)
    places = generator.random(shape) < 0.2
    array[places] = special[generator.integers(0, len(special), int(places.sum()))]
    return array


def check(seed: int) -> None:
    """Compile the graph and compare it with the interpreter; raises with the text of the graph."""
    import snippets_mlir
    from snippets_mlir.interpreter import Interpreter
    from snippets_mlir.passmanager.context import make_context
    from snippets_mlir.support.parsing import parse_module
    from snippets_mlir.testing.thread_counts import drawn_threads, small_kernels_shared

    graph = Graph(seed)
    expected = Interpreter(parse_module(graph.text, make_context())).run("main", graph.arrays)
    threads = drawn_threads(seed)
    with small_kernels_shared():
        compiled = snippets_mlir.compile(graph.text, fallback="error", num_threads=threads)
        outputs = compiled.run({f"arg{i}": array for i, array in enumerate(graph.arrays)})
    for index, (a, b) in enumerate(zip(expected, outputs.values(), strict=True)):
        same = a.dtype == b.dtype and a.shape == b.shape and _bit_equal(a, b)
        where = f"seed {seed}, {threads} threads, output {index}"
        assert same, f"{where}:\n{graph.text}\nexpected {a}\nfound {b}"


def _bit_equal(a: NDArray[np.generic], b: NDArray[np.generic]) -> bool:
    """Equal bits; any NaN equals any NaN."""
    if a.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    if not np.array_equal(nan, np.isnan(b)):
        return False
    return a[~nan].tobytes() == b[~nan].tobytes()
