"""Selects the nodes that onnxruntime runs once because their inputs are constants.

See `constant_nodes.py`. Nodes are not taken if they draw random numbers, have their own graphs,
quantise (onnxruntime fuses those with their readers), or have a value of unknown size. Large
weights that are only transposed, reshaped or cast are not taken either: kernels and sessions use
them unchanged. A node with a value of more than 4 MiB, or one that reads a constant of more than 16
MiB, stays with onnxruntime, in no kernel. Nodes that the import itself folds need no session.

A kernel computes repeated elements, and elementwise nodes and moves of them, in registers, so such
a value is not a constant of the program. But other values computed from it are constants:

    grid = Expand(index, [196, 196])         repeats: `y` and other nodes read it as it is
    bias = Softmax(MatMul(grid, w))          one constant, for which `grid` is computed, too
    y = Add(Add(x, bias), grid)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import onnx
from onnx import helper

from snippets_mlir.analysis.fusion.kinds_of_onnx import OPERATOR_KINDS
from snippets_mlir.dialects.onnx.random_operators import RANDOM_OPERATORS
from snippets_mlir.dialects.onnx.types import DENSE_CODES
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.frontends.onnx.engine_operators import domain_of
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.mapping import parts, row_of
from snippets_mlir.frontends.onnx.node import LARGE
from snippets_mlir.frontends.onnx.readers import captured_names, graphs_of
from snippets_mlir.frontends.onnx.shapes import InferredShapes

MOST = 4 << 20
"""Bytes of a value that becomes a constant, or of one on the way to it."""
MOST_READ = 16 << 20
"""Bytes of a constant that such nodes read: onnxruntime copies it."""
MOST_KNOWN = 1 << 62
"""More than any value has: all sizes that are known are below."""

QUANTISING = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}
BROADCASTS = {"ConstantOfShape", "Expand"}
"""Operators that a kernel computes in a register, for results of any size."""
FORMS = {"Cast", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
"""Operators that keep the numbers of a weight, if they repeat none."""
SIZES = {"Shape", "Size"}
"""Operators that the import folds whatever size the operand has."""
LOCAL = {PatternKind.ELEMWISE, PatternKind.BROADCAST, PatternKind.INJECTIVE}
"""Kinds of operators that compute an element from one element of each operand."""


@dataclass(frozen=True)
class Plan:
    """The nodes to compute, and the nodes that then need no import.

    Attributes:
        runs: positions of the nodes that onnxruntime runs.
        results: their values that are read, in the order of the nodes.
        gone: the nodes that nothing else reads from.
        stay: nodes whose value is a constant that is too large.
    """

    runs: tuple[int, ...]
    results: tuple[str, ...]
    gone: frozenset[int]
    stay: frozenset[int]


def size_of(name: str, known: InferredShapes) -> int | None:
    """Bytes of a value of a type that constants have; None if they are unknown."""
    type_ = known.types.get(name)
    if type_ is None or type_.shape is None or type_.element not in DENSE_CODES:
        return None
    if not all(isinstance(size, int) for size in type_.shape):
        return None
    sizes = [size for size in type_.shape if isinstance(size, int)]
    return prod(sizes) * helper.tensor_dtype_to_np_dtype(type_.element).itemsize


def _is_pure(node: onnx.NodeProto) -> bool:
    """Whether a node of ONNX's own domain computes the same numbers each time, from its inputs."""
    kept = node.op_type in RANDOM_OPERATORS or node.op_type in QUANTISING
    return not domain_of(node) and not kept and not graphs_of(node)


def _folds_here(node: onnx.NodeProto) -> bool:
    """Whether the import folds an operator on small constants by itself."""
    if node.op_type in MOVING or node.op_type == "Constant":
        return True
    return node.op_type not in parts.ROWS and row_of("", node.op_type) is not None


