"""From a module at the graph level to a program that runs: passes, object code, engine sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic_ns
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.analysis.eligibility import REASON, SKIPPED, why_not
from snippets_mlir.codegen.stubs.objects import OF_CALLS, begin_objects
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.program.host import Entry, find_entry, host_functions, host_ops
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.constants import Constants
from snippets_mlir.driver.executors import make_executors
from snippets_mlir.driver.kernel_code import kernel_code
from snippets_mlir.driver.kernel_entry import KernelEntry, KernelFacts, OpaqueOp
from snippets_mlir.driver.kernel_facts import (
    LOOPS_ARE_FINAL,
    TAKES_APART,
    entries_of,
    facts_of,
    names_by_subgraph,
)
from snippets_mlir.driver.parts import parts_of
from snippets_mlir.driver.report import opaque_op
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.workers.apart import Later, Piece, lower_apart
from snippets_mlir.driver.workers.batches import cut, planned
from snippets_mlir.driver.workers.in_turn import InTurn
from snippets_mlir.emit.host import is_opaque
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.meanwhile import meanwhile
from snippets_mlir.support.spans import add_span

TO_LIR = "convert-snippets-to-lir"
FROM_DATA = "its shape follows from data"


@dataclass
class Stopwatch:
    """Measures the seconds of each phase of a compilation."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])
    _last: int = field(default_factory=monotonic_ns)

    def lap(self, phase: str) -> None:
        """Count the time since the last lap as `phase`."""
        now = monotonic_ns()
        self.seconds[phase] = self.seconds.get(phase, 0.0) + (now - self._last) / 1e9
        add_span(phase, "phase", self._last, now)
        self._last = now


def isolate(module: ModuleOp, entry: str) -> None:
    """Erase the host functions other than `entry`."""
    for function in host_functions(module):
        if function.sym_name.data != entry:
            function.detach()
            function.erase()


def prepare(module: ModuleOp, entry: str) -> None:
    """Make a module with static inputs ready for the passes (it is changed).

    Only the entry stays. What follows from data (as the result of `onnx.node` "NonZero") has
    dynamic dims even so: no kernel can be made for ops on it, and `snippets.skipped` tells the
    passes.
    """
    isolate(module, entry)
    for op in module.walk():
        if follows_from_data(op):
            op.attributes.setdefault(SKIPPED, StringAttr(FROM_DATA))


def follows_from_data(op: Operation) -> bool:
    """Whether a computing op of a module with static inputs has dynamic dims even so."""
    return isinstance(op, ComputeOp) and any(map(_is_dynamic, (*op.operands, *op.results)))


def _is_dynamic(value: SSAValue) -> bool:
    return not is_static(shape_of(value))


@dataclass(frozen=True)
class Lowered:
    """What is known of the kernels of a module that the passes have lowered.

    Attributes:
        held: of each subgraph.
        facts: of each kernel, by symbol.
        pieces: as in `Apart`; none when the module has their code.
    """

    held: list[KernelEntry]
    facts: Mapping[str, KernelFacts]
    pieces: Sequence[Piece] = ()


def lower(
    module: ModuleOp,
    ctx: ToolContext,
    passes: str,
    settings: Settings,
    between: Callable[[ModuleOp], None],
    later: Later,
) -> Lowered:
    """Run the passes, those that take kernels one by one in several processes if that pays.

    `between` is called before these. `later` begins what LLVM does meanwhile.
    """
    held: list[KernelEntry] = []
    facts: dict[str, KernelFacts] = {}
    names: dict[Operation, tuple[str, ...]] = {}

    def before(next_pass: ModulePass, module: ModuleOp) -> None:
        if next_pass.name == TO_LIR:
            held.extend(entries_of(module, names))
        elif next_pass.name == TAKES_APART:
            names.update(names_by_subgraph(module))
        elif next_pass.name in LOOPS_ARE_FINAL and not facts:
            facts.update(facts_of(module))

    together, apart = cut(parse_pipeline(passes, ctx))
    run_passes(module, ctx, together, before=before)
    between(module)
    batches = [] if settings.pipeline is not None else planned(module)
    if batches:
        processes = settings.compile_workers
        made = lower_apart(module, ctx, apart, batches, settings.target, processes, later)
        return Lowered(held, {**facts, **made.facts}, made.pieces)
    run_passes(module, ctx, apart, before=before)
    return Lowered(held, facts)


