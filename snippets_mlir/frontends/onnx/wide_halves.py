"""Models of 16-bit floats compute in f32, as onnxruntime computes them on a CPU.

    x: f16                          x32 = Cast(x, to=f32)
    h = MatMul(x, w: f16)           w32 = Cast(w, to=f32)
    t = Transpose(h)                h = MatMul(x32, w32)              h, t and z are f32
    z = Softmax(t)                  t = Transpose(h)
    y = Add(z, b: f16)              z = Softmax(t)
                                    y = Cast(Add(z, Cast(b)), to=f16)

onnxruntime has few operators of f16 for CPUs. It puts such a Cast before and after other nodes when
it loads a session, and removes those between two nodes, where values are not rounded. Here the
conversions are part of the model, so kernels contain them, and weights are converted once.

A node computes in f32 if all of its tensors of f16 may be of f32 by its schema. A node that only
moves elements moves those of f32 if another node has computed them; else it moves those of f16, so
that a Gather reads the rows of an embedding as they are. These nodes read and write f16: Cast,
BitCast, and others with an element type as an attribute; a Clip without both bounds, as the largest
number of its type is one; nodes with graphs, sequences or optional values; operators that are not
known. Inputs, outputs and constants of the model keep their types.
bf16 is treated in the same way; onnxruntime refuses it for most nodes. Source: onnxruntime's
InsertCastTransformer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

import onnx
from onnx import TensorProto, defs, helper

from snippets_mlir.frontends.onnx.engine_operators import domain_of, opsets_of
from snippets_mlir.frontends.onnx.mapping import row_of
from snippets_mlir.frontends.onnx.readers import MOVING, captured_names, graphs_of
from snippets_mlir.frontends.onnx.shapes import InferredShapes

_HALVES: frozenset[int] = frozenset((TensorProto.FLOAT16, TensorProto.BFLOAT16))
_SUFFIX: dict[int, str] = {
    TensorProto.FLOAT16: "f16",
    TensorProto.BFLOAT16: "bf16",
    TensorProto.FLOAT: "f32",
}
_FIRST_OPSET = 7
"""The first one whose operators the rows handle."""

_ELEMENT_ATTRIBUTES = frozenset(
    ("dtype", "output_datatype", "output_dtype", "softmax_precision", "stash_type", "to")
)
_OWN_TYPE = frozenset(("BitCast", "Cast", "CastLike"))
"""Operators whose results depend on the element type itself."""
_MOVES = frozenset(
    {*MOVING, "Expand", "Gather", "GatherElements", "GatherND", "Identity", "Shape", "Size", "Tile"}
)


@lru_cache(256)
def _schema(operator: str, version: int) -> defs.OpSchema | None:
    try:
        return defs.get_schema(operator, version, "")
    except defs.SchemaError:
        return None


def _formal(
    parameters: list[defs.OpSchema.FormalParameter], index: int
) -> defs.OpSchema.FormalParameter | None:
    """The parameter of an input or output; the last one may stand for several."""
    if index < len(parameters):
        return parameters[index]
    last = parameters[-1] if parameters else None
    variadic = defs.OpSchema.FormalParameterOption.Variadic
    return last if last is not None and last.option == variadic else None


def _has_limits(node: onnx.NodeProto) -> bool:
    """Whether a Clip lacks an input for a bound, which may then be the largest finite number."""
    return node.op_type == "Clip" and len([*filter(None, node.input[1:])]) != 2


def _names(graph: onnx.GraphProto) -> Iterator[str]:
    """All names of values in a graph and in the graphs of its nodes."""
    yield from (v.name for v in (*graph.input, *graph.initializer))
    for node in graph.node:
        yield from (*node.input, *node.output)
        for inner in graphs_of(node):
            yield from _names(inner)


def _unused(name: str, taken: set[str]) -> str:
    """The name, with underscores after it if it is taken; it is taken from then on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


