"""An independent check of tokenized functions: shares no code with the tokenizer.

Reachability is a matrix of bits over the ops of a block, computed backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp

Shape = tuple[int, ...]


def users_of(op: Operation, block: Block) -> set[Operation]:
    """The ops of `block` that use results of `op`, or that hold an op which does."""
    found: set[Operation] = set()
    for result in op.results:
        for use in result.uses:
            user: Operation | None = use.operation
            while user is not None and user.parent is not block:
                user = user.parent_op()
            assert user is not None, "a value is used outside of its block"
            found.add(user)
    return found


def reachability(block: Block) -> tuple[list[Operation], list[int]]:
    """The ops of a block, and for each the set (as bits) of those that hang on it."""
    ops = list(block.ops)
    index = {op: i for i, op in enumerate(ops)}
    reach = [0] * len(ops)
    for i in reversed(range(len(ops))):
        for user in users_of(ops[i], block):
            assert index[user] > i, "an op stands before what it needs"
            reach[i] |= reach[index[user]] | 1 << index[user]
    return ops, reach


def shape_of(value: SSAValue) -> Shape:
    return tuple(cast("TensorType[Attribute]", value.type).get_shape())


def members(subgraph: SubgraphOp) -> list[Operation]:
    """The computing ops of a subgraph."""
    inner = [o for o in subgraph.body.block.ops if not isinstance(o, YieldOp)]
    return [o for o in inner if not o.has_trait(ConstantLike)]


def axes_of(op: Operation) -> tuple[int, ...]:
    """The dims that a reduction combines; none for other ops."""
    axes = op.properties.get("axes") if op.name.startswith("snippets.reduce_") else None
    return tuple(axes.get_values()) if isinstance(axes, DenseArrayBase) else ()


def shapes_of(subgraph: SubgraphOp) -> set[Shape]:
    """The shapes that the loops walk: operands of reductions, results of other ops."""
    return {shape_of((o.operands if axes_of(o) else o.results)[0]) for o in members(subgraph)}


def reductions_of(subgraph: SubgraphOp) -> set[tuple[frozenset[int], Shape]]:
    """What the reductions combine: dims counted from the last, and the shape without 1 in front."""
    found: set[tuple[frozenset[int], Shape]] = set()
    for op in members(subgraph):
        if axes := axes_of(op):
            shape = shape_of(op.operands[0])
            found.add((frozenset(a - len(shape) for a in axes), stripped(shape)))
    return found


def stripped(shape: Shape) -> Shape:
    """`shape` without 1 in front."""
    return stripped(shape[1:]) if shape[:1] == (1,) else shape


def outer_value(subgraph: SubgraphOp, value: SSAValue) -> SSAValue:
    """The value of the block passed to an argument of the subgraph."""
    place = list(subgraph.body.block.args).index(cast("BlockArgument", value))
    return subgraph.operands[place]


def through_views(first: SubgraphOp, second: SubgraphOp) -> bool:
    """Whether `second` reads a result of `first` that has to cross the border of subgraphs."""
    for op in members(second):
        if op.name == "snippets.transpose":
            source = op.operands[0]
            if source in second.body.block.args and outer_value(second, source).owner is first:
                return True
    terminator = first.body.block.last_op
    assert terminator is not None
    for value, result in zip(terminator.operands, first.results, strict=True):
        dropped = (
            axes_of(cast("Operation", value.owner))
            and "keep_dims" not in cast("Operation", value.owner).properties
        )
        if dropped and result in second.operands:
            return True
    return False


def broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """NumPy's rule; None when it does not hold."""
    rank = max(len(s) for s in shapes)
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    result: list[int] = []
    for sizes in zip(*padded, strict=True):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            return None
        result.append(others.pop() if others else 1)
    return tuple(result)


def shares_a_loop_nest(first: SubgraphOp, second: SubgraphOp) -> bool:
    """Whether the ops of both can stand in one nest of loops.

    The shapes broadcast to one that an op has, the reductions combine the same dims of it, and
    nothing that one computes is read through a view by the other.
    """
    if any(op.name == "snippets.concat" for one in (first, second) for op in members(one)):
        return False  # its parts have loops of their own
    shapes = shapes_of(first) | shapes_of(second)
    master = broadcast(sorted(shapes))
    if master is None or master not in shapes:
        return False
    reductions = reductions_of(first) | reductions_of(second)
    if len(reductions) > 1 or any(shape != stripped(master) for _, shape in reductions):
        return False
    return not through_views(first, second) and not through_views(second, first)


def mergeable_pairs(block: Block) -> list[tuple[SubgraphOp, SubgraphOp]]:
    """Subgraphs of which one reads the other, that could be one without a cycle."""
    ops, reach = reachability(block)
    found: list[tuple[SubgraphOp, SubgraphOp]] = []
    index = {op: i for i, op in enumerate(ops)}
    for i, op in enumerate(ops):
        if not isinstance(op, SubgraphOp):
            continue
        for user in users_of(op, block):
            if not isinstance(user, SubgraphOp) or not shares_a_loop_nest(op, user):
                continue
            target = 1 << index[user]
            between = [k for k in range(i + 1, index[user]) if reach[i] >> k & 1]
            if not any(reach[k] & target for k in between):
                found.append((op, user))
    return found


def function_blocks(module: ModuleOp) -> list[Block]:
    """The blocks of the functions of a module."""
    functions = [op for op in module.ops if isinstance(op, FuncOp)]
    return [block for function in functions for block in function.body.blocks]
