"""Kernels for chains: all chains of a model with the same form are compiled together.

    k0.t1 = Relu(Add(k0.x0, k0.s0))           @subgraph_0(k0.x0, k0.s0) -> k0.t1, domain ?0
    k1.t0 = Mul(k1.x0, k1.x1)            ->   @subgraph_1(k1.x0, k1.x1) -> k1.t0, domain ?0

Chains without planes work on one dim of any size. Chains with planes have a dim for the planes, one
for the elements of a plane, and one for the channels of a block. A chain that does not become one
kernel without a scratchpad is left out.

A test run shows whether a kernel gives finite numbers for the channels that only fill up a block: a
convolution multiplies them by zero, and a NaN or an infinity there would reach all channels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import onnx
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.stubs.objects import OF_OPERATORS
from snippets_mlir.dialects.builtin.dims import Dim, format_size, symbol
from snippets_mlir.driver.building.build import build
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.onnx.inside.signatures import SYMBOLS, Signature
from snippets_mlir.driver.reports.kernel_entry import KernelEntry
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.frontends.onnx.shapes.dims import Dim as NamedDim
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.manifests.manifest import Step

ENTRY = "main"
DOMAINS: Mapping[str, tuple[int, ...]] = {
    format_size(symbol(0)): (0,),
    format_size(symbol(1) * symbol(2)): (1, 2),
    format_size(symbol(2)): (2,),
}
"""Domains of kernels for chains, each with the `rt` slots that it is the product of."""


@dataclass(frozen=True)
class ChainKernel:
    """The kernel of one signature.

    Attributes:
        symbol: of its code.
        address: its address.
        operands: the order of its operands: numbers of `Signature.operands`.
        domain: the `rt` slots whose product is its domain.
        grain: see `runtime/parallel/threads.py`.
        aligned: see `codegen/stubs/ranges.py`.
        entry: its entry for reports.
    """

    symbol: str
    address: int
    operands: tuple[int, ...]
    domain: tuple[int, ...]
    grain: int
    aligned: tuple[int, ...] | None
    entry: KernelEntry


def chain_module(model: onnx.ModelProto) -> ModuleOp:
    """The module of a model of chains (`model_of`); its sizes are from `SYMBOLS`.

    It is not checked by ONNX: its nodes come from a model that onnxruntime has written.
    """
    prepared = prepare_model(model, checked=False)
    prepared.take_as_sound()
    return import_graph(prepared, sizes=_slot, hashed=False).module


def module_of(raw: bytes) -> ModuleOp:
    """The same for a serialised model."""
    model = onnx.ModelProto()
    model.ParseFromString(raw)
    return chain_module(model)


def _slot(size: NamedDim) -> Dim | None:
    """The symbol of a size of `model_of`, whose sizes are all symbols."""
    return symbol(SYMBOLS[str(size)])


def compile_chains(
    model: onnx.ModelProto,
    signatures: Sequence[Signature],
    settings: Settings,
    ctx: ToolContext,
    later: Later | None,
) -> tuple[Built, Mapping[Signature, ChainKernel]]:
    """The kernels of the chains in `model`; chains without a kernel are left out.

    `later` is as for `build`.

    Raises:
        CompileError: as `build` does.
    """
    module = chain_module(model)
    settings = replace(settings, mark_skipped="none", fallback="onnxruntime", streaming="never")
    built = build(module, ENTRY, settings, ctx, stubs=OF_OPERATORS, later=later)
    return built, _kernels(built, signatures)


def _kernels(built: Built, signatures: Sequence[Signature]) -> Mapping[Signature, ChainKernel]:
    manifest = built.program.manifest
    inputs = {v["value"]: v["name"] for v in manifest["inputs"]}
    outputs = {v["value"]: v["name"] for v in manifest["outputs"]}
    entries = {entry.name: entry for entry in built.kernels}
    steps = {outputs.get(step["outputs"][0], ""): step for step in manifest["steps"]}
    found: dict[Signature, ChainKernel] = {}
    for number, signature in enumerate(signatures):
        step = steps.get(f"k{number}.{signature.result}")
        if step is None or not _is_plain(step):
            continue
        names = [inputs.get(value, "") for value in step["inputs"]]
        places = {f"k{number}.{name}": i for i, name in enumerate(signature.operands)}
        if sorted(names) != sorted(places):
            continue
        symbol_name, aligned = step.get("symbol", ""), step.get("aligned")
        found[signature] = ChainKernel(
            symbol_name,
            built.program.addresses[symbol_name],
            tuple(places[name] for name in names),
            DOMAINS[str(step.get("domain"))],
            step.get("grain") or 1,
            None if aligned is None else tuple(aligned),
            replace(entries[symbol_name], place=int(symbol_name.rpartition("_")[2])),
        )
    return found


def _is_plain(step: Step) -> bool:
    """Whether a step is a kernel that needs only its arrays and their sizes."""
    is_kernel = step["kind"] == "kernel" and len(step["outputs"]) == 1
    needs_more = step.get("scratch") or step.get("clusters")
    return is_kernel and not needs_more and str(step.get("domain")) in DOMAINS
