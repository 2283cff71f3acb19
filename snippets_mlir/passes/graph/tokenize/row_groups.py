"""Merge groups of ops with the groups of the products beside them, by T9 to T15.

    softmax -> product                  first: what computes left operands
    product -> layer_norm -> product    the former is merged if the norm is also a result
    product -> softmax                  then norms of results

`product_rows.py` has the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, OpResult, SSAValue

from snippets_mlir.analysis.fusion.acyclic_merging import ContractedGraph
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.passes.graph.tokenize.groups import Group
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine
from snippets_mlir.passes.graph.tokenize.product_rows import Apart, why_apart


@dataclass
class RowGroups:
    """The groups of a block, which `merge` changes.

    Attributes:
        ops: the ops of the block.
        place: the place of each op in the block.
        groups: the groups by node.
        graph: the dependences of the nodes.
        limits: inputs and outputs, and ops of a group; 0 is unlimited.
        machine: what the kernels run on.
        apart: why groups are not merged, by their nodes.
    """

    ops: Sequence[Operation]
    place: Mapping[Operation, int]
    groups: dict[int, Group]
    graph: ContractedGraph
    limits: tuple[int, int]
    machine: Machine
    apart: dict[tuple[int, int], Apart] = field(default_factory=dict[tuple[int, int], Apart])

    def merge(self) -> tuple[Apart, ...]:
        """Merge what can be merged; returns why other groups beside products stay apart."""
        products = [op for op in self.ops if isinstance(op, MatMulOp)]
        for product in products:
            self._before(product)
        for product in products:
            for other in sorted(self.graph.after(self.place[product])):
                self._after(product, other)
        return tuple(self.apart.values())

    def _before(self, product: MatMulOp) -> None:
        """Merge the group that computes the left operand."""
        value = product.lhs
        place = self.place.get(value.op) if isinstance(value, OpResult) else None
        if place is None:
            return
        own, other = self.graph.find(self.place[product]), self.graph.find(place)
        if own in self.groups and other in self.groups and place in self.groups[other].ops:
            self._try_merge(product, own, other, value)

    def _after(self, product: MatMulOp, other: int) -> None:
        """Merge the group `other` if it reduces rows of the product's group."""
        own = self.graph.find(self.place[product])
        if own not in self.groups or other not in self.groups:
            return
        beside, after = self.groups[own], self.groups[other]
        value = next((v for v in after.reads if v in beside.writes), None)
        if after.summed is not None and value is not None:
            self._try_merge(product, own, other, value)

    def _try_merge(self, product: MatMulOp, own: int, other: int, value: SSAValue) -> None:
        """Merge two groups, of which `other` has no product, or write why not."""
        beside, rows = self.groups[own], self.groups[other]
        if own == other or rows.products or self._are_views_between(beside, rows):
            return
        key = own, other
        reason = self._why_not(beside, rows, value)
        if reason is None and not self.graph.can_merge(own, other):
            reason = "T1: an op outside of both runs between them"
        if reason is not None:
            ops = tuple(self.ops[place] for place in sorted(rows.ops))
            self.apart[key] = Apart(ops, product, reason)
            return
        self.apart.pop(key, None)
        node = self.graph.merge(own, other)
        del self.groups[own], self.groups[other]
        self.groups[node] = beside.absorb(rows, beside.shape)

    def _are_views_between(self, one: Group, other: Group) -> bool:
        """Whether one group reads a view, after the other one, of its results."""
        return any(v in b.reads for a, b in ((one, other), (other, one)) for v in a.hung)

    def _why_not(self, beside: Group, rows: Group, value: SSAValue) -> str | None:
        """T3, T4, and T9 to T15."""
        max_ios, max_ops = self.limits
        if max_ops and len(beside.ops) + len(rows.ops) > max_ops:
            return f"T3: more than {max_ops} ops"
        if max_ios and beside.ios_with(rows) > max_ios:
            return f"T4: more than {max_ios} inputs and outputs"
        is_before = value in rows.writes
        if is_before and any(n > beside.reads.get(v, 0) for v, n in rows.writes.items()):
            return "T15: more than the product reads what is computed before it"
        ops = [self.ops[place] for place in sorted((*beside.ops, *rows.ops))]
        return why_apart(ops, beside.products, value, self.machine)
