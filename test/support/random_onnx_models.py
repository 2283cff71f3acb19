"""Random ONNX models of many operators, types and opsets, compared with onnxruntime.

A model grows by groups of nodes, each run once by onnxruntime, so that arrays of all values are
known; groups that it refuses are dropped. Rounded values are read neither by operators with steps
nor by those that make small errors large, so results have to agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from random_onnx_nodes import BROKEN, MAKERS, ROUNDED_BINARY, ROUNDED_UNARY, STEPS
from random_onnx_others import OTHERS
from random_onnx_values import Array, Values
from random_onnx_wholes import WHOLES

ENGINE: Any = onnxruntime
ENGINE.set_default_logger_severity(4)
EXACT_LIMIT = 1 << 9
"""Sums, products and differences of quarters below it are exact in half precision, nearly."""
ROUNDED = {
    *ROUNDED_UNARY,
    *ROUNDED_BINARY,
    "Mean",
    "Softmax",
    "LogSoftmax",
    "LayerNormalization",
    "BatchNormalization",
    "InstanceNormalization",
    "LpNormalization",
    "AveragePool",
    "GlobalAveragePool",
    "ReduceMean",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "LRN",
    "RMSNormalization",
    "GroupNormalization",
    "Resize",
}


def session(model: onnx.ModelProto, *, optimize: bool = True) -> Any:
    """A session of the model on one thread."""
    options = ENGINE.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    if not optimize:
        options.graph_optimization_level = ENGINE.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ENGINE.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def info_of(name: str, array: Array, dims: Any = ()) -> onnx.ValueInfoProto:
    """The declaration of a value; `dims` in place of the array's sizes."""
    if array.dtype.kind in "OUS":
        kind = TensorProto.STRING
    else:
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, list(dims) or list(array.shape))


class Graph(Values):
    """A graph that grows."""

    def grow(self) -> None:
        """Add nodes, if onnxruntime runs them."""
        self._new_weights, self._hidden = {}, set()
        try:
            nodes = self.random.choice(self.random.choice([MAKERS, MAKERS, OTHERS, WHOLES]))(self)
        except (ValueError, TypeError, IndexError, OverflowError):
            return
        if nodes is None or not self._is_exact_enough(nodes):
            return
        known = self.arrays | self.weights | self._new_weights
        made = {o for n in nodes for o in n.output}
        reads = [r for r in dict.fromkeys(_reads(nodes)) if r in known and r not in made]
        results = [o for n in nodes for o in n.output if o not in self._hidden]
        graph = helper.make_graph(
            nodes,
            "g",
            [info_of(r, known[r], known[r].shape) for r in reads],
            [onnx.ValueInfoProto(name=r) for r in results],
        )
        try:
            found = session(self._model(graph), optimize=False).run(
                results, {r: known[r] for r in reads}
            )
        except Exception:
            return
        if any(not isinstance(a, np.ndarray) or a.size > 1 << 15 for a in found):
            return
        self.nodes += nodes
        self.weights |= self._new_weights
        inexact = self._is_rounded(nodes)
        for name, array in zip(results, found, strict=True):
            self.arrays[name] = array
            if array.dtype.kind == "f" and (
                inexact or array.dtype == np.float16 or _leaves_exact(array)
            ):
                self.rounded.add(name)

    def _is_exact_enough(self, nodes: list[onnx.NodeProto]) -> bool:
        reads = set(_reads(nodes)) & self.rounded
        kinds = {n.op_type for n in nodes}
        return not (reads and kinds & (STEPS | BROKEN))

    def _is_rounded(self, nodes: list[onnx.NodeProto]) -> bool:
        return bool(set(_reads(nodes)) & self.rounded) or any(n.op_type in ROUNDED for n in nodes)

    def _model(self, graph: onnx.GraphProto) -> onnx.ModelProto:
        version = 10 if self.opset > 20 else 8
        imports = [helper.make_opsetid("", self.opset)]
        return helper.make_model(graph, opset_imports=imports, ir_version=version)

    def model(self) -> onnx.ModelProto:
        """The model; its outputs are some values, with inputs and initializers among them."""
        random = self.random
        made = [n for n in self.arrays if n not in self.inputs]
        read = set(_reads(self.nodes))
        outputs = [n for n in made if n not in read or random.random() < 0.15]
        outputs = outputs or made or [*self.arrays]
        if random.random() < 0.1:
            outputs.append(random.choice([*self.inputs]))
        weights = {n: a for n, a in self.weights.items()}
        if weights and random.random() < 0.1:
            outputs.append(random.choice([*weights]))
        random.shuffle(outputs)
        known = self.arrays | weights
        declared = random.choice(["none", "rank", "types"])
        infos: list[onnx.ValueInfoProto] = []
        for name in dict.fromkeys(outputs):
            info = info_of(name, known[name], known[name].shape)
            if declared == "rank":
                for d in info.type.tensor_type.shape.dim:
                    d.ClearField("dim_value")
            elif declared == "types" or self.is_dynamic:
                info.type.tensor_type.ClearField("shape")
            infos.append(info if declared != "none" else onnx.ValueInfoProto(name=name))
        inputs = [info_of(n, self.arrays[n], d) for n, d in self.inputs.items()]
        for info, dims in zip(inputs, self.inputs.values(), strict=True):
            if not dims:
                info.type.tensor_type.shape.SetInParent()
        if random.random() < 0.1 and weights:  # an initializer that calls may override
            name = random.choice([*weights])
            inputs.append(info_of(name, weights[name], weights[name].shape))
        tensors = [numpy_helper.from_array(a, n) for n, a in weights.items()]
        return self._model(helper.make_graph(self.nodes, "g", inputs, infos, tensors))

    @property
    def is_dynamic(self) -> bool:
        return any(isinstance(d, str) for dims in self.inputs.values() for d in dims)


def _reads(nodes: Any) -> list[str]:
    """What nodes read, in their graphs, too."""
    found: list[str] = []
    for node in nodes:
        found += [n for n in node.input if n]
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found += _reads(attribute.g.node)
    return found


def _leaves_exact(array: Array) -> bool:
    """Whether elements are too large or too fine for sums and products to be exact."""
    finite = array[np.isfinite(array)].astype(np.float64)
    if not finite.size:
        return False
    return bool((np.abs(finite) > EXACT_LIMIT).any() or (finite * 16 != np.rint(finite * 16)).any())


def random_model(seed: int) -> tuple[Graph, onnx.ModelProto]:
    """The graph and the model of a seed."""
    graph = Graph(seed)
    for _ in range(graph.random.randint(2, 14)):
        graph.grow()
    return graph, graph.model()
