"""Random DAGs for the fusion rules, and the same graph in both forms.

PYTHONPATH=. python test/support/random_fusion_graphs.py 20000     compares the two implementations
"""

from __future__ import annotations

import sys
from random import Random

from naive_fuse_ops import (
    BC,
    EW,
    INJ,
    OEF,
    OPQ,
    RED,
    TUP,
    NaiveFuseOps,
    Options,
    Spec,
)

from snippets_mlir.analysis.fusion.graph import FusionGraph, Role
from snippets_mlir.analysis.fusion.rules import Fusion, FusionOptions
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind

MAX_OPS = 40
CALLS = (EW, EW, EW, BC, BC, INJ, INJ, RED, OEF, OPQ)


def random_graph(random: Random) -> list[Spec]:
    """Variables, constants, then ops that read earlier nodes, mostly near ones."""
    graph: list[Spec] = []
    dynamic = random.random() < 0.2
    for _ in range(random.randint(1, 3)):
        graph.append(Spec(OPQ, True, "var", arguments=1 + 3 * dynamic * random.randint(0, 1)))
    opaque = random.random() * 0.3
    reach = random.choice((2, 4, 40))
    for _ in range(random.randint(1, MAX_OPS)):
        graph.append(_random_node(random, graph, opaque, reach, dynamic=dynamic))
    used = {n for spec in graph for n, _ in spec.uses}
    for number, spec in enumerate(graph):
        if number not in used or random.random() < 0.03:
            spec.extern = True
        if random.random() < 0.02 and number not in used:
            spec.extern = False
    return graph


def _random_node(
    random: Random, graph: list[Spec], opaque: float, reach: int, *, dynamic: bool
) -> Spec:
    role = random.choices(("call", "constant", "tuple", "get"), (20, 2, 2, 2))[0]
    if role == "constant":
        return Spec(random.choice((EW, OPQ)), role=role)
    first = max(0, len(graph) - reach) if random.random() < 0.9 else 0
    count = 1 if role == "get" else random.choice((1, 1, 2, 2, 3))
    used = [random.randrange(first, len(graph)) for _ in range(count)]
    if role == "tuple":
        spec = Spec(TUP, role=role, uses=[(n, INJ) for n in used])
    elif role == "get":
        spec = Spec(INJ, role=role, uses=[(n, INJ) for n in used])
    else:
        kind = OPQ if random.random() < opaque else random.choice(CALLS)
        edges = [EW if kind == BC and random.random() < 0.7 else kind for _ in used]
        spec = Spec(kind, uses=list(zip(used, edges, strict=True)))
        spec.dynamic = random.randint(0, 2) if dynamic else 0
    if role != "get":
        read = [graph[n] for n in used if graph[n].role in ("var", "get")]
        spec.arguments = sum(s.arguments if s.role == "var" else 1 for s in read)
    return spec


def random_options(random: Random) -> Options:
    """Mostly level 2 without limits."""
    return Options(
        level=random.choice((0, 1, 2, 2, 2, 2)),
        depth=random.choice((256, 256, 256, 1, 2, 3, 4, 5, 8, 10)),
        arguments=random.choice((0, 0, 0, 1, 2, 3, 4, 5, 8)),
    )


def fusion_graph(graph: list[Spec]) -> FusionGraph:
    """The graph as the analysis takes it."""
    result = FusionGraph()
    for spec in graph:
        node = result.add_node(
            PatternKind(spec.kind), role=Role(spec.role), is_extern=spec.extern, label="op"
        )
        node.argument_count, node.dynamic_dims = spec.arguments, spec.dynamic
    for number, spec in enumerate(graph):
        for used, kind in spec.uses:
            result.add_edge(result.nodes[used], result.nodes[number], PatternKind(kind))
    return result


def groups_of(fusion: Fusion) -> set[frozenset[int]]:
    """The sets of nodes that are together."""
    return {frozenset(members) for members in fusion.groups.members().values()}


def difference(seed: int) -> str | None:
    """What the two implementations say differently about the graph of a seed, or None."""
    random = Random(seed)
    graph, options = random_graph(random), random_options(random)
    expected = NaiveFuseOps(graph, options).groups()
    limits = FusionOptions(options.level, options.depth, options.arguments)
    found = groups_of(Fusion(fusion_graph(graph), limits))
    if found == expected:
        return None
    lines = [f"seed {seed}, {options}", *(f"{i}: {spec}" for i, spec in enumerate(graph))]
    lines += [f"expected {sorted(map(sorted, expected - found))}"]
    return "\n".join([*lines, f"found {sorted(map(sorted, found - expected))}"])


def main() -> int:
    """Compare on as many graphs as the command line says."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    wrong = 0
    for seed in range(count):
        if (text := difference(seed)) is not None:
            wrong += 1
            print(text)
            if wrong >= 3:
                return 1
    print(f"{count} random graphs, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