class _Widening:
    """The nodes of a model with conversions, in order."""

    def __init__(self, model: onnx.ModelProto, known: InferredShapes) -> None:
        graph = self._graph = model.graph
        self._opsets = opsets_of(model.opset_import)
        self._elements = {name: type_.element for name, type_ in known.types.items()}
        self._halves = {n: e for n, e in self._elements.items() if e in _HALVES}
        self._constants = {t.name for t in graph.initializer}
        self._constants.update(t.values.name for t in graph.sparse_initializer)
        self._fixed = {*self._constants, *(v.name for v in (*graph.input, *graph.output))}
        for node in graph.node:
            self._fixed.update(n for g in graphs_of(node) for n in captured_names(g))
            if node.op_type == "Constant":
                self._constants.update(node.output)
        self._taken = {*self._fixed, *_names(graph)}
        self._labels = {n.name for n in graph.node}
        self._wide: dict[str, str] = {}
        self._narrow: dict[str, str] = {}
        self._computed: set[str] = set()
        self.nodes: list[onnx.NodeProto] = []
        self.widened = 0

    def run(self) -> None:
        """Go through all nodes."""
        for node in self._graph.node:
            half = [n for n in (*node.input, *node.output) if n in self._halves]
            if half and self._is_wide(node):
                self._add_wide(node)
            else:
                for name in (n for g in graphs_of(node) for n in captured_names(g)):
                    self._half(name)
                self._add(node, {n: self._half(n) for n in node.input if n in self._halves})
        for info in self._graph.output:
            if info.name in self._computed:
                self._half(info.name)

    def types(self) -> Iterator[onnx.ValueInfoProto]:
        """The types that the model states, changed for values that are of f32 now."""
        for info in self._graph.value_info:
            (copy := onnx.ValueInfoProto()).CopyFrom(info)
            if info.name in self._computed and info.name not in self._fixed:
                copy.type.tensor_type.elem_type = TensorProto.FLOAT
            yield copy

    def _is_wide(self, node: onnx.NodeProto) -> bool:
        inputs = [n for n in node.input if n in self._halves]
        known = all(self._elements.get(n) for n in node.output if n)
        if not inputs or not known or graphs_of(node) or not self._may_be_wide(node):
            return False
        if domain_of(node) or node.op_type not in _MOVES:
            return True
        moved = [n for n in inputs if n not in self._constants]
        return bool(moved) and all(n in self._computed for n in moved)

    def _may_be_wide(self, node: onnx.NodeProto) -> bool:
        """Whether f32 in place of each f16 has a meaning, by the schema or as our rows have it."""
        if any(a.name in _ELEMENT_ATTRIBUTES and a.i in _HALVES for a in node.attribute):
            return False
        domain = domain_of(node)
        if not domain and (node.op_type in _OWN_TYPE or _has_limits(node)):
            return False
        schema = None if domain else _schema(node.op_type, self._opsets.get("", 1))
        if schema is not None:
            return self._follows_schema(node, schema)
        floats = {self._elements.get(n) for n in node.input} & {*_SUFFIX}
        return len(floats) == 1 and row_of(domain, node.op_type, with_products=True) is not None

    def _follows_schema(self, node: onnx.NodeProto, schema: defs.OpSchema) -> bool:
        """Whether f32 is allowed for each f16, all tensors of a type variable have one type, and
        results have the type of an input.
        """
        allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
        found: dict[str, int] = {}
        for names, parameters in ((node.input, schema.inputs), (node.output, schema.outputs)):
            for index, name in enumerate(names):
                formal = _formal([*parameters], index)
                element, variable = self._elements.get(name, 0), formal.type_str if formal else ""
                if names is node.input and element and formal and formal.is_homogeneous:
                    if found.setdefault(variable, element) != element:
                        return False
                if element in _HALVES:
                    if "tensor(float)" not in allowed.get(variable, ()):
                        return False
                    if names is node.output and found.get(variable) != element:
                        return False
        return True

    def _add_wide(self, node: onnx.NodeProto) -> None:
        names = {n: self._in_f32(n) for n in node.input if n in self._halves}
        for name in node.output:
            if name in self._halves:
                self._computed.add(name)
                names[name] = self._wide[name] = (
                    self._name(name, TensorProto.FLOAT) if name in self._fixed else name
                )
        self._add(node, names)
        if node.op_type not in _MOVES:
            self.widened += 1

    def _add(self, node: onnx.NodeProto, names: Mapping[str, str]) -> None:
        (copy := onnx.NodeProto()).CopyFrom(node)
        for values in (copy.input, copy.output):
            for index, name in enumerate(values):
                values[index] = names.get(name, name)
        self.nodes.append(copy)

    def _in_f32(self, name: str) -> str:
        """The name of a value as f32, which is converted at its first use."""
        if name not in self._wide:
            self._wide[name] = self._converted(name, name, TensorProto.FLOAT)
        return self._wide[name]

    def _half(self, name: str) -> str:
        """The name of a value in its own type, to which it is rounded at its first use."""
        if name not in self._computed:
            return name
        if name not in self._narrow:
            result = name if name in self._fixed else ""
            element = self._halves[name]
            self._narrow[name] = self._converted(name, self._wide[name], element, result)
        return self._narrow[name]

    def _converted(self, of: str, source: str, element: int, result: str = "") -> str:
        result = result or self._name(of, element)
        label = _unused(f"{of}_as_{_SUFFIX[element]}", self._labels)
        self.nodes.append(helper.make_node("Cast", [source], [result], label, to=element))
        return result

    def _name(self, of: str, element: int) -> str:
        return _unused(f"{of}_{_SUFFIX[element]}", self._taken)


def with_wide_halves(model: onnx.ModelProto, known: InferredShapes) -> onnx.ModelProto:
    """The model with its arithmetic of 16-bit floats in f32; itself if it has none.

    Args:
        model: is not changed.
        known: the types of its values.
    """
    if opsets_of(model.opset_import).get("", 0) < _FIRST_OPSET:
        return model
    if not any(type_.element in _HALVES for type_ in known.types.values()):
        return model
    widening = _Widening(model, known)
    widening.run()
    if not widening.widened:
        return model
    infos = [*widening.types()]
    (edited := onnx.ModelProto()).CopyFrom(model)
    del edited.graph.node[:], edited.graph.value_info[:]
    edited.graph.node.extend(widening.nodes)
    edited.graph.value_info.extend(infos)
    return edited