def refuse_fallback(function: Entry) -> None:
    """`fallback="error"`: a `CompileError` that names ops that need an executor.

    A check of indices is none of them, and neither is a slice that only the caller reads, a view:
    they compute nothing that a kernel could.
    """
    found = (op for op in host_ops(function) if is_opaque(op))
    refuse_ops([op for op in found if not isinstance(op, CheckIndicesOp | SliceOp)])


def refuse_ops(found: Sequence[Operation]) -> None:
    """`CompileError` that names the first ops of `found`, if there are any."""
    if not found:
        return
    shown = "; ".join(str(opaque_op(op)) for op in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    raise CompileError(
        f'fallback="error": {len(found)} op(s) cannot go into a kernel: {shown}{more}',
        **position_of(found[0]),
    )


def refuse_unlowered(function: Entry, *, asked: bool) -> None:
    """`CompileError` where the passes leave what kernels compute above the level of LLVM.

    With `asked`, the caller chose the pipeline: it has to lead to kernels if there can be any.
    """
    ops = host_ops(function)
    left = [op for op in ops if isinstance(op, SubgraphOp)]
    if asked and not any(isinstance(op, CallOp | SubgraphOp) for op in ops):
        left = [op for op in ops if is_opaque(op) and REASON not in op.attributes]
        left = [op for op in left if why_not(op) is None]
    if left:
        raise CompileError(
            f"the pipeline does not lead to LLVM: it leaves '{left[0].name}', which kernels are "
            "made of; snippets-to-llvm has all passes",
            **position_of(left[0]),
        )


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
) -> Built:
    """Compile `module`, which is changed; see `Built`.

    Args:
        module: the program.
        entry: its function.
        settings: of the compilation.
        ctx: dialects and passes.
        weights: ONNX tensors at hand, by name, for constants that sessions need and that the module
            names by reference.
        stubs: what its calls need; LLVM compiles them while the passes run.

    Raises:
        CompileError: for everything that cannot be compiled.
    """
    with Constants(weights or {}) as constants, InTurn() as thread:
        return _build(module, entry, settings, ctx, weights, stubs, constants, thread.begin)


def _build(
    module: ModuleOp,
    entry: str,
    settings: Settings,
    ctx: ToolContext,
    weights: Mapping[str, Any] | None,
    stubs: Sequence[str],
    constants: Constants,
    later: Later,
) -> Built:
    watch = Stopwatch()
    prepare(module, entry)
    # A function without inputs and outputs computes nothing, and would be taken for no host
    # function.
    passes = settings.passes_for(module) if _has_interface(module, entry) else ""
    if passes and any(isinstance(op, ComputeOp) and op.operands for op in module.walk()):
        begin_objects(stubs, later)
    lowered = lower(module, ctx, passes, settings, constants.begin, later)
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
        executors = make_executors(parts.executed, manifest, settings.threads, weights)
        watch.lap("executors")
        arrays = [constants.array(op) for op in parts.constants]
        watch.lap("constants")
        COMPILING.tidy()  # LLVM is at work
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
    """Kernels and opaque ops of a program whose shapes are unknown, as tokenization sees them."""
    isolate(module, entry)
    passes = parse_pipeline(settings.passes_for(module), ctx)
    names = [p.name for p in passes]
    run_passes(module, ctx, passes[: names.index(TO_LIR) if TO_LIR in names else len(names)])
    ops = host_ops(find_entry(module, entry))
    kernels = [replace(e, name=f"subgraph_{i}") for i, e in enumerate(entries_of(module))]
    return tuple(kernels), tuple(opaque_op(op) for op in ops if is_opaque(op))
