"""From a module at the graph level to a program that runs: passes, object code, engine sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.cache import prepare_to_write
from snippets_mlir.codegen.stubs.objects import OF_CALLS, begin_objects
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.program.host import find_entry, host_ops
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.resources import tensors_at_hand
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.building.constants import Constants
from snippets_mlir.driver.building.executors import make_executors
from snippets_mlir.driver.building.kernel_code import kernel_code
from snippets_mlir.driver.building.lowering import TO_LIR, isolate, lower, prepare
from snippets_mlir.driver.building.parts import parts_of
from snippets_mlir.driver.building.sessions_ahead import SessionsAhead
from snippets_mlir.driver.building.stopwatch import Stopwatch
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.reports.kernel_entry import KernelEntry, OpaqueOp
from snippets_mlir.driver.reports.kernel_facts import entries_of
from snippets_mlir.driver.reports.messages import opaque_op
from snippets_mlir.driver.reports.refusals import refuse_fallback, refuse_unlowered
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.driver.workers.in_turn import InTurn
from snippets_mlir.emit.host import is_opaque
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.program import Executor, Program
from snippets_mlir.support.meanwhile import meanwhile

Idle = Callable[[Sequence[Executor]], None]
"""Work of the caller while LLVM compiles kernels."""


def _has_interface(module: ModuleOp, entry: str) -> bool:
    types = find_entry(module, entry).function_type
    return bool(types.inputs.data or types.outputs.data)


def build(
    module: ModuleOp,
    entry: str,
    settings: Settings,
    ctx: ToolContext,
    weights: Mapping[str, Any] | None = None,
    stubs: Sequence[str] = OF_CALLS,
    later: Later | None = None,
    idle: Idle | None = None,
) -> Built:
    """Compile `module`, which is changed; see `Built`.

    Args:
        module: the program.
        entry: its function.
        settings: of the compilation.
        ctx: dialects and passes.
        weights: ONNX tensors at hand, by name, for constants that sessions need and that the module
            names by reference.
        stubs: stubs that its calls need; LLVM compiles them while the passes run.
        later: begins LLVM's work in a thread of the caller, which may have begun the stubs.
        idle: is called with the executors while this thread waits for LLVM.

    Raises:
        CompileError: for everything that cannot be compiled.
    """
    with (
        Constants(weights or {}) as constants,
        tensors_at_hand(weights or {}),
        InTurn() as thread,
        InTurn() as other,
    ):
        ahead = SessionsAhead(settings.threads, weights or {}, other.begin)
        later = later or thread.begin
        return _build(module, entry, settings, ctx, weights, stubs, constants, ahead, later, idle)


def _build(
    module: ModuleOp,
    entry: str,
    settings: Settings,
    ctx: ToolContext,
    weights: Mapping[str, Any] | None,
    stubs: Sequence[str],
    constants: Constants,
    ahead: SessionsAhead,
    later: Later,
    idle: Idle | None,
) -> Built:
    def between(module: ModuleOp) -> Callable[[], None] | None:
        """The work to do while the kernels are compiled, or None."""
        constants.begin(module)
        return ahead.begin(module, entry)

    watch = Stopwatch()
    prepare(module, entry)
    # A function without inputs and outputs computes nothing, and would be taken for no host
    # function.
    passes = settings.passes_for(module) if _has_interface(module, entry) else ""
    if passes and any(isinstance(op, ComputeOp) and op.operands for op in module.walk()):
        begin_objects(stubs, later)
    lowered = lower(module, ctx, passes, settings, between, later)
    watch.lap("passes")
    function = find_entry(module, entry)
    refuse_unlowered(function, asked=settings.pipeline is not None)
    if settings.fallback == "error":
        refuse_fallback(function)
    calls = [op for op in host_ops(function) if isinstance(op, CallOp)]
    names = [op.callee.string_value() for op in calls]
    opaque = tuple(opaque_op(op) for op in host_ops(function) if is_opaque(op))
    parts = parts_of(module, function, ctx)
    manifest = parts.manifest
    watch.lap("manifest")
    target = manifest["target"] or settings.target
    compiled = kernel_code(module, manifest, target, lowered.pieces)
    watch.lap("llvm text")
    with meanwhile(compiled) as code_of_kernels:
        executors = make_executors(parts.executed, manifest, settings.threads, weights, ahead.take)
        watch.lap("executors")
        arrays = [constants.array(op) for op in parts.constants]
        watch.lap("constants")
        if not lowered.is_compiled:
            prepare_to_write()  # LLVM is at work
        if idle is not None:
            idle(executors)
        COMPILING.tidy()
        code = code_of_kernels()
    watch.lap("object code")
    addresses = {name: code.address(name) for name in names} if code else {}
    watch.lap("link")
    ids = [constant["value"] for constant in manifest["constants"]]
    program = Program(
        manifest,
        addresses,
        dict(zip(ids, arrays, strict=True)),
        executors,
        settings.threads,
        code=code,
    )
    watch.lap("program")
    held = lowered.held
    if len(held) != len(names):
        held = [KernelEntry("", ())] * len(names)
    domains = {step.get("symbol"): step.get("domain") for step in manifest["steps"]}
    kernels = [
        replace(entry, name=name, facts=lowered.facts.get(name), domain=domains.get(name))
        for name, entry in zip(names, held, strict=True)
    ]
    return Built(program, code, passes, tuple(kernels), opaque, watch.seconds)


Report = tuple[tuple[KernelEntry, ...], tuple[OpaqueOp, ...]]


def held_by_graph(module: ModuleOp, entry: str, settings: Settings, ctx: ToolContext) -> Report:
    """Kernels and opaque ops of a program with unknown shapes, as tokenization sees them."""
    isolate(module, entry)
    passes = parse_pipeline(settings.passes_for(module), ctx)
    names = [p.name for p in passes]
    run_passes(module, ctx, passes[: names.index(TO_LIR) if TO_LIR in names else len(names)])
    ops = host_ops(find_entry(module, entry))
    kernels = [replace(e, name=f"subgraph_{i}") for i, e in enumerate(entries_of(module))]
    return tuple(kernels), tuple(opaque_op(op) for op in ops if is_opaque(op))
