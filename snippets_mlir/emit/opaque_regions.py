"""Cut a host function into kernels and maximal convex regions of opaque ops.

    %0 = onnx.node "Conv"(%x, %w)          region 0 (the first session)
    %1 = lir.call @k0(%0)                  lir.call
    %2 = onnx.node "Conv"(%1, %w)          region 1 (the second session)

A set of ops is convex when no path leaves it and comes back; only then can one call compute it.
Every op gets the number of times that a path to it must change between opaque ops and others (its
level, even for opaque ops, odd for others). All opaque ops of one level are one region, whether
they touch or not. A value only goes to an equal or a higher level, so each region is convex and the
steps in order of level can run; and every op of level n + 2 hangs on one of level n through
another kind of op, so no two regions could be one. Constants have no level: a region holds a
copy of those it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

OPAQUE = "onnx.node"


@dataclass(frozen=True)
class Region:
    """Opaque ops that run as one call.

    `ops` are the `onnx.node` ops in program order, `constants` the constant ops they read, `inputs`
    the other values they read, `outputs` the results used outside the region, in program order.
    """

    ops: tuple[Operation, ...]
    constants: tuple[Operation, ...]
    inputs: tuple[SSAValue, ...]
    outputs: tuple[SSAValue, ...]


def _is_opaque(op: Operation) -> bool:
    return op.name == OPAQUE


def levels(
    ops: Iterable[Operation], is_opaque: Callable[[Operation], bool] = _is_opaque
) -> dict[Operation, int]:
    """The level of every op of a block but constants and the terminator (module docstring)."""
    result: dict[Operation, int] = {}
    for op in ops:
        if op.has_trait(IsTerminator) or op.has_trait(ConstantLike):
            continue
        opaque = is_opaque(op)
        level = 0 if opaque else -1
        for operand in op.operands:
            source = result.get(operand.owner) if isinstance(operand.owner, Operation) else None
            if source is not None:
                level = max(level, source + (source % 2 != (0 if opaque else 1)))
        result[op] = level
    return result


def _region(ops: Sequence[Operation]) -> Region:
    inside = set(ops)
    constants: dict[Operation, None] = {}
    inputs: dict[SSAValue, None] = {}
    outputs: list[SSAValue] = []
    for op in ops:
        for operand in op.operands:
            owner = operand.owner
            if owner in inside:
                continue
            if isinstance(owner, Operation) and owner.has_trait(ConstantLike):
                constants[owner] = None
            else:
                inputs[operand] = None
        outputs += [r for r in op.results if any(use.operation not in inside for use in r.uses)]
    return Region(tuple(ops), tuple(constants), tuple(inputs), tuple(outputs))


def program_steps(func: Operation) -> list[Operation | Region]:
    """The body of `func` as ops and regions, in an order in which they can run.

    Constants come first; ones that only regions read are left out. The terminator is not a step.
    """
    block = func.regions[0].block
    level_of = levels(block.ops)
    grouped: dict[int, list[Operation]] = {}
    for op, level in level_of.items():
        grouped.setdefault(level, []).append(op)
    steps: list[Operation | Region] = [
        op
        for op in block.ops
        if op not in level_of
        and not op.has_trait(IsTerminator)
        and any(not _is_opaque(use.operation) for use in op.results[0].uses)
    ]
    for level in sorted(grouped):
        steps += grouped[level] if level % 2 else [_region(grouped[level])]
    return steps


def build_regions(func: Operation) -> list[Region]:
    """Only the regions of `program_steps`, in running order."""
    return [step for step in program_steps(func) if isinstance(step, Region)]
