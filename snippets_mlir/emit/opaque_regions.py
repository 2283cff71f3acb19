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

Opaque ops that read nothing but constants, such as weights that a model spells out as a fill, run
in the first region that reads them: an engine packs what it knows to be constant.

Constants have no level. `own_constants` gives each region its own copy of those it shares (engines
fold and pack what they know to be constant), and then they belong to the region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike, IsTerminator

from snippets_mlir.dialects.snippets.engine_forms import runs_in_engine

OPAQUE = "onnx.node"


def is_opaque_node(op: Operation) -> bool:
    """Whether an engine runs `op` together with others of its kind: `onnx.node` and marked ops."""
    return op.name == OPAQUE or runs_in_engine(op)


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


def _region_levels(func: Operation) -> dict[Operation, int]:
    """The level of every node of a region, in program order."""
    found = levels(func.regions[0].block.ops)
    return {op: level for op, level in found.items() if level % 2 == 0}


def _constants(func: Operation) -> list[Operation]:
    return [op for op in func.regions[0].block.ops if op.has_trait(ConstantLike)]


def own_constants(func: Operation) -> None:
    """Copy each constant that a region shares with other ops (edits `func`).

    The copies come right after the constant; the regions' nodes read them instead.
    """
    level_of, rewriter = _region_levels(func), Rewriter()
    for constant in _constants(func):
        (value,) = constant.results
        readers = [use.operation for use in value.uses]
        regions = sorted({level_of[op] for op in readers if op in level_of})
        if all(op in level_of for op in readers):
            regions = regions[1:]  # the first region keeps the constant itself
        place = constant
        for level in regions:
            copy = constant.clone()
            rewriter.insert_op(copy, InsertPoint.after(place))
            value.replace_uses_with_if(
                copy.results[0], lambda use, level=level: level_of.get(use.operation) == level
            )
            place = copy


def build_regions(func: Operation) -> list[tuple[Operation, ...]]:
    """The regions of `func`'s body in running order, each in program order.

    A region is its nodes and the constants that only its nodes read.
    """
    level_of = _region_levels(func)
    for constant in _constants(func):
        readers = {level_of.get(use.operation) for use in constant.results[0].uses}
        level = readers.pop() if len(readers) == 1 else None
        if level is not None:
            level_of[constant] = level
    regions: dict[int, list[Operation]] = {level: [] for level in sorted(set(level_of.values()))}
    for op in func.regions[0].block.ops:
        if op in level_of:
            regions[level_of[op]].append(op)
    return [tuple(ops) for ops in regions.values()]
