"""Building vector-level IR: `arith`, `math` and `vector` ops on `vector<NxT>` values.

Ops are made by name through the context, so that each has the class that the context registers for
its name. Types and constants are cached, because building one costs more than building an op.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from xdsl.context import Context
from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.snippets.emission.builder import element_of, lanes_of, vector_type
from snippets_mlir.support.creating import created, put_at_end

_POSITION_0 = DenseArrayBase.from_list(i64, [0])
_NO_FLAGS = FastMathFlagsAttr("none")
_NO_OVERFLOW = IntegerOverflowAttr("none")
_FLOAT_OPS = frozenset(
    f"arith.{n}f" for n in ("add", "sub", "mul", "div", "neg", "maximum", "minimum")
)
_WRAPPING_OPS = frozenset(f"arith.{n}" for n in ("addi", "subi", "muli", "shli"))

_ORDERED = {
    name: number for number, name in enumerate(("oeq", "ogt", "oge", "olt", "ole", "one"), 1)
}
COMPARE_FLOAT = {**_ORDERED, "ord": 7, "une": 13, "uno": 14}
_INT_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
COMPARE_INT = {name: number for number, name in enumerate(_INT_PREDICATES)}


def dense(type_: VectorType[Attribute], values: Sequence[float]) -> DenseIntOrFPElementsAttr:
    """Elements of a vector type; a single value is a splat."""
    if isinstance(type_.element_type, AnyFloat):
        floats = cast("VectorType[AnyFloat]", type_)
        return DenseIntOrFPElementsAttr.from_list(floats, [float(v) for v in values])
    integers = cast("VectorType[IntegerType]", type_)
    return DenseIntOrFPElementsAttr.from_list(integers, [int(v) for v in values])


def _constant_attr(value: float, type_: Attribute) -> Attribute:
    """A scalar or a splat, built once: expansions of functions use the same numbers each time."""
    return _built_constant(repr(value), value, type_)


@lru_cache(maxsize=4096)
def _built_constant(text: str, value: float, type_: Attribute) -> Attribute:
    """As `_constant_attr`; `text` distinguishes the cache entries of -0.0 and 0.0, which are
    equal.
    """
    if isinstance(type_, VectorType):
        return dense(cast("VectorType[Attribute]", type_), [value])
    if isinstance(type_, AnyFloat):
        return FloatAttr(float(value), type_)
    return IntegerAttr(int(value), cast("IntegerType", type_))


@lru_cache(maxsize=4096)
def integer_attr(value: int, width: int) -> IntegerAttr[IntegerType]:
    """A signless integer attribute, built once."""
    return IntegerAttr(value, width)


class ArithBuilder:
    """Appends ops to a block; constants go to the function's entry block, each once."""

    def __init__(self, ctx: Context, entry: Block) -> None:
        self._ctx = ctx
        self._classes: dict[str, type[Operation]] = {}
        self.constants_by_key: dict[tuple[object, ...], SSAValue] = {}
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
        """Append the op `name` with these results; returns the op."""
        op = created(self.op_class(name), operands, results, properties)
        put_at_end(op, self.block)
        return op

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
        if (known := self.constants_by_key.get(key)) is not None:
            return known
        return self.add_constant(key, _constant_attr(value, type_), type_)

    def mask(self, count: int, lanes: int) -> SSAValue:
        """The constant mask whose first `count` lanes are set."""
        type_ = vector_type(i1, lanes)
        key = ("mask", count, lanes)
        if (known := self.constants_by_key.get(key)) is not None:
            return known
        bits = [1] * count + [0] * (lanes - count)
        return self.add_constant(key, dense(type_, bits), type_)

    def add_constant(self, key: tuple[object, ...], attr: Attribute, type_: Attribute) -> SSAValue:
        """A constant in the entry block, remembered under `key`."""
        op = created(self.op_class("arith.constant"), (), (type_,), {"value": attr})
        self.constants_by_key[key] = self.at_entry(op)
        return self.constants_by_key[key]

    def at_entry(self, op: Operation) -> SSAValue:
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
        """A constant of `other`'s type, `value` in every lane."""
        return self.constant(value, other.type)

    def compare_float(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpf` with an MLIR predicate name."""
        properties = {
            "predicate": integer_attr(COMPARE_FLOAT[predicate], 64),
            "fastmath": _NO_FLAGS,
        }
        type_ = vector_type(i1, lanes_of(a))
        return self.make("arith.cmpf", [a, b], [type_], properties).results[0]

    def compare_int(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        """`arith.cmpi` with an MLIR predicate name; also on scalars."""
        properties = {"predicate": integer_attr(COMPARE_INT[predicate], 64)}
        type_ = vector_type(i1, lanes_of(a)) if isinstance(a.type, VectorType) else i1
        return self.make("arith.cmpi", [a, b], [type_], properties).results[0]

    def select(self, mask: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
        """`a` where `mask`, else `b`."""
        return self.op("arith.select", [mask, a, b], a.type)

    def splat(self, scalar: SSAValue, lanes: int) -> SSAValue:
        """A vector of `lanes` lanes with `scalar` in each."""
        return self.op("vector.broadcast", [scalar], vector_type(scalar.type, lanes))

    def index(self, value: int) -> SSAValue:
        """An i64 constant, the type of counters and offsets."""
        return self.constant(value, i64)

    def extract_first(self, vector: SSAValue) -> SSAValue:
        """Lane 0 of a vector as a scalar."""
        properties = {"static_position": _POSITION_0}
        return self.make("vector.extract", [vector], [element_of(vector)], properties).results[0]
