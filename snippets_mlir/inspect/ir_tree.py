"""`snippets-opt --mlir-print-ir-tree-dir=DIR`: the output of `--mlir-print-ir-...` as files.

    DIR/builtin_module_no-symbol-name/0_canonicalize.mlir           the module after the first pass
    DIR/builtin_module_no-symbol-name/1_snippets-tokenize_before.mlir   before the second one

The tree is the same as `mlir-opt`'s, whose folders are the ops that passes run on: here the module.
Numbers are positions in the pipeline. The tool can read each file.
"""

from __future__ import annotations

from pathlib import Path

from snippets_mlir.support.errors import CompileError

FOLDER = "builtin_module_no-symbol-name"


def write_ir(directory: str, number: int, name: str, when: str, text: str) -> None:
    """Write a module to its file.

    Args:
        directory: the root; it is made.
        number: the place of the pass in the pipeline.
        name: of the pass.
        when: `Before` or `After`.
        text: the module.

    Raises:
        CompileError: the file cannot be written.
    """
    suffix = "_before" if when == "Before" else ""
    path = Path(directory) / FOLDER / f"{number}_{name}{suffix}.mlir"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text.rstrip()}\n", encoding="utf-8")
    except OSError as error:
        raise CompileError(f"cannot write it: {error.strerror}", file=str(path)) from None
