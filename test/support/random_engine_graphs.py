"""Random ONNX graphs of nodes of onnxruntime and nodes that can become kernels between them.

Sizes are such that some kernels pay and most do not. There are residual additions, constants that
are computed, values that nodes pass on as they are, and images between convolutions.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

UNARY = "Relu Sigmoid Tanh Exp Erf Softplus Abs Neg Sqrt HardSigmoid LeakyRelu Identity".split()
BINARY = "Add Mul Sub Div".split()
NORMS = "layer rms batch softmax".split()

Shape = tuple[int, ...]


class _Graph:
    """A graph that grows by random nodes."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, Any] = {}
        self.values: list[tuple[str, Shape]] = []

    def weight(self, shape: Shape) -> str:
        name = f"w{len(self.weights)}"
        self.weights[name] = self.numbers.random(shape, np.float32)
        if self.random.random() < 0.2:  # what the import computes
            return self.node("Mul", [name, name], shape, shown=False)
        return name

    def node(
        self, kind: str, inputs: list[str], shape: Shape, *, shown: bool = True, **attributes: Any
    ) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        if shown:
            self.values.append((name, shape))
        return name

    def grow(self) -> None:
        x, shape = self.random.choice(self.values[-3:])
        kind = self.random.random()
        if kind < 0.3:
            self._engine(x, shape)
        elif kind < 0.55:
            self.node(self.random.choice(UNARY), [x], shape)
        elif kind < 0.75:
            others = [n for n, s in self.values if s == shape]
            size: Shape = self.random.choice([shape, shape[-1:], (1,)])
            if len(shape) == 4 and size == shape[-1:]:
                size = (shape[1], 1, 1)
            y = self.random.choice([*others, self.weight(size)])
            pair = [x, y] if self.random.random() < 0.7 else [y, x]
            self.node(self.random.choice(BINARY), pair, shape)
        elif kind < 0.85:
            self._norm(x, shape)
        else:
            self._other(x, shape)

    def _engine(self, x: str, shape: Shape) -> None:
        if len(shape) == 2 and self.random.random() < 0.3:
            self._beside_products(x, shape)
        elif len(shape) == 4:
            channels = self.random.choice([8, 32])
            w = self.weight((channels, shape[1], 1, 1))
            self.node("Conv", [x, w], (shape[0], channels, *shape[2:]))
        else:
            columns = self.random.choice([16, 64, 256])
            w = self.weight((shape[-1], columns))
            self.node("MatMul", [x, w], (*shape[:-1], columns))

    def _beside_products(self, x: str, shape: Shape) -> None:
        """Nodes that no kernel holds, products of other operators, and attentions."""
        rows, inner = shape
        columns = self.random.choice([16, 64, 256])
        match self.random.randrange(4):
            case 0:
                self.node("LpNormalization", [x], shape)
            case 1:
                weights = [self.weight((columns, inner)), self.weight((columns,))]
                self.node("Gemm", [x, *weights], (rows, columns), transB=1)
            case 2:
                equation = self.random.choice(["ij,kj->ik", "ij,kj->ki", "ij,kj->ij", "ij,jk->k"])
                right = (inner, columns) if "jk" in equation else (columns, inner)
                result = {"i": rows, "j": inner, "k": columns}
                sizes = tuple(result[letter] for letter in equation.partition("->")[2])
                self.node("Einsum", [x, self.weight(right)], sizes, equation=equation)
            case _ if rows <= 1024:
                turned = self.node("Transpose", [x], (inner, rows), shown=False, perm=[1, 0])
                scores = self.node("MatMul", [x, turned], (rows, rows), shown=False)
                shares = self.node("Softmax", [scores], (rows, rows), shown=False, axis=-1)
                self.node("MatMul", [shares, x], shape)
            case _:
                self.node("Relu", [x], shape)

    def _norm(self, x: str, shape: Shape) -> None:
        kind, last = self.random.choice(NORMS), (*shape[:-1], 1)
        if kind == "softmax":
            self.node("Softmax", [x], shape, axis=-1)
        elif kind == "batch" and len(shape) == 4:
            self.node("BatchNormalization", [x, *(self.weight(shape[1:2]) for _ in "abcd")], shape)
        elif kind == "layer":
            scale, bias = self.weight(shape[-1:]), self.weight(shape[-1:])
            self.node("LayerNormalization", [x, scale, bias], shape, axis=-1)
        else:
            two, eps = f"w{len(self.weights)}", f"e{len(self.weights)}"
            self.weights |= {two: np.float32(2), eps: np.float32(1e-5)}
            square = self.node("Pow", [x, two], shape, shown=False)
            mean = self.node("ReduceMean", [square], last, shown=False, axes=[-1])
            shifted = self.node("Add", [mean, eps], last, shown=False)
            root = self.node("Sqrt", [shifted], last, shown=False)
            self.node("Div", [x, root], shape)

    def _other(self, x: str, shape: Shape) -> None:
        match self.random.randrange(7):
            case 0:
                low = self.node("Clip", [x, self.weight(()), self.weight(())], shape)
                self.node("Mul", [low, x], shape)
            case 1:
                self.node("Cast", [x], shape, to=TensorProto.FLOAT)
            case 2:
                flat = (shape[0], int(np.prod(shape[1:])))
                name = f"w{len(self.weights)}"
                self.weights[name] = np.array(flat)
                self.node("Reshape", [x, name], flat)
            case 3 if len(shape) < 4:
                self.node("Transpose", [x], shape[::-1], perm=list(range(len(shape)))[::-1])
            case 4:
                size = shape[0] // 2 + 1
                names = [f"{part}{len(self.weights)}" for part in "se"]
                self.weights |= {names[0]: np.array([0]), names[1]: np.array([size])}
                self.node("Slice", [x, *names], (size, *shape[1:]))
            case 5:
                self.node("Concat", [x, x], (2 * shape[0], *shape[1:]), axis=0)
            case _:
                self.node("ReduceMean", [x], (*shape[:-1], 1), shown=False, axes=[-1])


def engine_graph(seed: int) -> onnx.ModelProto:
    """The graph of this seed, of float32 values and static shapes."""
    graph = _Graph(seed)
    random = graph.random
    rows = random.choice([1, 16, 128, 1024, 8192])
    images = random.random() < 0.4
    shape: Shape = (1, 8, rows // 16 + 1, 16) if images else (rows, random.choice([16, 64]))
    infos = [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)]
    graph.values.append(("x", shape))
    for _ in range(random.randrange(1, 25)):
        graph.grow()
    read = {name for node in graph.nodes for name in node.input}
    made = [name for node in graph.nodes for name in node.output]
    outputs = [name for name in made if name not in read and random.random() < 0.8]
    outputs = outputs or made[-1:]
    tensors = [numpy_helper.from_array(np.asarray(a), n) for n, a in graph.weights.items()]
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    proto = helper.make_graph(graph.nodes, "g", infos, results, tensors)
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
