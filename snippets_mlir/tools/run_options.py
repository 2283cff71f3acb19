"""The command line of `snippets-run`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import NoReturn

from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.option_values import seed_number


def parsed(arguments: Sequence[str] | None) -> Namespace:
    """The options; `CompileError` if they are invalid."""
    return make_parser().parse_args(_spelled(arguments))


def _refuse(message: str) -> NoReturn:
    raise CompileError(f"{message}; see --help")


def make_parser() -> ArgumentParser:
    """The argument parser of `snippets-run`."""
    parser = ArgumentParser("snippets-run", description="Compile a model, run it, check it.")
    parser.error = _refuse
    add = parser.add_argument
    add("model", metavar="MODEL", help="a .mlir or .onnx file, or - for standard input")
    add("--input", action="append", default=[], metavar="FILE", help="NAME=FILE.npy, or FILE.npz")
    add("--shape", action="append", default=[], metavar="NAME=2x3", help="sizes of dynamic dims")
    add("--seed", type=seed_number, default=0, metavar="N", help="seed of the random inputs")
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
    add("--dump-program", metavar="DIR", help="write the program at each of its stages to DIR")
    add("--dump-tensors", metavar="DIR", help="write inputs and what steps make to DIR")
    add("--layers", metavar="REGEX", help="what --dump-tensors writes, by kernel or nodes")
    add("--json", action="store_true", help="print one JSON object instead of lines")
    add("--entry", metavar="NAME", help="the function to run")
    add("--target", metavar="NAME", help="the machine to compile for")
    add(
        "--math", default="accurate", metavar="accurate|fast|strict", help="forms of exp, gelu, ..."
    )
    add("-p", "--passes", metavar="PIPELINE", help="the passes, in place of the default ones")
    add("--resume", action="store_true", help="the program is what some passes made: run the rest")
    add("--resume-after", metavar="PASS", help="--resume, where PASS is the last that has run")
    add(
        "--insert-pass",
        action="append",
        default=[],
        metavar="POSITION:PASS",
        help="add a pass, or leave one out",
    )
    add("--force-impl", action="append", default=[], metavar="PATTERN:KIND", help="of nodes")
    add("--load-dialect-plugin", action="append", default=[], metavar="PLUGIN", help="dialects")
    add("--load-pass-plugin", action="append", default=[], metavar="PLUGIN", help="passes")
    return parser


def _spelled(arguments: Sequence[str] | None) -> list[str]:
    """The command line, with a value for `--perf-count`, which would otherwise take the model as
    its value.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--perf-count" not in given:
        return given
    from snippets_mlir.driver.arguments import COUNTED

    at = given.index("--perf-count")
    counted = given[at + 1] if given[at + 1 : at + 2] and given[at + 1] in COUNTED else None
    rest = given[at + 1 if counted is None else at + 2 :]
    return [*given[:at], f"--perf-count={counted or 'body'}", *rest]
