"""Building vector-level IR: `arith`, `math`, `vector` and `scf` ops on `vector<NxT>` values.

Ops are made by name through the context, so that each has the class that the context gives for its
name; types and constants are cached, because building one costs more than building an op.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    SymbolRefAttr,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

_POINTER = LLVMPointerType()
_POSITION_0 = DenseArrayBase.from_list(i64, [0])
_GEP_DYNAMIC = -(1 << 31)
_NO_FLAGS = FastMathFlagsAttr("none")
_NO_OVERFLOW = IntegerOverflowAttr("none")
_FLOAT_OPS = frozenset(
    f"arith.{n}f" for n in ("add", "sub", "mul", "div", "neg", "maximum", "minimum")
)
_WRAPPING_OPS = frozenset(f"arith.{n}" for n in ("addi", "subi", "muli", "shli"))

COMPARE_FLOAT = {"oeq": 1, "ogt": 2, "oge": 3, "olt": 4, "ole": 5, "une": 13, "uno": 14, "ord": 7}
_INT_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
COMPARE_INT = {name: number for number, name in enumerate(_INT_PREDICATES)}


@cache
def vector_type(element: Attribute, lanes: int) -> VectorType[Attribute]:
    """`vector<lanes x element>`, built once."""
    return VectorType(element, [lanes])


def _dense(type_: VectorType[Attribute], values: Sequence[float]) -> DenseIntOrFPElementsAttr:
    """Elements of a vector type; a single value is a splat."""
    if isinstance(type_.element_type, AnyFloat):
        floats = cast("VectorType[AnyFloat]", type_)
        return DenseIntOrFPElementsAttr.from_list(floats, [float(v) for v in values])
    integers = cast("VectorType[IntegerType]", type_)
    return DenseIntOrFPElementsAttr.from_list(integers, [int(v) for v in values])


def _constant_attr(value: float, type_: Attribute) -> Attribute:
    if isinstance(type_, VectorType):
        return _dense(cast("VectorType[Attribute]", type_), [value])
    if isinstance(type_, AnyFloat):
        return FloatAttr(float(value), type_)
    return IntegerAttr(int(value), cast("IntegerType", type_))


@cache
def _integer_attr(value: int, width: int) -> IntegerAttr[IntegerType]:
    return IntegerAttr(value, width)


@cache
def _gep_indices(index: int) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, [index])


def vector_of(value: SSAValue) -> VectorType[Attribute]:
    """The type of a vector value."""
    type_: Attribute = value.type
    assert isinstance(type_, VectorType)
    return cast("VectorType[Attribute]", type_)


def element_of(value: SSAValue) -> Attribute:
    """The element type of a vector value."""
    return vector_of(value).element_type


def lanes_of(value: SSAValue) -> int:
    """The lanes of a vector value."""
    return vector_of(value).get_shape()[0]


class VectorBuilder:
    """Appends ops to a block; constants go to the function's entry block, each once."""

    def __init__(
        self, ctx: Context, entry: Block, table_name: Callable[[DenseIntOrFPElementsAttr], str]
    ) -> None:
        """Start in the block `entry`; `table_name` gives the symbol of a constant table."""
        self._ctx = ctx
        self._table_name = table_name
        self._classes: dict[str, type[Operation]] = {}
        self._constants: dict[tuple[object, ...], SSAValue] = {}
        self._entry = entry
        self._last_constant: Operation | None = None
        self.block = entry

    def append(self, op: Operation) -> Operation:
        """Add `op` at the end of the current block."""
        self.block.add_op(op)
        return op

    def op_class(self, name: str) -> type[Operation]:
        """The class that the context gives for `name`."""
        if (known := self._classes.get(name)) is None:
            known = self._classes[name] = self._ctx.get_op(name)
        return known

    def make(
        self,
        name: str,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        properties: Mapping[str, Attribute] | None = None,
    ) -> Operation:
        """Append the op `name`."""
        op = self.op_class(name).create(
            operands=operands, result_types=results, properties=dict(properties or {})
        )
        return self.append(op)

    def op(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute | None = None,
        **properties: Attribute,
    ) -> SSAValue:
        """Append the op `name` and return its one result, of the first operand's type by
        default.
        """
        if name in _FLOAT_OPS or name.startswith("math."):
            properties.setdefault("fastmath", _NO_FLAGS)
        elif name in _WRAPPING_OPS:
            properties.setdefault("overflowFlags", _NO_OVERFLOW)
        type_ = operands[0].type if result is None else result
        return self.make(name, operands, [type_], properties).results[0]

    def constant(self, value: float, type_: Attribute) -> SSAValue:
        """A constant of a scalar type, or a splat of a vector type."""
        key = (repr(value), type_)
        if (known := self._constants.get(key)) is not None:
            return known
        return self._add_constant(key, _constant_attr(value, type_), type_)

    def mask(self, count: int, lanes: int) -> SSAValue:
        """The constant mask whose first `count` lanes are set."""
        type_ = vector_type(i1, lanes)
        key = ("mask", count, lanes)
        if (known := self._constants.get(key)) is not None:
            return known
        bits = [1] * count + [0] * (lanes - count)
        return self._add_constant(key, _dense(type_, bits), type_)

    def _add_constant(self, key: tuple[object, ...], attr: Attribute, type_: Attribute) -> SSAValue:
        op = self.op_class("arith.constant").create(
            result_types=[type_], properties={"value": attr}
        )
        self._constants[key] = self._at_entry(op)
        return self._constants[key]

    def _at_entry(self, op: Operation) -> SSAValue:
        """Insert an op without operands after the constants of the entry block."""
        if self._last_constant is not None:
            self._entry.insert_op_after(op, self._last_constant)
        elif (first := self._entry.first_op) is not None:
            self._entry.insert_op_before(op, first)
        else:
            self._entry.add_op(op)
        self._last_constant = op
        return op.results[0]

    def like(self, value: float, other: SSAValue) -> SSAValue:
        """A constant of `other`'s type."""
        return self.constant(value, other.type)

    def compare_float(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpf` with an MLIR predicate name."""
        properties = {
            "predicate": _integer_attr(COMPARE_FLOAT[predicate], 64),
            "fastmath": _NO_FLAGS,
        }
        type_ = vector_type(i1, lanes_of(a))
        return self.make("arith.cmpf", [a, b], [type_], properties).results[0]

    def compare_int(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpi` with an MLIR predicate name; on scalars, too."""
        properties = {"predicate": _integer_attr(COMPARE_INT[predicate], 64)}
        type_ = vector_type(i1, lanes_of(a)) if isinstance(a.type, VectorType) else i1
        return self.make("arith.cmpi", [a, b], [type_], properties).results[0]

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where `mask`, else `b`."""
        return self.op("arith.select", [mask, a, b], a.type)

    def splat(self, scalar: SSAValue, lanes: int) -> SSAValue:
        """The scalar in every lane."""
        return self.op("vector.broadcast", [scalar], vector_type(scalar.type, lanes))

    def index(self, value: int) -> SSAValue:
        """An i64 constant, the type of counters and offsets."""
        return self.constant(value, i64)

    def pointer_offset(
        self, pointer: SSAValue, element: Attribute, index: int | SSAValue
    ) -> SSAValue:
        """`llvm.getelementptr` by `index` elements; 0 is the pointer itself."""
        if index == 0:
            return pointer
        if isinstance(index, int) and abs(index) >= -_GEP_DYNAMIC:
            index = self.index(index)
        dynamic = not isinstance(index, int)
        properties = {
            "rawConstantIndices": _gep_indices(_GEP_DYNAMIC if dynamic else index),
            "elem_type": element,
        }
        operands = [pointer, index] if dynamic else [pointer]
        result = pointer.type
        if dynamic and isinstance(index.type, VectorType):
            result = vector_type(pointer.type, lanes_of(index))
        return self.make("llvm.getelementptr", operands, [result], properties).results[0]

    def load(self, pointer: SSAValue, type_: Attribute, alignment: int) -> SSAValue:
        """`llvm.load` of a scalar or a vector."""
        properties = {"alignment": _integer_attr(alignment, 64), "ordering": _integer_attr(0, 64)}
        return self.make("llvm.load", [pointer], [type_], properties).results[0]

    def store(self, value: SSAValue, pointer: SSAValue, alignment: int) -> None:
        """`llvm.store` of a scalar or a vector."""
        properties = {"alignment": _integer_attr(alignment, 64), "ordering": _integer_attr(0, 64)}
        self.make("llvm.store", [value, pointer], [], properties)

    def masked_load(
        self, pointer: SSAValue, mask: SSAValue, type_: Attribute, alignment: int
    ) -> SSAValue:
        """`llvm.intr.masked.load`; lanes that are off give 0."""
        zero = self.constant(0, type_)
        properties = {"alignment": _integer_attr(alignment, 32)}
        op = self.make("llvm.intr.masked.load", [pointer, mask, zero], [type_], properties)
        return op.results[0]

    def masked_store(
        self, value: SSAValue, pointer: SSAValue, mask: SSAValue, alignment: int
    ) -> None:
        """`llvm.intr.masked.store`."""
        properties = {"alignment": _integer_attr(alignment, 32)}
        self.make("llvm.intr.masked.store", [value, pointer, mask], [], properties)

    def table(self, values: DenseIntOrFPElementsAttr) -> SSAValue:
        """The address of a constant table of the module."""
        key = ("table", values)
        if (known := self._constants.get(key)) is None:
            name = self._table_name(values)
            op = self.op_class("llvm.mlir.addressof").create(
                result_types=[_POINTER], properties={"global_name": SymbolRefAttr(name)}
            )
            known = self._constants[key] = self._at_entry(op)
        return known

    def gather(self, base: SSAValue, index: SSAValue, type_: VectorType[Attribute]) -> SSAValue:
        """`base[index]` for each lane of the i64 vector `index`."""
        lanes = lanes_of(index)
        element = type_.element_type
        pointers = self.pointer_offset(base, element, index)
        assert isinstance(element, FixedBitwidthType)
        properties = {"alignment": _integer_attr(element.size, 32)}
        operands = [pointers, self.mask(lanes, lanes), self.constant(0, type_)]
        return self.make("llvm.intr.masked.gather", operands, [type_], properties).results[0]

    def extract_first(self, vector: SSAValue) -> SSAValue:
        """Lane 0 of a vector as a scalar."""
        properties = {"static_position": _POSITION_0}
        return self.make("vector.extract", [vector], [element_of(vector)], properties).results[0]
