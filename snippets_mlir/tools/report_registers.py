"""Assigned registers beside the registers that LLVM uses, and LLVM's spills.

    python -m snippets_mlir.tools.report_registers model.mlir --target x86-64-avx2

prints one line for each kernel; `inspect/register_report.py` defines the counts.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from snippets_mlir.driver.sources.load import load_source
from snippets_mlir.inspect.register_report import RegisterUse, register_report
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.diagnostics import render
from snippets_mlir.support.errors import CompileError

HEADER = (
    "| kernel | vectors | masks | general | slots | LLVM: vectors | masks | spills | reloads |",
    "|---|---|---|---|---|---|---|---|---|",
)


def table(uses: Sequence[RegisterUse]) -> str:
    """The registers of kernels as a Markdown table."""
    rows = [
        f"| {u.kernel} | {u.vectors} | {u.masks} | {u.general} | {u.slots} | {u.llvm_vectors} "
        f"| {u.llvm_masks} | {u.spills} | {u.reloads} |"
        for u in uses
    ]
    return "\n".join((*HEADER, *rows))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code is 1 when the source does not compile."""
    parser = ArgumentParser("report_registers", description="registers of kernels")
    parser.add_argument("source", help="a .mlir or .onnx file")
    parser.add_argument("--target", default="x86-64-avx2", help="default: x86-64-avx2")
    options = parser.parse_args(arguments)
    try:
        module = load_source(options.source, None, make_context()).module
        print(table(register_report(module, options.target)))
    except CompileError as error:
        print(render(error), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
