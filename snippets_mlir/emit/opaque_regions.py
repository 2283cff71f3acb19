"""Cut a host function into maximal convex regions of opaque ops.

    %0 = onnx.node "Conv"(%x, %w)          region 0 (the first session)
    %1 = lir.call @k0(%0)                  in no region
    %2 = onnx.node "Conv"(%1, %w)          region 1 (the second session)

A set of ops is convex when no path leaves it and comes back; only then can one call compute it.
Every op gets the number of times that a path to it must change between opaque ops and others (its
level, even for opaque ops, odd for others). All opaque ops of one level are one region, whether
they touch or not. A value only goes to an equal or a higher level, so each region is convex and the
regions in order of level, the others between them, can run; and every region of level n + 2 has an
op that hangs on one of level n through another kind of op, so no two regions could be one.

Constants have no level. `own_constants` gives each region its own copy of those it shares (engines
fold and pack what they know to be constant), and then they belong to the region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, IsTerminator

OPAQUE = "onnx.node"


def is_opaque_node(op: Operation) -> bool:
    """Whether an engine runs `op` together with others of its kind."""
    return op.name == OPAQUE


def levels(
    ops: Iterable[Operation], is_opaque: Callable[[Operation], bool] = is_opaque_node
) -> dict[Operation, int]:
    """The level of every op of a block but constants and the terminator (module docstring)."""
    result: dict[Operation, int] = {}
    for op in ops:
        if op.has_trait(IsTerminator) or op.has_trait(ConstantLike):
            continue
        parity = 0 if is_opaque(op) else 1
        level = parity and -1
        for operand in op.operands:
            owner = operand.owner
            if isinstance(owner, Operation) and owner in result:
                level = max(level, result[owner] + (result[owner] % 2 != parity))
        result[op] = level
    return result


def _nodes_by_level(func: Operation) -> list[list[Operation]]:
    grouped: dict[int, list[Operation]] = {}
    for op, level in levels(func.regions[0].block.ops).items():
        if level % 2 == 0:
            grouped.setdefault(level, []).append(op)
    return [grouped[level] for level in sorted(grouped)]


def own_constants(func: Operation) -> None:
    """Copy each constant that a region shares with other ops (edits `func`).

    The copy stands right behind the constant; the region's nodes read it instead.
    """
    rewriter = Rewriter()
    for nodes in _nodes_by_level(func):
        inside = set(nodes)
        read = {v.owner: None for op in nodes for v in op.operands}
        for constant in read:
            if not isinstance(constant, Operation) or not constant.has_trait(ConstantLike):
                continue
            (value,) = constant.results
            if all(use.operation in inside for use in value.uses):
                continue
            copy = constant.clone()
            copy.results[0].name_hint = value.name_hint
            rewriter.insert_op(copy, InsertPoint.after(constant))
            value.replace_uses_with_if(copy.results[0], lambda use: use.operation in inside)


def build_regions(func: Operation) -> list[tuple[Operation, ...]]:
    """The regions of `func`'s body in running order, each in program order.

    A region is its nodes and the constants that only its nodes read.
    """
    block, regions = func.regions[0].block, list[tuple[Operation, ...]]()
    for nodes in _nodes_by_level(func):
        members = set(nodes)
        for op in block.ops:
            if op.has_trait(ConstantLike) and op.results[0].first_use is not None:
                if all(use.operation in members for use in op.results[0].uses):
                    members.add(op)
        regions.append(tuple(op for op in block.ops if op in members))
    return regions
