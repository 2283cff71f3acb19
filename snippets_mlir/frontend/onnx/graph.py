"""From a checked ONNX graph to `func.func @main`, node by node in the order of the model.

Each node is, in this order: folded (its inputs are small constants), mapped by its row in
`mapping/` (it becomes `snippets` ops), or kept as an `onnx.node` with the reason in
`snippets.reason`. Constants are placed where they are first used; what nobody uses in the end is
removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import numpy as np
import onnx
from onnx import defs, helper, numpy_helper
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    NoneType,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.dtypes import Array, element_type_of, numpy_dtype
from snippets_mlir.dialects.onnx.ops import RANDOM_OPERATORS, NodeOp
from snippets_mlir.dialects.onnx.types import DENSE_CODES, ELEMENT_TYPES
from snippets_mlir.dialects.resources import digest
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import ComputeOp, tensor_of
from snippets_mlir.dialects.snippets.shapes import (
    DYNAMIC,
    compatible,
    format_shape,
    is_static,
)
from snippets_mlir.dialects.snippets.structure import ConstantOp, ScalarOp
from snippets_mlir.dialects.values import evaluate
from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx.attributes import dense_of, import_attribute, import_type
from snippets_mlir.frontend.onnx.folding import fold_moving, fold_shape
from snippets_mlir.frontend.onnx.mapping import ROWS
from snippets_mlir.frontend.onnx.node import Node, NodeBuilder, Opaque, sparse_array

# Constants above this size are named by reference when they come from a file.
LARGE = 1 << 16
REASON = "snippets.reason"


def graphs_of(node: onnx.NodeProto) -> list[onnx.GraphProto]:
    """The graphs among a node's attributes."""
    return [g for a in node.attribute for g in ([a.g] if a.HasField("g") else a.graphs)]


def captured_names(graph: onnx.GraphProto) -> list[str]:
    """The names that a graph attribute reads from its outer graphs, in order of first use."""
    inside = {v.name for v in (*graph.input, *graph.initializer)}
    inside |= {t.values.name for t in graph.sparse_initializer}
    inside.update(name for node in graph.node for name in node.output)
    used: dict[str, None] = {}
    for node in graph.node:
        used.update(dict.fromkeys(n for n in node.input if n))
        for inner in graphs_of(node):
            used.update(dict.fromkeys(captured_names(inner)))
    used.update(dict.fromkeys(o.name for o in graph.output))
    return [name for name in used if name not in inside]


def _draws_random(nodes: Iterable[onnx.NodeProto]) -> bool:
    return any(
        (not n.domain and n.op_type in RANDOM_OPERATORS)
        or _draws_random(inner for g in graphs_of(n) for inner in g.node)
        for n in nodes
    )


def _hint(name: str) -> str:
    """An SSA name as near to `name` as the syntax allows."""
    text = re.sub(r"[^\w$.-]", "_", name, flags=re.ASCII)
    return f"_{text}" if text[:1].isdigit() else text


