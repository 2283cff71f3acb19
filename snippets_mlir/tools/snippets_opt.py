"""`snippets-opt`: parse a module, run passes, print what became of it.

    snippets-opt model.mlir -p snippets-tokenize --explain
    snippets-opt model.onnx -p snippets-to-llvm -t obj -o model.o

xDSL's driver with mlir-opt's options. Errors are `file:line:col: error: ...` on standard error with
exit code 1, and nothing is written to the output then.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from io import BytesIO
from typing import IO, TYPE_CHECKING, ClassVar, NoReturn

from xdsl.targets import get_all_targets
from xdsl.utils.exceptions import ArgSpecParseError
from xdsl.xdsl_opt_main import VersionAction, xDSLOptMain

from snippets_mlir.context import make_context
from snippets_mlir.diagnostics import one_line, render
from snippets_mlir.errors import CompileError
from snippets_mlir.parsing import parse_module
from snippets_mlir.pipeline_spec import check_module, named_pipelines, parse_pipeline, run_passes
from snippets_mlir.plugins import load_dialect_plugin, load_pass_plugin
from snippets_mlir.tools.chunks import read_input, split_text
from snippets_mlir.tools.expected import Diagnostic, compare, read_expectations
from snippets_mlir.tools.instrument import PassViewer, Timing, reproducer_pipeline
from snippets_mlir.tools.options import add_options, option_values, spell_passes
from snippets_mlir.tools.outputs import OUR_TARGETS, write_output

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.passes import ModulePass

_SEPARATOR = "// -----\n"


def _refuse(message: str) -> NoReturn:
    """An error that argparse finds, in the form of all others."""
    raise CompileError(f"{message}; see --help")


class SnippetsOptMain(xDSLOptMain):
    """The driver: xDSL's `__init__` calls the hooks below, `run` does one invocation.

    Args:
        args: the command line without the program's name; default: this process's.

    Raises:
        CompileError: an option, a plugin or the pipeline is wrong.
    """

    version_format: ClassVar[str] = "snippets-opt 0.1.0, built on xDSL {xdsl_version}"

    def __init__(self, args: Sequence[str] | None = None) -> None:
        arguments = list(sys.argv[1:] if args is None else args)
        self.timing = Timing()
        self.diagnostics: list[Diagnostic] = []
        self._context = make_context()
        for plugin in option_values(arguments, "--load-dialect-plugin"):
            load_dialect_plugin(plugin, self._context)
        for plugin in option_values(arguments, "--load-pass-plugin"):
            load_pass_plugin(plugin, self._context)
        names = {**self._context.passes, **named_pipelines()}
        super().__init__("Run passes on a module and print it.", spell_passes(arguments, names))

    # --- hooks of xDSL's driver

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
        """Register the two kinds of input."""
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
        self.passes: list[ModulePass] = []
        for position, text in enumerate(self.args.passes):
            source = "<pipeline>" if len(self.args.passes) == 1 else f"<pipeline {position + 1}>"
            self.passes += parse_pipeline(text, self.ctx, source=source)

    def get_input_name(self) -> str:
        """The file's name as it stands in locations."""
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else name

    def apply_passes(self, prog: ModuleOp) -> None:
        """Verify the module, run the passes, explain."""
        args = self.args
        if not args.disable_verify:
            check_module(prog)
        viewer = PassViewer(args, self.passes, self._reproducer_options(), self.timing)
        try:
            run_passes(
                prog,
                self.ctx,
                self.passes,
                verify_each=args.verify_each and not args.disable_verify,
                before=viewer.before,
                after=viewer.after,
            )
        except Exception as error:
            viewer.write_reproducer(error)
            raise
        if args.explain:
            self._explain(prog)

    # --- the parts of a run

    exit_code: int = 0
    """What `run` came to; errors have been printed by then."""

    def run(self) -> None:
        """Do what the command line says."""
        if (listing := self._listing()) is not None:
            write_output(self.args.output_file, listing)
            return
        data, kind = read_input(self.args.input_file, self.args.frontend)
        if kind not in self.available_frontends:
            raise CompileError(
                f"input of kind '{kind}' is not known; use -f mlir or -f onnx",
                file=self.get_input_name(),
            )
        outputs: list[str | bytes] = []
        problems: list[CompileError] = []
        sources: dict[str, str] = {}
        for text, offset in self._chunks(data, kind, sources):
            self.diagnostics = []
            self._process(text, offset, kind, outputs)
            problems += self._judge(text, offset)
        for problem in problems:
            print(render(problem, sources, default_file=self.get_input_name()), file=sys.stderr)
        if self.args.mlir_timing:
            print(self.timing.table(), file=sys.stderr)
        if problems:
            self.exit_code = 1
        else:
            self._write(outputs)

    def _listing(self) -> str | None:
        args = self.args
        if not (
            args.list_passes or args.list_all_passes or args.list_pipelines or args.show_dialects
        ):
            return None
        from snippets_mlir.tools import listings

        if args.list_pipelines:
            return listings.list_pipelines()
        if args.show_dialects:
            return listings.list_dialects(self.ctx.registered_dialect_names)
        return listings.list_passes(self._context, everything=args.list_all_passes)

    def _chunks(
        self, data: bytes | str, kind: str, sources: dict[str, str]
    ) -> list[tuple[bytes, int]]:
        if isinstance(data, bytes):
            return [(data, 0)]
        sources[self.get_input_name()] = data
        if self.args.run_reproducer:
            pipeline = reproducer_pipeline(data, self.get_input_name())
            self.passes = parse_pipeline(pipeline, self.ctx, source="<reproducer>")
        if not self.args.split_input_file:
            return [(data.encode(), 0)]
        return [(text.encode(), offset) for text, offset in split_text(data)]

    def _process(self, data: bytes, offset: int, kind: str, outputs: list[str | bytes]) -> None:
        """Take one module through the tool; its errors become diagnostics."""
        self._offset = offset
        try:
            self.timing.start()
            module = self.parse_chunk(BytesIO(data), kind, offset)
            self.timing.stop("Parser")
            if module is None:
                return
            self.apply_passes(module)
            self.timing.start()
            outputs.append(self._emit(module))
            self.timing.stop("Output")
        except CompileError as error:
            if self.args.debug:
                raise
            self.diagnostics.append(Diagnostic("error", error))

    def _judge(self, data: bytes, offset: int) -> list[CompileError]:
        """The errors that count, after `--verify-diagnostics` had its say; remarks are printed."""
        if self.args.verify_diagnostics:
            file = self.get_input_name()
            expectations = read_expectations(data.decode(), file, offset)
            return compare(expectations, self.diagnostics, file)
        for diagnostic in self.diagnostics:
            if diagnostic.severity != "error":
                print(render(diagnostic.error, severity=diagnostic.severity), file=sys.stderr)
        return [d.error for d in self.diagnostics if d.severity == "error"]

    def _parse_text(self, io: IO[bytes]) -> ModuleOp:
        return parse_module(
            io.read().decode(),
            self.ctx,
            self.get_input_name(),
            line_offset=self._offset,
            allow_implicit_module=not self.args.no_implicit_module,
        )

    def _import_onnx(self, io: IO[bytes]) -> ModuleOp:
        if self.args.input_file in (None, "-"):
            raise CompileError("an ONNX model has to be a file, it may refer to files beside it")
        from snippets_mlir.driver.opt import import_onnx

        return import_onnx(self.args.input_file)

    def _explain(self, module: ModuleOp) -> None:
        from snippets_mlir.driver.opt import explanations

        for remark in explanations(module):
            self.diagnostics.append(Diagnostic("remark", remark))

    def _reproducer_options(self) -> list[str]:
        args = self.args
        options = ["--allow-unregistered-dialect"] if args.allow_unregistered_dialect else []
        options += [f"--load-dialect-plugin={plugin}" for plugin in args.load_dialect_plugin]
        options += [f"--load-pass-plugin={plugin}" for plugin in args.load_pass_plugin]
        return options

    def _emit(self, module: ModuleOp) -> str | bytes:
        if self.args.target != "obj":
            return self.output_resulting_program(module)
        from snippets_mlir.driver.opt import manifest_text, object_bytes

        if self.args.output_file not in (None, "-"):
            path, _ = os.path.splitext(self.args.output_file)
            self._manifest = (f"{path}.json", manifest_text(module))
        return object_bytes(module)

    _manifest: tuple[str, str] | None = None
    _offset: int = 0

    def _write(self, outputs: Sequence[str | bytes]) -> None:
        texts = [output for output in outputs if isinstance(output, str)]
        if len(texts) == len(outputs):
            write_output(self.args.output_file, _SEPARATOR.join(texts))
            return
        if len(outputs) != 1:
            raise CompileError("target 'obj' writes one module; do not split the input")
        write_output(self.args.output_file, outputs[0])
        if self._manifest is not None:
            write_output(*self._manifest)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        The exit code: 0, or 1 after an error was printed on standard error.
    """
    arguments = list(sys.argv[1:] if args is None else args)
    debug = "--debug" in arguments
    try:
        tool = SnippetsOptMain(arguments)
        tool.run()
        return tool.exit_code
    except CompileError as error:
        if debug:
            raise
        print(render(error), file=sys.stderr)
    except ArgSpecParseError as error:
        print(f"error: target: {one_line(str(error))}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception as error:  # a bug of ours: say so in one line, keep the traceback for --debug
        if debug:
            raise
        notes = [note for note in getattr(error, "__notes__", ()) if "\n" not in note]
        detail = " ".join((f"{type(error).__name__}: {one_line(str(error))}", *notes))
        print(f"error: internal error: {detail} (--debug shows where)", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
