"""The time of onnxruntime's CPU engine for the nodes of some ops, for the cost model.

    %0 = snippets.multiply %x, %y      node + elements at the rate of Mul, or bytes
    %1 = snippets.transpose %0         node + what moves (`transposes.py`)
    %2 = snippets.matmul %1, %w        node + multiplications, or bytes, of which those of constant
                                       weights count `EngineCosts.reading` times

Ops that the engine fuses into one node or folds into a product are counted this way
(`nodes.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Self

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.cancelled import is_cancelled
from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.analysis.engine.crossing import boundary, is_constant
from snippets_mlir.analysis.engine.einsum import EINSUM, moved_by_einsum
from snippets_mlir.analysis.engine.nodes import chains_of, is_folded, is_on_integers, joins
from snippets_mlir.analysis.engine.spans import spans
from snippets_mlir.analysis.engine.transposes import Moves, alone, is_in_product, moves
from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.snippets.base import BinaryOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp, is_view
from snippets_mlir.dialects.snippets.normalization import SoftmaxOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp


@dataclass(frozen=True)
class _Node:
    """A node of the engine, without any size.

    Attributes:
        ops: the ops that it computes, in order.
        operators: the engine's names of it, more than one if no rule says what ops become.
        reads: the tensors that it reads, without constants; none if the engine folds it.
        writes: the tensors used outside of it.
    """

    ops: Sequence[Operation]
    operators: Collection[str]
    reads: Sequence[SSAValue]
    writes: Sequence[SSAValue]


@dataclass(frozen=True, kw_only=True)
class EngineTime:
    """The engine's times on one machine, for the sizes of one call.

    The IR must not change meanwhile: what was computed once is not computed again.

    Attributes:
        costs: the machine's constants.
        threads: how many threads a node may use.
        hints: a value for each symbol of the graph's sizes.
        operator: the engine's name of the node that an op comes from, and a key of that node.
        unknown: the assumed size of a dim `?`.
    """

    costs: EngineCosts
    threads: int
    hints: Sequence[int]
    operator: Callable[[Operation], tuple[str, object]]
    unknown: int
    _elements: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int], repr=False)
    _times: dict[tuple[Operation, ...], float] = field(
        default_factory=dict[tuple[Operation, ...], float], repr=False
    )
    _nodes: dict[tuple[Operation, ...], Sequence[_Node]] = field(
        default_factory=dict[tuple[Operation, ...], Sequence[_Node]], repr=False
    )

    def at(self, hints: Sequence[int]) -> Self:
        """The same for a call of other sizes, with the same nodes."""
        return replace(self, hints=hints, _elements={}, _times={})

    def elements(self, value: SSAValue) -> int:
        """The number of elements of a tensor, for the hints."""
        found = self._elements.get(value)
        if found is None:
            found = self._elements[value] = prod(map(self.size, shape_of(value)))
        return found

    def size(self, size: Dim) -> int:
        """A size, for the hints."""
        return self.unknown if size == DYNAMIC else max(0, evaluate(size, self.hints))

    def bytes(self, value: SSAValue) -> int:
        """Bytes of a tensor, for the hints."""
        return self.elements(value) * numpy_dtype(tensor_of(value).element_type).itemsize

    def time(self, compute: float, touched: int, more: float = 0.0) -> float:
        """Nanoseconds on all threads for one thread's work that touches this many bytes.

        It takes longer by the time for `more` bytes.
        """
        work = self.work(compute, touched, more)
        return work / (self.threads if work >= self.costs.parallel_from else 1)

    def work(self, compute: float, touched: int, more: float = 0.0) -> float:
        """The time in nanoseconds on one thread, as `time`."""
        costs = self.costs
        rate = costs.cached_byte if touched <= costs.cache else costs.stream_byte
        return max(compute, (touched + more) * rate)

    def engine(self, ops: Sequence[Operation]) -> float:
        """The time of the engine for the nodes of `ops`, one after the other."""
        key = tuple(ops)
        found = self._times.get(key)
        if found is None:
            if (nodes := self._nodes.get(key)) is None:
                nodes = self._nodes[key] = self._nodes_of(key)
            found = self._times[key] = sum(map(self._node, nodes))
        return found

    def _nodes_of(self, ops: Sequence[Operation]) -> Sequence[_Node]:
        """The nodes of the engine that compute `ops`."""
        nodes: dict[object, list[Operation]] = {}
        keys: dict[Operation, object] = {}
        operators: dict[object, str] = {}
        for chain, members in chains_of(ops):
            keys.update((op, members[-1]) for op in members)
            operators[members[-1]] = chain.operator
        for op in ops:
            einsum = self.operator(op)[0] == EINSUM  # the optimizer cannot look inside
            if is_folded(op) or (not einsum and (is_cancelled(op) or is_in_product(op))):
                continue
            if op not in keys:
                before = next((o for o in _owners(op) if o in keys and joins(o, op)), None)
                keys[op] = self.operator(op)[1] if before is None else keys[before]
            nodes.setdefault(keys[op], []).append(op)
        return [self._made(node, operators.get(key)) for key, node in nodes.items()]

    def _made(self, ops: Sequence[Operation], operator: str | None) -> _Node:
        operators = {operator} if operator else {self.operator(op)[0] for op in ops}
        reads, writes = boundary(ops)
        # A slice reads only the elements that it keeps.
        sliced = bool(reads) and all(isinstance(op, SliceOp) for op in ops)
        return _Node(ops, operators, touched_by(ops, writes if sliced else reads), writes)

    def _node(self, node: _Node) -> float:
        ops, operators = node.ops, node.operators
        if all(map(is_view, ops)):
            return self.costs.node
        if not node.reads:
            return 0.0  # the engine folds it when it loads the model
        costs, last = self.costs, ops[-1]
        products = self.multiplications(ops)
        rate = max(costs.rates.get(name, 0 if products else costs.arithmetic) for name in operators)
        # An activation that is fused into a product reads the product's result.
        counted = last.results if products else (*node.reads, *last.results)
        largest = max(map(self.elements, counted), default=0)
        weights = self.weights(ops)
        touched = sum(map(self.bytes, (*node.reads, *node.writes))) + weights
        more = (self.costs.reading - 1) * weights
        moved = self._moves(ops, operators)
        pieces = self._spans(ops) + moved.pieces
        integers = self.multiplications(
            [op for op in ops if isinstance(op, MatMulOp) and is_on_integers(op)]
        )
        floats = products - integers * (1 - costs.integers)
        compute = rate * largest + floats * costs.product + costs.span * pieces
        if products:  # a fused attention also computes its softmax
            softmax = costs.rates.get("Softmax", costs.arithmetic)
            compute += softmax * sum(self.elements(o.x) for o in ops if isinstance(o, SoftmaxOp))
        shared, one = self.time(compute, touched, more), alone(moved, costs)
        return costs.node + (shared + one if EINSUM in operators else max(shared, one))

    def _moves(self, ops: Sequence[Operation], operators: Collection[str]) -> Moves:
        """The moves of a transpose node, or of a node that transposes operands and a result."""
        if EINSUM in operators:
            parts = moved_by_einsum(ops, lambda value: [*map(self.size, shape_of(value))])
            return Moves(*map(sum, zip(Moves(), *parts, strict=True)))
        if len(ops) != 1 or not isinstance(ops[0], TransposeOp):
            return Moves()
        return moves([*map(self.size, shape_of(ops[0].operand))], ops[0].permutation)

    def _spans(self, ops: Sequence[Operation]) -> int:
        """The number of pieces, less one, in which a node of one broadcasting op is computed."""
        if len(ops) != 1 or not isinstance(ops[0], BinaryOp):
            return 0
        shapes = ([self.size(d) for d in shape_of(v)] for v in ops[0].operands)
        return spans([*shapes]) - 1

    def multiplications(self, ops: Sequence[Operation]) -> int:
        """The multiplications of the matrix products among `ops`."""
        products = (op for op in ops if isinstance(op, MatMulOp))
        return sum(self.elements(op.result) * self.size(op.factors[0].inner) for op in products)

    def weights(self, ops: Sequence[Operation]) -> int:
        """Bytes of the constants that matrix products read; other constants are small."""
        products = (op for op in ops if isinstance(op, MatMulOp))
        return sum(self.bytes(v) for op in products for v in op.operands if is_constant(v))


def touched_by(ops: Sequence[Operation], reads: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """The values that `ops` read, with the gathered rows in place of the tables of gathers."""
    taken = {op.source: op.results[0] for op in ops if isinstance(op, PlacesOp)}
    return [taken.get(value, value) for value in reads]


def _owners(op: Operation) -> list[Operation]:
    return [v.owner for v in op.operands if isinstance(v.owner, Operation)]
