"""Maximal convex sets of ops that one call may compute together.

    %0 = onnx.node "Conv"(%x, %w)          level 0 (the first session)
    %1 = lir.call @k0(%0)                  level 1
    %2 = onnx.node "Conv"(%1, %w)          level 2 (the second session)

A set of ops is convex when no path leaves it and comes back; only then can one call compute it.
Every op gets the number of times that a path to it must change between opaque ops and others (its
level, even for opaque ops, odd for others). All opaque ops of one level are one region, whether
they touch or not. A value only goes to an equal or a higher level, so each region is convex and the
regions in order of level, the others between them, can run; and every region of level n + 2 has an
op that hangs on one of level n through another kind of op, so no two regions could be one.

Opaque ops that read nothing but constants, such as weights that a model spells out as a fill, run
in the first region that reads them: an engine packs what it knows to be constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation
from xdsl.traits import ConstantLike, IsTerminator


def levels(
    ops: Iterable[Operation], is_opaque: Callable[[Operation], bool]
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
    _sink_sources(result, is_opaque)
    return result


def _sink_sources(result: dict[Operation, int], is_opaque: Callable[[Operation], bool]) -> None:
    """Give opaque ops of constants alone the lowest level of the ops that read them."""
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