class _Search:
    """One sweep over the nodes of a graph, which are in topological order."""

    def __init__(self, graph: onnx.GraphProto, known: InferredShapes) -> None:
        self._graph, self._known = graph, known
        self._constants = {tensor.name for tensor in graph.initializer}
        self._small: set[str] = set()
        """Values of at most `LARGE` bytes that fold here."""
        self._weights: set[str] = set()
        """Larger constants, and what only has another form of one."""
        self._left: dict[str, int] = {}
        """Larger values that nodes compute from constants, and the nodes."""
        self._repeated: set[str] = set()
        """Large values whose elements repeat those of smaller ones; see the module."""

    def run(self) -> Plan:
        """The nodes to compute, from one walk over the graph."""
        for name in self._constants:
            (self._small if self._is_at_most(LARGE, [name]) else self._weights).add(name)
        found = [index for index, node in enumerate(self._graph.node) if self._takes(index, node)]
        makers = {name: i for i in found for name in self._graph.node[i].output if name}
        read = self._read_by_others(found)
        by_import = self._small | self._weights | self._repeated
        results = [name for name in makers if name in read and name not in by_import]
        runs = self._made_for(results, makers)
        stay = frozenset(self._left.values())
        return Plan(tuple(sorted(runs)), tuple(results), self._gone(runs, results), stay)

    def _is_at_most(self, most: int, names: Iterable[str]) -> bool:
        """Whether each value has a known size of at most `most` bytes."""
        sizes = [size_of(name, self._known) for name in names if name]
        return all(size is not None and size <= most for size in sizes)

    def _takes(self, index: int, node: onnx.NodeProto) -> bool:
        """Whether to compute a node; records the kind of its values."""
        names = [name for name in node.input if name]
        if not _is_pure(node) or not all(map(self._is_constant, names)):
            return False
        if not self._is_at_most(MOST_KNOWN, [*names, *node.output]):
            return False
        is_small = self._is_at_most(LARGE, node.output)
        takes = self._constants.issuperset(names) and self._is_at_most(MOST_READ, names)
        if not is_small and self._repeats(node):
            if not takes or not self._is_at_most(MOST, node.output):
                return False
            self._repeated.update(node.output)
        elif not is_small and (not names or (node.op_type in FORMS and names[0] in self._weights)):
            self._weights.update(node.output)
        elif not takes or not self._is_at_most(MOST, node.output):
            self._left.update((name, index) for name in node.output if name)
            return False
        elif is_small and self._is_folded(node, names):
            self._small.update(node.output)
        if takes:
            self._constants.update(node.output)
        return takes

    def _is_folded(self, node: onnx.NodeProto, names: Iterable[str]) -> bool:
        """Whether the import folds a node with a small value by itself."""
        return node.op_type in SIZES or (_folds_here(node) and self._small.issuperset(names))

    def _repeats(self, node: onnx.NodeProto) -> bool:
        """Whether a large value repeats smaller ones, or is computed from such values."""
        large = [n for n in node.input if n and not self._is_at_most(LARGE, [n])]
        most = max((size_of(name, self._known) or 0 for name in large), default=0)
        if node.op_type in BROADCASTS and not self._is_at_most(most, node.output):
            return True
        is_local = OPERATOR_KINDS.get(("", node.op_type)) in LOCAL
        return bool(large) and is_local and self._repeated.issuperset(large)

    def _is_constant(self, name: str) -> bool:
        return name in self._constants or name in self._weights or name in self._left

    def _read_by_others(self, nodes: Iterable[int]) -> set[str]:
        """The values that the caller and all nodes read, except nodes of `nodes` that need no
        import.
        """
        inside = set(nodes)
        read = {info.name for info in self._graph.output}
        for index in reversed(range(len(self._graph.node))):
            node = self._graph.node[index]
            repeats = any(n in self._repeated and n in read for n in node.output)
            if index not in inside or repeats:
                read.update(_names_read(node))
        return read

    def _made_for(self, names: Iterable[str], makers: Mapping[str, int]) -> set[int]:
        """The nodes that values are made from."""
        found: set[int] = set()
        left = [makers[name] for name in names]
        while left:
            if (index := left.pop()) not in found:
                found.add(index)
                left += [makers[n] for n in self._graph.node[index].input if n in makers]
        return found

    def _gone(self, runs: set[int], results: Iterable[str]) -> frozenset[int]:
        """The nodes of `runs` except those with other read values than the results."""
        needed = {info.name for info in self._graph.output}.difference(results)
        gone: set[int] = set()
        for index in reversed(range(len(self._graph.node))):
            node = self._graph.node[index]
            if index in runs and needed.isdisjoint(node.output):
                gone.add(index)
            else:
                needed.update(n for n in _names_read(node) if n not in results)
        return frozenset(gone)


def _names_read(node: onnx.NodeProto) -> list[str]:
    """The values that a node reads, its graphs included."""
    return [*node.input, *(n for graph in graphs_of(node) for n in captured_names(graph))]


def plan(graph: onnx.GraphProto, known: InferredShapes) -> Plan:
    """Which nodes onnxruntime computes at the import; see the module docstring."""
    return _Search(graph, known).run()
