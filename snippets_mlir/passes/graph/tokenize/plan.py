"""The greedy tokenization algorithm on plain data: it assigns the ops of a block to subgraphs.

The algorithm takes the ops in order. An op that can go into a kernel starts a group of its own.
This group is merged with the groups that produce its operands, one after another, in the order of
the operands (the guide's start, attach and merge), if

* T1: no op outside would have to run both before and after the merged group (`ContractedGraph`,
exact);
* T2: the shapes that its ops' loops walk broadcast to the shape of one of these ops, which the
kernel's loops then walk. An op's loops walk its result, or the operand of a reduction or norm;
* T3: it has no more than `max-ops` ops;
* T4: it has no more than `max-ios` inputs and outputs;
* T5: all its reductions (also those inside of norms) combine the same dims, counted from the last,
and read the whole shape of T2: they share the loops over the other dims, and no sum is computed
twice;
* T6: an operand that a kernel can only read through a view comes from outside: that of a transpose
or a slice, parameters of norms over channels, all operands of a group_norm. A result that a kernel
can only write through a view is read only outside: that of a reduction that drops its dims, or of a
group_norm. Exception: two groups that views connect (these views, and reshapes, squeezes and
unsqueezes) become one group of at most 32 ops if shapes exist in which all views between their ops
are the identity, and T2 and T5 hold for these shapes (`refined_groups.py`). But the operand of a
transpose always comes from outside;
* T7: no op of full size follows a reduction that has fewer results than there are threads
(`snippets.threads` of the module), unless there are fewer than 32768 elements. The reduction alone
can be split, and the ops after it use all threads in a kernel of their own;
* T8: a group has at most one matrix product, or up to three that share the left operand and have
constant right operands of one type (from 32 rows on, `TargetMachine.side_by_side`). Its other ops
are elementwise or broadcast to the products' shape, no reduction or norm. The products' operands
come from outside (T6), but a transpose that only they read is a view in the kernel.

Afterwards every group is tried with its neighbours once more, and again after it has grown: an op
between two groups may have joined one of them, and T2, T4 and T5 may now hold. A merge elsewhere
only adds paths, so at the end no two neighbouring groups can be merged. Then groups of products of
one left operand are merged, neighbours or not: queries, keys and values. Last, ops on whole rows
join the products beside them (T9 to T15: `product_rows.py`). A reshape, squeeze or
unsqueeze in no group runs after the group that computes its operand. A slice alone in a group stays
as a view, or a kernel copies it (`lone_slices.py`). Source: the design guide's tokenizer.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import is_side_effect_free

from snippets_mlir.analysis.fusion.acyclic_merging import ContractedGraph
from snippets_mlir.analysis.graph.eligibility import MAX_RANK, follows_from_data, why_not
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.passes.graph.tokenize.group_order import in_order
from snippets_mlir.passes.graph.tokenize.groups import Group
from snippets_mlir.passes.graph.tokenize.lone_slices import are_copied
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine
from snippets_mlir.passes.graph.tokenize.merge_rules import (
    come_from_outside,
    common_loops,
    keep_threads_busy,
    reduce_alike,
    surround_products,
    transposed_operand,
)
from snippets_mlir.passes.graph.tokenize.refined_groups import merge_refined, needs_refinement
from snippets_mlir.passes.graph.tokenize.row_groups import RowGroups
from snippets_mlir.passes.graph.tokenize.tokens import Token, Tokens
from snippets_mlir.support.attribute_names import REASON, SKIPPED
from snippets_mlir.support.walking import values_used


def _why_outside(op: Operation) -> str | None:
    """Why `op` is in no group: concats get their subgraphs from `snippets-tokenize-concats`."""
    if (reason := why_not(op)) is None and isinstance(op, ConcatOp):
        own = op.attributes.get(REASON)
        return own.data if isinstance(own, StringAttr) else "snippets-tokenize-concats left it"
    return reason


class Tokenizer:
    """Forms the groups of one block; `run` returns the result."""

    def __init__(
        self, ops: Sequence[Operation], limits: tuple[int, int], machine: Machine, copies: bool
    ) -> None:
        self.ops, self.machine, self.copies = ops, machine, copies
        self.max_ios, self.max_ops = limits
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
            if (reason := _why_outside(op)) is not None:
                self.reasons[i] = reason
                self._hang(i)
                continue
            self.groups[i] = Group.of(op, i)
            for value in op.operands:
                if (producer := self._producer(value)) is not None:
                    self._try_merge(producer, i)
        self._merge_neighbours()
        self._merge_products()
        limits, by_place = (self.max_ios, self.max_ops), (self.ops, self.place)
        apart = RowGroups(*by_place, self.groups, self.graph, limits, self.machine).merge()
        for group in self.groups.values():
            group.ops.sort()
            group.trailing.sort()
            for place in group.ops:
                self.reasons.pop(place, None)
        nodes = {self.graph.find(i) for i in range(len(self.ops))}
        last = {node: self.groups[node].ops[-1] if node in self.groups else node for node in nodes}
        order = tuple(chain.from_iterable(map(self._outcome, in_order(self.graph, last))))
        reasons = tuple((self.ops[i], why) for i, why in self.reasons.items())
        return Tokens(order, reasons, apart)

    def _outcome(self, node: int) -> Sequence[Token | Operation]:
        group = self.groups.get(node)
        if group is None:
            return [self.ops[node]]
        ops, trailing = (tuple(self.ops[i] for i in some) for some in (group.ops, group.trailing))
        computes = not all(isinstance(op, SliceOp) for op in ops)
        sized = any(has_symbols(shape_of(op.results[0])) for op in ops)
        near = self.place.__contains__, self._is_in_group
        if computes or sized or are_copied(ops, *near, results=self.copies):
            return [Token(ops, trailing)]
        self.reasons |= dict.fromkeys(group.ops, "a slice that no kernel reads is a view")
        return [*ops, *trailing]

    def _is_in_group(self, op: Operation) -> bool:
        place = self.place.get(op)
        return place is not None and self.graph.find(place) in self.groups

    def _hang(self, place: int) -> None:
        """Put a view after the group that computes its operand: a group may need it."""
        op = self.ops[place]
        if not is_view(op) or SKIPPED in op.attributes or follows_from_data(op):
            return
        producer = self._producer(op.operands[0])
        node = None if producer is None else self.graph.find(producer)
        if node in self.groups and len(shape_of(op.results[0])) <= MAX_RANK:
            group = self.groups.pop(node)
            group.hang(op, place)
            self.groups[self.graph.merge(node, place)] = group

    def _merge_neighbours(self) -> None:
        """Merge until no two neighbours can merge; only a group that has grown is tried again."""
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

    def _merge_products(self) -> None:
        """Merge the groups of products that read one left operand: queries, keys and values."""
        readers: dict[SSAValue, list[int]] = {}
        for place, op in enumerate(self.ops):
            if isinstance(op, MatMulOp):
                earlier = readers.setdefault(op.lhs, [])
                next(filter(None, (self._try_merge(it, place) for it in earlier)), None)
                earlier.append(place)

    def _try_merge(self, a: int, b: int) -> int | None:
        """Merge the groups of two ops if all of T1 to T8 hold; the merged node, or None."""
        a, b = self.graph.find(a), self.graph.find(b)
        if a == b or a not in self.groups or b not in self.groups:
            return None
        large, small = self.groups[a], self.groups[b]
        if len(large.ops) < len(small.ops):
            large, small = small, large
        if self.max_ops and len(large.ops) + len(small.ops) > self.max_ops:
            return None
        refines = needs_refinement(large, small) or not come_from_outside(large, small)
        if refines and not self.graph.can_merge(a, b):  # looking for the form takes longer
            return None
        merged = self._merged(large, small)
        if merged is None or not (refines or self.graph.can_merge(a, b)):
            return None
        node = self.graph.merge(a, b)
        del self.groups[a], self.groups[b]
        self.groups[node] = merged()
        return node

    def _merged(self, large: Group, small: Group) -> Callable[[], Group] | None:
        """The function that merges both by T2 and T4 to T8; None if they do not allow it."""
        threads = self.machine.threads
        for one, other in ((large, small), (small, large)):
            if transposed_operand(one, other, self.ops[other.ops[0]]):
                return lambda one=one, other=other: one.with_view(other)
        if needs_refinement(large, small) or not come_from_outside(large, small):
            refined = merge_refined(self.ops, large, small)
            if refined is None or not keep_threads_busy(large, small, refined.shape, threads):
                return None
            values = len(refined.reads) + len(refined.writes)
            if self.max_ops and len(refined.ops) > self.max_ops:
                return None
            return None if self.max_ios and values > self.max_ios else lambda: refined
        shape = common_loops(large, small)
        if shape is None or not reduce_alike(large, small, shape):
            return None
        if self.max_ios and large.ios_with(small) > self.max_ios:
            return None
        beside = surround_products(large, small, shape, self.machine.side_by_side)
        if not (beside and keep_threads_busy(large, small, shape, threads)):
            return None
        return lambda: large.absorb(small, shape)


def tokens_of(
    block: Block,
    max_ios: int,
    max_ops: int,
    machine: Machine,
    *,
    copies: bool = False,
) -> Tokens:
    """Tokenize the ops of a block, its terminator and constants included (as outsiders).

    With `copies`, slices of groups' results are groups if the caller or nodes read them.
    """
    ops = list(block.ops)
    return Tokenizer(ops, (max_ios, max_ops), machine, copies).run()
