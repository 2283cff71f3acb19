"""The gain of a kernel over the engine that runs the rest of a model, and the cost of its cut.

    %0 = onnx.node "MatMul"(%x, %w)
    %1 = snippets.elu %0               a candidate: one kernel for two ops
    %2 = snippets.multiply %1, %0
    %3 = onnx.node "MatMul"(%2, %v)

The engine computes each node separately, and reads and writes its tensors. A kernel reads each
outside value once, and writes each value used outside once. In return the session is cut in two,
and images leave the engine's blocked layout.

    gain = sum of the engine's nodes - the kernel
    cost = a session, half of it if the engine computes only before or after it, more of them where
           kernels that are weighed together need sessions between them; images' layout;
           the fusions that the engine loses (`engine/fusions.py`); what is carried from one
           session to the next without the kernel reading it (`crossing.py`)

`engine/time.py` has the time of the engine. The estimate of a kernel comes from `kernel_cost.py`:
vector instructions and bytes, no latencies. A matrix product takes the time of its multiplications,
or of its bytes including constant weights, which dominates for one row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.crossing import (
    Boundary,
    boundary,
    is_computed,
    is_constant,
)
from snippets_mlir.analysis.engine.fusions import broken_by
from snippets_mlir.analysis.engine.graph_facts import GraphFacts
from snippets_mlir.analysis.engine.images import is_image_node
from snippets_mlir.analysis.engine.time import EngineTime, touched_by
from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.product import MatMulOp

TAKERS = ("Gather", "GatherElements", "GatherND")
"""Operators that take elements of a constant without multiplying them."""


@dataclass(frozen=True, kw_only=True)
class Model(EngineTime):
    """The cost model for one graph; `threads` also applies to kernels.

    Attributes:
        instructions: vector instructions of a kernel per element of an op.
        graph: the ops of the graph.
    """

    instructions: Callable[[Operation], float]
    graph: GraphFacts
    _boundaries: dict[tuple[Operation, ...], Boundary] = field(
        default_factory=dict[tuple[Operation, ...], Boundary], repr=False
    )

    @cached_property
    def total(self) -> int:
        """Bytes of all tensors of the graph, including constants."""
        return sum(map(self._bytes_if_known, self.graph.lives.tensors))

    def shares(self, kernels: Iterable[Sequence[Operation]]) -> bool:
        """Whether the engine shares the work of a node among its threads beside these kernels."""
        inside = {op for ops in kernels for op in ops}
        left = (op for op in self.graph.block.ops if op not in inside)
        return self.threads > 1 and any(map(self._is_shared, left))

    def _is_shared(self, op: Operation) -> bool:
        """Whether the multiplications or elements of a node take `parallel_from` or longer."""
        if not op.results or is_view(op) or any(is_constant(v) for v in op.results):
            return False
        weights = (v for v in op.operands if is_tensor(v.type) and is_constant(v))
        terms = max((_terms(op, v) for v in weights), default=0) if _multiplies(op) else 0
        try:
            elements = max(map(self.elements, filter(_is_ranked, op.results)), default=0)
        except ValueError:  # sizes that a call does not tell
            return False
        work = elements * max(self.costs.product * terms, self.costs.arithmetic)
        return work >= self.costs.parallel_from

    def reading(self) -> float:
        """Lower bound on the time of a call: that in which the engine reads all weights once."""
        read = {v for op in self.graph.block.ops if _multiplies(op) for v in op.operands}
        size = sum(self._bytes_if_known(v) for v in read if is_tensor(v.type) and is_constant(v))
        return size * self.costs.stream_byte * self.costs.reading / self.threads

    def _bytes_if_known(self, value: SSAValue) -> int:
        try:
            return self.bytes(value)
        except ValueError:  # a CompileError: strings, and what no kernel has
            return 0

    def kernel(self, ops: Sequence[Operation], *, after_session: bool = True) -> float:
        """The time of one kernel for `ops`.

        If kernels follow each other, a start costs as much as a node of the engine, and the threads
        spin between kernels: they start in the time of a kernel after a session.
        """
        key = tuple(ops)
        if (found := self._boundaries.get(key)) is None:
            found = self._boundaries[key] = boundary(key)
        reads, writes = found
        compute = self.costs.instruction * sum(
            self.instructions(op)
            * max(map(self.elements, (*touched_by([op], op.operands), *op.results)))
            for op in ops
            if not is_view(op) and not isinstance(op, MatMulOp)
        )
        compute += sum(
            self.multiplications([op]) * self.costs.product_in_kernel(sized=_is_sized(op))
            for op in ops
            if isinstance(op, MatMulOp)
        )
        touched = sum(map(self.bytes, (*touched_by(ops, reads), *writes))) + self.weights(ops)
        costs, alone = self.costs, self.work(compute, touched)
        work = self.time(compute, touched)
        together = self.threads > 1 and alone >= costs.parallel_from
        pairs = ((costs.node, costs.kernel), (costs.kernel, costs.team))
        start, team = pairs[after_session]
        return start + (min(alone, team + work) if together else work)

    def cut(self, ops: Sequence[Operation], changes: int = 0) -> float:
        """What it costs to take `ops` out of the engine.

        Args:
            ops: the ops of one or several kernels.
            changes: the minimal number of changes between sessions and kernels: one if the engine
                computes before the kernel, and one if it computes after it.
        """
        reads, writes = boundary(ops)
        costs, graph = self.costs, self.graph
        before = [v for v in reads if is_computed(v) and v.owner not in graph.elsewhere]
        idle = graph.unread.union(ops)
        after = [use.operation for v in writes for use in v.uses if use.operation not in idle]
        engine = [op for op in after if op.name != "func.return" and op not in graph.elsewhere]
        changes = max(changes, bool(before) + bool(engine))
        session = costs.change(self.threads, self.total) * changes / 2
        images = [v for v in before if v in graph.images and is_image_node(v.owner)]
        read = (v for v in writes if any(is_image_node(use.operation) for use in v.uses))
        images += [v for v in read if v in graph.images]
        rates = {True: costs.fusion_byte, False: 2 * costs.cached_byte}
        broken = {v: rates[rule.reforms] for rule, values in broken_by(ops) for v in values}
        lost = sum(rate * self.bytes(v) for v, rate in broken.items()) / self.threads
        carried = self._carried({*reads, *writes}, ops) if before and engine else 0.0
        return session + lost + carried + costs.image_byte * sum(map(self.bytes, images))

    def _carried(self, touched: Collection[SSAValue], ops: Sequence[Operation]) -> float:
        """What values cost that cross the cut: each is written and read once more."""
        crossing, kept = self.graph.lives.crossing(ops, touched), self.graph.images
        images = sum(self._bytes_if_known(v) for v in crossing if v in kept)
        others = sum(self._bytes_if_known(v) for v in crossing if v not in kept)
        return 2 * (self.costs.layout_byte * images + self.work(0.0, others) / self.threads)

    def beside(self, groups: Sequence[Sequence[Operation]]) -> Beside:
        """The shared costs of adjacent kernels: the cut of all of them, and the threads.

        The cut also counts the sessions that have to run between them (`session_changes.py`).

        The first kernel that reads a value of the engine follows a session.
        """
        together = {op for ops in groups for op in ops}
        changes = self.graph.turns.changes(together)
        cut = self.cut([*together], changes) / len(groups)
        known: set[SSAValue] = set()
        follows: list[bool] = []
        for ops in groups:
            read = {v for v in boundary(ops, together)[0] if is_computed(v)}
            follows.append(not read <= known)
            known |= read
        return Beside(cut, tuple(follows))


@dataclass(frozen=True)
class Beside:
    """Adjacent kernels.

    Attributes:
        cut: nanoseconds of each kernel's share of the cut.
        follows: for each, whether it follows a session of the engine.
    """

    cut: float
    follows: tuple[bool, ...]


def _is_ranked(value: SSAValue) -> bool:
    return is_tensor(value.type)


def _multiplies(op: Operation) -> bool:
    """Whether an op may sum products of its operands: nodes in no kernel, and products."""
    if isinstance(op, NodeOp):
        return op.op_type.data not in TAKERS
    return isinstance(op, MatMulOp)


def _terms(op: Operation, weights: SSAValue) -> int:
    """The multiplications per result element of a node with a constant operand."""
    shape = static_shape(shape_of(weights))
    channels = shape[:1] if is_image_node(op) else shape[-1:]
    return prod(shape) // max(1, *channels) if len(shape) > 1 else 0


def _is_sized(op: MatMulOp) -> bool:
    """Whether the call decides about the terms or the columns of a product."""
    return has_symbols(shape_of(op.rhs)[-2:])
