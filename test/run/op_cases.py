"""One case for each op, element type and variant of attributes, and the values to try them on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from math_mpmath import SMALLEST_UNITS
from op_families import APPROXIMATE, PLAIN
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.snippets.base import BinaryOp, UnaryOp, kind_of
from snippets_mlir.dialects.snippets.clamps import ClampOp
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.gates import GeluOp, SwishOp
from snippets_mlir.dialects.snippets.internal import (
    BitcastOp,
    FmaOp,
    LookupOp,
)
from snippets_mlir.dialects.snippets.powers import PowerStaticOp
from snippets_mlir.dialects.snippets.rectifiers import EluOp, LeakyReluOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.signs import RoundOp
from snippets_mlir.driver import Compiled

Array = np.ndarray[Any, np.dtype[Any]]

ELEMENTS: dict[str, Attribute] = {"f32": f32, "f64": f64, "i32": i32, "i64": i64, "i1": i1}
MAX_ULPS = 4


@dataclass(frozen=True)
class Case:
    """An op class with its operand element types and properties."""

    op: type[Operation]
    elements: tuple[Attribute, ...]
    result: Attribute
    properties: tuple[tuple[str, Attribute], ...] = ()

    def __str__(self) -> str:
        names = [str(e) for e in self.elements]
        values = [f"{name}={value}" for name, value in self.properties]
        return f"{self.op.name}({', '.join(names)}) -> {self.result} {' '.join(values)}".strip()

    def build(self, operands: list[SSAValue], shape: tuple[int, ...]) -> Operation:
        """The op on values of `shape`."""
        return self.op.create(
            operands=operands,
            result_types=[TensorType(self.result, shape)],
            properties=dict(self.properties),
        )

    @property
    def exact(self) -> bool:
        """Whether the bits of the result are determined."""
        return self.op.name not in APPROXIMATE or kind_of(self.result) != "float"


def _number(element: Attribute, value: float) -> Attribute:
    if kind_of(element) == "integer":
        return IntegerAttr(int(value), i32 if element == i32 else i64)
    return FloatAttr(value, f64)


def _variants(element: Attribute) -> Iterator[tuple[type[UnaryOp], dict[str, Attribute]]]:
    yield ClampOp, {"min": _number(element, -1), "max": _number(element, 2)}
    yield ClampOp, {"min": _number(element, 3), "max": _number(element, -3)}
    if kind_of(element) != "float":
        for exponent in (0, 1, 2, 7):
            yield PowerStaticOp, {"exponent": _number(element, exponent)}
        return
    for exponent in (-2.0, -1.0, -0.5, 0.5, 2.0, 3.0, 4.0, 2.4):
        yield PowerStaticOp, {"exponent": FloatAttr(exponent, f64)}
    for alpha in (1.0, 0.3):
        yield EluOp, {"alpha": FloatAttr(alpha, f64)}
    for alpha in (0.01, -2.0):
        yield LeakyReluOp, {"alpha": FloatAttr(alpha, f64)}
    for form in ("erf", "tanh"):
        yield GeluOp, {"approximation": StringAttr(form)}
    for mode in ("half_to_even", "half_away"):
        yield RoundOp, {"mode": StringAttr(mode)}
    yield SwishOp, {}
    yield SwishOp, {"beta": FloatAttr(1.702, f64)}


def cases(name: str) -> list[Case]:
    """All cases whose first operand has the element type called `name`."""
    element = ELEMENTS[name]
    kind = kind_of(element)
    found: list[Case] = []
    for op in PLAIN:
        if kind in op.ELEMENT_KINDS:
            count = 2 if issubclass(op, BinaryOp) else 1
            found.append(Case(op, (element,) * count, i1 if op.PREDICATE else element))
    if kind != "bool":
        for op, properties in _variants(element):
            found.append(Case(op, (element,), element, tuple(properties.items())))
    for op, target in product((ConvertTruncationOp, ConvertSaturationOp), ELEMENTS.values()):
        found.append(Case(op, (element,), target))
    found.append(Case(SelectOp, (i1, element, element), element))
    if kind == "float":
        found.append(Case(FmaOp, (element,) * 3, element))
    if kind == "integer":
        table = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [3]), [0.5, -1.0, 7.0])
        found.append(Case(LookupOp, (element,), f32, (("table", table),)))
    pairs = {"f32": i32, "i32": f32, "f64": i64, "i64": f64}
    if name in pairs:
        found.append(Case(BitcastOp, (element,), pairs[name]))
    return found


def _floats(dtype: Any) -> Array:
    info = np.finfo(dtype)
    near = np.array([0, 1e-30, 1e-3, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3, 6, 10, 30, 88.7, 104, 710])
    periods = np.pi * np.array([0.25, 0.5, 0.75, 1, 1.5, 2, 100, 1e5, 1e8])
    limits = np.array([info.tiny, info.smallest_subnormal, info.max, np.inf], dtype)
    whole = np.array([2.0**23, 2.0**31, 2.0**52, 2.0**63, 2.0**64])
    positive = np.concatenate([part.astype(dtype) for part in (near, periods, limits, whole)])
    around = np.nextafter(np.array([1, 2, 0.5, 3], dtype), dtype(0))
    return np.concatenate([positive, -positive, around, -around, np.array([np.nan], dtype)])


def _integers(dtype: Any) -> Array:
    info = np.iinfo(dtype)
    small = [*range(-8, 9), 31, 32, 33, 63, 64, 65, -31, -32, -33, 100, -100, 1 << 24, 12345678]
    ends = [info.min, info.min + 1, info.min // 2, info.max // 2, info.max - 1, info.max]
    return np.array([*small, *ends], dtype)


def specials(element: Attribute) -> Array:
    if element == i1:
        return np.array([False, True])
    if element in (f32, f64):
        return _floats(np.float32 if element == f32 else np.float64)
    return _integers(np.int32 if element == i32 else np.int64)


def random(element: Attribute, count: int, rng: np.random.Generator) -> Array:
    """Random values: ordinary ones, and random bits."""
    if element == i1:
        return rng.integers(0, 2, count).astype(np.bool_)
    if element in (f32, f64):
        dtype = np.float32 if element == f32 else np.float64
        bits = rng.integers(0, 256, (count // 2) * dtype().itemsize, np.uint8).view(dtype)
        normal = rng.standard_normal(count - bits.size) * rng.choice(
            [0.1, 1, 10], count - bits.size
        )
        return np.concatenate([normal.astype(dtype), bits])
    info = np.iinfo(np.int32 if element == i32 else np.int64)
    half = count // 2
    wide = rng.integers(info.min, info.max, half, info.dtype, endpoint=True)
    return np.concatenate([wide, rng.integers(-20, 20, count - half).astype(info.dtype)])


def columns(elements: tuple[Attribute, ...], rng: np.random.Generator, count: int) -> list[Array]:
    """Operand arrays of one length: all pairs of special values, then random values."""
    values = [specials(e) for e in elements]
    if len(values) == 1:
        parts = [values[0]]
    elif len(values) == 2:
        parts = [g.reshape(-1) for g in np.meshgrid(*values, indexing="ij")]
    else:
        length = 600
        parts = [rng.choice(v, length) for v in values]
    return [
        np.concatenate([part, random(e, count, rng)])
        for part, e in zip(parts, elements, strict=True)
    ]


def ulps(result: Array, expected: Array) -> Array:
    """Distance in units in the last place of what is expected; infinite for a wrong NaN or inf."""
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    with np.errstate(all="ignore"):
        unit = np.maximum(np.spacing(np.abs(expected)), np.finfo(expected.dtype).smallest_subnormal)
        distance = np.abs(result.astype(np.longdouble) - expected.astype(np.longdouble)) / unit
    # One step over the largest number is infinity.
    edge = np.isinf(result) ^ np.isinf(expected)
    largest = np.abs(np.where(np.isinf(result), expected, result)) >= np.finfo(expected.dtype).max
    distance = np.where(edge & largest & (np.sign(result) == np.sign(expected)), 1.0, distance)
    return np.where(same, 0.0, np.where(np.isnan(distance), np.inf, distance))


def errors(case: Case, operands: list[Array], result: Array, expected: Array) -> Array:
    """`ulps`; of f64 functions with zeros between poles, of units that hold there, too."""
    found = ulps(result, expected)
    least = SMALLEST_UNITS.get(case.op.name.partition(".")[2])
    if least is not None and expected.dtype == np.float64:
        for place in np.flatnonzero(np.isfinite(found) & (found > MAX_ULPS)):
            size = max(abs(expected[place]), float(least(float(operands[0][place]))))
            found[place] *= np.spacing(np.abs(expected[place])) / np.spacing(size)
    return found


def empty_function(types: list[Attribute]) -> tuple[Block, Region]:
    """A block with arguments of the given types, in a region."""
    block = Block(arg_types=types)
    return block, Region([block])


def run_all(compiled: Compiled, arrays: Sequence[Array]) -> list[Array]:
    """The outputs as a list, also when there is one."""
    names = [spec.name for spec in compiled.inputs]
    return list(compiled.run(dict(zip(names, arrays, strict=True))).values())
