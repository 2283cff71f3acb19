"""Compare `affine-super-vectorize` with `mlir-opt --affine-super-vectorize`, loop by loop.

    PYTHONPATH=. .venv/bin/python docs/dev/compare_super_vectorize.py [FILE...]

`--mlir-opt` names the binary, `mlir-opt-22` by default.

The corpus are the functions of `test/passes/loops/affine/affine-super-vectorize*.mlir`, each with
the options of the `RUN` lines of its file. Upstream has to accept our result. For each function:
which loops does the one vectorize, which the other? They have to be the same, except for the
functions in `KNOWN`, where upstream's code (of LLVM 22) is wrong or where it refuses without need.
Exit code 1 when anything else differs, and when a row of `KNOWN` does not differ any more.
"""

# pyright: basic

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from xdsl.dialects.affine import ForOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

CORPUS = Path(__file__).resolve().parents[2] / "test/passes/loops/affine"

KNOWN = {
    "coefficient": "a subscript with coefficient 2 becomes a contiguous transfer (PR 196973)",
    "backwards": "a subscript with coefficient -1 becomes a contiguous transfer (PR 196973)",
    "hidden_coefficient": "coefficient 2 over an affine.apply (PR 196973)",
    "quotient": "floordiv becomes a contiguous transfer (PR 196973)",
    "remainder": "mod becomes a contiguous transfer (PR 196973)",
    "step": "a loop of step 2 gets contiguous lanes (issue 225247)",
    "view": "a store through a view of what is loaded (PR 197081)",
    "unknown_memory": "memory of a call is taken as different from an argument (PR 197081)",
    "triangle": "inner bounds of the first lane serve all lanes (PR 184770)",
    "overflow": "the step wraps (PR 66026)",
    "trap": "lanes past the end of the loop compute what may trap",
    "one_iteration": "a transfer_write with a broadcast dim, which does not verify",
    "subscripts": "a constant of the loop is no subscript of an affine.apply (PR 184614)",
    "strided": "memory of strided layout: not done yet, an error is printed",
    "strided_part": "memory of strided layout: not done yet, an error is printed",
    "two_inner_loops": "with two sizes, a constant does not dominate its second use",
}
"""Function to what upstream gets wrong, or does not do, there."""


def options_of(text: str) -> list[str]:
    """The options of the RUN lines that succeed, without those that are ours alone."""
    found = re.findall(r"RUN: snippets-opt %s -p 'affine-super-vectorize\{([^}]*)\}'", text)
    found += re.findall(r"RUN: snippets-opt %s --affine-super-vectorize='([^']*)'", text)
    return list(dict.fromkeys(o.replace("explain=true", "").strip() for o in found))


def steps(module: ModuleOp) -> list[int]:
    """The steps of all loops, in the order of the text."""
    return [op.step.value.data for op in module.walk() if isinstance(op, ForOp)]


def functions(text: str) -> list[tuple[str, str]]:
    """Name and text of a module for each function with a body; declarations are in all of them."""
    module = parse_module(text, make_context())
    declarations = [str(op) for op in module.ops if isinstance(op, FuncOp) and op.is_declaration]
    return [
        (op.sym_name.data, "\n".join([str(op), *declarations]))
        for op in module.ops
        if isinstance(op, FuncOp) and not op.is_declaration
    ]


def ours(text: str, options: str, mlir_opt: str) -> list[bool] | str:
    """Which loops we vectorize, or what upstream has against our result."""
    ctx = make_context()
    module = parse_module(text, ctx)
    before = steps(module)
    run_passes(module, ctx, parse_pipeline(f"affine-super-vectorize{{{options}}}", ctx))
    done = run([mlir_opt], str(module))
    if done.returncode:
        return f"upstream does not accept the result: {done.stderr}"
    return [new != old for new, old in zip(steps(module), before, strict=True)]


def run(command: list[str], text: str) -> subprocess.CompletedProcess[str]:
    """Run a command on a text."""
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def theirs(text: str, options: str, mlir_opt: str) -> list[bool] | str:
    """Which loops upstream vectorizes, or its first error."""
    done = run([mlir_opt, f"--affine-super-vectorize={options}"], text)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        return errors[0].partition("error: ")[2] if errors else f"exit code {done.returncode}"
    before = steps(parse_module(text, make_context()))
    after = steps(parse_module(done.stdout, make_context()))
    return [new != old for new, old in zip(after, before, strict=True)]


def main() -> int:
    """Compare and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    files = arguments.files or sorted(CORPUS.glob("affine-super-vectorize*.mlir"))
    same, known, unknown, seen = 0, 0, 0, set[str]()
    for file in files:
        text = file.read_text(encoding="utf-8")
        for options in options_of(text):
            for name, function in functions(text):
                mine = ours(function, options, arguments.mlir_opt)
                other = theirs(function, options, arguments.mlir_opt)
                if mine == other:
                    same += 1
                    continue
                explained = name in KNOWN and not isinstance(mine, str)
                known, unknown = known + explained, unknown + (not explained)
                seen.add(name)
                verdict = f"known: {KNOWN[name]}" if explained else "DIFFERENT"
                print(f"{file.name}: @{name} {{{options}}}: {verdict}")
                print(f"  ours {mine}\n  upstream {other}")
    stale = [] if arguments.files else sorted(set(KNOWN) - seen)
    print(f"{same} the same, {known} different for a known reason, {unknown} different")
    if stale:
        print(f"no difference any more: {', '.join(stale)}")
    return 1 if unknown or stale else 0


if __name__ == "__main__":
    sys.exit(main())
