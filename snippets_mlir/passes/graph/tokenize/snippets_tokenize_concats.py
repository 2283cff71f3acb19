"""Put concats and the elementwise ops of their parts into `snippets.subgraph` ops.

    %0 = snippets.negative %y                       %2 = snippets.subgraph (%a = %x, %b = %y) {
    %1 = snippets.slice %x                            %0 = snippets.negative %b
    %2 = snippets.concat %0, %1 {axis = 1}  becomes   %1 = snippets.slice %a
                                                      %2 = snippets.concat %0, %1 {axis = 1}
                                                      snippets.yield %2
                                                    }

Each part is computed in loops of its own inside the shared loops over the dims before the axis, and
stored into its place in the result: no part is written and read again. The ops of a part go inside
if they are elementwise, or slices of outside values, and nothing else reads them. So does a
transpose of an outside value, or of such a slice, that keeps the last dim, if only concats read it:
the keys of new tokens after those of a cache. A concat that only another concat reads goes inside,
too. Readers of the result stay outside: they are in another
kernel, which reads whole rows.

Refuses, and prints why:

* N1: the concat has no kernel (E1 to E9 of `analysis/graph/eligibility.py`);
* N2: it has more than `MAX_PARTS` parts, each of which is a loop nest.

Ours: the guide tokenizes no Concat.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.analysis.graph.product_views import is_part_of_a_concat, is_slice_of_a_part
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.concatenation import MAX_PARTS, ConcatOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.building.graph import op_text
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.groups import is_scalar_constant
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.support.attribute_names import REASON


@dataclass(frozen=True)
class Joined:
    """A concat: the ops of its subgraph in order, or the reason why it has none."""

    ops: tuple[Operation, ...]
    reason: str | None = None

    def __str__(self) -> str:
        if self.reason is not None:
            return f"{op_text(self.ops[-1])} stays outside: {self.reason}"
        return "one kernel for " + ", ".join(map(op_text, self.ops))


@dataclass(frozen=True)
class Concats:
    """The concats of a block that no other concat reads."""

    found: tuple[Joined, ...]

    def __str__(self) -> str:
        return "\n".join(map(str, self.found)) or "no concats"


def _goes_along(op: Operation, block: Block) -> bool:
    """Whether `op` can be computed in the kernel of a concat, if nothing else reads it."""
    if op.parent is not block or not isinstance(op, ComputeOp) or is_scalar_constant(op):
        return False
    if isinstance(op, TransposeOp):
        inside = is_part_of_a_concat(op)
    else:
        inside = isinstance(op, ConcatOp | SliceOp) or not isinstance(op, WholeTensorOp)
    return inside and why_not(op) is None


def _viewed_slice(op: Operation, block: Block) -> SliceOp | None:
    """The slice that a transpose reads, if both can be views of one outside value."""
    if not isinstance(op, TransposeOp) or not isinstance(slice_op := op.operand.owner, SliceOp):
        return None
    return slice_op if _goes_along(slice_op, block) and is_slice_of_a_part(slice_op) else None


def ops_before(concat: ConcatOp, order: dict[Operation, int]) -> list[Operation]:
    """The ops that compute only parts of `concat`, and the concat itself, in order."""
    block = concat.parent
    assert block is not None
    members: set[Operation] = {concat}
    views: set[SSAValue] = set()
    waiting = sorted((op for op in _sources(concat)), key=order.__getitem__)
    while waiting:
        op = waiting.pop()
        users = {use.operation for value in op.results for use in value.uses}
        read_by_view = not views.isdisjoint(op.results)
        joins = isinstance(op, ConcatOp)
        if op in members or not users <= members or read_by_view or not _goes_along(op, block):
            continue
        if joins and not all(isinstance(user, ConcatOp) for user in users):
            continue
        if joins and _parts([*members, op]) > MAX_PARTS:
            continue
        members.add(op)
        if isinstance(op, SliceOp | TransposeOp) and _viewed_slice(op, block) is None:
            views.add(op.operand)
        else:
            waiting = sorted({*waiting, *_sources(op)}, key=order.__getitem__)
    return sorted(members, key=order.__getitem__)


def _sources(op: Operation) -> list[Operation]:
    """The ops of the block that compute the operands of `op`."""
    owners = dict.fromkeys(value.owner for value in op.operands)
    return [owner for owner in owners if isinstance(owner, Operation) and owner.parent is op.parent]


def _parts(ops: Sequence[Operation]) -> int:
    """The parts of the last of several nested concats, including those of the others."""
    concats = [op for op in ops if isinstance(op, ConcatOp)]
    return sum(len(op.operands) for op in concats) - (len(concats) - 1)


def _plan(concat: ConcatOp, order: dict[Operation, int]) -> Joined:
    if (reason := why_not(concat)) is not None:
        return Joined((concat,), f"N1: {reason}")
    ops = ops_before(concat, order)
    if (parts := _parts(ops)) > MAX_PARTS:
        return Joined((concat,), f"N2: {parts} parts, above {MAX_PARTS}")
    return Joined(tuple(ops))


def plan_concats(block: Block) -> Concats:
    """The concats of a block, each with the ops of its kernel."""
    order = {op: place for place, op in enumerate(block.ops)}
    found: list[Joined] = []
    taken: set[Operation] = set()
    for op in reversed(list(block.ops)):
        if isinstance(op, ConcatOp) and op not in taken:
            found.append(_plan(op, order))
            taken.update(found[-1].ops)
    return Concats(tuple(reversed(found)))


@dataclass(frozen=True)
class SnippetsTokenizeConcatsPass(GraphPlanPass[Concats]):
    """Gather each concat into a subgraph with the ops of its parts."""

    name = "snippets-tokenize-concats"

    @override
    def plan(self, unit: Block) -> Concats:
        return plan_concats(unit)

    def carry_out(self, unit: Block, plan: Concats) -> None:
        """Replace each concat by a subgraph, or write why it has none."""
        for joined in plan.found:
            concat = joined.ops[-1]
            if joined.reason is not None:
                concat.attributes[REASON] = StringAttr(joined.reason)
                continue
            following = concat.next_op
            assert following is not None
            unit.insert_op_before(make_subgraph(joined.ops), following)
