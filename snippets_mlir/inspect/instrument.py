"""Output of `snippets-opt` while passes run: printed IR, IR files, a reproducer."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from snippets_mlir.inspect.timing import Timing
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

if TYPE_CHECKING:
    from argparse import Namespace

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from snippets_mlir.inspect.check_each import EachChecker
    from snippets_mlir.inspect.lir_dump import LirDump
    from snippets_mlir.inspect.program_dumps import ProgramDumps
    from snippets_mlir.inspect.stage_dumps import StageDumps


@dataclass
class PassViewer:
    """Prints the module around passes, and remembers what a reproducer needs."""

    args: Namespace
    passes: Sequence[ModulePass]
    timing: Timing
    _before: frozenset[str] = frozenset()
    _after: frozenset[str] = frozenset()
    _explained: frozenset[str] = frozenset()
    _choice_after: str | None = None
    _weighed: Sequence[str] = ()
    _text: str | None = None
    _position: int = 0

    def __post_init__(self) -> None:
        """Split the lists of pass names, and refuse names that the pipeline does not have."""
        self._before = self._names(self.args.mlir_print_ir_before, "--mlir-print-ir-before")
        self._after = self._names(self.args.mlir_print_ir_after, "--mlir-print-ir-after")
        self._explained = self._names(self._without_choice(), "--explain")
        self._check_tree()

    def _check_tree(self) -> None:
        """Refuse a folder if no option writes files to it, or if several modules would."""
        args, option = self.args, "--mlir-print-ir-tree-dir"
        if args.mlir_print_ir_tree_dir is None:
            return
        everywhere = args.mlir_print_ir_before_all or args.mlir_print_ir_after_all
        if not (everywhere or args.mlir_print_ir_after_change or self._before or self._after):
            raise CompileError(f"{option} needs --mlir-print-ir-after-all or another of its kind")
        if args.split_input_file:
            raise CompileError(f"{option} takes one module; do not split the input")

    def _without_choice(self) -> list[str]:
        """The passes to explain, without the choice of executors for a function's steps, which is
        no pass of the text.

        It is made after `snippets-tokenize`.
        """
        wanted = [name for part in self.args.explain_plan for name in part.split(",")]
        if wanted:
            from snippets_mlir.passmanager.forcing import SELECTS, TOKENIZES, selects_kernels

            if SELECTS in wanted and selects_kernels(self.passes):
                self._choice_after = TOKENIZES
                wanted = [name for name in wanted if name != SELECTS]
        return wanted

    def _names(self, written: Sequence[str], option: str) -> frozenset[str]:
        names = frozenset(name for part in written for name in part.split(",") if name)
        present = tuple(p.name for p in self.passes)
        for name in sorted(names.difference(present)):
            hint = close_match(name, present)
            raise CompileError(f"{option}: pass '{name}' is not in the pipeline{hint}")
        return names

    def before(self, p: ModulePass, module: ModuleOp) -> None:
        """Called before each pass, with the module."""
        args = self.args
        if self._choice_after is not None and self._position == 0:
            from snippets_mlir.inspect.remarks import cut_choices

            is_model = str(args.input_file).endswith(".onnx")
            self._weighed = cut_choices(module, args.input_file if is_model else None)
        if args.mlir_print_ir_before_all or p.name in self._before:
            self._print(p, module, "Before")
        if p.name in self._explained:
            from snippets_mlir.inspect.explained import explain

            explain(p, module)
        first = args.mlir_print_ir_after_change and self._text is None
        if first or args.mlir_pass_pipeline_crash_reproducer:
            self._text = self._render(module)
        self.timing.start()

    def after(self, p: ModulePass, module: ModuleOp) -> None:
        """Called after each pass, with the module."""
        self.timing.stop(p.name)
        args = self.args
        wanted, text = args.mlir_print_ir_after_all or p.name in self._after, None
        if args.mlir_print_ir_after_change:
            last, text = self._text, self._render(module)
            self._text = text
            wanted = last != text and (wanted or not self._after)
        if wanted:
            self._print(p, module, "After", text)
        if p.name == self._choice_after:
            from snippets_mlir.inspect.explained import explain_choice

            explain_choice(module, self._weighed)

    def passed(self) -> None:
        """Called after all checks of a pass: a reproducer begins with the next pass."""
        self._position += 1

    def _render(self, module: ModuleOp) -> str:
        args = self.args
        return print_module(module, args.print_op_generic, locations=args.print_debuginfo)

    def _print(self, p: ModulePass, module: ModuleOp, when: str, text: str | None = None) -> None:
        """Print the module, or its text if that is known."""
        text = self._render(module) if text is None else text
        if (directory := self.args.mlir_print_ir_tree_dir) is not None:
            from snippets_mlir.inspect.ir_tree import write_ir
            from snippets_mlir.passmanager.resume import stop_comment

            ran = self.passes[: self._position + (when == "After")]
            text += stop_comment(ran) if ran else ""
            write_ir(directory, self._position, p.name, when, text)
            return
        head = f"// -----// IR Dump {when} {type(p).__name__} ({p.name}) //----- //"
        print(f"{head}\n{text}", file=sys.stderr)

    def write_reproducer(self, error: Exception) -> None:
        """Write the module before the pass that failed, and the passes still to run."""
        path = self.args.mlir_pass_pipeline_crash_reproducer
        if not path or self._text is None:
            return
        from snippets_mlir.inspect.reproducers import reproducer

        with open(path, "w", encoding="utf-8") as file:
            file.write(reproducer(self.args, self.passes[self._position :], error, self._text))


def start_checker(module: ModuleOp, seed: int) -> EachChecker:
    """The checker of `--check-each`; it runs the module once here."""
    from snippets_mlir.inspect.check_each import EachChecker

    checker = EachChecker(seed)
    checker.start(module)
    return checker


def start_dump(option: str | None, passes: Sequence[ModulePass]) -> LirDump | None:
    """The dump that `--lir-dump` or `SNIPPETS_DUMP_LIR` requests, or None."""
    if option is None and "SNIPPETS_DUMP_LIR" not in os.environ:
        return None
    from snippets_mlir.inspect.lir_dump import LirDump, settings_of

    settings = settings_of(option, passes)
    return None if settings is None else LirDump(settings)


def start_stages(option: str | None, passes: Sequence[ModulePass]) -> StageDumps | None:
    """The stages that `--emit-stage` requests, or None."""
    if option is None:
        return None
    from snippets_mlir.inspect.stage_dumps import StageDumps

    return StageDumps(option, passes)


def start_programs(directory: str | None) -> ProgramDumps | None:
    """The dumps that `--dump-program` requests, or None."""
    if directory is None:
        return None
    from snippets_mlir.inspect.program_dumps import ProgramDumps

    return ProgramDumps(directory)


class Hooks:
    """The hooks around passes: printing, files, checks.

    Args:
        args: the command line.
        passes: the pipeline.
        timing: where times are added.
        module: the module before the first pass.

    Raises:
        CompileError: an option names a pass that the pipeline does not have.
    """

    def __init__(
        self, args: Namespace, passes: Sequence[ModulePass], timing: Timing, module: ModuleOp
    ) -> None:
        self.viewer = PassViewer(args, passes, timing)
        self._checker = start_checker(module, args.check_seed) if args.check_each else None
        self._dump = start_dump(args.lir_dump, passes)
        self.stages = start_stages(args.emit_stage, passes)
        self._programs = start_programs(args.dump_program)
        self._passes, self._ran = passes, 0
        self.take(module)

    def take(self, module: ModuleOp) -> None:
        """Keep the module if `--emit-stage` names the stage; write it for `--dump-program`."""
        if self.stages is not None:
            self.stages.take(module)
        if self._programs is not None:
            self._programs.take(module, self._passes[: self._ran])

    def before(self, p: ModulePass, module: ModuleOp) -> None:
        """Called before each pass: `--lir-dump`, then `--mlir-print-ir-before`."""
        if self._dump is not None:
            self._dump.before(p, module)
        self.viewer.before(p, module)

    def after(self, p: ModulePass, module: ModuleOp) -> None:
        """Called after each pass: prints, dumps and checks the module; keeps it for its stage."""
        self.viewer.after(p, module)
        if self._dump is not None:
            self._dump.after(p, module)
        if self._checker is not None:
            self._checker.after(p, module)
        self.viewer.passed()
        self._ran += 1
        self.take(module)

    def finish(self, module: ModuleOp) -> None:
        """Called after the last pass; writes the remaining dumps."""
        if self._dump is not None:
            self._dump.finish(module)
        if self._programs is not None:
            self._programs.finish(module, self._passes[: self._ran])
