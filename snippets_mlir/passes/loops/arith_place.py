"""The places of a math expansion's ops on `arith` and `math`, and their constants and tables."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.arith.types import with_element
from snippets_mlir.dialects.memref.memory import GlobalOp
from snippets_mlir.support.walking import module_of

Table = tuple[float, ...] | tuple[int, ...]
TABLE_NAME = "math_table"


@dataclass(frozen=True)
class Shared:
    """The shared values of a function's expansions: constants, by text and type, and tables."""

    function: Operation
    constants: dict[tuple[str, Attribute], SSAValue] = field(
        default_factory=dict[tuple[str, Attribute], SSAValue]
    )
    tables: dict[tuple[Table, Attribute], GlobalOp] = field(
        default_factory=dict[tuple[Table, Attribute], GlobalOp]
    )


@dataclass(frozen=True)
class Place:
    """Collects the ops of one expansion; `insert` puts them into the program.

    Attributes:
        shared: constants go to the start of the function, tables to the start of the module.
        at: the expanded op; values have the shape of its result.
        rewriter: that inserts them.
        ops: the ops before that op.
        constants: new ones of the function, the last one first.
    """

    shared: Shared
    at: Operation
    rewriter: PatternRewriter
    ops: list[Operation] = field(default_factory=list[Operation])
    constants: deque[Operation] = field(default_factory=deque[Operation])

    @property
    def like(self) -> Attribute:
        """The type whose shape all values have."""
        return self.at.results[0].type

    def put(self, op: Operation) -> SSAValue:
        """Keep `op` for `insert`; returns its one result."""
        op.location = self.at.location
        self.ops.append(op)
        return op.results[0]

    def insert(self) -> None:
        """Insert constants at the start of the function, and the other ops at the place."""
        entry = self.shared.function.regions[0].blocks[0]
        self.rewriter.insert(self.constants, InsertPoint.at_start(entry))
        self.rewriter.insert(self.ops, InsertPoint.before(self.at))

    def constant(self, value: float, element: Attribute) -> SSAValue:
        """A constant in every element, made once in each function."""
        type = with_element(self.like, element)
        key, known = (repr(value), type), self.shared.constants
        if key not in known:
            properties = {"value": _constant(value, element, type)}
            op = arith.ConstantOp.create(properties=properties, result_types=[type])
            self.constants.appendleft(op)
            known[key] = op.results[0]
        return known[key]

    def table(self, table: Table, element: Attribute) -> GlobalOp:
        """The global of a table, maybe from an earlier expansion."""
        key, known = (table, element), self.shared.tables
        if key not in known:
            known[key] = self._global(table, element)
        return known[key]

    def _global(self, table: Table, element: Attribute) -> GlobalOp:
        module, memory = module_of(self.at), MemRefType(element, [len(table)])
        values = _elements(table, element)
        made = GlobalOp(TABLE_NAME, memory, values, visibility="private", constant=True)
        taken = {op.sym_name.data: op for op in module.ops if isinstance(op, GlobalOp)}
        tables = [op for name, op in taken.items() if name.startswith(TABLE_NAME)]
        for op in tables:
            if op.properties | {"sym_name": made.sym_name} == made.properties:
                return op
        name = f"{TABLE_NAME}{len(tables)}"
        while name in taken:
            name += "_"
        made.sym_name = StringAttr(name)
        return self.rewriter.insert(made, InsertPoint.at_start(module.body.block))


@lru_cache(maxsize=64)
def _elements(table: Table, element: Attribute) -> Attribute:
    """The cached attribute of a table, because making one is slow."""
    type: Any = TensorType(element, [len(table)])
    return DenseIntOrFPElementsAttr.from_list(type, list(table))


def _constant(value: float, element: Attribute, type: Attribute) -> Attribute:
    if element != type:
        return DenseIntOrFPElementsAttr.from_list(type, [value])  # pyright: ignore
    if isinstance(value, float):
        return FloatAttr(value, element)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return IntegerAttr(value, element)  # pyright: ignore[reportArgumentType, reportCallIssue]
