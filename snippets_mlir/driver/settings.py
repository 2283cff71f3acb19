"""The settings of a compilation: the arguments of `compile` with their defaults filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.locks import once
from snippets_mlir.dialects.program.graph import graphs_of
from snippets_mlir.driver.arguments import checked, threads_for, workers_for
from snippets_mlir.driver.building.watching import watching_passes
from snippets_mlir.passmanager.context import ToolContext, make_context
from snippets_mlir.passmanager.forcing import SELECTS, force_implementations, with_selection
from snippets_mlir.passmanager.pipeline import parse_pipeline, spell
from snippets_mlir.passmanager.positions import insert_passes, read_insertion, read_insertions
from snippets_mlir.targets.host import host_cache, host_target, host_tune
from snippets_mlir.targets.machine import TARGETS, machine


@once
def default_context() -> ToolContext:
    """The context of every compilation without plugins; dialects are loaded on first use."""
    return make_context()


def is_machine(name: str) -> bool:
    """Whether `name` is the name of a target machine."""
    return name in TARGETS


@dataclass(frozen=True)
class Settings:
    """See `snippets_mlir.compile`.

    Attributes:
        pipeline: the passes, or None for the default ones.
        target: name of the target machine.
        threads: how many threads a kernel uses.
        fallback: `onnxruntime` or `error`.
        mark_skipped: the profile of `snippets-mark-skipped`; with `auto` the registry chooses
            the ops outside of kernels, by `program-select-implementations`.
        context: dialects and passes, with plugins; None for the default.
        partitioner: `tokenize`, or `fuse-ops`, which then decides before `snippets-tokenize`.
        positioned: passes of the target and of plug-ins at positions of every pipeline, as in
            `snippets_mlir.passmanager.positions`.
        insert_passes: passes at positions of this pipeline: the caller's passes, and passes that
            count or watch kernels.
        debugging: the arguments that request features of kernels only.
        chosen_cuts: for an ONNX model, the candidates that become kernels, whether they pay off or
            not; see `plan_cuts`. Only benchmarks and tests give it.
        cache: bytes of the last-level cache, or 0 for the default of the target machine.
        tune: which CPUs of the target kernels are for; empty for none (`TargetMachine.tunes`).
        streaming: which outputs are stored past the caches: `auto`, `always` or `never`.
        math: which forms of functions are used: `accurate`, `fast` or `strict`.
        bounds: whether calls of functions on memrefs check indices: `check` or `unchecked`.
        force_impl: pairs `PATTERN:KIND` that choose the implementations of nodes.
        compile_workers: how many processes compile kernels. No code depends on it.
        with_rows: whether to use rows of plug-ins; False for a model of which they run nothing.
    """

    pipeline: str | None
    target: str
    threads: int
    fallback: str
    mark_skipped: str = "auto"
    context: ToolContext | None = None
    partitioner: str = "tokenize"
    positioned: tuple[str, ...] = ()
    insert_passes: tuple[str, ...] = ()
    cache: int = 0
    tune: str = ""
    streaming: str = "auto"
    math: str = "accurate"
    bounds: str = "check"
    debugging: tuple[str, ...] = ()
    chosen_cuts: tuple[int, ...] | None = None
    force_impl: tuple[str, ...] = ()
    compile_workers: int = 1
    with_rows: bool = True

    @staticmethod
    def filled(
        *,
        pipeline: str | None = None,
        target: str | None = None,
        num_threads: int | None = None,
        fallback: str = "onnxruntime",
        mark_skipped: str = "auto",
        context: ToolContext | None = None,
        partitioner: str = "tokenize",
        insert_passes: Sequence[str] = (),
        perf_count: str | None = None,
        perf_clock: str = "monotonic",
        segfault_detector: bool = False,
        streaming: str = "auto",
        math: str = "accurate",
        bounds: str = "check",
        force_impl: Sequence[str] = (),
        compile_workers: int | None = None,
    ) -> Settings:
        """Settings with defaults; a `TypeError` or `CompileError` for a wrong one."""
        given = checked(
            {
                "pipeline": pipeline,
                "target": target,
                "num_threads": num_threads,
                "fallback": fallback,
                "mark_skipped": mark_skipped,
                "partitioner": partitioner,
                "insert_passes": insert_passes,
                "perf_count": perf_count,
                "perf_clock": perf_clock,
                "segfault_detector": segfault_detector,
                "streaming": streaming,
                "math": math,
                "bounds": bounds,
                "force_impl": force_impl,
                "compile_workers": compile_workers,
            }
        )
        asked: tuple[str, ...] = given["insert_passes"]
        debugging = watching_passes(perf_count, perf_clock, segfault_detector)
        if given["force_impl"]:
            from snippets_mlir.passes.building.forcing import check_pairs

            check_pairs(given["force_impl"])
        name = host_target() if target in (None, "host") else machine(target).name
        of_target = read_insertions(machine(name).positioned, f"target '{name}': positioned")
        known = context or default_context()
        threads = threads_for(given["num_threads"])
        inserted = (*asked, *debugging.values())
        for text in inserted:
            read_insertion(text)
        return Settings(
            pipeline,
            name,
            threads,
            fallback,
            mark_skipped,
            context,
            partitioner,
            (*of_target, *known.positioned),
            inserted,
            cache=host_cache() if name == host_target() else 0,
            tune=host_tune() if name == host_target() else "",
            streaming=streaming,
            math=math,
            bounds=bounds,
            debugging=tuple(debugging),
            force_impl=given["force_impl"],
            compile_workers=workers_for(given["compile_workers"], threads),
        )

    def passes_for(self, module: ModuleOp) -> str:
        """The pipeline for `module` as text, with inserted passes and forced implementations."""
        if not (self.positioned or self.insert_passes or self.force_impl or self._asks_rows):
            return self._passes_for(module)
        ctx = self.context or default_context()
        passes = parse_pipeline(self._passes_for(module), ctx)
        passes = insert_passes(passes, self.insert_passes, ctx, everywhere=self.positioned)
        if self._asks_rows:
            passes = with_selection(passes) or passes
        return spell(force_implementations(passes, self.force_impl))

    @property
    def _asks_rows(self) -> bool:
        """Whether rows of plug-ins also select the implementations of a function's steps."""
        from snippets_mlir.targets.implementations import has_rows_of_plugins

        return self.with_rows and self.pipeline is None and has_rows_of_plugins()

    @property
    def has_foreign_passes(self) -> bool:
        """Whether the caller, a plug-in or a target chose passes: nothing has checked their
        results, nor the results of the passes after them.
        """
        chosen = len(self.insert_passes) - len(self.debugging)
        return self.pipeline is not None or bool(self.positioned) or chosen > 0

    @property
    def asks_registry(self) -> bool:
        """Whether the registry chooses the steps of an ONNX model one by one (`onnx/asked.py`).

        This is the case with forced implementations and rows of plug-ins, unless the caller decides
        which ops become kernels.
        """
        return (
            (bool(self.force_impl) or self._asks_rows)
            and self.pipeline is None
            and self.fallback == "onnxruntime"
            and self.partitioner == "tokenize"
            and self.mark_skipped in ("auto", "none")
        )

    @property
    def is_default(self) -> bool:
        """Whether only the passes run that run in every program."""
        return self.pipeline is None and not (
            self.positioned or self.insert_passes or self.force_impl or self._asks_rows
        )

    @property
    def _asks_claims(self) -> bool:
        """Whether the registry chooses the ops of a function that stay outside of kernels.

        With `fuse-ops` its groups decide which ops run together.
        """
        is_open = self.fallback != "error" and self.partitioner != "fuse-ops"
        return self.mark_skipped == "auto" and is_open

    def _passes_for(self, module: ModuleOp) -> str:
        if self.pipeline is not None:
            return self.pipeline
        facts = [f"target={self.target}", f"threads={self.threads}"]
        if self.cache:
            facts.append(f"cache={self.cache}")
        if self.tune:
            facts.append(f"tune={self.tune}")
        if self.streaming != "auto":
            facts.append(f"streaming={self.streaming}")
        if self.math != "accurate":
            facts.append(f"math={self.math}")
        steps = [f"snippets-set-target{{{' '.join(facts)}}}"]
        if graphs_of(module):
            return ",".join([*steps, "program-to-llvm"])
        if self.mark_skipped not in ("auto", "none"):
            steps.append(f"snippets-mark-skipped{{profile={self.mark_skipped}}}")
        elif self._asks_claims and _has_engine_nodes(module):
            steps.append(SELECTS)
        if self.partitioner == "fuse-ops":
            steps.append("canonicalize,snippets-fuse-ops")
        return ",".join([*steps, "snippets-to-llvm"])


def _has_engine_nodes(module: ModuleOp) -> bool:
    return any(op.name == "onnx.node" for op in module.walk())
