"""Bounds on nodes for `cut_bound.py`: upper for the engine's time, lower for a kernel's time.

engine      start, elements at the operator's rate or bytes: as `analysis/cost.py`, or more
kernel      vector instructions of the ops that a node becomes, for its elements: or fewer
images      the blocked layout that the engine gives up for what the node reads and writes
"""

from __future__ import annotations

from functools import cached_property
from math import prod

import onnx
from onnx import numpy_helper

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.analysis.engine.images import IMAGE_NODES, MAKERS
from snippets_mlir.analysis.engine.spans import spans
from snippets_mlir.analysis.engine.transposes import Moves, alone, moves
from snippets_mlir.analysis.graph.eligibility import MAX_RANK
from snippets_mlir.driver.onnx.bound.graph import NodeGraph
from snippets_mlir.driver.onnx.bound.operators import is_in_steps, is_single, of_bound
from snippets_mlir.driver.onnx.bound.products import (
    EINSUM_NODES,
    engine_product,
    is_product_node,
    kernel_product,
)
from snippets_mlir.driver.onnx.bound.values import TYPES_ONLY, VIEWS, item_bytes
from snippets_mlir.frontends.onnx.mapping import parts
from snippets_mlir.frontends.onnx.readers import operator_key
from snippets_mlir.targets.instructions import NORM, SOFTMAX, instructions_for

SOFTMAX_OF_ONE_DIM = 13
"""The opset from which on Softmax is of one dim, and one op."""

WHOLE = {
    "LayerNormalization": NORM,
    "Softmax": SOFTMAX + instructions_for("exp", 1),
}
"""Operators that are one op each of a whole tensor, with its vector instructions."""

GELU = [instructions_for("gelu", 1, approximation=form) for form in ("erf", "tanh")]

MOVES_OR_SUMS = frozenset("ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum Transpose".split())
"""Operators that are one op on floats, with a result of another shape."""

EXTREMA = ("ReduceMax", "ReduceMin")
"""Such operators that are several ops on truth values."""


def is_exact(operator: str) -> bool:
    """Whether an operator reads its inputs and writes its result, each once."""
    moved = operator in {*MOVES_OR_SUMS, *parts.ROWS} or operator in of_bound("once")
    return moved or is_single(operator) or is_in_steps(operator)


JOINING = ("LayerNormalization", "Pow", "Sigmoid", "SwiGLU", "Swish")
"""Operators without which the engine runs each node separately; see
`analysis/engine/fusions.py`."""

CHAIN = "LayerNormalization"
"""The engine's operator for chains of ops; each chain has a power."""


AFTER_POWER = ("ReduceMean", "Add", "Sqrt", "Div")
"""The nodes of such a chain after the power."""


