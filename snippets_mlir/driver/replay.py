"""The IR of a program at any stage, made again on demand: compilation keeps nothing.

Stages: `graph` (at the start of compilation), `subgraph` (tokenized, before lowering to kernels),
`lir` (at the end of the linear IR), `vector` (at the end of the vector level), `llvm` (after the
last pass), `program` (with the graph that the runtime gets in place of the host function),
`llvm-ir` (LLVM's text), `asm`, and the name of any pass of the pipeline (after its last run).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.codegen.compile import compile_assembly
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.building.lowering import prepare
from snippets_mlir.driver.building.parts import planned_graph
from snippets_mlir.emit.host import Unit, find_entry, function_of
from snippets_mlir.emit.llvm_text import emit_llvm, has_kernels
from snippets_mlir.emit.manifest import symbol_name
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.printing import print_module
from snippets_mlir.targets.machine import machine

LEVELS = ("graph", "subgraph", "lir", "vector", "llvm", "program", "llvm-ir", "asm")
LEVEL_ENDS = {
    "subgraph": "convert-snippets-to-lir",
    "lir": "convert-lir-to-vector",
    "vector": "convert-scf-to-cf",
}


def passes_until(stage: str, names: Sequence[str]) -> int:
    """How many of the passes called `names` lead to `stage`; `ValueError` for an unknown stage."""
    if stage == "graph":
        return 0
    if stage in LEVEL_ENDS:
        end = LEVEL_ENDS[stage]
        return names.index(end) if end in names else len(names)
    if stage in LEVELS:
        return len(names)
    if stage in names:
        return len(names) - list(reversed(names)).index(stage)
    known = (*LEVELS, *dict.fromkeys(names))
    raise ValueError(
        f"unknown stage {stage!r}{close_match(stage, known)}; stages are {', '.join(LEVELS)} "
        "and the names of the pipeline's passes"
    )


def replay(module: ModuleOp, entry: str, ctx: ToolContext, passes: str, stage: str) -> ModuleOp:
    """`module`, which is changed, after the passes that lead to `stage`."""
    pipeline = parse_pipeline(passes, ctx)
    count = passes_until(stage, [p.name for p in pipeline])
    prepare(module, entry)
    run_passes(module, ctx, pipeline[:count])
    if stage == "program":
        planned_graph(module, entry, ctx)
    return module


def text_of(module: ModuleOp, stage: str, target: str) -> str:
    """The text of a replayed module at `stage`."""
    if stage not in ("llvm-ir", "asm"):
        return print_module(module)
    text = emit_llvm(module)
    if stage == "llvm-ir":
        return text
    m = machine(target)
    return compile_assembly(
        text, triple=m.triple, cpu=m.cpu, features=m.features, kernels=has_kernels(module)
    )


def kernel_part(module: ModuleOp, entry: str, symbol: str, index: int) -> ModuleOp:
    """A module with the ops of one kernel: its symbol and its parts, else its subgraph.

    `index` is the kernel's place among the subgraphs. Before there are subgraphs it is the whole
    graph.
    """
    owned = [op for op in module.ops if _belongs(op, symbol)]
    if not any(symbol_name(op) == symbol for op in owned):
        subgraphs = [op for op in find_entry(module, entry).walk() if isinstance(op, SubgraphOp)]
        if index >= len(subgraphs):
            return module
        unit = Unit(
            (subgraphs[index],), tuple(subgraphs[index].inputs), tuple(subgraphs[index].outputs)
        )
        owned = [function_of(symbol, unit)]
    return ModuleOp([op.clone() for op in owned], dict(module.attributes))


def _belongs(op: Operation, symbol: str) -> bool:
    """Whether a symbol op is the kernel, a part of it (`kernel.body`), or shared by all kernels."""
    name = symbol_name(op)
    if name is None:
        return False
    return name == symbol or name.startswith(f"{symbol}.") or op.name == "llvm.mlir.global"
