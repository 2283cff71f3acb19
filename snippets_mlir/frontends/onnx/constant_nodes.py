"""Nodes that compute from constants alone: onnxruntime runs them once, for all imports.

    mask = ScatterND(zeros, places, -100)
    bias = Transpose(Reshape(Gather(table, index)))
    y = Add(Add(x, bias), mask)                        Add(Add(x, <constant>), <constant>)

Exporters leave the embeddings of positions, masks of windows and tables of relative places in
models; onnxruntime folds them when it loads a session, so a kernel that computes them in each call
would lose against nothing.

`plan` decides which nodes go, and `constant_nodes` lets onnxruntime compute what others read of
them. Not taken are nodes that draw random numbers, have graphs of their own, quantise (onnxruntime
fuses those with what they feed), have a value of unknown size, or repeat an element or more; nor is
a large weight that is only transposed, reshaped or cast: kernels and sessions take it as it is. A
node with a value of more than 4 MiB, or one that reads a constant of more than 16 MiB, stays with
onnxruntime, in no kernel. What the import folds by itself needs no session. Where onnxruntime
refuses the nodes, none is taken. Source: `ConstantFolding` of onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import onnx
from onnx import helper

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.onnx.random_operators import RANDOM_OPERATORS
from snippets_mlir.dialects.onnx.types import DENSE_CODES
from snippets_mlir.frontends.onnx.folding import MOVING
from snippets_mlir.frontends.onnx.mapping import parts, row_of
from snippets_mlir.frontends.onnx.node import LARGE
from snippets_mlir.frontends.onnx.readers import captured_names, domain_of, graphs_of
from snippets_mlir.frontends.onnx.shapes import InferredShapes

MOST = 4 << 20
"""Bytes of a value that becomes a constant, or of one on the way to it."""
MOST_READ = 16 << 20
"""Bytes of a constant that such nodes read: onnxruntime copies it."""
MOST_KNOWN = 1 << 62
"""More than any value has: all sizes that are known are below."""

QUANTISING = {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear"}
BROADCASTS = {"ConstantOfShape", "Expand"}
"""Operators that a kernel computes in a register, whatever size the result has."""
FORMS = {"Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze"}
"""Operators that a weight keeps its numbers under."""


@dataclass(frozen=True)
class ConstantNodes:
    """What onnxruntime has computed from constants.

    Attributes:
        gone: positions of the nodes that nothing has to import.
        values: what other nodes, or the caller, read of them.
        stay: positions of nodes that onnxruntime computes when it loads a session.
    """

    gone: frozenset[int] = frozenset()
    values: Mapping[str, Array] = field(default_factory=dict[str, Array])
    stay: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Plan:
    """What to compute, and what need not be imported then.

    Attributes:
        runs: positions of the nodes that onnxruntime runs.
        results: the values that are read of them, in the order of the nodes.
        gone: the nodes that nothing else reads from.
        stay: nodes whose value is a constant that is too large.
    """

    runs: tuple[int, ...]
    results: tuple[str, ...]
    gone: frozenset[int]
    stay: frozenset[int]


def size_of(name: str, known: InferredShapes) -> int | None:
    """Bytes of a value of a type that constants have, None when it is not known."""
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
    """One sweep over the nodes of a graph: every node is after those that it reads."""

    def __init__(self, graph: onnx.GraphProto, known: InferredShapes) -> None:
        self._graph, self._known = graph, known
        self._constants = {tensor.name for tensor in graph.initializer}
        self._small: set[str] = set()
        """Values of at most `LARGE` bytes that fold here."""
        self._weights: set[str] = set()
        """Larger constants, and what only has another form of one."""
        self._left: dict[str, int] = {}
        """Larger values that nodes compute from constants, and the nodes."""

    def run(self) -> Plan:
        """The plan."""
        for name in self._constants:
            (self._small if self._is_at_most(LARGE, [name]) else self._weights).add(name)
        found = [index for index, node in enumerate(self._graph.node) if self._takes(index, node)]
        makers = {name: i for i in found for name in self._graph.node[i].output if name}
        read = self._read_by_others(found)
        by_import = self._small | self._weights
        results = [name for name in makers if name in read and name not in by_import]
        runs = self._made_for(results, makers)
        stay = frozenset(self._left.values())
        return Plan(tuple(sorted(runs)), tuple(results), self._gone(runs, results), stay)

    def _is_at_most(self, most: int, names: Iterable[str]) -> bool:
        """Whether each value has a known size of at most `most` bytes."""
        sizes = [size_of(name, self._known) for name in names if name]
        return all(size is not None and size <= most for size in sizes)

    def _takes(self, index: int, node: onnx.NodeProto) -> bool:
        """Whether a node is to be computed; notes what its values are."""
        names = [name for name in node.input if name]
        if not _is_pure(node) or not all(map(self._is_constant, names)):
            return False
        if not self._is_at_most(MOST_KNOWN, [*names, *node.output]):
            return False
        is_small = self._is_at_most(LARGE, node.output)
        if not is_small and node.op_type in BROADCASTS:
            return False
        takes = self._constants.issuperset(names) and self._is_at_most(MOST_READ, names)
        if not is_small and (not names or (node.op_type in FORMS and names[0] in self._weights)):
            self._weights.update(node.output)
        elif not takes or not self._is_at_most(MOST, node.output):
            self._left.update((name, index) for name in node.output if name)
            return False
        elif is_small and _folds_here(node) and self._small.issuperset(names):
            self._small.update(node.output)
        if takes:
            self._constants.update(node.output)
        return takes

    def _is_constant(self, name: str) -> bool:
        return name in self._constants or name in self._weights or name in self._left

    def _read_by_others(self, nodes: Iterable[int]) -> set[str]:
        """What the caller and all nodes but `nodes` read."""
        inside = set(nodes)
        read = {info.name for info in self._graph.output}
        for index, node in enumerate(self._graph.node):
            if index not in inside:
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
        """The nodes of `runs` without those that make what others read beside the results."""
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


def constant_nodes(
    model: onnx.ModelProto,
    known: InferredShapes,
    weight: Callable[[str], onnx.TensorProto],
) -> ConstantNodes:
    """The nodes of `model` that go, and their values; `weight` gives an initializer with its data.

    Nothing goes where onnxruntime is not installed or refuses the nodes.
    """
    decided = plan(model.graph, known)
    if not decided.results:
        return ConstantNodes(stay=decided.stay)
    nodes = [model.graph.node[i] for i in decided.runs]
    made = {name for node in nodes for name in node.output}
    read = dict.fromkeys(n for node in nodes for n in node.input if n and n not in made)
    outputs = [onnx.ValueInfoProto(name=name) for name in decided.results]
    graph = helper.make_graph(nodes, "constants", [], outputs, [weight(name) for name in read])
    part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    if (arrays := _run(part)) is None:
        return ConstantNodes(stay=decided.stay)
    values = dict(zip(decided.results, arrays, strict=True))
    return ConstantNodes(decided.gone, values, decided.stay)


def _run(model: onnx.ModelProto) -> list[Array] | None:
    """The outputs of a model without inputs, None where onnxruntime does not compute them."""
    try:
        engine: Any = import_module("onnxruntime")  # it has no type information
    except ImportError:
        return None
    options = engine.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = engine.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return session.run(None, {})
    except Exception:  # whatever it is, the model's own session meets it again, and says it
        return None
