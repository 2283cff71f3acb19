"""Cut a host function into maximal convex regions of opaque ops.

    %0 = onnx.node "Conv"(%x, %w)          region 0 (the first session)
    %1 = lir.call @k0(%0)                  in no region
    %2 = onnx.node "Conv"(%1, %w)          region 1 (the second session)

All opaque ops of one level (`dialects/program/levels.py`) are one region.
`own_constants` gives each region its own copy of those it shares (engines
fold and pack what they know to be constant), and then they belong to the region.
"""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.program.levels import levels
from snippets_mlir.dialects.snippets.engine_forms import runs_in_engine

OPAQUE = "onnx.node"


def is_opaque_node(op: Operation) -> bool:
    """Whether an engine runs `op` together with others of its kind: `onnx.node` and marked ops."""
    return op.name == OPAQUE or runs_in_engine(op)


def _region_levels(func: Operation) -> dict[Operation, int]:
    """The level of every node of a region, in program order."""
    found = levels(func.regions[0].block.ops, is_opaque_node)
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
