"""Files and folders that a tool writes at its end; unwritable ones are refused at its start.

    with writing(args): ...

Nothing is created or opened: a tool that fails for another reason leaves no empty files. So
problems that only writing shows, such as a full disk, are an error at the end. `--trace-compile` is
written after the body of the `with`; without it nothing is imported.
"""

from __future__ import annotations

import os
from argparse import Namespace
from contextlib import AbstractContextManager, nullcontext
from errno import EACCES, EEXIST, EISDIR, ENOENT, ENOTDIR
from pathlib import Path

from snippets_mlir.support.errors import CompileError

FILES = (
    "output_file",
    "mlir_pass_pipeline_crash_reproducer",
    "trace_compile",
    "perf_csv",
    "profile",
    "trace",
    "exec_graph",
)
"""Options of both tools that name a file in an existing folder."""

FOLDERS = ("emit_dir", "mlir_print_ir_tree_dir", "output_dir", "dump_program", "dump_tensors")
"""Options of both tools that name a folder, which is created if it does not exist."""


def writing(args: Namespace) -> AbstractContextManager[None]:
    """Context for the work of a tool; the trace of its compilation is written at the end, if
    requested.

    Raises:
        CompileError: a file or folder cannot be written.
    """
    refuse_unwritable(args)
    if args.trace_compile is None:
        return nullcontext()
    from snippets_mlir.inspect.compile_trace import trace_compile

    return trace_compile(args.trace_compile)


def refuse_unwritable(args: Namespace) -> None:
    """`CompileError` for the first option of a tool whose file or folder cannot be written."""
    for options, problem_of in ((FILES, _problem_of_file), (FOLDERS, _problem_of_folder)):
        for option in options:
            name: str | None = getattr(args, option, None)
            if name and name != "-" and (problem := problem_of(Path(name))):
                raise CompileError(f"cannot write it: {os.strerror(problem)}", file=name)


def _problem_of_file(path: Path) -> int:
    """The error number that writing a file would give; 0 for none."""
    if path.is_dir():
        return EISDIR
    if path.exists():
        return 0 if os.access(path, os.W_OK) else EACCES
    folder = path.resolve().parent  # of a link's target
    if not folder.is_dir():
        return ENOTDIR if any(p.is_file() for p in (folder, *folder.parents)) else ENOENT
    return _problem_of_making(folder)


def _problem_of_folder(path: Path) -> int:
    """The error number that creating a file in a folder would give; 0 for none."""
    if path.exists() and not path.is_dir():
        return EEXIST
    whole = path.resolve()
    there = next(p for p in (whole, *whole.parents) if p.exists())
    return _problem_of_making(there) if there.is_dir() else ENOTDIR


def _problem_of_making(folder: Path) -> int:
    return 0 if os.access(folder, os.W_OK | os.X_OK) else EACCES
