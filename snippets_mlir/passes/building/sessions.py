"""Group ops into sessions of onnxruntime: nodes of a `program.graph`, or ops of a host function.

    onnx.node "Conv"       0: the first session
    lir.call @k0           1
    onnx.node "Conv"       2: the second one

Ops of one level (`dialects/program/levels.py`) are one session. A session has one version of each
operator domain, and our ops only from opset 7 of ONNX on: it is split where ops differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation

from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.levels import levels
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.engine_forms import FIRST_OPSET


def ops_of(members: Iterable[Operation]) -> list[Operation]:
    """The ops of members: those of a graph's nodes, else the members themselves."""
    found: list[Operation] = []
    for op in members:
        found.extend(op.block.ops if isinstance(op, NodeOp) else (op,))
    return found


def versions_of(members: Iterable[Operation]) -> dict[str, int] | None:
    """Domain -> version of the operators of members; None if one session cannot have them all."""
    versions: dict[str, int] = {}
    ops = ops_of(members)
    for op in ops:
        if isinstance(op, OnnxNodeOp):
            for domain, version in op.versions.items():
                if versions.setdefault(domain, version) != version:
                    return None
    ours = any(isinstance(op, ComputeOp) and not isinstance(op, OnnxNodeOp) for op in ops)
    return None if ours and versions.get("", FIRST_OPSET) < FIRST_OPSET else versions


def split_by_version(region: Sequence[Operation]) -> list[tuple[Operation, ...]]:
    """Split a convex set of ops into convex sets for sessions, in a valid order.

    An op joins the first set with its versions that does not come before the set of an operand, so
    no path leaves a set and comes back.
    """
    if versions_of(region) is not None:
        return [tuple(region)]
    parts: list[list[Operation]] = []
    part_of: dict[object, int] = {}
    for op in region:
        first = max((part_of.get(value.owner, 0) for value in op.operands), default=0)
        fitting = (n for n in range(first, len(parts)) if versions_of([*parts[n], op]) is not None)
        part_of[op] = number = next(fitting, len(parts))
        if number == len(parts):
            parts.append([])
        parts[number].append(op)
    return [tuple(part) for part in parts]


def sessions_of(
    ops: Iterable[Operation], is_engine: Callable[[Operation], bool]
) -> list[tuple[Operation, ...]]:
    """The maximal convex sets of a block's ops that an engine runs, each in text order."""
    regions: dict[int, list[Operation]] = {}
    for op, level in levels(ops, is_engine).items():
        if is_engine(op):
            regions.setdefault(level, []).append(op)
    return [part for level in sorted(regions) for part in split_by_version(regions[level])]
