"""The greedy tokenization algorithm, on plain data: which ops of a block go into which subgraph.

The ops are taken in order. An op that can go into a kernel starts a group of its own and is merged
with the groups that produce its operands, one after the other, in the order of the operands (the
guide's start, attach and merge), when

* T1: nothing outside would have to run both before and after the merged group (`ContractedGraph`,
exact);
* T2: the shapes of its ops broadcast to one shape that one of its ops has: the kernel's loops walk
it;
* T3: it has no more than `max-ops` ops, and
* T4: no more than `max-ios` inputs and outputs.

Afterwards every group is tried with its neighbours once more, and again whenever it has grown: what
stood between two groups may have gone into one of them, and T2 and T4 may come to hold. A merge
elsewhere only adds paths, so at the end no two neighbouring groups can be merged. Source: the
design guide's tokenizer; reference 2.2.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike, is_side_effect_free

from snippets_mlir.analysis.contraction import ContractedGraph
from snippets_mlir.analysis.eligibility import why_not
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp

Shape = tuple[int, ...]


def is_scalar_constant(op: Operation | Block) -> bool:
    """Whether `op` is a constant of one element, which lives inside of kernels."""
    if isinstance(op, ScalarOp):
        return True
    return (
        isinstance(op, ConstantOp)
        and isinstance(op.value, DenseIntOrFPElementsAttr)
        and tensor_of(op.result).element_count() == 1
    )


def values_used(op: Operation) -> list[SSAValue]:
    """The operands of `op` and of what is in its regions."""
    if not op.regions:
        return list(op.operands)
    return [v for inner in op.walk() for v in inner.operands]


@dataclass
class Group:
    """Ops that go into one subgraph.

    Attributes:
        ops: places of the ops in the block.
        shapes: the result shapes of the ops.
        shape: what they broadcast to.
        reads: values from outside, with the number of times that the ops read them; scalar
            constants, which go inside, do not count.
        writes: values of the ops that are read outside, with the number of times.
    """

    ops: list[int]
    shapes: set[Shape]
    shape: Shape
    reads: dict[SSAValue, int]
    writes: dict[SSAValue, int]

    @staticmethod
    def of(op: Operation, place: int) -> "Group":
        """The group of one op."""
        shape = tuple(tensor_of(op.results[0]).get_shape())
        reads: dict[SSAValue, int] = {}
        for value in op.operands:
            if not is_scalar_constant(value.owner):
                reads[value] = reads.get(value, 0) + 1
        writes: dict[SSAValue, int] = {v: v.uses.get_length() for v in op.results if v.first_use}
        return Group([place], {shape}, shape, reads, writes)

    def ios_with(self, other: "Group") -> int:
        """Inputs and outputs of the merged group, in the time of the smaller one."""
        count = len(self.reads) + len(self.writes)
        for value, times in other.reads.items():
            if value in self.writes:
                count -= self.writes[value] == times
            else:
                count += value not in self.reads
        for value, times in other.writes.items():
            inside = self.reads.get(value, 0)
            count += (inside < times) - (inside > 0)
        return count

    def absorb(self, other: "Group", shape: Shape) -> None:
        """Take the ops of the other group in, whose results broadcast with ours to `shape`."""
        self.ops += other.ops
        self.shapes |= other.shapes
        self.shape = shape
        for value, times in other.writes.items():
            if (left := times - self.reads.pop(value, 0)) > 0:
                self.writes[value] = left
        for value, times in other.reads.items():
            if value not in self.writes:
                self.reads[value] = self.reads.get(value, 0) + times
            elif self.writes[value] > times:
                self.writes[value] -= times
            else:
                del self.writes[value]


@dataclass
class Tokens:
    """The outcome: groups of ops, and the order in which groups and other ops run.

    Attributes:
        ops: the ops of the block.
        groups: the groups by their number in the contracted graph.
        order: node numbers, in an order that respects every dependence.
        reasons: why an op is in no group.
    """

    ops: Sequence[Operation]
    groups: dict[int, Group]
    order: list[int]
    reasons: dict[int, str] = field(default_factory=dict[int, str])


class Tokenizer:
    """Forms the groups of one block; `run` gives the outcome."""

    def __init__(self, ops: Sequence[Operation], max_ios: int, max_ops: int) -> None:
        self.ops = ops
        self.max_ios, self.max_ops = max_ios, max_ops
        self.place = {op: i for i, op in enumerate(ops)}
        self.graph = ContractedGraph(len(ops), self._dependences())
        self.groups: dict[int, Group] = {}
        self.reasons: dict[int, str] = {}

    def _dependences(self) -> list[tuple[int, int]]:
        """Producers before their users, and ops with effects in their order."""
        edges: list[tuple[int, int]] = []
        last_effect: int | None = None
        for i, op in enumerate(self.ops):
            edges += [(p, i) for v in values_used(op) if (p := self._producer(v)) is not None]
            if not is_side_effect_free(op):
                if last_effect is not None:
                    edges.append((last_effect, i))
                last_effect = i
        return edges

    def _producer(self, value: SSAValue) -> int | None:
        return self.place.get(value.op) if isinstance(value, OpResult) else None

    def run(self) -> Tokens:
        """Form the groups and order them."""
        for i, op in enumerate(self.ops):
            if (reason := why_not(op)) is not None:
                self.reasons[i] = reason
                continue
            self.groups[i] = Group.of(op, i)
            for value in op.operands:
                if (producer := self._producer(value)) is not None:
                    self._try_merge(producer, i)
        self._merge_neighbours()
        for group in self.groups.values():
            group.ops.sort()
        return Tokens(self.ops, self.groups, self._order(), self.reasons)

    def _merge_neighbours(self) -> None:
        """Merge until no two neighbours can; only a group that has grown is looked at again."""
        waiting = deque(self.groups)
        while waiting:
            node = waiting.popleft()
            if node not in self.groups:
                continue
            grown, has_grown = node, False
            for other in sorted(self.graph.before(node) | self.graph.after(node)):
                if (merged := self._try_merge(other, grown)) is not None:
                    grown, has_grown = merged, True
            if has_grown:
                waiting.append(grown)

    def _try_merge(self, a: int, b: int) -> int | None:
        """Merge the groups of two ops when all of T1 to T4 hold; the merged node, or None."""
        a, b = self.graph.find(a), self.graph.find(b)
        if a == b or a not in self.groups or b not in self.groups:
            return None
        large, small = self.groups[a], self.groups[b]
        if len(large.ops) < len(small.ops):
            large, small = small, large
        shape = broadcast_shapes(large.shape, small.shape)
        if shape is None or (shape not in large.shapes and shape not in small.shapes):
            return None
        if self.max_ops and len(large.ops) + len(small.ops) > self.max_ops:
            return None
        if self.max_ios and large.ios_with(small) > self.max_ios:
            return None
        if not self.graph.can_merge(a, b):
            return None
        node = self.graph.merge(a, b)
        del self.groups[a], self.groups[b]
        large.absorb(small, shape)
        self.groups[node] = large
        return node

    def _order(self) -> list[int]:
        """Nodes in an order that respects the dependences, close to the order of the text."""
        graph = self.graph
        nodes = {graph.find(i) for i in range(len(self.ops))}
        last = {node: self.groups[node].ops[-1] if node in self.groups else node for node in nodes}
        waiting = {node: len(graph.before(node)) for node in nodes}
        ready = [(last[node], node) for node in nodes if not waiting[node]]
        heapify(ready)
        order: list[int] = []
        while ready:
            _, node = heappop(ready)
            order.append(node)
            for user in graph.after(node):
                waiting[user] -= 1
                if not waiting[user]:
                    heappush(ready, (last[user], user))
        assert len(order) == len(nodes), "merging has made a cycle"
        return order


def inputs_of(members: Sequence[Operation]) -> list[SSAValue]:
    """Values that the members read from outside, in order of first use; no scalar constants."""
    inside = set(members)
    found: dict[SSAValue, None] = {}
    for op in members:
        for value in op.operands:
            if value.owner not in inside and not is_scalar_constant(value.owner):
                found[value] = None
    return list(found)


def outputs_of(members: Sequence[Operation]) -> list[SSAValue]:
    """Values of the members that are used outside, in order."""
    inside = set(members)
    return [
        value
        for op in members
        for value in op.results
        if any(use.operation not in inside for use in value.uses)
    ]


def tokens_of(block: Block, max_ios: int, max_ops: int) -> Tokens:
    """Tokenize the ops of a block, its terminator and constants included (as outsiders)."""
    return Tokenizer(list(block.ops), max_ios, max_ops).run()


def is_reportable(op: Operation) -> bool:
    """Whether an op left outside gets a reason: constants, subgraphs and structure do not."""
    computes = any(isinstance(v.type, TensorType) for v in op.results)
    if isinstance(op, SubgraphOp):
        return False
    return computes and not op.has_trait(ConstantLike, value_if_unregistered=False)