class GraphImport:
    """The import of one graph; see the module docstring. `NodeBuilder` works on it."""

    def __init__(
        self, model: onnx.ModelProto, types: Mapping[str, onnx.TypeProto], file: str | None
    ) -> None:
        self.graph, self.file = model.graph, file
        self.opsets = {
            "" if o.domain == "ai.onnx" else o.domain: o.version for o in model.opset_import
        }
        self.block = Block()
        self.values: dict[str, SSAValue] = {}
        self.arrays: dict[SSAValue, Array] = {}
        self._types = types
        self._initializers = {t.name: t for t in model.graph.initializer}
        self._sparse = {t.values.name: t for t in model.graph.sparse_initializer}
        self._readers: dict[str, list[onnx.NodeProto]] = {}
        for node in model.graph.node:
            for name in (*node.input, *(n for g in graphs_of(node) for n in captured_names(g))):
                self._readers.setdefault(name, []).append(node)
        self._outputs = {o.name for o in model.graph.output}

    # What `node.Graph` asks for.

    def type_of(self, name: str) -> Attribute:
        """The type of a value as shape inference knows it."""
        return import_type(self._types.get(name))

    def only_opaque_readers(self, name: str) -> bool:
        """Whether every reader of `name` is a node without a row, so that no kernel reads it."""
        readers = self._readers.get(name, [])
        return name not in self._outputs and all(
            n.domain not in ("", "ai.onnx") or n.op_type not in ROWS for n in readers
        )

    def array_of(self, value: SSAValue) -> Array | None:
        """The elements of a small constant, else None."""
        return self.arrays.get(value)

    def value(self, name: str) -> SSAValue:
        """The value called `name`; an initializer becomes a constant at its first use."""
        if name not in self.values:
            self.values[name] = self._initializer(name)
            self.values[name].name_hint = _hint(name)
        return self.values[name]

    def insert(self, op: Operation) -> SSAValue:
        """Append `op`, or the constant that it computes from small constants; its result."""
        (result,) = op.results
        if isinstance(op, ScalarOp):
            self.block.add_op(op)
            number = op.value.value.data
            self.arrays[result] = np.array(number).astype(numpy_dtype(op.value.type))
            return result
        if isinstance(op, ComputeOp) and (array := self._folded(op)) is not None:
            element = tensor_of(result).element_type
            op.erase()
            return self.constant(array, element)
        self.block.add_op(op)
        return result

    def constant(self, array: Array, element: Attribute) -> SSAValue:
        """A constant written in place."""
        op = ConstantOp(dense_of(array, element))  # pyright: ignore[reportArgumentType]
        self.block.add_op(op)
        if array.nbytes <= LARGE:
            self.arrays[op.result] = array
        return op.result

    def _folded(self, op: ComputeOp) -> Array | None:
        type_ = tensor_of(op.results[0])
        if not all(v in self.arrays for v in op.operands) or not is_static(type_.get_shape()):
            return None
        if type_.element_count() * numpy_dtype(type_.element_type).itemsize > LARGE:
            return None
        return evaluate(op, [self.arrays[v] for v in op.operands])

    def _initializer(self, name: str) -> SSAValue:
        if name in self._sparse:
            array = sparse_array(self._sparse[name])
            if array is None:
                raise CompileError(
                    f"the sparse initializer '{name}' is not supported", file=self.file
                )
            return self.constant(array, ELEMENT_TYPES[self._sparse[name].values.data_type])
        tensor = self._initializers.get(name)
        if tensor is None:
            raise CompileError(f"the value '{name}' is not defined", file=self.file)
        if tensor.data_type not in DENSE_CODES:
            return self._constant_node(tensor)
        base = "" if self.file is None else str(re.sub(r"[^/]*$", "", self.file) or ".")
        try:
            array = numpy_helper.to_array(tensor, base_dir=base)
        except (OSError, ValueError, onnx.checker.ValidationError) as error:
            raise CompileError(
                f"cannot read the initializer '{name}': {error}", file=self.file
            ) from None
        element = ELEMENT_TYPES[tensor.data_type]
        if array.nbytes <= LARGE or self.file is None:
            return self.constant(array, element)
        attr = ResourceAttr(StringAttr(self.file), StringAttr(name), StringAttr(digest(array)))
        op = ConstantOp(attr, TensorType(element, array.shape))
        self.block.add_op(op)
        return op.result

    def _constant_node(self, tensor: onnx.TensorProto) -> SSAValue:
        """An initializer whose elements `dense<...>` cannot hold, as a `Constant` node."""
        attribute = helper.make_attribute("value", tensor)
        op = NodeOp(
            "Constant",
            [],
            [TensorType(ELEMENT_TYPES[tensor.data_type], list(tensor.dims))],
            version=self.opsets.get("", defs.onnx_opset_version()),
            attributes={"value": import_attribute(attribute)},
        )
        op.attributes[REASON] = StringAttr("a constant of a type that is not compiled yet")
        self.block.add_op(op)
        return op.results[0]

    # The walk.

    def run(self) -> FuncOp:
        """The function `@main`."""
        given = {*self._initializers, *self._sparse}
        inputs = [i for i in self.graph.input if i.name not in given]
        for info in inputs:
            argument = self.block.insert_arg(self.type_of(info.name), len(self.block.args))
            argument.name_hint = _hint(info.name)
            self.values[info.name] = argument
        for proto in self.graph.node:
            self._node(proto)
        results = [self.value(o.name) for o in self.graph.output]
        self.block.add_op(ReturnOp(*results))
        _remove_unused(self.block)
        return FuncOp(
            "main",
            ([a.type for a in self.block.args], [r.type for r in results]),
            Region([self.block]),
            arg_attrs=_names(i.name for i in inputs),
            res_attrs=_names(o.name for o in self.graph.output),
        )

    def _node(self, proto: onnx.NodeProto) -> None:
        node = self._described(proto)
        results = self._fold(node)
        if results is None:
            results = self._map(node)
        if isinstance(results, str):
            results = self._keep(proto, node, results)
        for name, value in zip(node.outputs, results, strict=False):
            if name and value is not None:
                self.values[name] = value
                if value.name_hint is None:
                    value.name_hint = _hint(name)

    def _described(self, proto: onnx.NodeProto) -> Node:
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        version = self.opsets.get(domain, 1)
        try:
            since = defs.get_schema(proto.op_type, version, domain).since_version
        except defs.SchemaError:
            since = None
        attributes: dict[str, Any] = {
            a.name: helper.get_attribute_value(a) for a in proto.attribute
        }
        return Node(
            proto.op_type,
            domain,
            proto.name,
            version,
            since,
            tuple(proto.input),
            tuple(proto.output),
            attributes,
        )

    def _fold(self, node: Node) -> list[SSAValue | None] | None:
        if node.domain or len(node.inputs) < 1:
            return None
        values = [self.value(n) for n in node.inputs if n]
        shape = fold_shape(node, values[0].type) if values else None
        if shape is not None:
            return [self.constant(shape, ELEMENT_TYPES[onnx.TensorProto.INT64])]
        folded = fold_moving(node, [self.arrays.get(v) for v in values])
        if folded is None:
            return None
        return [self.constant(folded, element_type_of(folded.dtype))]

    def _map(self, node: Node) -> list[SSAValue | None] | str:
        """The values that the node's row builds, or the reason why it stays opaque."""
        if (reason := unknown_version(node)) is not None:
            return reason
        try:
            built = ROWS[node.op_type].build(NodeBuilder(node, self))
        except Opaque as refusal:
            return str(refusal)
        except VerifyException as error:
            raise CompileError(f"node {node.label}: {error}", file=self.file) from None
        results: list[SSAValue | None] = [built] if isinstance(built, SSAValue) else [*built]
        if results[0] is not None:
            results[0] = self._with_promised_type(node, results[0])
        return results

    def _with_promised_type(self, node: Node, value: SSAValue) -> SSAValue:
        """`value`, its type made as precise as the model says; a contradiction is an error."""
        promised, found = self.type_of(node.outputs[0]), value.type
        if not isinstance(promised, TensorType) or not isinstance(
            found, TensorType | UnrankedTensorType
        ):
            return value
        shape = promised.get_shape()
        if isinstance(found, TensorType):
            if not compatible(found.get_shape(), shape):
                raise CompileError(
                    f"node {node.label}: the model says that '{node.outputs[0]}' has shape "
                    f"{format_shape(shape)}, its operator gives {format_shape(found.get_shape())}",
                    file=self.file,
                )
            pairs = zip(found.get_shape(), shape, strict=True)
            shape = tuple(s if f == DYNAMIC else f for f, s in pairs)
        element = cast("TensorType[Attribute] | UnrankedTensorType", found).element_type
        type_: TensorType[Attribute] = TensorType(element, shape)
        if type_ == found or not isinstance(value.owner, Operation):
            return value
        hint = value.name_hint
        precise = Rewriter.replace_value_with_new_type(value, type_)
        precise.name_hint = hint
        self.values = {n: precise if v is value else v for n, v in self.values.items()}
        return precise

    def _keep(self, proto: onnx.NodeProto, node: Node, reason: str) -> list[SSAValue | None]:
        """The node as an `onnx.node`."""
        names = dict.fromkeys(n for g in graphs_of(proto) for n in captured_names(g))
        op = NodeOp(
            node.op_type,
            [self.value(n) if n else None for n in node.inputs],
            [self.type_of(n) if n else NoneType() for n in node.outputs],
            version=node.version,
            domain=node.domain,
            node_name=node.name,
            attributes={a.name: import_attribute(a) for a in proto.attribute},
            captures={n: self.value(n) for n in names},
            random=_draws_random(n for g in graphs_of(proto) for n in g.node),
        )
        op.attributes[REASON] = StringAttr(reason)
        self.block.add_op(op)
        return list(op.results)


def unknown_version(node: Node) -> str | None:
    """Why no row applies to the node, or None when one does."""
    if node.domain:
        return f"operators of the domain '{node.domain}' are not compiled"
    row = ROWS.get(node.op_type)
    newest = defs.onnx_opset_version()
    if node.version > newest:
        return f"opset {node.version} is newer than {newest}, the newest that is known"
    if row is None:
        return f"the operator {node.op_type} is not compiled"
    if node.since not in row.since:
        known = ", ".join(str(v) for v in row.since)
        return f"version {node.since} of {node.op_type} is unknown, the known ones are {known}"
    return None


def _names(names: Iterator[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr(DictionaryAttr({"snippets.name": StringAttr(n)}) for n in names)


def _remove_unused(block: Block) -> None:
    """Erase the constants and `snippets` ops that nobody uses; `onnx.node` ops stay."""
    op = block.last_op
    while op is not None:
        previous = op.prev_op
        unused = op.results and all(r.first_use is None for r in op.results)
        if unused and not isinstance(op, NodeOp) and is_side_effect_free(op):
            Rewriter.erase_op(op)
        op = previous
