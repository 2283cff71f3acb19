"""Maximal convex sets of ops that one call may compute together.

    %0 = onnx.node "Conv"(%x, %w)          level 0 (the first session)
    %1 = lir.call @k0(%0)                  level 1
    %2 = onnx.node "Conv"(%1, %w)          level 2 (the second session)

A set of ops is convex if no path leaves it and returns; only then can one call compute it. The
level of an op is the number of times that a path to it must change between opaque and other ops. It
is even for opaque ops, odd for other ops. All opaque ops of one level form one region, whether they
are connected or not. A value only flows to an equal or higher level. So each region is convex, and
the regions can run in order of level, with the other ops between them. Every region of level n + 2
has an op that depends on an op of level n through an op of the other kind, so no two regions can be
merged.

Opaque ops that read only constants, such as weights that a model writes as a fill, run in the first
region that reads them, because an engine packs known constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation
from xdsl.traits import ConstantLike, IsTerminator


def levels(
    ops: Iterable[Operation], is_opaque: Callable[[Operation], bool]
) -> dict[Operation, int]:
    """The level of every op of a block except constants and the terminator (module docstring)."""
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
    _sink_sources(result, is_opaque)
    return result


def _sink_sources(result: dict[Operation, int], is_opaque: Callable[[Operation], bool]) -> None:
    """Give opaque ops that read only constants the lowest level of their readers."""
    sources: dict[Operation, None] = {}
    for op in result:
        owners = [v.owner for v in op.operands]
        if is_opaque(op) and all(
            isinstance(o, Operation) and (o in sources or o.has_trait(ConstantLike)) for o in owners
        ):
            sources[op] = None
    for op in reversed(sources):
        users = {use.operation for value in op.results for use in value.uses}
        found = [result[user] // 2 * 2 for user in users if user in result]
        if found and len(found) == len(users):
            result[op] = max(0, min(found))
