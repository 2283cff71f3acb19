"""The computation of a chain, without names and numbers; chains with equal ones share a kernel.

    %0 = Add(%x, 3)                  t0 = Add(x0, s0)
    %1 = Clip(%0, 0, 6)              t1 = Clip(t0, c0 = 0, c1 = 6)
    %2 = Mul(%x, %1)        ->       t2 = Mul(x0, t1)
    %y = Div(%2, 6)                  t3 = Div(t2, s1)

`x0, x1, ...` are the tensors, `p0, ...` the planes, `s0, ...` the constants that are arguments,
`t0, ...` results, and `c0, ...` constants that stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import onnx

from snippets_mlir.driver.onnx.inside.chain import Chain
from snippets_mlir.driver.onnx.inside.values import Values


@dataclass(frozen=True)
class Signature:
    """See the module; equal signatures have one kernel.

    Attributes:
        nodes: the serialised nodes.
        constants: the serialised constants that stay.
        tensors, planes, scalars: how many operands of each kind there are.
        inner: with planes, the channels of a block; 1 for plain images.
    """

    nodes: tuple[bytes, ...]
    constants: tuple[bytes, ...]
    tensors: int
    planes: int
    scalars: int
    inner: int

    @property
    def operands(self) -> tuple[str, ...]:
        """Names of the operands, in the order of a node."""
        kinds = ("x", self.tensors), ("p", self.planes), ("s", self.scalars)
        return tuple(f"{kind}{i}" for kind, count in kinds for i in range(count))

    @property
    def result(self) -> str:
        """The name of the kernel's one output in the model."""
        return f"t{len(self.nodes) - 1}"


def signature_of(chain: Chain, values: Values, block: int) -> Signature:
    """The signature of a chain; `block` are the channels of a block of the blocked layout."""
    operands = chain.operands
    names: dict[str, str] = {}
    kinds = (operands.tensors, operands.planes, operands.scalars)
    for kind, members in zip("xps", kinds, strict=True):
        names.update((name, f"{kind}{i}") for i, name in enumerate(members))
    constants: dict[str, bytes] = {}
    nodes: list[bytes] = []
    for number, place in enumerate(chain.nodes):
        node = onnx.NodeProto()
        node.CopyFrom(values.graph.node[place])
        node.name = node.doc_string = ""
        for index, name in enumerate(node.input):
            if name and name not in names:
                names[name] = f"c{len(constants)}"
                constants[name] = _renamed(values.constants[name], names[name])
            node.input[index] = names.get(name, "")
        names[node.output[0]] = node.output[0] = f"t{number}"
        nodes.append(node.SerializeToString(deterministic=True))
    counts = (len(operands.tensors), len(operands.planes), len(operands.scalars))
    inner = (block if chain.blocked else 1) if operands.planes else 0
    return Signature(tuple(nodes), tuple(constants.values()), *counts, inner)


def _renamed(tensor: onnx.TensorProto, name: str) -> bytes:
    """A constant of one element as a scalar: operands in `model_of` have fewer dims."""
    copy = onnx.TensorProto()
    copy.CopyFrom(tensor)
    copy.name = name
    del copy.dims[:]
    return copy.SerializeToString(deterministic=True)


def model_of(
    signatures: Sequence[Signature], opsets: Sequence[onnx.OperatorSetIdProto]
) -> onnx.ModelProto:
    """A model with all these chains side by side; names of chain k begin with `k.`.

    Sizes are `n` for chains without planes, else `count`, `plane` and the channels of a block.
    """
    graph = onnx.GraphProto(name="chains")
    for number, signature in enumerate(signatures):
        prefix = f"k{number}."
        for raw in signature.constants:
            constant = graph.initializer.add()
            constant.ParseFromString(raw)
            constant.name = prefix + constant.name
        for raw in signature.nodes:
            node = graph.node.add()
            node.ParseFromString(raw)
            for names in (node.input, node.output):
                names[:] = [prefix + name if name else "" for name in names]
        for name in signature.operands:
            shape = shape_of_operand(signature, name)
            graph.input.append(_info(prefix + name, shape))
        whole = shape_of_operand(signature, "x0")
        graph.output.append(_info(prefix + signature.result, whole))
    return onnx.helper.make_model(graph, opset_imports=[*opsets], ir_version=8)


def shape_of_operand(signature: Signature, name: str) -> tuple[int | str, ...]:
    """The sizes of an operand in `model_of`."""
    if name.startswith("s"):
        return (1,)
    if not signature.planes:
        return ("n",)
    inner = () if signature.inner == 1 else (signature.inner,)
    return ("count", 1 if name.startswith("p") else "plane", *inner)


def _info(name: str, shape: Sequence[int | str]) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)


SYMBOLS: Mapping[str, int] = {"n": 0, "plane": 1, "count": 2}
"""The `rt` slot that has a size of `model_of`, as `codegen/stubs/ort_compute.py` fills them in."""
