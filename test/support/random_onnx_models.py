"""Random ONNX models of many operators, types and opsets, compared with onnxruntime.

A model grows by groups of nodes, each run once by onnxruntime, so that arrays of all values are
known; groups that it refuses are dropped. Rounded values are read neither by operators with steps
nor by those that make small errors large, so results have to agree.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from random_onnx_nodes import BROKEN, MAKERS, ROUNDED_BINARY, ROUNDED_UNARY, STEPS
from random_onnx_others import OTHERS
from random_onnx_wholes import WHOLES

Array = NDArray[Any]
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
DTYPES = [np.float32] * 8 + [
    np.float64,
    np.float16,
    np.int32,
    np.int64,
    np.uint8,
    np.int8,
    np.bool_,
]


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


class Graph:
    """A graph that grows.

    Attributes:
        arrays: of all values that nodes may read.
        opset: of the operators.
        random: what decides.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.seed = seed
        self.opset = self.random.choice(
            [7, 9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 22, 23]
        )
        self.numbers: Any = np.random.default_rng(seed)
        self.arrays: dict[str, Array] = {}
        self.weights: dict[str, Array] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: dict[str, list[int | str]] = {}
        self.rounded: set[str] = set()
        self.scale: dict[str, float] = {}
        self._new_weights: dict[str, Array] = {}
        self._hidden: set[str] = set()
        self._count = 0
        self.sizes = {
            "n": self.random.choice([1, 2, 3, 5, 8]),
            "m": self.random.choice([1, 4, 17, 33]),
        }
        dynamic = self.random.random() < 0.7
        shapes: list[list[int | str]] = [
            ["n", "m"],
            ["n", 4, "m"],
            ["m"],
            [2, "m"],
            ["n", 2, 3, "m"],
            [],
            [1, "m"],
            ["n", 1],
            [3, 16],
        ]
        main = self.random.choice(shapes)
        for i in range(self.random.randint(1, 3)):
            dims = main if self.random.random() < 0.6 else self.random.choice(shapes)
            if not dynamic:
                dims = [self.sizes.get(str(d), d) for d in dims]
            dtype = np.dtype(self.random.choice(DTYPES))
            self._input(f"x{i}", dims, dtype)
        if self.random.random() < 0.05:
            self.inputs["text"] = ["n"]
            self.arrays["text"] = np.array([f"a{i}" for i in range(self.sizes["n"])], object)

    def _input(self, name: str, dims: list[int | str], dtype: np.dtype[Any]) -> None:
        self.inputs[name] = dims
        shape = [self.sizes[d] if isinstance(d, str) else d for d in dims]
        self.arrays[name] = self.random_array(shape, dtype)

    def random_array(self, shape: Any, dtype: Any) -> Array:
        """Quarters, small integers or truth values, with a few zeros of both signs."""
        if np.dtype(dtype).kind == "b":
            return self.numbers.random(shape) < 0.5
        low = 0 if np.dtype(dtype).kind == "u" else -8
        found: Array = self.numbers.integers(low, 9, shape)
        if np.dtype(dtype).kind == "f":
            found = np.where(
                found == 0, np.copysign(0.0, self.numbers.random(shape) - 0.5), found / 4
            )
        return np.asarray(found, dtype)

    def feeds(self, sizes: dict[str, int], *, special: bool = False) -> dict[str, Array]:
        """Arrays for the inputs, of other sizes."""
        found: dict[str, Array] = {}
        for name, dims in self.inputs.items():
            shape = [sizes[d] if isinstance(d, str) else d for d in dims]
            if self.arrays[name].dtype.kind == "O":
                found[name] = np.array([f"b{i}" for i in range(shape[0])], object)
                continue
            found[name] = np.asarray(self.random_array(shape, self.arrays[name].dtype))
            if special and found[name].dtype.kind == "f" and found[name].size:
                flat = found[name].reshape(-1)
                for value in (np.nan, np.inf, -np.inf):
                    flat[self.numbers.integers(flat.size)] = value
        return found

    def fresh(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def node(
        self,
        kind: str,
        inputs: list[str],
        outputs: int = 1,
        *,
        hidden: bool = False,
        **attributes: Any,
    ) -> onnx.NodeProto:
        names = [self.fresh() for _ in range(outputs)]
        if hidden:
            self._hidden.update(names)
        return helper.make_node(kind, inputs, names, name=f"n{self._count}", **attributes)

    def weight(self, array: Array) -> str:
        """An initializer, or the same one as before."""
        array = np.asarray(array)
        for name, known in self.weights.items():
            if (
                known.dtype == array.dtype
                and known.shape == array.shape
                and self.random.random() < 0.3
            ):
                if np.array_equal(known, array):
                    return name
        name = f"w{len(self.weights) + len(self._new_weights)}"
        self._new_weights[name] = array
        return name

    def some(self, given: dict[str, Any]) -> dict[str, Any]:
        """These attributes, or their defaults."""
        return given if self.random.random() < 0.6 else {}

    def pick(self, *, floats: bool = False) -> str:
        names = [n for n, a in self.arrays.items() if a.dtype.kind not in "OUS"]
        if floats:
            names = [n for n in names if self.arrays[n].dtype.kind == "f"] or names
        return self.random.choice(names[-6:] if self.random.random() < 0.8 else names)

    def like(self, x: str) -> str:
        """A value of the same type and shape."""
        a = self.arrays[x]
        names = [n for n, b in self.arrays.items() if b.dtype == a.dtype and b.shape == a.shape]
        return self.random.choice(names)

    def partner(self, x: str) -> str:
        """A value or a constant of the same type, which broadcasts to `x` or is its like."""
        a = self.arrays[x]
        if self.random.random() < 0.4:
            names = [n for n, b in self.arrays.items() if b.dtype == a.dtype]
            return self.random.choice(names)
        if self.random.random() < 0.4:
            return self.like(x)
        shapes = [
            (),
            (1,),
            a.shape[-1:],
            a.shape,
            [1] * a.ndim,
            [2, *[1] * a.ndim],
            [d if self.random.random() < 0.5 else 1 for d in a.shape],
        ]
        return self.weight(self.random_array(self.random.choice(shapes), a.dtype))

    def axis(self, x: str) -> int:
        rank = max(1, self.arrays[x].ndim)
        return self.random.randrange(-rank, rank)

    def axes(self, x: str) -> list[int]:
        rank = self.arrays[x].ndim
        some = self.random.sample(range(rank), self.random.randint(0, rank))
        return [a - self.random.choice([0, rank]) for a in some]

    def with_axes(self, kind: str, x: str, axes: list[int] | None) -> onnx.NodeProto:
        if axes is None:
            return self.node(kind, [x])
        if self.opset < 13:
            return self.node(kind, [x], axes=axes)
        return self.node(kind, [x, self.weight(np.array(axes, np.int64))])

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
