"""Shapes and whole numbers of an ONNX graph, propagated with symbols until nothing changes.

    ids: int64[batch, length]             symbols  batch = ids dim 0, length = ids dim 1
    mask: int64[batch, length]            equalities  batch == mask.0, length == mask.1
    Shape(ids)                            int64[2], elements batch, length
    Reshape(x, [batch, length, 12, -1])   float[batch, length, 12, 64]

The inference walks over the nodes in their order, with a rule for each operator (`rules/`). It
repeats the walk if an equality from a later node says more about earlier nodes. The time does not
depend on sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import onnx

from snippets_mlir.frontends.onnx.engine_operators import opsets_of
from snippets_mlir.frontends.onnx.shapes.assumptions import Assumptions
from snippets_mlir.frontends.onnx.shapes.bounds import substitute
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, evaluate, symbol
from snippets_mlir.frontends.onnx.shapes.scope import Scope
from snippets_mlir.frontends.onnx.shapes.types import Elements, Shape, Value, ValueType, type_from
from snippets_mlir.frontends.onnx.shapes.view import NodeView

WALKS = 4
"""The largest number of walks over the graph."""

NAMELESS = frozenset(("?", "-1", "None", "none", "unk", "unknown"))
"""Names that exporters write for sizes without a name."""

Place = tuple[str, int]
"""An input and a dim of it."""


@dataclass(frozen=True)
class InferredShapes:
    """The inferred facts about the values of a model's graph.

    Attributes:
        types: the type of every value by name: inputs, constants and results of nodes.
        elements: the elements of small tensors of whole numbers that nodes compute, as far as they
            are known: arrays of `Size | None`.
        symbols: the place that each symbol's value is read from. Not all of them are in `types`:
            those that have to equal something else are in `equalities` alone.
        equalities: pairs of sizes that are equal in every call that may use `types`. They are
            evaluated with the values of all symbols; symbols of 2 and more fulfil those of the
            form `max(2, s) == s`.
        definitions: the definitions of symbols in `types` that are read from no input.
        is_refused: whether ONNX refuses the types of a node's inputs, as far as it was asked.
        nodes: the nodes of the graph, with these types of their inputs.
    """

    types: Mapping[str, ValueType]
    elements: Mapping[str, Elements]
    symbols: Mapping[str, Place]
    equalities: tuple[tuple[Size, Size], ...]
    definitions: Mapping[str, Size] = field(default_factory=dict[str, Size])
    is_refused: bool = False
    nodes: Sequence[NodeView] = field(default=(), compare=False, repr=False)

    def spelt_out(self, size: Size) -> Size:
        """`size` in only the symbols of inputs."""
        return substitute(size, {**self.definitions})

    def with_defined(self, known: Mapping[str, int]) -> dict[str, int]:
        """`known`, and the values of the defined symbols that it tells."""
        sizes = dict(known)
        for name, size in self.definitions.items():
            with suppress(KeyError, ArithmeticError):
                sizes[name] = evaluate(size, known)
        return sizes


def infer_shapes(
    model: onnx.ModelProto,
    input_shapes: Mapping[str, Sequence[int | None]] | None = None,
    *,
    assume: bool = True,
) -> InferredShapes:
    """The types of all values of the model's graph, if they can be inferred.

    Args:
        model: a checked model without functions of its own; it is not changed, and its large
            constants are not read.
        input_shapes: sizes for inputs; None leaves a size as the model has it. What the model says
            about other values is not used then.
        assume: whether sizes that meet are taken to be equal, as `equalities` say. Without, what is
            found is right for all calls, and each dim of an input is a symbol of its own.

    A dim of an input that is no number becomes a symbol: of its `dim_param`, or called after its
    place (`ids.0`). Of two dims with the same `dim_param`, the second is a symbol of its own that
    `equalities` say equals the first.
    """
    graph = model.graph
    given = {t.name for t in graph.initializer} | {t.values.name for t in graph.sparse_initializer}
    assumptions = Assumptions(closed=not assume)
    symbols: dict[str, Place] = {}
    types: dict[str, ValueType] = {}
    elements: dict[str, Elements] = {}
    is_refused = False
    nodes: Sequence[NodeView] = ()
    inputs: dict[str, ValueType] = {}
    infos = [i for i in graph.input if i.name not in given]
    reserved = {d.dim_param for i in infos for d in i.type.tensor_type.shape.dim}
    for info in infos:
        shape = (input_shapes or {}).get(info.name)
        inputs[info.name] = _input_type(info, shape, symbols, reserved, assumptions)
    for _ in range(WALKS):
        learnt = assumptions.learnt
        scope = Scope(
            graph, opsets_of(model.opset_import), assumptions, declarations=not input_shapes
        )
        for name, type_ in inputs.items():
            scope.values[name] = Value(_resolved(type_, assumptions))
        scope.run()
        types = {n: _resolved(v.type, assumptions) for n, v in scope.values.items()}
        elements, is_refused = scope.computed_elements(), bool(scope.refused)
        nodes = scope.nodes
        # What was learnt says the known sizes in other words; it may tell the unknown ones.
        if assumptions.learnt == learnt or all(t.is_known for t in types.values()):
            break
    pairs, definitions = assumptions.pairs, assumptions.definitions
    return InferredShapes(types, elements, symbols, pairs, definitions, is_refused, nodes)


def _input_type(
    info: onnx.ValueInfoProto,
    given: Sequence[int | None] | None,
    symbols: dict[str, Place],
    reserved: set[str],
    assumptions: Assumptions,
) -> ValueType:
    """The type of an input, with a symbol for each dim that is no number."""
    declared = type_from(info.type)
    if declared.other is not None or (declared.shape is None and given is None):
        return declared
    dims = info.type.tensor_type.shape.dim
    known: Shape = declared.shape if declared.shape is not None else tuple(given or ())
    shape: list[Size] = []
    for axis, size in enumerate(known):
        size = given[axis] if given is not None and given[axis] is not None else size
        if size is None:
            name = dims[axis].dim_param if axis < len(dims) else ""
            name = "" if name in NAMELESS else name
            size = _new_symbol(name, (info.name, axis), symbols, reserved, assumptions)
        shape.append(size)
    return ValueType(declared.element, tuple(shape))


def _new_symbol(
    name: str, place: Place, symbols: dict[str, Place], reserved: set[str], assumptions: Assumptions
) -> Size:
    own = name if name and name not in symbols else f"{place[0]}.{place[1]}"
    while own in symbols or (own != name and own in reserved):
        own += "_"
    symbols[own] = place
    assumptions.declare(own)
    if name and own != name and not assumptions.closed:
        return assumptions.equal(symbol(name), symbol(own))
    return symbol(own)


def _resolved(type_: ValueType, assumptions: Assumptions) -> ValueType:
    if type_.shape is None or not any(isinstance(s, Dim) for s in type_.shape):
        return type_
    sizes = (None if s is None else assumptions.resolve(s) for s in type_.shape)
    return ValueType(type_.element, tuple(sizes))
