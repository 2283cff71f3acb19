"""Build and edit nodes of a `program.graph`, for all passes that make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, Operation, Region, SSAValue

from snippets_mlir.dialects.program.attributes import Impl
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.support.walking import used_outside


class Ids:
    """Unique ids: the first use of a name gets the name, the next `name_1`, `name_2`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        """`name`, or `name` with a number."""
        found, number = name, self._next.get(name, 1)
        while found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._next[name] = number
        self._taken.add(found)
        return found


def origins_of(node: NodeOp) -> tuple[str, ...]:
    """The names of the model's ops in a node: its `origin`, else its id."""
    return node.origin_names or (node.id.data,)


def merge_nodes(members: Sequence[NodeOp], id: str) -> NodeOp:
    """One node for the ops of `members`, which are in a valid order.

    It replaces the first one, and its results are those with other readers, in order; the members
    are erased. `sort_graph` puts it after its operands. Its cost is the sum of theirs, if all are
    known.
    """
    inside = {value for node in members for value in node.outputs}
    ops = set(members)
    reads = list(dict.fromkeys(v for n in members for v in n.inputs if v not in inside))
    writes = used_outside(members, ops)
    block = Block(arg_types=[v.type for v in reads])
    values: dict[SSAValue, SSAValue] = dict(zip(reads, block.args, strict=True))
    for value, argument in values.items():
        argument.name_hint = value.name_hint
    for node in members:
        move_body(node, block, values)
    block.add_op(YieldOp([values[v] for v in writes]))
    origin = tuple(dict.fromkeys(name for node in members for name in origins_of(node)))
    merged = NodeOp(id, reads, [v.type for v in writes], Region(block), _how(members), origin)
    merged.location = members[0].location
    parent = members[0].parent
    assert parent is not None
    parent.insert_op_before(merged, members[0])
    for value, result in zip(writes, merged.outputs, strict=True):
        result.name_hint = value.name_hint
        value.replace_uses_with_if(result, lambda use: use.operation not in ops)
    for node in reversed(members):
        parent.erase_op(node)
    return merged


def _how(members: Sequence[NodeOp]) -> Impl | None:
    """The common implementation of all members; None if it is not decided."""
    found = [node.how for node in members if node.how is not None]
    if len(found) < len(members):
        return None
    costs = [impl.cost for impl in found if impl.cost is not None]
    scratch = [impl.scratch for impl in found if impl.scratch is not None]
    cost = sum(costs) if len(costs) == len(found) else None
    return Impl(found[-1].kind, found[-1].symbol, cost, max(scratch, default=None))


def move_body(node: NodeOp, block: Block, values: dict[SSAValue, SSAValue]) -> None:
    """Move the ops of a node's body to the end of `block`.

    `values` maps the graph's values to the block's: the inputs are read, the results are added.
    """
    for argument, value in zip(node.block.args, node.inputs, strict=True):
        argument.replace_all_uses_with(values[value])
    results = node.results_inside
    values.update(zip(node.outputs, results, strict=True))
    for op in list(node.block.ops)[:-1]:
        op.detach()
        block.add_op(op)


def sort_graph(graph: GraphOp) -> None:
    """Put every op after its operands, as close to text order as possible."""
    block = graph.block
    put_in_order(block, list(block.ops))


def in_order(wanted: Sequence[Operation]) -> list[Operation]:
    """Ops of a block in the order `wanted`, each after its operands; there is no cycle."""
    order: dict[Operation, bool] = {}
    for first in wanted:
        stack = [first]
        while stack:
            op = stack[-1]
            owners = (v.owner for v in op.operands)
            missing = [o for o in owners if isinstance(o, Operation) and o not in order]
            if missing:
                stack.extend(reversed(missing))
                continue
            order[op] = True
            stack.pop()
    return list(order)


def put_in_order(block: Block, wanted: Sequence[Operation]) -> None:
    """Put the ops of a block in the order `wanted`, each after its operands; it has no cycle."""
    for op in in_order(wanted):
        op.detach()
        block.add_op(op)
