"""Reshapes in a program that can move past the nodes that read them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.program.data import ViewOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.shapes import format_shape, is_static
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.targets.implementations.registry import computing_ops


@dataclass(frozen=True)
class Move:
    """The change at one view.

    Attributes:
        ops: the view, and the views and nodes after it; each reads the previous one.
        left_out: the views restore the shape before the first one.
    """

    ops: tuple[ViewOp | NodeOp, ...]
    left_out: bool

    @property
    def views(self) -> list[ViewOp]:
        """The views, which go after the nodes or are dropped."""
        return [op for op in self.ops if isinstance(op, ViewOp)]

    def __str__(self) -> str:
        views = ", ".join(f'"{view.id.data}"' for view in self.views)
        nodes = ", ".join(f'"{op.id.data}"' for op in self.ops if isinstance(op, NodeOp))
        lines = [f"{nodes} before {views}"] if nodes else []
        return "\n".join([*lines, f"left out: {views}"] if self.left_out else lines)


def sole_reader(value: SSAValue) -> Operation | None:
    """The only reader of a value; None if there are several or none."""
    readers = {use.operation for use in value.uses}
    return readers.pop() if len(readers) == 1 else None


def why_bound(node: NodeOp, value: SSAValue, rank: int) -> str | None:
    """Why a node that can be fused needs the shape of `value`, which it reads.

    None if it can read the same elements in another shape of `rank` dims.
    """
    shape = shape_of(value)
    arguments = zip(node.block.args, node.inputs, strict=True)
    whole: set[SSAValue] = {argument for argument, read in arguments if read is value}
    for op in computing_ops(node):
        if isinstance(op, WholeTensorOp):
            return f"{op.name} depends on the shape"
        for other in (shape_of(operand) for operand in op.operands if operand not in whole):
            if prod(other) != 1 or len(other) > rank:
                return f"{op.name} reads another value, {format_shape(other)}"
        if any(shape_of(result) != shape for result in op.results):
            return f"{op.name} has another shape"
        whole.update(op.results)
    return None if shape_of(node.outputs[0]) == shape else "its result has another shape"


def why_fixed(view: ViewOp, barred: Mapping[NodeOp, str | None]) -> str | None:
    """Why no node moves before a view; None if that may save a step."""
    source = view.operand.owner
    if not isinstance(source, NodeOp):
        return "it is a view of what no node computes"
    if (why := barred[source]) is not None:
        return f'"{source.id.data}" before it is not fused: {why}'
    if sole_reader(view.operand) is not view:
        return f'others read "{source.id.data}", too'
    return None


def walk_from(
    view: ViewOp, barred: Mapping[NodeOp, str | None]
) -> tuple[list[ViewOp | NodeOp], str | None]:
    """The view and the views and nodes after it that can be passed; the reason of the walk's end.

    The reason is None if it ends at a view of the shape before the first one.
    """
    source = shape_of(view.operand)
    fixed = why_fixed(view, barred)
    ops: list[ViewOp | NodeOp] = [view]
    while True:
        value = ops[-1].results[0]
        if isinstance(ops[-1], ViewOp) and shape_of(value) == source:
            return ops, None
        reader = sole_reader(value)
        if isinstance(reader, NodeOp):
            why = fixed or barred[reader] or why_bound(reader, value, len(source))
            if why is not None:
                return ops, fixed or f'"{reader.id.data}" after it: {why}'
        elif not isinstance(reader, ViewOp):
            return ops, fixed or "no single node reads it"
        ops.append(reader)


def move_at(view: ViewOp, barred: Mapping[NodeOp, str | None]) -> Move | str:
    """The change at a view, or the reason why there is none.

    Args:
        view: where the walk starts.
        barred: why a node of the graph cannot be fused; None for those that can.
    """
    if not is_static(shape_of(view.operand)):
        return "a size is known at run time only"
    ops, why = walk_from(view, barred)
    if why is None:
        return Move(tuple(ops), left_out=True)
    value = ops[-1].results[0]
    reader = sole_reader(value)
    if isinstance(value.owner, NodeOp) and isinstance(reader, NodeOp) and barred[reader] is None:
        if shape_of(reader.outputs[0]) == shape_of(value):
            why = f'what is after it is fused with "{reader.id.data}"'
            ops = ops[: 1 + max(i for i, op in enumerate(ops) if isinstance(op, ViewOp))]
    while ops and isinstance(ops[-1], ViewOp):
        ops.pop()
    return Move(tuple(ops), left_out=False) if ops else why
