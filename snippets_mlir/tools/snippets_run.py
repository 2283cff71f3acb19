"""`snippets-run`: compile a model, call it once, and say how right and how fast it is.

    snippets-run model.onnx --verify --bench
    snippets-run program.mlir --input x=x.npy --output-dir results --report

One line for each output: its name, shape and dtype and, with `--verify`, its largest absolute and
relative error (`inspect/compare.py` says what they are and what is too much). The exit code is 1
for an output that differs and for every error, which is one line on standard error.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from snippets_mlir.inspect.perf_report import as_json, table, write_csv
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import place_outside

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled
    from snippets_mlir.driver.memrefs.program import MemRefProgram
    from snippets_mlir.inspect.compare import Difference
    from snippets_mlir.runtime.arrays import Array, TensorSpec
    from snippets_mlir.runtime.perf_counts import PerfCount
    from snippets_mlir.tools.run_bench import Bench

USER_ERRORS = ("input ", "onnxruntime: ")
"""Beginnings of errors of the arrays that a program is called with."""

Run = Callable[[], "Sequence[Array]"]


def _refuse(message: str) -> NoReturn:
    raise CompileError(f"{message}; see --help")


def make_parser() -> ArgumentParser:
    """The argument parser of `snippets-run`."""
    parser = ArgumentParser("snippets-run", description="Compile a model, run it, check it.")
    parser.error = _refuse
    add = parser.add_argument
    add("model", metavar="MODEL", help="a .mlir or .onnx file")
    add("--input", action="append", default=[], metavar="FILE", help="NAME=FILE.npy, or FILE.npz")
    add("--shape", action="append", default=[], metavar="NAME=2x3", help="sizes of dynamic dims")
    add("--seed", type=int, default=0, metavar="N", help="seed of the random inputs")
    add("--output-dir", metavar="DIR", help="write each output to DIR/NAME.npy")
    add("--num-threads", type=int, metavar="N", help="threads of a kernel")
    add("--verify", action="store_true", help="compare with the interpreter, or onnxruntime")
    add("--bench", action="store_true", help="time it beside the interpreter, or onnxruntime")
    add("--report", action="store_true", help="list kernels and the ops that are in none")
    add("--partitioner", default="tokenize", metavar="tokenize|fuse-ops", help="of the graph")
    add(
        "--mark-skipped",
        default="auto",
        metavar="auto|onnxruntime|none",
        help="leave out what onnxruntime fuses",
    )
    add("--fallback", default="onnxruntime", metavar="onnxruntime|error", help="of other ops")
    add("--perf-count", metavar="body|loops|expressions", help="count calls and time in kernels")
    add("--perf-clock", default="monotonic", metavar="monotonic|rdtsc", help="of --perf-count")
    add("--perf-csv", metavar="FILE", help="write what was counted")
    add("--segfault-detector", action="store_true", help="say where in a kernel a SIGSEGV came")
    add(
        "--streams", type=int, metavar="N", help="run requests on N threads with cores of their own"
    )
    add("--requests", type=int, metavar="N", help="requests at a time; twice --streams")
    add("--iterations", type=int, metavar="N", help="how many requests --streams runs")
    add("--profile", metavar="FILE.csv", help="write the times of steps")
    add("--trace", metavar="FILE.json", help="write the times of steps as a Chrome trace")
    add("--trace-compile", metavar="FILE.json", help="write what compiling does as a Chrome trace")
    add("--exec-graph", metavar="FILE", help="write the steps as a graph, .mlir or .onnx")
    add("--dump-tensors", metavar="DIR", help="write inputs and what steps make to DIR")
    add("--layers", metavar="REGEX", help="the steps of --dump-tensors, by kernel or nodes")
    add("--json", action="store_true", help="print one JSON object instead of lines")
    add("--entry", metavar="NAME", help="the function to run")
    add("--target", metavar="NAME", help="the machine to compile for")
    add("--math", default="accurate", metavar="accurate|fast", help="forms of exp, gelu, ...")
    add("-p", "--passes", metavar="PIPELINE", help="the passes, in place of the default ones")
    add("--resume", action="store_true", help="the program is what some passes made: run the rest")
    add("--resume-after", metavar="PASS", help="--resume, where PASS is the last that has run")
    add("--insert-pass", action="append", default=[], metavar="POSITION:PASS", help="add a pass")
    add("--force-impl", action="append", default=[], metavar="PATTERN:KIND", help="of nodes")
    add("--load-dialect-plugin", action="append", default=[], metavar="PLUGIN", help="dialects")
    add("--load-pass-plugin", action="append", default=[], metavar="PLUGIN", help="passes")
    return parser


def _compile(args: Namespace) -> Compiled:
    """The program; one that is in the cache is found without loading the compiler."""
    from snippets_mlir.driver import compile_with, compile_with_options
    from snippets_mlir.tools.run_streams import threads_of_streams

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
        return compile_with_options(Path(args.model), args.entry, options)

    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.passmanager.context import make_context
    from snippets_mlir.passmanager.plugins import load_dialect_plugin, load_pass_plugin

    context = make_context()
    for plugin in args.load_dialect_plugin:
        load_dialect_plugin(plugin, context)
    for plugin in args.load_pass_plugin:
        load_pass_plugin(plugin, context)
    settings = Settings.filled(context=context, **options)
    if resumes:
        from snippets_mlir.tools.run_resumed import resumed

        settings = resumed(settings, args.model, args.resume_after)
    return compile_with(Path(args.model), args.entry, settings)


def _reference(compiled: Compiled, arrays: Sequence[Array]) -> tuple[str, Run, float | None]:
    """The peer that results are compared with: its name, a call of it, and the tolerance."""
    from snippets_mlir.driver.onnx.whole_model import model_session
    from snippets_mlir.inspect.compare import ONNX_TOLERANCE, interpreter_results
    from snippets_mlir.tools.run_memrefs import tell_reference

    source, last = compiled.reference()
    tell_reference(source.entry, last)
    if source.model is not None:
        try:
            session = model_session(source.model, compiled.num_threads)
        except CompileError as error:
            print(f"remark: results are compared with the interpreter: {error}", file=sys.stderr)
        else:
            return "onnxruntime", lambda: session(arrays), ONNX_TOLERANCE
    return (
        "the interpreter",
        lambda: interpreter_results(source, arrays, compiled.num_threads),
        None,
    )


def _output_line(spec: TensorSpec, array: Array, difference: Difference | None) -> str:
    shape = "x".join(map(str, array.shape)) or "scalar"
    line = f"{spec.name}: {shape} {array.dtype}"
    if difference is not None:
        verdict = "ok" if difference.ok else "MISMATCH"
        line += f" max_abs={difference.max_abs:.3g} max_rel={difference.max_rel:.3g} {verdict}"
    return line


def _report_lines(compiled: Compiled) -> list[str]:
    from snippets_mlir.driver.notebooks import report_of

    phases = ", ".join(f"{name} {1e3 * s:.0f} ms" for name, s in compiled.seconds.items())
    return [
        *report_of(compiled),
        f"threads {compiled.num_threads}, OpenMP runtime {_openmp()}",
        phases,
    ]


def _openmp() -> str:
    from snippets_mlir.runtime.threads import openmp_runtime

    return openmp_runtime() or "not found (kernels run on one thread)"


def _json_number(value: float) -> float | None:
    return value if abs(value) != float("inf") else None


def _perf(args: Namespace, compiled: Compiled) -> Sequence[PerfCount] | None:
    """The counts, None unless counters were requested."""
    if args.perf_count is None and args.perf_csv is None:
        return None
    counts = compiled.perf_counts
    if args.perf_csv is not None:
        write_csv(args.perf_csv, counts)
    return counts


def _as_json(
    compiled: Compiled,
    outputs: Sequence[tuple[TensorSpec, Array, Difference | None]],
    bench: Bench | None,
    perf: Sequence[PerfCount] | None,
) -> dict[str, Any]:
    """The object that `--json` prints; an infinite error is null, with `ok` false."""
    return {
        "outputs": [
            {
                "name": spec.name,
                "shape": list(array.shape),
                "dtype": str(array.dtype),
                "max_abs": None if d is None else _json_number(d.max_abs),
                "max_rel": None if d is None else _json_number(d.max_rel),
                "ok": None if d is None else d.ok,
            }
            for spec, array, d in outputs
        ],
        "kernels": [k.entry.as_json() for k in compiled.kernels],
        "opaque": [op._asdict() for op in compiled.opaque],
        "bench": None if bench is None else bench.as_json(),
        "perf": None if perf is None else as_json(perf),
    }


def _write(directory: str, outputs: Sequence[tuple[TensorSpec, Array]]) -> None:
    import numpy as np

    for spec, array in outputs:
        path = Path(directory) / f"{spec.name.replace('/', '_')}.npy"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, array, allow_pickle=False)
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None


def run(args: Namespace) -> int:
    """Do what the command line says; the exit code."""
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
    from snippets_mlir.tools.run_streams import asks_for_streams, dump, run_streams

    streamed = run_streams(args, compiled, arrays) if asks_for_streams(args) else None
    if args.dump_tensors is not None:
        dump(args, compiled, arrays)
    elif args.layers is not None:
        raise CompileError("--layers needs --dump-tensors")
    if compiled.on_memrefs:
        from snippets_mlir.tools.run_memrefs import run_memrefs

        outputs, bench = run_memrefs(args, cast("MemRefProgram", compiled), arrays)
        return _show(args, compiled, outputs, bench)
    results = list(compiled.run(dict(zip(names, arrays, strict=True))).values())
    for spec, result in zip(compiled.outputs, results, strict=True):
        if not hasattr(result, "shape"):
            raise CompileError(f"output {spec.name!r} is no tensor; call the program from Python")
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
    return _show(args, compiled, shown, bench, streamed)


def _show(
    args: Namespace,
    compiled: Compiled,
    outputs: Sequence[tuple[TensorSpec, Array, Difference | None]],
    bench: Bench | None,
    streamed: str | None = None,
) -> int:
    """Write and print the outputs; the exit code."""
    if args.output_dir is not None:
        _write(args.output_dir, [(spec, array) for spec, array, _ in outputs])
    perf = _perf(args, compiled)
    if args.json:
        import json

        print(json.dumps(_as_json(compiled, outputs, bench, perf), indent=2, allow_nan=False))
    else:
        lines = [_output_line(*output) for output in outputs]
        lines += [str(bench)] if bench is not None else []
        lines += [streamed] if streamed is not None else []
        lines += table(perf) if perf is not None else []
        print("\n".join([*lines, *(_report_lines(compiled) if args.report else [])]))
    return 0 if all(d is None or d.ok for _, _, d in outputs) else 1


def _spelled(arguments: Sequence[str] | None) -> list[str]:
    """The command line, with a word for `--perf-count`, which would take the model else."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--perf-count" not in given:
        return given
    from snippets_mlir.driver.arguments import COUNTED

    at = given.index("--perf-count")
    counted = given[at + 1] if given[at + 1 : at + 2] and given[at + 1] in COUNTED else None
    rest = given[at + 1 if counted is None else at + 2 :]
    return [*given[:at], f"--perf-count={counted or 'body'}", *rest]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tool; errors of the user are one line on standard error and exit code 1."""
    model: str | None = None
    try:
        args = make_parser().parse_args(_spelled(arguments))
        model = args.model
        if args.trace_compile is None:
            return run(args)
        from snippets_mlir.inspect.compile_trace import trace_compile

        with trace_compile(args.trace_compile):  # a dynamic program is compiled by its first call
            return run(args)
    except CompileError as error:
        from snippets_mlir.support.diagnostics import render

        located = error.file is not None or error.line is not None
        print(render(error, default_file=model if located else None), file=sys.stderr)
    except Exception as error:
        place = place_outside(error)
        if place is not None and not os.environ.get("SNIPPETS_DEBUG"):
            print(f"error: {place}: {type(error).__name__}: {error}", file=sys.stderr)
        elif isinstance(error, ValueError | TypeError) and str(error).startswith(USER_ERRORS):
            print(f"error: {error}", file=sys.stderr)
        else:
            raise
    return 1


if __name__ == "__main__":
    sys.exit(main())
