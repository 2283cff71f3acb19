"""The parts of a lowered module: its program as a graph, its manifest, and its executed steps.

    func.func @main(...) { lir.call @k0; onnx.node "Conv" }

becomes, by the passes that `planned_graph` runs,

    program.graph @main "planned" (...) attributes {arena = 802816 : i64} {
      program.node "k0" impl<"snippets", @k0> mem<arena, 0, 802816> {...}
      program.node "Conv_0" impl<"onnxruntime"> mem<output, 0> {...}
    }

and the manifest is read from it. So the text shows what runs, in which order and where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.program.graph import GraphOp, find_graph
from snippets_mlir.dialects.program.host import Entry
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.emit.program_manifest import build_program_manifest
from snippets_mlir.emit.program_nodes import (
    call_of,
    constant_of_data,
    constants_of,
    executed_nodes,
    function_of_node,
)
from snippets_mlir.passes.program.convert_host_to_program import ConvertHostToProgramPass
from snippets_mlir.passes.program.program_plan_memory import ProgramPlanMemoryPass
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.targets.implementations.offers import check_kept


@dataclass(frozen=True)
class Executed:
    """The computation of an `execute` step.

    Attributes:
        function: the function, given facts about types beyond the text.
        writes: its results, as values of the program.
    """

    function: Callable[[Mapping[SSAValue, Attribute]], FuncOp]
    writes: Sequence[SSAValue]


@dataclass(frozen=True)
class Parts:
    """The parts of a lowered module.

    Attributes:
        manifest: without text and data.
        constants: constant ops, in the order of the manifest.
        executed: the computations of its `execute` steps, in their order.
    """

    manifest: Manifest
    constants: tuple[Operation, ...]
    executed: tuple[Executed, ...]


def has_plan(graph: GraphOp) -> bool:
    """Whether memory can be planned before a call: the sizes of the kernels' results are known."""
    written = (value for node in graph.nodes if call_of(node) is not None for value in node.outputs)
    return all(value_bytes(value) is not None for value in written)


def planned_graph(module: ModuleOp, entry: str, ctx: ToolContext) -> GraphOp:
    """The program of a lowered module as a graph, with memory if sizes are known.

    A graph that is already planned in the text of the source stays unchanged.
    """
    run_passes(module, ctx, [ConvertHostToProgramPass(entry=entry, lowered=True)])
    graph = find_graph(module, entry)
    assert graph is not None
    if graph.stage.data == "selected" and has_plan(graph):
        run_passes(module, ctx, [ProgramPlanMemoryPass()])
    return graph


def parts_of(module: ModuleOp, entry: Entry, ctx: ToolContext) -> Parts:
    """The parts of a lowered module, which is changed.

    Kernels and steps of a function have no names of their own in the manifest: reports name ops.

    Raises:
        CompileError: the text of a graph names an implementation that does not exist.
    """
    graph = planned_graph(module, entry.sym_name.data, ctx)
    named = isinstance(entry, GraphOp)
    for node in graph.nodes if named else ():
        check_kept(node)
    manifest = build_program_manifest(module, graph, with_text=False, named=named)
    return Parts(
        cast("Manifest", manifest),
        tuple(constant_of_data(op) for op in constants_of(graph)),
        tuple(
            Executed(partial(function_of_node, "region", node), node.outputs)
            for node in executed_nodes(graph)
        ),
    )
