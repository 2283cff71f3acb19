"""`snippets-opt`: parse a module, run passes, print what became of it.

    snippets-opt model.mlir -p snippets-tokenize --explain
    snippets-opt model.onnx -p snippets-to-llvm -t obj -o model.o

xDSL's driver with mlir-opt's options. Errors are `file:line:col: error: ...` on standard error with
exit code 1, and nothing is written to the output then.
"""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from io import BytesIO
from typing import IO, TYPE_CHECKING, ClassVar, NoReturn

from xdsl.targets import get_all_targets
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import VersionAction, xDSLOptMain

from snippets_mlir import __version__
from snippets_mlir.frontends.texts import TEXTS, listed, read_text
from snippets_mlir.inspect.instrument import Hooks
from snippets_mlir.inspect.timing import Timing
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.forcing import force_implementations
from snippets_mlir.passmanager.pipeline import (
    check_module,
    named_pipelines,
    parse_pipeline,
    run_passes,
)
from snippets_mlir.passmanager.positions import insert_passes
from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError, UndecidedError, depth_of, one_line
from snippets_mlir.support.outside import place_outside
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.spans import span
from snippets_mlir.tools.chunks import Chunk, read_chunks
from snippets_mlir.tools.expected import Diagnostic, judge
from snippets_mlir.tools.options import add_options
from snippets_mlir.tools.outputs import OUR_TARGETS, Output, write_output, write_outputs
from snippets_mlir.tools.pass_options import option_values, spell_passes
from snippets_mlir.tools.reproducers import with_reproduced

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

    from snippets_mlir.inspect.stage_dumps import StageDumps


def _refuse(message: str) -> NoReturn:
    """An error that argparse finds, in the form of all others."""
    if wrong := re.match(r"argument -t/--target: invalid choice: '([^']+)'", message):
        from snippets_mlir.driver.settings import is_machine

        if is_machine(name := wrong[1]):
            message = (
                f"-t/--target: expected the form of the output, found the machine '{name}'; "
                f"begin the pipeline with snippets-set-target{{target={name}}}"
            )
    raise CompileError(f"{message}; see --help")


