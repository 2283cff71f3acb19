"""From a checked ONNX graph to `func.func @main`, node by node in the order of the model.

Each node is, in this order: already computed (`constant_nodes.py`), folded (its inputs are small
constants), mapped by its row in `mapping/` (it becomes `snippets` ops), replaced by nodes that read
the same sizes from the model's inputs (`input_sizes.py`), or kept as an `onnx.node` with the reason
in `snippets.reason`. Constants are placed at their first use. Unused ops are removed at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import onnx
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    NoneType,
    StringAttr,
    TensorType,
    UnrankedTensorType,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_type
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import ELEMENT_TYPES
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible, format_shape, may_be_equal
from snippets_mlir.frontends.onnx.attributes import Sizes, import_attribute
from snippets_mlir.frontends.onnx.folding import fold_moving, fold_shape
from snippets_mlir.frontends.onnx.graph_answers import GraphAnswers
from snippets_mlir.frontends.onnx.graph_view import Node
from snippets_mlir.frontends.onnx.mapping import row_of
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque
from snippets_mlir.frontends.onnx.prepare import PreparedModel
from snippets_mlir.frontends.onnx.readers import (
    captured_names,
    domains_of,
    draws_random,
    graphs_of,
)
from snippets_mlir.frontends.onnx.shapes import InferredShapes
from snippets_mlir.frontends.onnx.unused import remove_made, remove_unused
from snippets_mlir.frontends.onnx.versions import described, why_no_row
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.value_names import ssa_name

_IS_CONSTANT = "a large constant that onnxruntime computes when it loads the session"


class GraphImport(GraphAnswers):
    """The import of one graph; see the module docstring. `NodeBuilder` works on it."""

    def __init__(
        self,
        prepared: PreparedModel,
        sizes: Sizes | None = None,
        kept: Mapping[int, str] | None = None,
        *,
        hashed: bool = True,
        types: InferredShapes | None = None,
        products: bool | None = None,
    ) -> None:
        super().__init__(prepared, sizes, kept, hashed=hashed, types=types, products=products)
        self.origins: dict[Operation, int] = {}
        self._computed = prepared.constant_nodes
        self._made: set[Operation] = set()
        self.steps = self._import()  # one for each node

    def interface(self) -> FuncOp:
        """`@main` with all nodes as one: only the model's inputs and outputs."""
        inputs = self._arguments()
        names = dict.fromkeys(o.name for o in self.graph.output)
        types = [self.type_of(name) for name in names]
        node = NodeOp("Model", [*self.block.args], types, version=1, domain="snippets")
        self.block.add_op(node)
        results = dict(zip(names, node.results, strict=True))
        return self._function(inputs, [results[o.name] for o in self.graph.output])

    def run(self) -> FuncOp:
        """Take all steps that are left; returns the function `@main`."""
        for _ in self.steps:
            pass
        return self._function(self._inputs, [self.value(o.name) for o in self.graph.output])

    def _import(self) -> Iterator[int]:
        self._inputs = self._arguments()
        for index, proto in enumerate(self.graph.node):
            yield index
            last = self.block.last_op
            if index in self._computed.gone:
                self._take_constants(proto)
            else:
                kept = _IS_CONSTANT if index in self._computed.stay else None
                self._node(proto, self._kept.get(index, kept))
            op = self.block.first_op if last is None else last.next_op
            while op is not None:
                self.origins[op] = index
                self.note(op)
                op = op.next_op

    def _arguments(self) -> list[onnx.ValueInfoProto]:
        """The inputs that the caller gives; they become the arguments of the block."""
        inputs = [i for i in self.graph.input if i.name not in self.given]
        for info in inputs:
            argument = self.block.insert_arg(self.type_of(info.name), len(self.block.args))
            argument.name_hint = ssa_name(info.name)
            self.values[info.name] = argument
        return inputs

    def _function(
        self, inputs: Sequence[onnx.ValueInfoProto], results: Sequence[SSAValue]
    ) -> FuncOp:
        self.block.add_op(ReturnOp(*results))
        remove_unused(self.block)
        return FuncOp(
            "main",
            ([a.type for a in self.block.args], [r.type for r in results]),
            Region([self.block]),
            arg_attrs=_names(i.name for i in inputs),
            res_attrs=_names(o.name for o in self.graph.output),
        )

    def _take_constants(self, proto: onnx.NodeProto) -> None:
        """The values of an already computed node, as constants."""
        for name in proto.output:
            if (array := self._computed.values.get(name)) is not None:
                value = self.constant(array, element_type_of(array.dtype))
                value.name_hint = ssa_name(name)
                self.values[name] = value

    def _node(self, proto: onnx.NodeProto, kept: str | None) -> None:
        node = described(proto, self.opsets)
        results = self._fold(node)
        if results is None:
            results = kept or self._map(node)
        if isinstance(results, str):
            sizes = self.sizes_from_inputs(node, results)
            results = self._keep(proto, node, results) if sizes is None else [sizes]
        for name, value in zip(node.outputs, results, strict=False):
            if name and value is not None:
                self.values[name] = value
                self.offer(name, value)
                if value.name_hint is None:
                    value.name_hint = ssa_name(name)

    def _fold(self, node: Node) -> list[SSAValue | None] | None:
        if node.domain or len(node.inputs) < 1:
            return None
        values = [self.value(n) for n in node.inputs if n]
        inferred = [self.inferred_array(n) for n in node.outputs]
        arrays = [a for a in inferred if a is not None]
        if len(arrays) == len(inferred):
            return [self.constant(a, element_type_of(a.dtype)) for a in arrays]
        # A number of `sizes` replaces an expression: no constant is made of it.
        shape = fold_shape(node, values[0].type) if values and self._sizes is None else None
        if shape is not None:
            return [self.constant(shape, ELEMENT_TYPES[onnx.TensorProto.INT64])]
        folded = fold_moving(node, [self.arrays.get(v) for v in values])
        return None if folded is None else [self.constant(folded, element_type_of(folded.dtype))]

    def _map(self, node: Node) -> list[SSAValue | None] | str:
        """The values that the node's row builds, or the reason why it stays opaque."""
        row = row_of(node.domain, node.op_type, with_products=self._products)
        if (reason := why_no_row(node, row)) is not None:
            return reason
        assert row is not None
        before = self.block.last_op
        try:
            built = row.build(NodeBuilder(node, self, narrow=row.narrow))
            results: list[SSAValue | None] = [built] if isinstance(built, SSAValue) else [*built]
            if results[0] is not None:
                results[0] = self._with_promised_type(node, results[0])
        except Opaque as refusal:
            self._remove_made(node, before)
            return str(refusal)
        except VerifyException as error:
            types = (self.value(name).type for name in node.inputs if name)
            known = all(is_tensor(t) and t.has_static_shape() for t in types)
            if known or (self._sizes is None and self._inferred.is_refused):  # ? fits all sizes
                raise CompileError(f"node {node.label}: {error}", file=self.file) from None
            self._remove_made(node, before)
            return f"{error}; only a call knows the sizes"
        return results

    def _remove_made(self, node: Node, before: Operation | None) -> None:
        read = [self.value(name) for name in node.inputs if name]
        remove_made(self.block, before, read, self._made)

    def _with_promised_type(self, node: Node, value: SSAValue) -> SSAValue:
        """`value` with the more precise type of the model; a contradiction is an error.

        Raises:
            Opaque: two sizes may be equal, in other symbols: [s - 1] padded by one is [?1 + 1],
                beside [?0], because `s - 1` has a symbol of its own.
        """
        promised, found = self.type_of(node.outputs[0]), value.type
        if promised is found or not is_tensor(promised):
            return value
        if not isinstance(found, TensorType | UnrankedTensorType):
            return value
        shape = shape_of(promised)
        if is_tensor(value.type):
            known = shape_of(value.type)
            if not compatible(known, shape):
                found_shapes = f"{format_shape(shape)}, its operator gives {format_shape(known)}"
                reason = f"the model says that '{node.outputs[0]}' has shape {found_shapes}"
                if len(known) == len(shape) and all(map(may_be_equal, known, shape)):
                    raise Opaque(reason)
                raise CompileError(f"node {node.label}: {reason}", file=self.file)
            pairs = zip(known, shape, strict=True)
            shape = tuple(s if f == DYNAMIC else f for f, s in pairs)
        element = cast("TensorType[Attribute] | UnrankedTensorType", found).element_type
        type_: TensorType[Attribute] = tensor_type(element, shape)
        if type_ == found or not isinstance(value.owner, Operation):
            return value
        hint = value.name_hint
        precise = Rewriter.replace_value_with_new_type(value, type_)
        precise.name_hint = hint
        if any(self.values.get(name) is value for name in node.inputs):  # passed on as it is
            self.values = {n: precise if v is value else v for n, v in self.values.items()}
        return precise

    def _keep(self, proto: onnx.NodeProto, node: Node, reason: str) -> list[SSAValue | None]:
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
            opsets={d: v for d in domains_of(proto) if (v := self.opsets.get(d)) is not None},
            random=draws_random(n for g in graphs_of(proto) for n in g.node),
        )
        op.attributes[REASON] = StringAttr(reason)
        self.block.add_op(op)
        return list(op.results)


def _names(names: Iterator[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr(DictionaryAttr({"snippets.name": StringAttr(n)}) for n in names)
