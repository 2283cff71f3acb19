"""The nodes of a model as its user knows them, and the model with more values as outputs.

    %a = snippets.tanh %x           a                       %a = snippets.tanh %x
    %b = snippets.add %a, %x        b                       %b = snippets.add %a, %x
    func.return %b                  b                       func.return %b, %a
                                    model_nodes             with_results(source, [0])

Constants are not nodes. Computations inside a body (of an `If` for example) are part of the node
that has the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from snippets_mlir.driver.sources.load import Source


@dataclass(frozen=True)
class ModelNode:
    """A node of a model.

    Attributes:
        names: its possible names, first the name that a user knows.
        results: its values that can be outputs: ONNX names, or values of the source's module.
    """

    names: tuple[str, ...]
    results: tuple[Any, ...]


def model_nodes(source: Source) -> list[ModelNode]:
    """The nodes of a source, in its order."""
    if source.model is not None:
        return _onnx_nodes(source)
    from xdsl.traits import ConstantLike

    from snippets_mlir.dialects.program.graph import find_graph
    from snippets_mlir.dialects.program.host import host_ops
    from snippets_mlir.emit.manifest import called

    if find_graph(source.module, source.entry) is not None:
        return _graph_nodes(source)
    *ops, _ = host_ops(source.function)
    return [
        ModelNode((called(op),), tuple(op.results)) for op in ops if not op.has_trait(ConstantLike)
    ]


def _graph_nodes(source: Source) -> list[ModelNode]:
    """Nodes and views, and the nodes that were fused into these, which have no values any more."""
    from snippets_mlir.dialects.program.data import ViewOp
    from snippets_mlir.dialects.program.graph import find_graph
    from snippets_mlir.dialects.program.node import NodeOp
    from snippets_mlir.passes.building.programs import origins_of

    graph = find_graph(source.module, source.entry)
    assert graph is not None
    found: dict[str, ModelNode] = {}
    for op in graph.block.ops:
        if isinstance(op, NodeOp):
            for name in origins_of(op):
                values = tuple(op.outputs) if name == op.id.data else ()
                found.setdefault(name, ModelNode((name,), values))
        elif isinstance(op, ViewOp):
            found.setdefault(op.id.data, ModelNode((op.id.data,), (op.result,)))
    return [*found.values()]


def _onnx_nodes(source: Source) -> list[ModelNode]:
    from snippets_mlir.support.value_names import ssa_name

    found: list[ModelNode] = []
    for node in source.prepared.model.graph.node:
        if node.op_type != "Constant":
            outputs = tuple(name for name in node.output if name)
            own = [node.name] if node.name else []
            names = (*own, *map(ssa_name, outputs)) or (node.op_type,)
            found.append(ModelNode(names, outputs))
    return found


def with_results(source: Source, nodes: Sequence[ModelNode]) -> tuple[Source, list[str]]:
    """The model with all results of nodes as outputs, and their names, in order.

    Raises:
        CompileError: nothing is known of the type of a result.
    """
    results = [value for node in nodes for value in node.results]
    if source.model is not None:
        return _onnx_with_results(source, results), results
    from snippets_mlir.driver.sources.load import load_source
    from snippets_mlir.passmanager.context import make_context

    mapper: dict[SSAValue, SSAValue] = {}
    module = source.module.clone(value_mapper=mapper)
    names = _add_outputs(module, source.entry, [mapper[value] for value in results])
    return load_source(module, source.entry, make_context()), names


def _add_outputs(module: ModuleOp, entry: str, values: Sequence[SSAValue]) -> list[str]:
    """Let the entry also return `values`; returns the new names."""
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

    from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
    from snippets_mlir.dialects.program.host import NAME, body_of, find_entry, interface_names

    function = find_entry(module, entry)
    _, old = interface_names(function)
    free = (name for i in count() if (name := f"result{i}") not in old)
    new = [*islice(free, len(values))]
    end = body_of(function).last_op
    assert end is not None
    if isinstance(function, GraphOp):
        assert isinstance(end, OutputOp)
        body_of(function).insert_op_before(OutputOp([*end.values, *values], [*old, *new]), end)
        body_of(function).erase_op(end)
        return new
    end.operands = [*end.operands, *values]
    function.update_function_type()
    known = [entry.data for entry in function.res_attrs or ()] or [{} for _ in old]
    named = zip([*known, *({} for _ in new)], [*old, *new], strict=True)
    function.res_attrs = ArrayAttr(
        DictionaryAttr({**entry, NAME: StringAttr(name)}) for entry, name in named
    )
    return new


def _onnx_with_results(source: Source, names: Sequence[str]) -> Source:
    import onnx
    from onnx.external_data_helper import load_external_data_for_model

    from snippets_mlir.driver.sources.load import load_source
    from snippets_mlir.passmanager.context import make_context

    prepared, model = source.prepared, onnx.ModelProto()
    model.CopyFrom(prepared.model)
    load_external_data_for_model(model, prepared.folder)
    outputs = {info.name for info in model.graph.output}
    for name in names:
        if name in outputs:
            continue
        known = prepared.certain.types.get(name)
        if known is None or not known.element:
            raise CompileError(f"the type of the value {name!r} is not known")
        sizes = known.shape
        shape = None if sizes is None else [s if isinstance(s, int) else None for s in sizes]
        info = onnx.helper.make_tensor_value_info(name, known.element, shape)
        model.graph.output.append(info)
    return load_source(model, None, make_context())
