"""Shared code of the data-flow passes: the blocks that they rewrite, and how they insert ops."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp, ConvertTruncationOp, ReshapeOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.support.attribute_names import REASON, SKIPPED
from snippets_mlir.support.walking import ops_inside

Number = FloatAttr | IntegerAttr[IntegerType]


def tensor_blocks(module: ModuleOp) -> Iterator[Block]:
    """The blocks with tensor ops: those of functions, and the bodies of subgraphs."""
    for op in module.walk():  # read again when the next block is requested
        if isinstance(op, FuncOp | SubgraphOp):
            yield from op.regions[0].blocks


def subgraphs_of(module: ModuleOp) -> list[SubgraphOp]:
    """The `snippets.subgraph` ops of a module, in the order of the text."""
    return [op for op in ops_inside(module) if isinstance(op, SubgraphOp)]


def op_text(op: Operation) -> str:
    """A text by which a reader finds `op`: `snippets.relu %y`."""
    hint = op.results[0].name_hint if op.results else None
    return f"{op.name} %{hint}" if hint else op.name


def is_skipped(op: Operation) -> bool:
    """Whether the user keeps the compiler away from `op`."""
    return SKIPPED in op.attributes


def computing_ops(block: Block) -> list[ComputeOp]:
    """The computing ops of a block that the compiler may change, in order."""
    return [op for op in block.ops if isinstance(op, ComputeOp) and not is_skipped(op)]


def not_skipped(op: Operation) -> bool:
    """The user lets the compiler change it."""
    return not is_skipped(op)


def in_a_graph(op: Operation) -> bool:
    """It is in a function or a subgraph, not in a region of another op."""
    return isinstance(op.parent_op(), FuncOp | SubgraphOp)


def outside_of_subgraphs(op: Operation) -> bool:
    """It is directly in a function."""
    return isinstance(op.parent_op(), FuncOp)


def made_reader(
    value: SSAValue, old: Container[Operation], fits: Callable[[Operation], bool]
) -> SSAValue | None:
    """The result of an op that reads `value`, fits, and is not in `old`.

    A sweep goes in text order: its new ops are before the current op.
    """
    readers = (use.operation for use in value.uses)
    return next((r.results[0] for r in readers if r not in old and fits(r)), None)


def leave(op: Operation, reason: str) -> None:
    """Write on `op` why a pass leaves it."""
    op.attributes[REASON] = StringAttr(reason)


def number(value: float, element: Attribute) -> Number:
    """`value` as an attribute of the element type."""
    if isinstance(element, AnyFloat):
        return FloatAttr(float(value), element)
    return IntegerAttr(int(value), cast("IntegerType", element))


class OpBuilder:
    """Puts ops before `anchor`, at its place in the source; a pattern gives its rewriter."""

    def __init__(self, anchor: Operation, rewriter: PatternRewriter | None = None) -> None:
        self.anchor = anchor
        self._insert = rewriter.insert if rewriter else Rewriter.insert_op
        self._replace = rewriter.replace if rewriter else Rewriter.replace_op

    def add(self, op: Operation) -> SSAValue:
        """Insert an op before the builder's anchor; its first result."""
        op.location = self.anchor.location
        self._insert(op, InsertPoint.before(self.anchor))
        return op.results[0]

    def scalar(self, value: float | Size, like: SSAValue) -> SSAValue:
        """A constant of rank 0 with the element type of `like`."""
        element = tensor_of(like).element_type
        known = SizeAttr((value, element)) if isinstance(value, Size) else number(value, element)
        return self.add(ScalarOp(known))

    def reshape(self, value: SSAValue, shape: Sequence[Dim]) -> SSAValue:
        """`value` in another shape; `value` itself if it has that shape."""
        if shape_of(value) == tuple(shape):
            return value
        return self.add(ReshapeOp(value, shape))

    def replace(self, value: SSAValue) -> None:
        """Replace the result of `anchor` by `value`, and erase `anchor`.

        It gets the type of the result: 16-bit floats are rounded here, once, and the text may have
        dims that cannot be inferred.
        """
        result = self.anchor.results[0]
        element = tensor_of(result).element_type
        if tensor_of(value).element_type != element:
            value = self.add(ConvertTruncationOp(value, element))
        if value.type != result.type:
            value = self.add(BroadcastOp(value, shape_of(result)))
        if value.name_hint is None and isinstance(value.owner, Operation):
            value.name_hint = result.name_hint
        self._replace(self.anchor, [], [value])


def erase_unused(ops: Sequence[Operation]) -> None:
    """Erase dead ops of `ops`, which are in order."""
    for op in reversed(ops):
        if all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