class SnippetsOptMain(xDSLOptMain):
    """The driver: xDSL's `__init__` calls the hooks below, `run` does one invocation.

    Args:
        args: the command line without the program's name; default: this process's.

    Raises:
        CompileError: an option, a plugin or the pipeline is wrong.
    """

    version_format: ClassVar[str] = f"snippets-opt {__version__}, built on xDSL {{xdsl_version}}"

    exit_code: int = 0
    """What `run` came to; errors have been printed by then."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        arguments = with_reproduced(sys.argv[1:] if args is None else args)
        self.timing = Timing()
        self._line_offset = 0
        self._context = make_context()
        dialects = option_values(arguments, "--load-dialect-plugin")
        passes = option_values(arguments, "--load-pass-plugin")
        if dialects or passes:
            from snippets_mlir.passmanager.plugins import load_dialect_plugin, load_pass_plugin

            for plugin in dialects:
                load_dialect_plugin(plugin, self._context)
            for plugin in passes:
                load_pass_plugin(plugin, self._context)
        names = {**self._context.passes, **named_pipelines()}
        super().__init__("Run passes on a module and print it.", spell_passes(arguments, names))

    def register_all_dialects(self) -> None:
        """Take the context that has ours and the plugins'."""
        self.ctx = self._context

    def register_all_passes(self) -> None:
        """Take the passes from the context."""
        self.available_passes = self._context.passes

    def register_all_targets(self) -> None:
        """Register xDSL's targets, with ours in place of those of the same name."""
        self.available_targets = {**get_all_targets(), **OUR_TARGETS}

    def register_all_frontends(self) -> None:
        """Register the kinds of input."""
        for kind in TEXTS:
            self.available_frontends[kind] = partial(self._read_text, kind)
        self.available_frontends["mlir"] = self._parse_text
        self.available_frontends["onnx"] = self._import_onnx

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        """Add the options in groups, and those that xDSL's driver reads but we do not offer."""
        arg_parser.prog = "snippets-opt"
        arg_parser.usage = "%(prog)s [options] [input_file]"
        arg_parser.error = _refuse
        add_options(arg_parser)
        arg_parser.add_argument(
            "-v", "--version", action=VersionAction, version_format=self.version_format
        )
        arg_parser.set_defaults(shrink=False, parsing_diagnostics=False)

    def setup_pipeline(self) -> None:
        """Read the pipeline; it runs in `apply_passes`."""
        self._stages: StageDumps | None = None
        self._resumes = self.args.resume or self.args.resume_after is not None
        if not (self._resumes and not self.args.passes):
            self._read_pipeline(self.args.passes)

    def _read_pipeline(self, texts: Sequence[str]) -> None:
        self.passes: list[ModulePass] = []
        if self.args.emit_dir is not None and self.args.emit_stage is None:
            raise CompileError("--emit-dir needs --emit-stage; see --help")
        for position, text in enumerate(texts):
            source = "<pipeline>" if len(texts) == 1 else f"<pipeline {position + 1}>"
            self.passes += parse_pipeline(text, self.ctx, source=source)
        if self.args.emit_stage is not None and not self.passes:
            from snippets_mlir.inspect.stage_dumps import DEFAULT_PIPELINE

            self.passes = parse_pipeline(DEFAULT_PIPELINE, self.ctx)
        everywhere = self._context.positioned
        if self.args.run_reproducer:
            everywhere = []  # the pipeline of a reproducer has them
        self.passes = insert_passes(
            self.passes, self.args.insert_pass, self.ctx, everywhere=everywhere
        )
        self.passes = force_implementations(self.passes, self.args.force_impl)

    def get_input_name(self) -> str:
        """The file's name as locations have it."""
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else name

    def apply_passes(self, prog: ModuleOp) -> None:
        """Verify the module and run the passes."""
        args = self.args
        if not args.disable_verify:
            check_module(prog)
        hooks = Hooks(args, self.passes, self.timing, prog)
        self._stages = hooks.stages
        passes = self.passes if hooks.stages is None else self.passes[: hooks.stages.passes]
        try:
            run_passes(
                prog,
                self.ctx,
                passes,
                verify_each=args.verify_each and not args.disable_verify,
                before=hooks.before,
                after=hooks.after,
            )
        except Exception as error:
            hooks.viewer.write_reproducer(error)
            raise
        hooks.finish(prog)

    def run(self) -> None:
        """Do what the command line says."""
        if (listing := self._listing()) is not None:
            write_outputs(self.args.output_file, [Output(listing)])
            return
        name = self.get_input_name()
        chunks = read_chunks(
            self.args.input_file, self.args.frontend, split=self.args.split_input_file
        )
        sources = {name: chunks[0].source} if chunks else {}
        outputs: list[Output] = []
        problems: list[CompileError] = []
        for chunk in chunks:
            found = self._process(chunk, outputs)
            problems += judge(
                found, chunk.text, name, chunk.line_offset, expected=self.args.verify_diagnostics
            )
        for problem in problems:
            print(render(problem, sources, default_file=name), file=sys.stderr)
        if self.args.mlir_timing:
            print(self.timing.table(), file=sys.stderr)
        self.exit_code = 1 if problems else 0
        if not problems:
            write_outputs(self.args.output_file, outputs)

    def _listing(self) -> str | None:
        args = self.args
        wanted = ("list_passes", "list_all_passes", "list_patterns", "list_pipelines")
        if not (args.show_dialects or any(getattr(args, name) for name in wanted)):
            return None
        from snippets_mlir.tools import listings

        if args.list_patterns:
            return listings.list_patterns(self._context)
        if args.list_pipelines:
            return listings.list_pipelines()
        if args.show_dialects:
            return listings.list_dialects(self.ctx.registered_dialect_names)
        return listings.list_passes(self._context, everything=args.list_all_passes)

    def _process(self, chunk: Chunk, outputs: list[Output]) -> list[Diagnostic]:
        """Take one module through the tool; errors and remarks are returned."""
        if chunk.kind not in self.available_frontends:
            raise CompileError(f"input of kind '{chunk.kind}' is not known; use {listed('-f ')}")
        self._line_offset = chunk.line_offset
        try:
            self.timing.start()
            with span("parser", "phase"):
                module = self.parse_chunk(BytesIO(chunk.data), chunk.kind, chunk.line_offset)
            self.timing.stop("Parser")
            if module is None:
                return []
            if self.args.shape and chunk.kind != "onnx":
                from snippets_mlir.inspect.input_shapes import read_shapes, with_shapes

                module = with_shapes(module, read_shapes(self.args.shape))
            if self.args.symbols:
                from snippets_mlir.inspect.opt import with_symbols

                module = with_symbols(module)
            found: list[CompileError] = []
            if self.args.explain:
                from snippets_mlir.inspect.opt import cut_remarks

                onnx = self.args.input_file if chunk.kind == "onnx" else None
                found = cut_remarks(module, onnx)
            if self._resumes:
                self._resume(module, chunk.text)
            self.apply_passes(module)
            self.timing.start()
            with span("output", "phase"):
                outputs.append(self._emit(module))
            self.timing.stop("Output")
        except CompileError as error:
            if self.args.debug:
                raise
            return [Diagnostic("error", error)]
        if not self.args.explain:
            return []
        from snippets_mlir.inspect.opt import remarks

        return [Diagnostic("remark", remark) for remark in (*found, *remarks(module))]

    def _resume(self, module: ModuleOp, text: str) -> None:
        """Leave of the pipeline what has not run on this module yet."""
        from snippets_mlir.passmanager.resume import (
            default_pipeline,
            remaining,
            stage_of,
            stopped_after,
        )

        if not self.args.passes:
            self._read_pipeline([default_pipeline(stage_of(module))])
        after = self.args.resume_after or stopped_after(text, self.passes)
        self.passes = remaining(self.passes, module, after)

    def _parse_text(self, io: IO[bytes]) -> ModuleOp:
        return parse_module(
            io.read().decode(),
            self.ctx,
            self.get_input_name(),
            line_offset=self._line_offset,
            allow_implicit_module=not self.args.no_implicit_module,
        )

    def _read_text(self, kind: str, io: IO[bytes]) -> ModuleOp:
        text = "\n" * self._line_offset + io.read().decode()
        return read_text(kind, text, self.ctx, self.get_input_name())

    def _import_onnx(self, io: IO[bytes]) -> ModuleOp:
        if self.args.input_file in (None, "-"):
            raise CompileError("an ONNX model has to be a file, it may refer to files beside it")
        from snippets_mlir.inspect.input_shapes import read_shapes
        from snippets_mlir.inspect.opt import import_onnx

        return import_onnx(self.args.input_file, read_shapes(self.args.shape))

    def _emit(self, module: ModuleOp) -> Output:
        if self._stages is not None:
            return self._emit_stages(self._stages)
        if self.args.target != "obj":
            text = self.output_resulting_program(module)
            if not self.passes or self.args.target != "mlir":
                return Output(text)
            from snippets_mlir.passmanager.resume import stop_comment

            return Output(text + stop_comment(self.passes))
        from snippets_mlir.inspect.opt import manifest_text, object_bytes

        return Output(object_bytes(module), manifest_text(module))

    def _emit_stages(self, stages: StageDumps) -> Output:
        """The stages as one output, or files in a directory, and nothing else."""
        if self.args.emit_dir is None:
            return Output(stages.joined())
        if self.args.split_input_file:
            raise CompileError("--emit-dir takes one module; do not split the input")
        for path, data in stages.files(self.args.emit_dir).items():
            write_output(path, data)
        return Output("")


