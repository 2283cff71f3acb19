"""Text here is MLIR's text: the test corpus through `mlir-opt` and back.

    python docs/dev/compare_mlir_opt.py [--mlir-opt mlir-opt-22] [FILE ...]

For each module of the corpus (the pieces of each file between `// -----`), and for what the passes
of its RUN lines make of it:

1. what `snippets-opt` prints, in both forms, is accepted by `mlir-opt`;
2. what `mlir-opt` prints of it, in both forms, is accepted here;
3. printed here and read by `mlir-opt` again, it is the same text.

Modules with ops or types that only this project has are left out, and so are those that the corpus
says are wrong (`expected-error`). One line for each module that differs; the exit code is 1 if one
does. `mlir-opt` is a tool of development: no test and no part of the product needs it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

ROOT = Path(__file__).parents[2]
CORPUS = ("test/dialects", "test/passes/vector_to_llvm", "test/passes/loops")
OURS = re.compile(r"\b(snippets|lir|onnx)\.[a-z]|!(snippets|lir|onnx)|#(snippets|lir|onnx)")
PIPELINE = re.compile(r"RUN: snippets-opt %s (?:-p ['\"]?([^'\"| ]+)['\"]?)")


@dataclass(frozen=True)
class Sample:
    """One module.

    Attributes:
        name: file and number.
        text: as the corpus has it, or as passes made it.
    """

    name: str
    text: str


def mlir_opt(tool: str, text: str, *options: str) -> str:
    """What `mlir-opt` prints.

    Raises:
        ValueError: the first line of what it says is wrong.
    """
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise ValueError(lines[0])
    return done.stdout


def printed(text: str, passes: str = "", *, generic: bool = False) -> str:
    """What this project prints of `text` after `passes`."""
    ctx = make_context()
    module = parse_module(text, ctx)
    if passes:
        run_passes(module, ctx, parse_pipeline(passes, ctx))
    return print_module(module, generic)


def samples(files: list[Path]) -> Iterator[Sample]:
    """The modules of the corpus, and what the passes of their RUN lines make of them."""
    for file in files:
        text = file.read_text()
        pipelines = ["", *(m.group(1) for m in PIPELINE.finditer(text))]
        for number, chunk in enumerate(text.split("// -----")):
            if "expected-error" in chunk or not chunk.strip() or OURS.search(chunk):
                continue
            for passes in pipelines:
                try:
                    result = printed(chunk, passes) if passes else chunk
                except CompileError:
                    continue
                name = f"{file.relative_to(ROOT)}:{number}{f' -p {passes}' if passes else ''}"
                yield Sample(name, result)


def difference(sample: Sample, tool: str) -> str | None:
    """What is wrong with a sample, None when nothing is."""
    step = "reading it here"
    try:
        forms = [printed(sample.text), printed(sample.text, generic=True)]
        for form in forms:
            step = "mlir-opt reads what is printed here"
            theirs = mlir_opt(tool, form)
            for option in ((), ("--mlir-print-op-generic",)):
                step = f"what mlir-opt prints {' '.join(option)} is read here"
                again = printed(mlir_opt(tool, form, *option))
                step = "mlir-opt reads it again"
                if mlir_opt(tool, again) != theirs:
                    return f"{step}: the text differs"
    except (ValueError, CompileError) as error:
        return f"{step}: {error}"
    return None


def main() -> int:
    """Compare the corpus, or the files given."""
    parser = ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--mlir-opt", default="mlir-opt-22")
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args()
    files = [f.resolve() for f in args.files] or sorted(
        file for folder in CORPUS for file in (ROOT / folder).rglob("*.mlir")
    )
    count = wrong = 0
    for sample in samples(files):
        count += 1
        found = difference(sample, args.mlir_opt)
        if found is not None:
            wrong += 1
            print(f"{sample.name}: {found}")
    print(f"{count} modules, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
