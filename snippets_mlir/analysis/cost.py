"""The gain of a kernel over the engine that runs the rest of a model, and the cost of its cut.

    %0 = onnx.node "MatMul"(%x, %w)
    %1 = snippets.elu %0               a candidate: one kernel for two ops
    %2 = snippets.multiply %1, %0
    %3 = onnx.node "MatMul"(%2, %v)

The engine reads and writes each node's tensors and computes each node by itself; a kernel reads
what comes from outside once, and writes what is used outside once. In return the session is cut in
two, and images leave the blocked layout that the engine keeps them in.

    gain = sum of the engine's nodes - the kernel
    cost = a session, half of it if the engine computes only before or after it; images' layout;
           the fusions that the engine loses (`engine_fusions.py`); what is carried from one
           session to the next without the kernel reading it (`crossing.py`)

A matrix product takes its multiplications at the rate of the engine or of a kernel, or the time of
its bytes, those of constant weights included: that is what one row takes.
Ops that the engine makes one node of, or folds into a product, count as such (`engine_nodes.py`).
The estimate of a kernel is that of `kernel_cost.py`: vector instructions and bytes, no latencies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.crossing import Lives, boundary, is_computed, is_constant
from snippets_mlir.analysis.engine_costs import EngineCosts, Estimate
from snippets_mlir.analysis.engine_fusions import broken_by
from snippets_mlir.analysis.engine_nodes import chains_of, is_folded, joins
from snippets_mlir.analysis.engine_spans import spans
from snippets_mlir.analysis.engine_transposes import Moves, alone, is_in_product, moves
from snippets_mlir.analysis.images import images_of, is_image_node
from snippets_mlir.dialects.builtin.dims import Dim, evaluate, has_symbols, static_shape
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import BinaryOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, is_view
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp


@dataclass(frozen=True)
class Model:
    """The cost model for one graph.

    Attributes:
        costs: the machine's constants.
        threads: how many threads a node or a kernel may use.
        hints: a value for each symbol of the graph's sizes.
        operator: the engine's name of the node that an op comes from, and a key of that node.
        instructions: vector instructions of a kernel for an element of an op.
        unknown: what a dim `?` counts as.
        block: the ops of the graph.
    """

    costs: EngineCosts
    threads: int
    hints: Sequence[int]
    operator: Callable[[Operation], tuple[str, object]]
    instructions: Callable[[Operation], float]
    unknown: int
    block: Block

    @cached_property
    def lives(self) -> Lives:
        """How long the values of the graph live."""
        return Lives.of(self.block, self._bytes_if_known)

    @cached_property
    def shares(self) -> bool:
        """Whether the engine shares the work of some node among its threads."""
        return self.threads > 1 and any(map(self._is_shared, self.block.ops))

    def _is_shared(self, op: Operation) -> bool:
        """Whether the multiplications or elements of a node take `parallel_from` or longer."""
        if not op.results or is_view(op) or any(is_constant(v) for v in op.results):
            return False
        weights = (v for v in op.operands if is_tensor(v.type) and is_constant(v))
        terms = max((_terms(op, value) for value in weights), default=0)
        try:
            elements = max(map(self.elements, filter(_is_ranked, op.results)), default=0)
        except ValueError:  # sizes that a call does not tell
            return False
        work = elements * max(self.costs.product * terms, self.costs.arithmetic)
        return work >= self.costs.parallel_from

    @cached_property
    def images(self) -> frozenset[SSAValue]:
        """The values that the engine keeps in its blocked layout."""
        return images_of(self.block.ops)

    def _bytes_if_known(self, value: SSAValue) -> int:
        try:
            return self.bytes(value)
        except ValueError:  # a CompileError: strings, and what no kernel has
            return 0

    def elements(self, value: SSAValue) -> int:
        """How many elements a tensor has, for the hints."""
        return prod(map(self._size, shape_of(value)))

    def _size(self, size: Dim) -> int:
        return self.unknown if size == DYNAMIC else max(0, evaluate(size, self.hints))

    def bytes(self, value: SSAValue) -> int:
        """Bytes of a tensor, for the hints."""
        return self.elements(value) * numpy_dtype(tensor_of(value).element_type).itemsize

    def _time(self, compute: float, touched: int, more: float = 0.0) -> float:
        """Nanoseconds for work of one thread that touches so many bytes, on all threads.

        It takes as long as for `more` bytes.
        """
        work = self._work(compute, touched, more)
        return work / (self.threads if work >= self.costs.parallel_from else 1)

    def _work(self, compute: float, touched: int, more: float = 0.0) -> float:
        """The time in nanoseconds on one thread, as `_time`."""
        costs = self.costs
        rate = costs.cached_byte if touched <= costs.cache else costs.stream_byte
        return max(compute, (touched + more) * rate)

    def engine(self, ops: Sequence[Operation]) -> float:
        """The time of the engine for the nodes of `ops`, one after the other."""
        nodes: dict[object, list[Operation]] = {}
        keys: dict[Operation, object] = {}
        operators: dict[object, str] = {}
        for chain, members in chains_of(ops):
            keys.update((op, members[-1]) for op in members)
            operators[members[-1]] = chain.operator
        for op in ops:
            if is_folded(op) or is_in_product(op):
                continue
            if op not in keys:
                before = next((o for o in _owners(op) if o in keys and joins(o, op)), None)
                keys[op] = self.operator(op)[1] if before is None else keys[before]
            nodes.setdefault(keys[op], []).append(op)
        return sum(self._node(node, operators.get(key)) for key, node in nodes.items())

    def _node(self, ops: Sequence[Operation], operator: str | None) -> float:
        if all(map(is_view, ops)):
            return self.costs.node
        costs, last = self.costs, ops[-1]
        operators = {operator} if operator else {self.operator(op)[0] for op in ops}
        products = self._multiplications(ops)
        rate = max(costs.rates.get(name, 0 if products else costs.arithmetic) for name in operators)
        reads, writes = boundary(ops)
        if not reads:
            return 0.0  # the engine computes it when it loads the model
        if all(isinstance(op, SliceOp) for op in ops):
            reads = writes  # what is left out is not touched
        largest = max(map(self.elements, (*reads, *last.results)), default=0)
        weights = self._weights(ops)
        touched = sum(map(self.bytes, (*reads, *writes))) + weights
        more = (self.costs.reading - 1) * weights
        moved = self._moves(ops)
        pieces = self._spans(ops) + moved.pieces
        compute = rate * largest + products * costs.product + costs.span * pieces
        if products:  # the softmax of a node that is a whole attention
            softmax = costs.rates.get("Softmax", costs.arithmetic)
            compute += softmax * sum(self.elements(o.x) for o in ops if isinstance(o, SoftmaxOp))
        return costs.node + max(self._time(compute, touched, more), alone(moved, costs))

    def _moves(self, ops: Sequence[Operation]) -> Moves:
        """What a node that is a transpose moves."""
        if len(ops) != 1 or not isinstance(ops[0], TransposeOp):
            return Moves()
        return moves([*map(self._size, shape_of(ops[0].operand))], ops[0].permutation)

    def _spans(self, ops: Sequence[Operation]) -> int:
        """The pieces that a node of one op on operands that broadcast is computed in."""
        if len(ops) != 1 or not isinstance(ops[0], BinaryOp):
            return 0
        shapes = ([self._size(d) for d in shape_of(v)] for v in ops[0].operands)
        return spans([*shapes]) - 1

    def kernel(self, ops: Sequence[Operation], *, after_session: bool = True) -> float:
        """What one kernel takes for `ops`.

        Where kernels follow each other the start of one is that of a node of the engine, and the
        threads spin from one to the next: they start in the time of a kernel after a session.
        """
        reads, writes = boundary(ops)
        compute = self.costs.instruction * sum(
            self.instructions(op) * max(map(self.elements, (*op.operands, *op.results)))
            for op in ops
            if not is_view(op) and not isinstance(op, MatMulOp)
        )
        compute += sum(
            self._multiplications([op]) * self.costs.product_in_kernel(sized=_is_sized(op))
            for op in ops
            if isinstance(op, MatMulOp)
        )
        touched = sum(map(self.bytes, (*reads, *writes))) + self._weights(ops)
        costs, alone = self.costs, self._work(compute, touched)
        work = self._time(compute, touched)
        together = self.threads > 1 and alone >= costs.parallel_from
        pairs = ((costs.node, costs.kernel), (costs.kernel, costs.team))
        start, team = pairs[after_session]
        return start + (min(alone, team + work) if together else work)

    def _multiplications(self, ops: Sequence[Operation]) -> int:
        """The multiplications of the matrix products among `ops`."""
        products = (op for op in ops if isinstance(op, MatMulOp))
        return sum(self.elements(op.result) * self._size(op.factors[0].inner) for op in products)

    def _weights(self, ops: Sequence[Operation]) -> int:
        """Bytes of the constants that matrix products read; others are small."""
        products = (op for op in ops if isinstance(op, MatMulOp))
        return sum(self.bytes(v) for op in products for v in op.operands if is_constant(v))

    def cut(self, ops: Sequence[Operation]) -> float:
        """What it costs to take `ops` out of the engine."""
        reads, writes = boundary(ops)
        before = [v for v in reads if is_computed(v)]
        after = [use.operation for v in writes for use in v.uses if use.operation not in ops]
        engine = [op for op in after if not op.name == "func.return"]
        costs = self.costs
        change = costs.change(self.threads, self.lives.total)
        session = change * (bool(before) + bool(engine)) / 2
        images = [v for v in before if v in self.images and is_image_node(v.owner)]
        read = (v for v in writes if any(is_image_node(use.operation) for use in v.uses))
        images += [v for v in read if v in self.images]
        rates = {True: costs.fusion_byte, False: 2 * costs.cached_byte}
        broken = {v: rates[rule.reforms] for rule, values in broken_by(ops) for v in values}
        lost = sum(rate * self.bytes(v) for v, rate in broken.items()) / self.threads
        carried = self._carried({*reads, *writes}, ops) if before and engine else 0.0
        return session + lost + carried + costs.image_byte * sum(map(self.bytes, images))

    def _carried(self, touched: Collection[SSAValue], ops: Sequence[Operation]) -> float:
        """What values cost that cross the cut: each is written and read once more."""
        crossing = self.lives.crossing(ops, touched)
        images = sum(self._bytes_if_known(v) for v in crossing if v in self.images)
        others = sum(self._bytes_if_known(v) for v in crossing if v not in self.images)
        return 2 * (self.costs.layout_byte * images + self._work(0.0, others) / self.threads)

    def estimate(self, ops: Sequence[Operation]) -> Estimate:
        """The nanoseconds of the engine, of a kernel and of the cut for one candidate."""
        names = tuple(op.name for op in ops)
        lost = tuple(rule.name for rule, _ in broken_by(ops))
        return Estimate(names, self.engine(ops), self.kernel(ops), self.cut(ops), lost)

    def together(self, groups: Sequence[Sequence[Operation]]) -> list[Estimate]:
        """The estimates of candidates beside each other, which share the cut of all of them.

        One that is the first to read a value of the engine follows a session.
        """
        together = {op for ops in groups for op in ops}
        cut = self.cut([*together]) / len(groups)
        known: set[SSAValue] = set()
        found: list[Estimate] = []
        for ops in groups:
            read = {v for v in boundary(ops, together)[0] if is_computed(v)}
            kernel = self.kernel(ops, after_session=not read <= known)
            found.append(Estimate(tuple(op.name for op in ops), self.engine(ops), kernel, cut))
            known |= read
        return found


def _is_ranked(value: SSAValue) -> bool:
    return is_tensor(value.type)


def _terms(op: Operation, weights: SSAValue) -> int:
    """The multiplications for an element of the result of a node with a constant operand."""
    shape = static_shape(shape_of(weights))
    channels = shape[:1] if is_image_node(op) else shape[-1:]
    return prod(shape) // max(1, *channels) if len(shape) > 1 else 0


def _is_sized(op: MatMulOp) -> bool:
    """Whether the call decides about the terms or the columns of a product."""
    return has_symbols(shape_of(op.rhs)[-2:])


def _owners(op: Operation) -> list[Operation]:
    return [v.owner for v in op.operands if isinstance(v.owner, Operation)]
