"""An independent check of tokenized functions: shares no code with the tokenizer.

Reachability is a matrix of bits over the ops of a block, computed backwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation
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


def shapes_of(subgraph: SubgraphOp) -> set[Shape]:
    """The result shapes of the computing ops of a subgraph."""
    inner = [o for o in subgraph.body.block.ops if not isinstance(o, YieldOp)]
    return {
        tuple(cast("TensorType[Attribute]", r.type).get_shape())
        for o in inner
        if not o.has_trait(ConstantLike)
        for r in o.results
    }


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
    """Whether the shapes of both broadcast to one that one of their ops has."""
    shapes = shapes_of(first) | shapes_of(second)
    master = broadcast(sorted(shapes))
    return master is not None and master in shapes


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
