"""The meaning of `force_impl` for the ops of an imported ONNX model.

    node "soft" makes the tensor "layer/b"      %layer_b = snippets.elu %a
    soft:reference, layer/*:reference, layer_b:reference      all three name the op

A pattern matches a node by its name in the model or by the names of its result tensors, or an op by
its name in the text. The ops of a forced node get unique names, so that the passes can refer to
each of them.

The passes may fold some of the ops that `*:reference` matches. So it has to match a node of the
model, but not each of its ops has to become a node of the program. If a pattern matches only one
op, that op has to.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from typing import NamedTuple

import onnx
from xdsl.ir import Block, Operation

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.frontends.onnx import Imported
from snippets_mlir.passes.building.forcing import MAY_MATCH_NONE, no_match, parse_force
from snippets_mlir.passes.building.names import base_name
from snippets_mlir.passes.building.programs import Ids
from snippets_mlir.support.errors import CompileError


class Forced(NamedTuple):
    """A forced choice for an op: the kind, and whether the pattern matches no other op."""

    kind: str
    is_alone: bool


def forced_nodes(
    imported: Imported, block: Block, nodes: Sequence[onnx.NodeProto], force: str
) -> dict[Operation, Forced]:
    """Op -> its forced implementation; the last matching pair wins.

    Args:
        imported: the import.
        block: of its function.
        nodes: of the model.
        force: pairs `PATTERN:KIND`, with `|` between.

    Raises:
        CompileError: a pattern matches nothing, or nothing that runs.
    """
    found: dict[Operation, Forced] = {}
    pairs = parse_force(force)
    names: Mapping[Operation, Collection[str]] = {}
    if pairs:
        names = _names(imported, block, nodes)
    for pattern, kind in pairs:
        matched = [op for op, own in names.items() if any(fnmatchcase(n, pattern) for n in own)]
        if not matched:
            _refuse_optimised_out(pattern, nodes)
            raise no_match(pattern, (name for own in names.values() for name in own))
        found |= dict.fromkeys(matched, Forced(kind, len(matched) == 1))
    return found


def _refuse_optimised_out(pattern: str, nodes: Sequence[onnx.NodeProto]) -> None:
    """Raise CompileError for a pattern that matches nodes without an op in the import."""
    every = [[name for name in (node.name, *node.output) if name] for node in nodes]
    found = [own[0] for own in every if any(fnmatchcase(name, pattern) for name in own)]
    if found:
        named = ", ".join(f'"{name}"' for name in found[:10])
        raise CompileError(
            f"force: '{pattern}' matches only nodes that are optimised out, which nothing runs: "
            f"{named}{', ...' if len(found) > 10 else ''}"
        )


def _names(
    imported: Imported, block: Block, nodes: Sequence[onnx.NodeProto]
) -> Mapping[Operation, Collection[str]]:
    """The names of each computing op, the model's names first."""
    found: dict[Operation, Collection[str]] = {}
    for op in block.ops:
        if not isinstance(op, ComputeOp | NodeOp):
            continue
        place = imported.origins.get(op)
        node = None if place is None else nodes[place]
        own = () if node is None else (node.name, *node.output)
        found[op] = dict.fromkeys([*filter(None, own), base_name(op)])
    return found


def pairs_for(block: Block, forced: Mapping[Operation, Forced]) -> tuple[str, ...]:
    """Pairs `NAME:KIND` for the passes; ops with ambiguous names get new ones."""
    counts: dict[str, int] = {}
    arguments = (value.name_hint or "" for value in block.args)
    for name in (*arguments, *map(base_name, block.ops)):
        counts[name] = counts.get(name, 0) + 1
    ids = Ids(counts)
    pairs: list[str] = []
    for op, (kind, is_alone) in forced.items():
        name = base_name(op)
        if counts[name] > 1 and isinstance(op, ComputeOp):
            name = ids.fresh(f"{name}.at")
            op.results[0].name_hint = name
        mark = "" if is_alone else MAY_MATCH_NONE
        pairs.append(f"{escape(name).replace('|', '?')}:{kind}{mark}")
    return tuple(pairs)
