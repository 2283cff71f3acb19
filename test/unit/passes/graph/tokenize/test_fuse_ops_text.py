"""`snippets-fuse-ops` on random text, against the naive rules on a graph made by hand here."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import pytest
from naive_fuse_ops import BC, EW, INJ, OEF, OPQ, RED, TUP, NaiveFuseOps, Options, Spec
from sampled import sampled
from xdsl.dialects.builtin import IntegerAttr

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.graph.tokenize.snippets_fuse_ops import SnippetsFuseOpsPass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

KINDS = {
    EW: "elemwise",
    BC: "broadcast",
    INJ: "injective",
    RED: "comm_reduce",
    OEF: "out_elemwise_fusable",
    OPQ: "opaque",
}
TYPES = ("tensor<4xf32>", "tensor<2x4xf32>", "tensor<f32>")


@dataclass
class Op:
    """An op of the text: kind, operands (negative: arguments), type; no operands: a scalar."""

    kind: int
    reads: list[int]
    type: str


def random_ops(random: Random) -> tuple[list[Op], list[int]]:
    ops: list[Op] = []
    for number in range(random.randint(1, 30)):
        if random.random() < 0.15:
            ops.append(Op(EW, [], TYPES[2]))
            continue
        reads = [random.randrange(max(-2, number - 5), number) for _ in range(random.randint(1, 3))]
        kind = random.choice((EW, EW, BC, BC, BC, INJ, RED, OEF, OPQ))
        ops.append(Op(kind, reads, random.choice(TYPES[:2])))
    return ops, random.sample(range(len(ops)), random.randint(1, min(2, len(ops))))


def text_of(ops: list[Op], returned: list[int]) -> str:
    """The function, with the number of each op as an attribute."""

    def types(values: list[int]) -> str:
        return ", ".join(TYPES[0] if v < 0 else ops[v].type for v in values)

    def names(values: list[int]) -> str:
        return ", ".join(f"%a{-v}" if v < 0 else f"%v{v}" for v in values)

    lines = [f"func.func @main(%a1: {TYPES[0]}, %a2: {TYPES[0]}) -> ({types(returned)}) {{"]
    for number, op in enumerate(ops):
        tag = f"number = {number} : i64"
        if op.reads:
            attributes = f'{{fuse.pattern = "{KINDS[op.kind]}", {tag}}}'
            signature = f"({types(op.reads)}) -> {op.type}"
            lines.append(f'%v{number} = "t.k"({names(op.reads)}) {attributes} : {signature}')
        else:
            lines.append(f"%v{number} = snippets.scalar {number}.0 : f32 {{{tag}}}")
    return "\n".join([*lines, f"func.return {names(returned)} : {types(returned)}", "}"])


def relay_groups(ops: list[Op], returned: list[int], options: Options) -> set[frozenset[int]]:
    """The groups by the rules of Relay, by the numbers of the ops."""
    graph = [Spec(OPQ, True, "var", arguments=1) for _ in range(2)]
    place: dict[int, int] = {-1: 0, -2: 1}

    def add(number: int) -> None:
        if number in place:
            return
        op = ops[number]
        for read in op.reads:
            add(read)
        uses: list[tuple[int, int]] = []
        for read in op.reads:
            same = (TYPES[0] if read < 0 else ops[read].type) == op.type
            uses.append((place[read], EW if op.kind == BC and same else op.kind))
        spec = Spec(op.kind, role="call" if op.reads else "constant", uses=uses)
        spec.arguments = sum(read < 0 for read in op.reads)
        place[number] = len(graph)
        graph.append(spec)

    for number in returned:
        add(number)
    if len(returned) == 1:
        graph[place[returned[0]]].extern = True
    else:
        graph.append(Spec(TUP, True, "tuple", [(place[n], INJ) for n in returned]))
    for number in range(len(ops)):
        add(number)
    numbers = {index: number for number, index in place.items() if number >= 0}
    groups = NaiveFuseOps(graph, options).groups()
    return {frozenset(numbers[i] for i in g) for g in groups if g & numbers.keys()}


@pytest.mark.parametrize("seed", sampled(range(150), 5))
def test_random_text(seed: int) -> None:
    """The subgraphs hold the groups; what is in none is a group alone."""
    random = Random(seed)
    ops, returned = random_ops(random)
    options = Options(2, random.choice((256, 2, 4, 8)), random.choice((0, 0, 2, 4)))
    context = make_context(allow_unregistered=True)
    module = parse_module(text_of(ops, returned), context)
    fuse = SnippetsFuseOpsPass(max_fuse_depth=options.depth, max_function_args=options.arguments)
    fuse.apply(context, module)
    module.verify()
    found: dict[object, set[int]] = {}
    for op in module.walk():
        if isinstance(number := op.attributes.get("number"), IntegerAttr):
            around = op.parent_op()
            group = around if isinstance(around, SubgraphOp) else op
            found.setdefault(group, set()).add(number.value.data)
    assert {frozenset(g) for g in found.values()} == relay_groups(ops, returned, options)