class NodeWeights:
    """Bounds for the nodes of a graph, in nanoseconds."""

    def __init__(self, graph: NodeGraph, threads: int, costs: EngineCosts, lanes: int) -> None:
        self.graph, self.threads, self.costs, self.lanes = graph, threads, costs, lanes
        self.types, self.nodes = graph.types, graph.nodes
        self._joins = any(node.op_type in JOINING for node in graph.nodes)

    def kernel(self, node: onnx.NodeProto) -> float:
        """Lower bound on a kernel's time for a node on one thread."""
        names = (
            [node.input[0], node.output[0]] if node.op_type in MOVES_OR_SUMS else [node.output[0]]
        )
        vectors = max(map(self.graph.elements_of, names)) / self.lanes
        found = self.costs.instruction * self._instructions(node) * vectors
        if is_product_node(node):
            found += kernel_product(self.graph, self.costs, node)
        return found

    def _instructions(self, node: onnx.NodeProto) -> float:
        """Lower bound on the vector instructions of a kernel for a node."""
        kind = node.op_type
        if kind == "BatchNormalization":
            return 2.0
        if kind == "Gelu" and self._is_float(node):
            return min(GELU)
        if kind in of_bound("once") or (is_in_steps(kind) and kind != "Clip"):
            return 1.0
        if not self._is_float(node):
            return 0.0
        if kind in MOVES_OR_SUMS:
            return 1.0
        if is_single(kind):
            return instructions_for(of_bound("single")[kind], len(node.input))
        if kind == "Clip":
            return float(sum(map(bool, node.input[1:])))
        one_op = len(node.output) == 1 and self.graph.opset >= SOFTMAX_OF_ONE_DIM
        return WHOLE.get(kind, 0.0) if one_op else 0.0

    def engine(self, node: onnx.NodeProto) -> float:
        """Upper bound on the engine's time for a node, and its share of a chain."""
        if not self.computed(node):
            return 0.0  # the engine computes it when it loads the model
        if node.op_type == "Dropout" and not any(node.output[1:]):
            return 0.0  # an op outside of kernels: its operands, or random numbers
        if node.op_type in VIEWS:
            return self.costs.node
        if is_product_node(node):
            starts = self.costs.node * (EINSUM_NODES if node.op_type == "Einsum" else 1)
            return starts + self._time(*engine_product(self.graph, self.costs, node))
        names = [n for n in (*node.input, *node.output) if n]
        if node.op_type in parts.ROWS:  # what is left out is not touched
            names = [n for n in (*node.output, *node.output) if n]
        largest = max(map(self.graph.elements_of, names), default=0)
        item = max((item_bytes(self.types[n].element) for n in names), default=0)
        names = [n for n in names if n not in self.graph.constants]
        if is_exact(node.op_type) and (node.op_type not in EXTREMA or self._is_float(node)):
            touched = sum(map(self.graph.bytes_of, names))
        else:
            touched = (len(names) + 2) * largest * max(item, 4)
        rates, compute = self.costs.rates, self.costs.arithmetic
        if not (node.op_type == "Pow" and self._is_small_power(node.input[1])):
            compute = rates.get(operator_key(node), compute)
        moved = self._moves(node)
        pieces = self._pieces(node) + moved.pieces
        compute += self.costs.span * pieces / max(1, largest)
        single = not self._joins and (is_single(node.op_type) or is_in_steps(node.op_type))
        shared = self._time(largest * compute, touched, alone=single)
        found = self.costs.node + max(shared, alone(moved, self.costs))
        if node.op_type == "Pow":
            chain = rates.get(CHAIN, self.costs.arithmetic)
            whole = self.costs.node + self._time(largest * chain, touched)
            found += max(0.0, whole - found - self._in_chain_with(node))
        return found

    def _in_chain_with(self, power: onnx.NodeProto) -> float:
        """Upper bound on the engine's time for nodes that are in each chain with a power."""
        found, name = 0.0, power.output[0]
        for kind in AFTER_POWER:
            readers = self.graph.readers.get(name, ())
            node = self.nodes[readers[0]] if len(readers) == 1 else None
            if node is None or node.op_type != kind or name in self.graph.outputs:
                break
            found += self.engine(node)
            name = node.output[0]
        return found

    def _time(
        self, compute: float, touched: int, more: float = 0.0, *, alone: bool = False
    ) -> float:
        """Upper bound on the time of work that takes `more` bytes longer; exact if it stays
        `alone`.

        More work may take less time on more threads: joint work counts for its parts.
        """
        costs = self.costs
        rate = costs.cached_byte if touched <= costs.cache else costs.stream_byte
        work = max(compute, (touched + more) * max(rate, costs.cached_byte))
        if alone:
            return work / (self.threads if work >= costs.parallel_from else 1)
        return max(min(work, costs.parallel_from), work / self.threads)

    def _pieces(self, node: onnx.NodeProto) -> int:
        """Upper bound on the number of pieces of a node whose operands broadcast in the engine.

        The plan has constants of one element without dims.
        """
        shapes = [self._sizes(name) for name in node.input if name]
        if len(shapes) < 2:
            return 0
        without = [shape if prod(shape) != 1 else [] for shape in shapes]
        return max(spans(shapes), spans(without))

    def _moves(self, node: onnx.NodeProto) -> Moves:
        """The data that the engine moves for a Transpose."""
        if node.op_type != "Transpose":
            return Moves()
        shape = self._sizes(node.input[0])
        given = next((a.ints for a in node.attribute if a.name == "perm"), None)
        return moves(shape, [*range(len(shape))][::-1] if given is None else [*given])

    def _sizes(self, name: str) -> list[int]:
        type_ = self.types.get(name)
        return [] if type_ is None else [self.graph.size(d) for d in type_.shape or ()]

    def _is_small_power(self, name: str) -> bool:
        tensor = self.graph.weights.get(name)
        if tensor is None or prod(tensor.dims) != 1 or tensor.external_data:
            return False
        return float(numpy_helper.to_array(tensor).reshape(-1)[0]) in (2.0, 3.0)

    def images(self, place: int) -> float:
        """Lower bound on the cost of images that each kernel with this node reads and writes."""
        node = self.nodes[place]
        if not (is_single(node.op_type) or is_in_steps(node.op_type)):
            return 0.0
        found = 0.0
        for name in dict.fromkeys(n for n in node.input if n in self.graph.makers):
            if name in self._images and _has_images(self.nodes[self.graph.makers[name]]):
                found += self.graph.bytes_of(name) / len(self.graph.readers[name])
        for name in node.output:
            readers = [self.nodes[i] for i in self.graph.readers.get(name, ())]
            if name in self._images and any(map(_has_images, readers)):
                found += self.graph.bytes_of(name)
        return self.costs.image_byte * found

    @cached_property
    def _images(self) -> set[str]:
        """Values that are certainly in the blocked layout, as in `analysis/engine/images.py`."""
        found: set[str] = set()
        for node in self.nodes:
            follows = is_single(node.op_type) or is_in_steps(node.op_type) or _has_images(node)
            if node.op_type in MAKERS or (follows and not found.isdisjoint(node.input)):
                found.update(filter(self._has_four_dims, node.output))
        return found

    def _has_four_dims(self, name: str) -> bool:
        type_ = self.types.get(name)
        return type_ is not None and type_.shape is not None and len(type_.shape) == 4

    def is_plain(self, place: int) -> bool:
        """Whether a node computes each element of float32 from elements of its inputs."""
        node = self.nodes[place]
        if not (is_single(node.op_type) or is_in_steps(node.op_type)):
            return False
        return self._is_float(node) and len(self.types[node.output[0]].shape or ()) <= MAX_RANK

    def _is_float(self, node: onnx.NodeProto) -> bool:
        skipped = TYPES_ONLY.get(node.op_type, ())
        names = [n for i, n in enumerate(node.input) if n and i not in skipped]
        names.append(node.output[0])
        return all(self.types[n].element == onnx.TensorProto.FLOAT for n in names)

    def computed(self, node: onnx.NodeProto) -> list[str]:
        """The names of the inputs that are not constants."""
        return [n for n in node.input if n and n not in self.graph.constants]


def _has_images(node: onnx.NodeProto) -> bool:
    return node.op_type in IMAGE_NODES
