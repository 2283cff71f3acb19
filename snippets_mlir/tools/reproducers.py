"""`snippets-opt --run-reproducer FILE`: the command line in the first line of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snippets_mlir.inspect.reproducers import reproducer_options
from snippets_mlir.support.errors import CompileError


def with_reproduced(arguments: Sequence[str]) -> list[str]:
    """A command line with `--run-reproducer`, with the options of the reproducer in front.

    Options that the command line repeats are taken once.

    Raises:
        CompileError: no argument is a file, or the file is not a reproducer.
    """
    files = [word for word in arguments if not word.startswith("-") and Path(word).is_file()]
    if not files:
        raise CompileError("--run-reproducer: expected a file that is there")
    given = [word for word in arguments if word.startswith("--")]
    text = Path(files[-1]).read_bytes().decode(errors="replace")
    options = reproducer_options(text, files[-1])
    return [*(w for w in options if w not in given), *arguments]
