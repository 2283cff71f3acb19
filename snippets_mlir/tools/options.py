"""The options of `snippets-opt`, in groups.

Every pass and every named pipeline is also an option; see `pass_options.py`.
"""

from __future__ import annotations

import argparse
from typing import Any

from snippets_mlir.frontends.texts import listed
from snippets_mlir.tools.option_values import seed_number, true_or_false

Row = tuple[tuple[str, ...], dict[str, Any]]
"""An option: its spellings, and the arguments of `add_argument`."""


def _option(*spellings: str, **settings: Any) -> Row:
    """An option with one value; if it is given several times, the last one counts."""
    return spellings, settings


def _flag(*spellings: str, **settings: Any) -> Row:
    """An option without a value."""
    return spellings, {"action": "store_true", **settings}


def _list(*spellings: str, **settings: Any) -> Row:
    """An option that may be given several times; all values count, in their order."""
    return spellings, {"action": "append", "default": [], **settings}


OPTIONS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "input",
        (
            _option("-f", "--frontend", metavar="KIND", help=f"{listed()}; default: by suffix"),
            _flag(
                "--split-input-file",
                help="the input is several modules with lines '// -----' between",
            ),
            _flag("--allow-unregistered-dialect", help="keep ops of unknown dialects as they are"),
            _flag("--no-implicit-module", help="the text has to have its own builtin.module"),
            _list(
                "--load-dialect-plugin",
                metavar="PLUGIN",
                help="a Python file or module with dialects",
            ),
            _list(
                "--load-pass-plugin", metavar="PLUGIN", help="a Python file or module with passes"
            ),
        ),
    ),
    (
        "passes",
        (
            _list(
                "-p",
                "--passes",
                "--pass-pipeline",
                dest="passes",
                metavar="PIPELINE",
                help="'a,b{c=1 d}' or 'builtin.module(a,b{c=1 d})'; may be repeated",
            ),
            _flag(
                "--resume",
                help="the input is what some passes of the pipeline made: run those that "
                "are left; without -p the pipeline to the level of LLVM",
            ),
            _option(
                "--resume-after",
                metavar="PASS",
                help="--resume, where PASS is the last that has run",
            ),
            _list(
                "--insert-pass",
                metavar="POSITION:PASS",
                help="add P: start:P, end:P, before:NAME:P, after:NAME:P; leave out: without:NAME",
            ),
            _list(
                "--force-impl",
                metavar="PATTERN:KIND",
                help="what runs these nodes of a program: snippets, onnxruntime, reference",
            ),
            _option(
                "--verify-each",
                nargs="?",
                type=true_or_false,
                const=True,
                default=True,
                metavar="BOOL",
                help="check the module after each pass that changed it (default: true)",
            ),
            _list(
                "--shape",
                metavar="NAME=2x3",
                help="the sizes of an input with dynamic dims; may be repeated",
            ),
            _flag(
                "--symbols",
                help="take the entry's dynamic dims as symbols: the program for calls in "
                "which none of them is 0 or 1",
            ),
            _flag(
                "--check-each",
                help="run the program before and after each pass; name the one that "
                "changes what it computes",
            ),
            _option(
                "--check-seed", type=seed_number, default=0, metavar="N", help="seed of its inputs"
            ),
            _flag("--disable-verify", help="check nothing, the input neither"),
            _flag("--explain", help="say on stderr why ops are in no kernel, and what cuts cost"),
            _list(
                "--explain-plan",
                metavar="PASS",
                help="print on stderr what this pass is about to do; also --explain=PASS",
            ),
            _flag(
                "--verify-diagnostics",
                help="compare errors with '// expected-error {{...}}' comments",
            ),
            _option(
                "--mlir-pass-pipeline-crash-reproducer",
                metavar="FILE",
                help="on failure write the module and the rest to run",
            ),
            _flag("--run-reproducer", help="take the options in the first line of a reproducer"),
        ),
    ),
    (
        "output",
        (
            _option("-o", "--output-file", metavar="FILE", help="default: standard output"),
            _option(
                "-t",
                "--target",
                default="mlir",
                metavar="TARGET",
                help="mlir, llvm, asm, obj (with FILE's manifest beside it), manifest, or "
                "one of xDSL's (default: mlir)",
            ),
            _flag(
                "--mlir-print-op-generic",
                "--print-op-generic",
                dest="print_op_generic",
                help="print all ops in generic form",
            ),
            _flag(
                "--mlir-print-debuginfo",
                "--print-debuginfo",
                dest="print_debuginfo",
                help="print locations",
            ),
            _flag("--print-no-properties", help="print properties as attributes"),
            _flag("--syntax-highlight", help="colour the output"),
        ),
    ),
    (
        "looking at the passes (all on standard error)",
        (
            _flag("--mlir-print-ir-before-all", help="print the module before each pass"),
            _flag(
                "--mlir-print-ir-after-all",
                "--print-between-passes",
                dest="mlir_print_ir_after_all",
                help="print the module after each pass",
            ),
            _flag(
                "--mlir-print-ir-after-change",
                help="print the module after each pass that changed it",
            ),
            _list(
                "--mlir-print-ir-before",
                metavar="PASS",
                help="print the module before these passes (a,b or repeated)",
            ),
            _list(
                "--mlir-print-ir-after",
                metavar="PASS",
                help="print the module after these passes (a,b or repeated)",
            ),
            _option(
                "--mlir-print-ir-tree-dir",
                metavar="DIR",
                help="write what --mlir-print-ir-... prints to files there",
            ),
            _option(
                "--emit-stage",
                metavar="STAGES",
                help="print the module at stages of the pipeline, not at its end: graph, "
                "subgraph, lir, vector, llvm, program, llvm-ir, asm, obj, all, or passes",
            ),
            _option(
                "--emit-dir", metavar="DIR", help="write each stage of --emit-stage to a file there"
            ),
            _option(
                "--dump-program",
                metavar="DIR",
                help="write the program.graph at each of its stages to files there",
            ),
            _option(
                "--lir-dump",
                metavar="WHAT",
                help="write kernels around passes to files: 'passes=<all|final|a,b> "
                "[dir=D] [formats=control_flow|data_flow|all] [files=xml|svg|html|all]'; "
                "default: $SNIPPETS_DUMP_LIR",
            ),
            _flag(
                "--mlir-timing", "--time-passes", dest="mlir_timing", help="print a table of times"
            ),
            _option(
                "--trace-compile",
                metavar="FILE.json",
                help="write what parser and passes do, kernel by kernel, as a Chrome trace",
            ),
            _flag("--debug", help="on an error show the Python traceback"),
        ),
    ),
    (
        "lists",
        (
            _flag("--list-passes", help="our passes, one a line, and exit"),
            _flag("--list-all-passes", help="the same with xDSL's, and exit"),
            _flag(
                "--list-patterns", help="the patterns of our passes with their conditions, and exit"
            ),
            _flag("--list-pipelines", help="the named pipelines, and exit"),
            _flag("--show-dialects", help="the dialects, and exit"),
        ),
    ),
)
"""The title of each group, and its options."""

_NOTES = {
    "passes": "Every pass and pipeline is an option too: --cse, --snippets-tokenize='max-ops=4'.",
}

SPELLINGS = frozenset(
    ("-h", "--help", "-v", "--version"),
).union(*(spellings for _, rows in OPTIONS for spellings, _ in rows))


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add all options to a parser, group by group."""
    parser.add_argument("input_file", nargs="?", help="a .mlir or .onnx file; '-' is stdin")
    for title, rows in OPTIONS:
        group = parser.add_argument_group(title, _NOTES.get(title))
        for spellings, settings in rows:
            group.add_argument(*spellings, **settings)
