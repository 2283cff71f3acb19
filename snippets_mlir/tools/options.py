"""The options of `snippets-opt`, in groups.

Every pass and every named pipeline is an option too; see `pass_options.py`.
"""

from __future__ import annotations

import argparse
from typing import Any

from snippets_mlir.frontends.texts import listed

_FLAG: dict[str, Any] = {"action": "store_true"}


def _one_of(value: str) -> bool:
    if value in ("true", "1", ""):
        return True
    if value in ("false", "0"):
        return False
    raise argparse.ArgumentTypeError(f"expected true or false, got '{value}'")


# Group, then rows: the spellings and the arguments for argparse.
OPTIONS: tuple[tuple[str, tuple[tuple[tuple[str, ...], dict[str, Any]], ...]], ...] = (
    (
        "input",
        (
            (("-f", "--frontend"), {"metavar": "KIND", "help": f"{listed()}; default: by suffix"}),
            (
                ("--split-input-file",),
                {**_FLAG, "help": "the input is several modules with lines '// -----' between"},
            ),
            (
                ("--allow-unregistered-dialect",),
                {**_FLAG, "help": "keep ops of unknown dialects as they are"},
            ),
            (
                ("--no-implicit-module",),
                {**_FLAG, "help": "the text has to have its own builtin.module"},
            ),
            (
                ("--load-dialect-plugin",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PLUGIN",
                    "help": "a Python file or module with dialects",
                },
            ),
            (
                ("--load-pass-plugin",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PLUGIN",
                    "help": "a Python file or module with passes",
                },
            ),
        ),
    ),
    (
        "passes",
        (
            (
                ("-p", "--passes", "--pass-pipeline"),
                {
                    "dest": "passes",
                    "action": "append",
                    "default": [],
                    "metavar": "PIPELINE",
                    "help": "'a,b{c=1 d}' or 'builtin.module(a,b{c=1 d})'; may be repeated",
                },
            ),
            (
                ("--resume",),
                {
                    **_FLAG,
                    "help": "the input is what some passes of the pipeline made: run those that "
                    "are left; without -p the pipeline to the level of LLVM",
                },
            ),
            (
                ("--resume-after",),
                {"metavar": "PASS", "help": "--resume, where PASS is the last that has run"},
            ),
            (
                ("--insert-pass",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "POSITION:PASS",
                    "help": "add a pass: start:P, end:P, before:NAME:P or after:NAME:P",
                },
            ),
            (
                ("--force-impl",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PATTERN:KIND",
                    "help": "what runs these nodes of a program: snippets, onnxruntime, reference",
                },
            ),
            (
                ("--verify-each",),
                {
                    "nargs": "?",
                    "type": _one_of,
                    "const": True,
                    "default": True,
                    "metavar": "BOOL",
                    "help": "check the module after each pass that changed it (default: true)",
                },
            ),
            (
                ("--shape",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "NAME=2x3",
                    "help": "the sizes of an input with dynamic dims; may be repeated",
                },
            ),
            (
                ("--symbols",),
                {
                    **_FLAG,
                    "help": "take the entry's dynamic dims as symbols: the program for calls in "
                    "which none of them is 0 or 1",
                },
            ),
            (
                ("--check-each",),
                {
                    **_FLAG,
                    "help": "run the program before and after each pass; name the one that "
                    "changes what it computes",
                },
            ),
            (
                ("--check-seed",),
                {"type": int, "default": 0, "metavar": "N", "help": "seed of its inputs"},
            ),
            (("--disable-verify",), {**_FLAG, "help": "check nothing, the input neither"}),
            (
                ("--explain",),
                {**_FLAG, "help": "say on stderr why ops are in no kernel, and what cuts cost"},
            ),
            (
                ("--explain-plan",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PASS",
                    "help": "print on stderr what this pass is about to do; also --explain=PASS",
                },
            ),
            (
                ("--verify-diagnostics",),
                {**_FLAG, "help": "compare errors with '// expected-error {{...}}' comments"},
            ),
            (
                ("--mlir-pass-pipeline-crash-reproducer",),
                {"metavar": "FILE", "help": "on failure write the module and the rest to run"},
            ),
            (
                ("--run-reproducer",),
                {**_FLAG, "help": "take the options in the first line of a reproducer"},
            ),
        ),
    ),
    (
        "output",
        (
            (("-o", "--output-file"), {"metavar": "FILE", "help": "default: standard output"}),
            (
                ("-t", "--target"),
                {
                    "default": "mlir",
                    "metavar": "TARGET",
                    "help": "mlir, llvm, asm, obj (with FILE's manifest beside it), manifest, or "
                    "one of xDSL's (default: mlir)",
                },
            ),
            (
                ("--mlir-print-op-generic", "--print-op-generic"),
                {"dest": "print_op_generic", **_FLAG, "help": "print all ops in generic form"},
            ),
            (
                ("--mlir-print-debuginfo", "--print-debuginfo"),
                {"dest": "print_debuginfo", **_FLAG, "help": "print locations"},
            ),
            (
                ("--print-no-properties",),
                {**_FLAG, "help": "print properties as attributes"},
            ),
            (("--syntax-highlight",), {**_FLAG, "help": "colour the output"}),
        ),
    ),
    (
        "looking at the passes (all on standard error)",
        (
            (
                ("--mlir-print-ir-before-all",),
                {**_FLAG, "help": "print the module before each pass"},
            ),
            (
                ("--mlir-print-ir-after-all", "--print-between-passes"),
                {
                    "dest": "mlir_print_ir_after_all",
                    **_FLAG,
                    "help": "print the module after each pass",
                },
            ),
            (
                ("--mlir-print-ir-after-change",),
                {**_FLAG, "help": "print the module after each pass that changed it"},
            ),
            (
                ("--mlir-print-ir-before",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PASS",
                    "help": "print the module before these passes (a,b or repeated)",
                },
            ),
            (
                ("--mlir-print-ir-after",),
                {
                    "action": "append",
                    "default": [],
                    "metavar": "PASS",
                    "help": "print the module after these passes (a,b or repeated)",
                },
            ),
            (
                ("--mlir-print-ir-tree-dir",),
                {
                    "metavar": "DIR",
                    "help": "write what --mlir-print-ir-... prints to files there",
                },
            ),
            (
                ("--emit-stage",),
                {
                    "metavar": "STAGES",
                    "help": "print the module at stages of the pipeline, not at its end: graph, "
                    "subgraph, lir, vector, llvm, program, llvm-ir, asm, obj, all, or passes",
                },
            ),
            (
                ("--emit-dir",),
                {"metavar": "DIR", "help": "write each stage of --emit-stage to a file there"},
            ),
            (
                ("--lir-dump",),
                {
                    "metavar": "WHAT",
                    "help": "write kernels around passes to files: 'passes=<all|final|a,b> "
                    "[dir=D] [formats=control_flow|data_flow|all] [files=xml|svg|html|all]'; "
                    "default: $SNIPPETS_DUMP_LIR",
                },
            ),
            (
                ("--mlir-timing", "--time-passes"),
                {"dest": "mlir_timing", **_FLAG, "help": "print a table of times"},
            ),
            (
                ("--trace-compile",),
                {
                    "metavar": "FILE.json",
                    "help": "write what parser and passes do, kernel by kernel, as a Chrome trace",
                },
            ),
            (("--debug",), {**_FLAG, "help": "on an error show the Python traceback"}),
        ),
    ),
    (
        "lists",
        (
            (("--list-passes",), {**_FLAG, "help": "our passes, one a line, and exit"}),
            (("--list-all-passes",), {**_FLAG, "help": "the same with xDSL's, and exit"}),
            (
                ("--list-patterns",),
                {**_FLAG, "help": "the patterns of our passes with their conditions, and exit"},
            ),
            (("--list-pipelines",), {**_FLAG, "help": "the named pipelines, and exit"}),
            (("--show-dialects",), {**_FLAG, "help": "the dialects, and exit"}),
        ),
    ),
)

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