def _run(tool: SnippetsOptMain) -> None:
    """One invocation, with a trace if it is asked for."""
    if tool.args.trace_compile is None:
        tool.run()
        return
    from snippets_mlir.inspect.compile_trace import trace_compile

    with trace_compile(tool.args.trace_compile):
        tool.run()


def main(args: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit code: 0, or 1 after an error was printed on standard error.
    """
    arguments = list(sys.argv[1:] if args is None else args)
    debug = "--debug" in arguments
    try:
        tool = SnippetsOptMain(arguments)
        with depth_of("the program"):
            _run(tool)
        return tool.exit_code
    except CompileError as error:
        if debug:
            raise
        print(render(error), file=sys.stderr)
    except UndecidedError as error:
        if debug:
            raise
        print(f"error: {error}; compile it for sizes that are numbers", file=sys.stderr)
    except ArgSpecParseError as error:
        print(f"error: target: {one_line(str(error))}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # a bug of ours: say so in one line, keep the traceback for --debug
        if debug:
            raise
        notes = [note for note in getattr(error, "__notes__", ()) if "\n" not in note]
        detail = " ".join((f"{type(error).__name__}: {one_line(str(error))}", *notes))
        place = place_outside(error) or "internal error"
        print(f"error: {place}: {detail} (--debug shows where)", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
