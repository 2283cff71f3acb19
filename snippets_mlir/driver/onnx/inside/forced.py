"""Nodes that `force_impl` puts into kernels inside: `PATTERN:inside`, `PATTERN:onnxruntime`.

    gate:inside, soft:inside      both are in kernels, whether these pay or not; other nodes in none

A pattern matches a node of the model after onnxruntime's optimizer, by its name or the name of its
result. Nodes that onnxruntime has fused into another node, or computed at load time, no longer
exist.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

import onnx

from snippets_mlir.driver.onnx.inside.chain import Chain
from snippets_mlir.passes.building.forcing import no_match, parse_force
from snippets_mlir.support.errors import CompileError

INSIDE, ENGINE = "inside", "onnxruntime"


def forces_inside(pairs: Sequence[str]) -> bool:
    """Whether some of the pairs ask for kernels inside.

    Raises:
        CompileError: other pairs request steps beside the session, which would cut it.
    """
    kinds = [(pattern, kind) for pair in pairs for pattern, kind in parse_force(pair)]
    inside = next((pattern for pattern, kind in kinds if kind == INSIDE), None)
    if inside is None:
        return False
    for pattern, kind in kinds:
        if kind not in (INSIDE, ENGINE):
            raise CompileError(
                f"force: '{inside}:{INSIDE}' needs the model in one session, and "
                f"'{pattern}:{kind}' cuts it"
            )
    return True


def forced_places(graph: onnx.GraphProto, force: str) -> frozenset[int]:
    """The positions of the nodes that are forced inside; the last pair that matches wins.

    Raises:
        CompileError: a pattern matches no node.
    """
    names = [[n for n in (node.name, *node.output) if n] for node in graph.node]
    kinds: dict[int, str] = {}
    for pattern, kind in parse_force(force):
        matched = [i for i, own in enumerate(names) if any(fnmatchcase(n, pattern) for n in own)]
        if not matched:
            raise no_match(pattern, (name for own in names for name in own))
        kinds |= dict.fromkeys(matched, kind)
    return frozenset(place for place, kind in kinds.items() if kind == INSIDE)


def check_forced(chains: Sequence[Chain], graph: onnx.GraphProto, only: Collection[int]) -> None:
    """Refuse a node of `only` that is in no chain with a kernel.

    Raises:
        CompileError: naming the first such node.
    """
    made = {place for chain in chains for place in chain.nodes}
    for place in sorted({*only} - made):
        node = graph.node[place]
        raise CompileError(
            f'"{node.name or node.output[0]}": {INSIDE} is forced and refused it: a kernel inside '
            f"takes elementwise nodes on float32 tensors of one known shape, not this "
            f"{node.op_type}"
        )
