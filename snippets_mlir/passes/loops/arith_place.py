"""Where the ops of a math expansion on `arith` and `math` go, and their constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.arith.types import with_element
from snippets_mlir.dialects.memref.memory import GlobalOp

Table = tuple[float, ...] | tuple[int, ...]


@dataclass
class Place:
    """Where the ops of an expansion go, and what expansions in one function share.

    Attributes:
        entry: the entry block of the function; constants go to its start.
        globals: makes the symbol of a table.
        like: the type whose shape all values have.
        at: the op that is expanded.
        constants: by text and type.
    """

    entry: Block
    globals: Callable[[Table, Attribute], GlobalOp]
    at: Operation
    like: Attribute
    constants: dict[tuple[str, Attribute], SSAValue] = field(
        default_factory=dict[tuple[str, Attribute], SSAValue]
    )

    def put(self, op: Operation) -> SSAValue:
        """Insert `op` in front of the op that is expanded; its result."""
        block = self.at.parent
        assert block is not None
        op.location = self.at.location
        block.insert_op_before(op, self.at)
        return op.results[0]

    def constant(self, value: float, element: Attribute) -> SSAValue:
        """A constant in every element."""
        type = with_element(self.like, element)
        key = (repr(value), type)
        if key not in self.constants:
            op = arith.ConstantOp.create(
                properties={"value": _constant(value, element, type)}, result_types=[type]
            )
            first = self.entry.first_op
            assert first is not None
            self.entry.insert_op_before(op, first)
            self.constants[key] = op.results[0]
        return self.constants[key]


def _constant(value: float, element: Attribute, type: Attribute) -> Attribute:
    if element != type:
        return DenseIntOrFPElementsAttr.from_list(type, [value])  # pyright: ignore
    if isinstance(value, float):
        return FloatAttr(value, element)  # pyright: ignore[reportArgumentType, reportCallIssue]
    return IntegerAttr(value, element)  # pyright: ignore[reportArgumentType, reportCallIssue]
