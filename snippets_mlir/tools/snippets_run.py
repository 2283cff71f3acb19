"""`snippets-run`: compile a model, call it once, and report its accuracy and speed.

    snippets-run model.onnx --verify --bench
    snippets-run program.mlir --input x=x.npy --output-dir results --report

It prints one line for each output: its name, shape and dtype and, with `--verify`, its largest
absolute and relative error (`inspect/compare.py` defines them and their limits). The exit code is 1
for an output that differs and for every error, which is one line on standard error.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import place_outside
from snippets_mlir.tools.commands import keep_cycles
from snippets_mlir.tools.run_options import parsed
from snippets_mlir.tools.run_outputs import show
from snippets_mlir.tools.written_files import writing

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled
    from snippets_mlir.driver.memrefs.program import MemRefProgram
    from snippets_mlir.inspect.compare import Difference
    from snippets_mlir.runtime.arguments.arrays import Array

USER_ERRORS = ("input ", "onnxruntime: ", "an executor returned ")
"""The prefixes of error messages about arguments of a program, and about results of steps."""

Run = Callable[[], "Sequence[Array]"]


def _compile(args: Namespace) -> Compiled:
    """The program; for a program in the cache, the compiler is not loaded."""
    from snippets_mlir.driver import compile_with, compile_with_options
    from snippets_mlir.tools.run_inputs import source_of
    from snippets_mlir.tools.run_streams import threads_of_streams

    source = source_of(args.model)
    options: dict[str, Any] = {
        "pipeline": args.passes,
        "target": args.target,
        "num_threads": threads_of_streams(args),
        "math": args.math,
        "fallback": args.fallback,
        "mark_skipped": args.mark_skipped,
        "partitioner": args.partitioner,
        "insert_passes": args.insert_pass,
        "perf_count": args.perf_count,
        "perf_clock": args.perf_clock,
        "segfault_detector": args.segfault_detector,
    }
    if args.force_impl:
        options["force_impl"] = args.force_impl
    resumes = args.resume or args.resume_after is not None
    if not (resumes or args.load_dialect_plugin or args.load_pass_plugin):
        return compile_with_options(source, args.entry, options)

    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.passmanager.context import make_context
    from snippets_mlir.passmanager.plugins import load_named_plugins

    context = make_context()
    load_named_plugins(args.load_dialect_plugin, args.load_pass_plugin, context)
    settings = Settings.filled(context=context, **options)
    if resumes:
        from snippets_mlir.tools.run_resumed import resumed

        settings = resumed(settings, source, args.resume_after)
    return compile_with(source, args.entry, settings)


def _reference(compiled: Compiled, arrays: Sequence[Array]) -> tuple[str, Run, float | None]:
    """The peer that results are compared with: its name, a call of it, and the tolerance."""
    from snippets_mlir.driver.onnx.whole_model import model_session
    from snippets_mlir.inspect.compare import ONNX_TOLERANCE, interpreter_results
    from snippets_mlir.tools.run_memrefs import tell_reference

    source, last = compiled.reference()
    tell_reference(source.entry, last)
    if source.model is not None:
        try:
            session = model_session(source.session_model, compiled.num_threads)
        except CompileError as error:
            print(f"remark: results are compared with the interpreter: {error}", file=sys.stderr)
        else:
            return "onnxruntime", lambda: session(arrays), ONNX_TOLERANCE
    return (
        "the interpreter",
        lambda: interpreter_results(source, arrays, compiled.num_threads),
        None,
    )


def run(args: Namespace) -> int:
    """Execute the command line; returns the exit code."""
    from snippets_mlir.tools.run_inputs import make_inputs, read_archives, split_pairs

    compiled = _compile(args)
    names = [spec.name for spec in compiled.inputs]
    pairs, archived = read_archives(args.input, names)
    arrays = make_inputs(
        compiled.inputs,
        split_pairs("--input", pairs, names),
        split_pairs("--shape", args.shape, names),
        args.seed,
        indices=Path(args.model).suffix == ".onnx",
        archived=archived,
    )
    from snippets_mlir.tools.run_streams import asks_for_streams, dump, dump_program, run_streams

    streamed = run_streams(args, compiled, arrays) if asks_for_streams(args) else None
    if args.dump_program is not None:
        dump_program(args, compiled, arrays)
    if args.dump_tensors is not None:
        dump(args, compiled, arrays)
    elif args.layers is not None:
        raise CompileError("--layers needs --dump-tensors")
    if compiled.on_memrefs:
        from snippets_mlir.tools.run_memrefs import run_memrefs

        outputs, bench = run_memrefs(args, cast("MemRefProgram", compiled), arrays)
        return show(args, compiled, outputs, bench)
    results = list(compiled.run(dict(zip(names, arrays, strict=True))).values())
    for spec, result in zip(compiled.outputs, results, strict=True):
        if not hasattr(result, "shape"):
            raise CompileError(f"output {spec.name!r} is not a tensor; call it from Python")
    differences: list[Difference | None] = [None] * len(results)
    bench = None
    if args.verify or args.bench:
        peer_name, peer, tolerance = _reference(compiled, arrays)
        if args.verify:
            from snippets_mlir.inspect.compare import compare

            differences = [
                compare(result, expected, tolerance)
                for result, expected in zip(results, peer(), strict=True)
            ]
        if args.bench:
            from snippets_mlir.tools.run_bench import measure

            bench = measure(lambda: compiled(*arrays), peer, peer_name)
    shown = list(zip(compiled.outputs, results, differences, strict=True))
    return show(args, compiled, shown, bench, streamed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; errors of the user are one line on standard error and exit code 1."""
    model: str | None = None
    try:
        args = parsed(arguments)
        model = args.model
        with writing(args):  # a dynamic program is compiled by its first call
            return run(args)
    except CompileError as error:
        if os.environ.get("SNIPPETS_DEBUG"):
            raise
        from snippets_mlir.support.diagnostics import render
        from snippets_mlir.tools.run_inputs import named_input

        error.file, model = named_input(error.file, model)
        located = error.file is not None or error.line is not None
        print(render(error, default_file=model if located else None), file=sys.stderr)
    except MemoryError as error:
        if os.environ.get("SNIPPETS_DEBUG"):
            raise
        print(f"error: not enough memory: {error}", file=sys.stderr)
    except Exception as error:
        place = place_outside(error)
        of_user = isinstance(error, ValueError | TypeError | RuntimeError)
        if place is not None and not os.environ.get("SNIPPETS_DEBUG"):
            print(f"error: {place}: {type(error).__name__}: {error}", file=sys.stderr)
        elif of_user and str(error).startswith(USER_ERRORS):
            print(f"error: {error}", file=sys.stderr)
        else:
            raise
    return 1


if __name__ == "__main__":
    keep_cycles()
    sys.exit(main())
