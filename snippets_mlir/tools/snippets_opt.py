"""`snippets-opt`: parse a module, run passes, print the result.

    snippets-opt model.mlir -p snippets-tokenize --explain
    snippets-opt model.onnx -p snippets-to-llvm -t obj -o model.o

It is xDSL's driver with mlir-opt's options. Errors are `file:line:col: error: ...` on standard
error with exit code 1; nothing is then written to the output.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, ClassVar

from xdsl.targets import get_all_targets
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import VersionAction

from snippets_mlir import __version__
from snippets_mlir.frontends.texts import listed
from snippets_mlir.inspect.instrument import Hooks
from snippets_mlir.inspect.timing import Timing
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import (
    named_pipelines,
    run_passes,
)
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError, depth_of
from snippets_mlir.support.spans import span
from snippets_mlir.tools.chunks import Chunk, read_chunks
from snippets_mlir.tools.commands import keep_cycles
from snippets_mlir.tools.expected import Diagnostic, judge
from snippets_mlir.tools.opt_inputs import OptInputs
from snippets_mlir.tools.opt_pipeline import read_pipeline, rest_of_pipeline, whole_pipeline
from snippets_mlir.tools.options import add_options
from snippets_mlir.tools.outputs import OUR_TARGETS, Output, emitted_stages, write_outputs
from snippets_mlir.tools.pass_options import option_values, refuse, spell_passes
from snippets_mlir.tools.written_files import writing

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.inspect.stage_dumps import StageDumps

LISTS = ("list_passes", "list_all_passes", "list_patterns", "list_pipelines", "show_dialects")
"""Options that print a list and run nothing."""


class SnippetsOptMain(OptInputs):
    """The driver: xDSL's `__init__` calls the hooks below, `run` does one invocation.

    Args:
        args: the command line without the program's name; default: this process's.

    Raises:
        CompileError: an option, a plugin or the pipeline is wrong.
    """

    version_format: ClassVar[str] = f"snippets-opt {__version__}, built on xDSL {{xdsl_version}}"

    exit_code: int = 0
    """The exit code of `run`; errors have been printed before."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        arguments = list(sys.argv[1:] if args is None else args)
        if "--run-reproducer" in arguments:
            from snippets_mlir.tools.reproducers import with_reproduced

            arguments = with_reproduced(arguments)
        self.timing = Timing()
        self._context = make_context()
        dialects = option_values(arguments, "--load-dialect-plugin")
        passes = option_values(arguments, "--load-pass-plugin")
        if dialects or passes:
            from snippets_mlir.passmanager.plugins import load_named_plugins

            load_named_plugins(dialects, passes, self._context)
        names = {**self._context.passes, **named_pipelines()}
        super().__init__("Run passes on a module and print it.", spell_passes(arguments, names))

    def register_all_dialects(self) -> None:
        """Use the context with our dialects and those of plug-ins."""
        self.ctx = self._context

    def register_all_passes(self) -> None:
        """Take the passes from the context."""
        self.available_passes = self._context.passes

    def register_all_targets(self) -> None:
        """Register xDSL's targets, with ours in place of those of the same name."""
        self.available_targets = {**get_all_targets(), **OUR_TARGETS}

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        """Add the options in groups, and those that xDSL's driver reads but we do not offer."""
        arg_parser.prog = "snippets-opt"
        arg_parser.usage = "%(prog)s [options] [input_file]"
        arg_parser.error = refuse
        add_options(arg_parser)
        arg_parser.add_argument(
            "-v", "--version", action=VersionAction, version_format=self.version_format
        )
        arg_parser.set_defaults(shrink=False, parsing_diagnostics=False)

    def setup_pipeline(self) -> None:
        """Read the pipeline, unless the module says which it is; it runs in `apply_passes`."""
        args = self.args
        self._stages: StageDumps | None = None
        self._resumes = args.resume or args.resume_after is not None
        self._asks = not args.passes and (self._resumes or args.emit_stage is not None)
        if not self._asks:
            self.passes = read_pipeline(args, self._context, args.passes)

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
        """Execute the command line."""
        if any(getattr(self.args, name) for name in LISTS):
            from snippets_mlir.tools.listings import listing_of

            write_outputs(self.args.output_file, [Output(listing_of(self.args, self._context))])
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

    def _process(self, chunk: Chunk, outputs: list[Output]) -> list[Diagnostic]:
        """Process one module; errors and remarks are returned."""
        if chunk.kind not in self.available_frontends:
            raise CompileError(f"input of kind '{chunk.kind}' is not known; use {listed('-f ')}")
        self.line_offset = chunk.line_offset
        try:
            self.timing.start()
            with span("parser", "phase"):
                module = self.parse_chunk(BytesIO(chunk.data), chunk.kind, chunk.line_offset)
            self.timing.stop("Parser")
            if module is None:
                return []
            module = self.with_sizes(module, chunk.kind)
            found: list[CompileError] = []
            if self.args.explain:
                from snippets_mlir.inspect.remarks import cut_remarks

                onnx = self.args.input_file if chunk.kind == "onnx" else None
                found = cut_remarks(module, onnx)
            if self._resumes:
                self.passes = rest_of_pipeline(self.args, self._context, module, chunk.text)
            elif self._asks:
                self.passes = whole_pipeline(self.args, self._context, module)
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
        from snippets_mlir.inspect.remarks import remarks

        return [Diagnostic("remark", remark) for remark in (*found, *remarks(module))]

    def _emit(self, module: ModuleOp) -> Output:
        if self._stages is not None:
            return emitted_stages(self._stages, self.args)
        if self.args.target != "obj":
            text = self.output_resulting_program(module)
            if not self.passes or self.args.target != "mlir":
                return Output(text)
            from snippets_mlir.passmanager.resume import stop_comment

            return Output(text + stop_comment(self.passes))
        from snippets_mlir.inspect.opt import manifest_text, object_bytes

        return Output(object_bytes(module), manifest_text(module))


def main(args: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit code: 0, or 1 after an error was printed on standard error.
    """
    arguments = list(sys.argv[1:] if args is None else args)
    if os.environ.get("SNIPPETS_DEBUG"):
        arguments.append("--debug")
    debug = "--debug" in arguments
    try:
        tool = SnippetsOptMain(arguments)
        with depth_of("the program"), writing(tool.args):
            tool.run()
        return tool.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (Exception, ArgSpecParseError) as error:
        if debug:
            raise
        from snippets_mlir.tools.opt_errors import line_of

        print(line_of(error), file=sys.stderr)
    return 1


if __name__ == "__main__":
    keep_cycles()
    sys.exit(main())
