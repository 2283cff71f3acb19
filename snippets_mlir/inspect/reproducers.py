"""Reproducers: a module with the command that fails on it.

    // RUN: snippets-opt %s --check-each --check-seed=0 -p 'lir-fuse-loops,cse'
    // pass 'lir-fuse-loops': ...
    builtin.module { ... }

`snippets-opt --mlir-pass-pipeline-crash-reproducer=FILE` writes one, `--run-reproducer FILE` runs
it.
"""

from __future__ import annotations

import os
import re
import shlex
from argparse import Namespace
from collections.abc import Sequence

from xdsl.passes import ModulePass

from snippets_mlir.passmanager.pipeline import spell
from snippets_mlir.support.errors import CompileError

_REPRODUCED = ("allow_unregistered_dialect", "check_each", "disable_verify")
"""The flags that a reproducer repeats."""

_RUN = re.compile(r"// RUN: snippets-opt %s (.*)")


def reproducer(args: Namespace, passes: Sequence[ModulePass], error: Exception, text: str) -> str:
    """The text of a reproducer.

    Args:
        args: the options of `snippets-opt`; those that matter to the passes are repeated.
        passes: the pass that failed, and those after it.
        error: its error.
        text: the module before it.
    """
    options = [f"--{name.replace('_', '-')}" for name in _REPRODUCED if getattr(args, name)]
    options += [] if args.verify_each else ["--verify-each=false"]
    options += [f"--check-seed={args.check_seed}"] if args.check_each else []
    options += [f"--load-dialect-plugin={_there(p)}" for p in args.load_dialect_plugin]
    options += [f"--load-pass-plugin={_there(p)}" for p in args.load_pass_plugin]
    command = shlex.join([*options, "-p", spell(passes)])
    message = str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"// RUN: snippets-opt %s {command}\n// {message}\n{text}"


def _there(plugin: str) -> str:
    """A plug-in as an absolute path, which is valid in any directory; modules keep their names."""
    return os.path.abspath(plugin) if os.path.isfile(plugin) else plugin


def reproducer_options(text: str, file: str) -> list[str]:
    """The options in the first line of a reproducer: pipeline, checks and plug-ins.

    Raises:
        CompileError: the text is not a reproducer.
    """
    found = _RUN.match(text.partition("\n")[0])
    words = shlex.split(found.group(1)) if found else []
    if "-p" not in words[:-1]:
        raise CompileError(
            "not a reproducer; the first line has to be \"// RUN: snippets-opt %s -p '...'\"",
            file=file,
            line=1,
            column=1,
        )
    return words
