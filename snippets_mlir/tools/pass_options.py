"""Options that are names of passes, as in mlir-opt: `--cse`, `--snippets-tokenize="max-ops=4"`.

Every pass and every named pipeline is an option. These options, `-p` and `--pass-pipeline` add to
one pipeline in their order on the command line. `--explain=PASS` is `--explain-plan=PASS`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NoReturn

from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.options import SPELLINGS


def spell_passes(arguments: Sequence[str], names: Collection[str]) -> list[str]:
    """Rewrite options that are pass names: `--cse` becomes `--passes=cse`.

    Args:
        arguments: the command line.
        names: passes and pipelines.

    Raises:
        CompileError: an option that is neither ours nor a pass; with a close match.
    """
    rewritten: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*rewritten, *arguments[position:]]
        option, _, value = argument.partition("=")
        name = option.lstrip("-")
        if option == "--explain" and value:
            rewritten.append(f"--explain-plan={value}")
        elif not argument.startswith("-") or argument == "-" or option in SPELLINGS:
            rewritten.append(argument)
        elif name in names:
            options = value if value.startswith("{") or not value else f"{{{value}}}"
            rewritten.append(f"--passes={name}{options}")
        elif option.startswith("--"):
            known = (*SPELLINGS, *(f"--{pass_name}" for pass_name in names))
            hint = close_match(option, known) or "; see --help"
            raise CompileError(f"unknown option '{option}'{hint}")
        else:
            rewritten.append(argument)
    return rewritten


def option_values(arguments: Sequence[str], option: str) -> list[str]:
    """The values of an option that has to be known before the others are read."""
    values: list[str] = []
    for position, argument in enumerate(arguments):
        if argument.startswith(f"{option}="):
            values.append(argument.partition("=")[2])
        elif argument == option and position + 1 < len(arguments):
            values.append(arguments[position + 1])
    return values


def refuse(message: str) -> NoReturn:
    """An error that argparse finds, in the form of all others."""
    if wrong := re.match(r"argument -t/--target: invalid choice: '([^']+)'", message):
        from snippets_mlir.driver.settings import is_machine

        if is_machine(name := wrong[1]):
            message = (
                f"-t/--target: expected the form of the output, found the machine '{name}'; "
                f"begin the pipeline with snippets-set-target{{target={name}}}"
            )
    raise CompileError(f"{message}; see --help")
