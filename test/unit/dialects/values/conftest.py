"""Building single ops of the dialect on arrays, and values that break arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import bfloat16, element_type_of
from snippets_mlir.dialects.builtin.shaped import tensor_of, tensor_type
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.base import (
    ComputeOp,
)
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.values.evaluate import constant_array, evaluate

Array = NDArray[Any]
OPS = {op.name: op for op in Snippets.operations}


def _make_op(
    name: str,
    operands: Sequence[SSAValue],
    element: Attribute | None = None,
    shape: Sequence[Dim] | None = None,
    **properties: Attribute,
) -> ComputeOp:
    cls = OPS[f"snippets.{name}"]
    types = [tensor_of(v) for v in operands]
    if shape is None:
        shape = broadcast_shapes(*(t.get_shape() for t in types))
        assert shape is not None
    if element is None:
        assert issubclass(cls, ComputeOp)
        joined = types[1] if name == "select" else types[0]
        element = i1 if cls.PREDICATE else joined.element_type
    op = cls.create(
        operands=operands, result_types=[tensor_type(element, shape)], properties=properties
    )
    op.verify()
    assert isinstance(op, ComputeOp)
    return op


def _value_of(name: str, *arrays: Array, **options: Any) -> Array:
    values = [create_ssa_value(TensorType(element_type_of(a.dtype), a.shape)) for a in arrays]
    return evaluate(_make_op(name, values, **options), arrays)


def _same(a: Array, b: Array) -> bool:
    """Bit equality, NaN counted as one value."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "iub":
        return bool(np.array_equal(a, b))
    nan = np.isnan(a)
    bits = f"u{a.dtype.itemsize}"
    equal = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    return bool(np.all(np.where(nan, np.isnan(b), equal)))


def _special(dtype: np.dtype[Any]) -> Array:
    """Zeros, ones, limits, halves, subnormals, infinities and NaN of `dtype`."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([low, low + 1, 0, 1, 2, 3, 7, 31, high // 2, high - 1, high], dtype)
    tiny = {"float16": 6e-8, "bfloat16": 1e-40, "float32": 1e-45, "float64": 5e-324}[dtype.name]
    large = {"float16": 65504.0, "float64": 1.7976931348623157e308}.get(dtype.name, 3.3895314e38)
    inf, nan = float("inf"), float("nan")
    positive = [0.0, tiny, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 7.0, 88.0, large, inf]
    return np.array([*positive, *(-x for x in positive), nan]).astype(dtype)


class Program:
    """A block with arguments of special values, whose results a test op keeps alive."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        types = [TensorType(element_type_of(a.dtype), a.shape) for a in arrays]
        self.arrays = list(arrays)
        self.block = Block(arg_types=types)
        holder = xdsl_test.TestOp(regions=[Region(self.block)])
        self.module = ModuleOp([holder])

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def finish(self, value: SSAValue) -> None:
        self.block.add_op(xdsl_test.TestTermOp(operands=[value]))

    @property
    def result(self) -> SSAValue:
        assert self.block.last_op is not None
        return self.block.last_op.operands[0]

    @property
    def root(self) -> Operation:
        owner = self.result.owner
        assert isinstance(owner, Operation)
        return owner

    def run(self) -> Array:
        values: dict[SSAValue, Array] = dict(zip(self.block.args, self.arrays, strict=True))

        def value(v: SSAValue) -> Array:
            if v not in values:
                op = v.owner
                assert isinstance(op, Operation)
                if isinstance(op, ConstantOp):
                    assert isinstance(op.value, DenseIntOrFPElementsAttr)
                    values[v] = constant_array(op.value)
                elif isinstance(op, ScalarOp):
                    dense = dense_of_scalar(op.value, tensor_of(op.result))
                    values[v] = constant_array(dense)
                else:
                    values[v] = evaluate(op, [value(o) for o in op.operands])
            return values[v]

        return value(self.result)

    def canonicalize(self) -> None:
        ctx = Context(allow_unregistered=True)
        ctx.load_dialect(Snippets)
        self.module.verify()
        CanonicalizePass().apply(ctx, self.module)
        self.module.verify()


@pytest.fixture
def new_program() -> Callable[[Sequence[Array]], Program]:
    """`new_program(arrays)`: an empty block with one argument for each array."""
    return Program


@pytest.fixture
def make_op() -> Callable[..., Operation]:
    """`make_op(name, operands, element=, shape=, **properties)`: a verified op."""
    return _make_op


@pytest.fixture
def value_of() -> Callable[..., Array]:
    """`value_of(name, *arrays, element=, shape=, **properties)`: the op's value."""
    return _value_of


@pytest.fixture
def same() -> Callable[[Array, Array], bool]:
    """Whether two arrays have equal bits, NaN counted as one value."""
    return _same


@pytest.fixture
def special() -> Callable[[np.dtype[Any]], Array]:
    """The values of a dtype that break arithmetic."""
    return _special


@pytest.fixture
def bf16() -> np.dtype[Any]:
    """The dtype of bf16."""
    return bfloat16()
