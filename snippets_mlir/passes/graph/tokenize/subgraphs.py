"""Move ops into a subgraph and out of it again."""

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.graph.tokenize.groups import goes_inside, inputs_of
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.walking import used_outside


def make_subgraph(members: Sequence[Operation]) -> SubgraphOp:
    """Move `members` into a new subgraph; users outside read its results."""
    inputs, outputs = inputs_of(members), used_outside(members, set(members))
    body = Block(arg_types=[v.type for v in inputs])
    inside = dict(zip(inputs, body.args, strict=True))
    constants: dict[SSAValue, SSAValue] = {}
    for value, argument in inside.items():
        argument.name_hint = value.name_hint
    for op in members:
        op.detach()
        op.attributes.pop(REASON, None)
        for index, value in enumerate(op.operands):
            if goes_inside(op, index):
                if value not in constants:
                    assert isinstance(value.owner, Operation)
                    copy = value.owner.clone()
                    body.add_op(copy)
                    constants[value] = copy.results[0]
                op.operands[index] = constants[value]
            elif value in inside:
                op.operands[index] = inside[value]
        body.add_op(op)
    subgraph = SubgraphOp(inputs, [v.type for v in outputs], Region(body))
    subgraph.location = members[-1].location
    moved = set(members)
    for value, result in zip(outputs, subgraph.outputs, strict=True):
        value.replace_uses_with_if(result, lambda use: use.operation not in moved)
        result.name_hint = value.name_hint
    body.add_op(YieldOp(outputs))
    return subgraph


def take_apart(subgraph: SubgraphOp, rewriter: PatternRewriter) -> list[Operation]:
    """Move the ops of a subgraph to its place, and erase it; returns the ops in order."""
    block = subgraph.parent
    assert block is not None
    for argument, value in zip(subgraph.block.args, subgraph.inputs, strict=True):
        argument.replace_all_uses_with(value)
    *ops, terminator = subgraph.block.ops
    results = list(terminator.operands)
    for op in ops:
        op.detach()
        block.insert_op_before(op, subgraph)
    rewriter.replace(subgraph, [], results)
    return ops
