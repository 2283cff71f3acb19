"""The function that executes each op, and the check of each type.

A level of the IR adds a row in `LEVELS` and a module with `HANDLERS` (op name -> handler), with
`BRANCHES` (op name -> branch) for terminators that stay in their region, and with `CHECKS` (type
class -> check) for its own types. Modules are imported when the first interpreter is created.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, Block, Operation

from snippets_mlir.dialects.snippets.registry import derived

if TYPE_CHECKING:
    from snippets_mlir.interpreter.machine import Interpreter

Handler = Callable[["Interpreter", Operation, Sequence[Any]], Sequence[Any]]
"""`(interpreter, op, operand values) -> result values`."""

OpaqueHandler = Callable[[Operation, Sequence[Any]], Sequence[Any]]
"""`(op, operand values) -> result values`, for ops of other dialects."""

Check = Callable[[Any, Any], str | None]
"""`(value, type) -> what is wrong with the value, or None`."""

Branch = Callable[[Operation, Sequence[Any]], tuple[Block, Sequence[Any]]]
"""`(terminator, operand values) -> the block that comes next, and its arguments`."""


def nothing(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """The handler of ops without results that have no effect here."""
    return ()


def same(interpreter: Interpreter, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
    """The handler of ops whose results are their operands."""
    return tuple(operands)


LEVELS: tuple[str, ...] = (
    "snippets_mlir.interpreter.affine",
    "snippets_mlir.interpreter.arithmetic",
    "snippets_mlir.interpreter.casts",
    "snippets_mlir.interpreter.clocks",
    "snippets_mlir.interpreter.control",
    "snippets_mlir.interpreter.functions",
    "snippets_mlir.interpreter.kernels",
    "snippets_mlir.interpreter.math_functions",
    "snippets_mlir.interpreter.memref_views",
    "snippets_mlir.interpreter.memrefs",
    "snippets_mlir.interpreter.pointers",
    "snippets_mlir.interpreter.printing",
    "snippets_mlir.interpreter.programs",
    "snippets_mlir.interpreter.selection",
    "snippets_mlir.interpreter.stablehlo",
    "snippets_mlir.interpreter.tensors",
    "snippets_mlir.interpreter.tuples",
    "snippets_mlir.interpreter.vector_memory",
    "snippets_mlir.interpreter.vector_products",
    "snippets_mlir.interpreter.vectors",
)


@derived
def handler_table() -> Mapping[str, Handler]:
    """Op name -> handler, of all levels; a name in two levels is a bug."""
    table: dict[str, Handler] = {}
    for level in LEVELS:
        handlers: Mapping[str, Handler] = import_module(level).HANDLERS
        twice = table.keys() & handlers.keys()
        assert not twice, f"{level} handles {sorted(twice)} again"
        table.update(handlers)
    return table


@cache
def check_table() -> Mapping[type[Attribute], Check]:
    """Type class -> check of a value of the type, of all levels."""
    table: dict[type[Attribute], Check] = {}
    for level in LEVELS:
        table.update(getattr(import_module(level), "CHECKS", {}))
    return table


@cache
def branch_table() -> Mapping[str, Branch]:
    """Op name -> branch, of all levels."""
    table: dict[str, Branch] = {}
    for level in LEVELS:
        table.update(getattr(import_module(level), "BRANCHES", {}))
    return table
