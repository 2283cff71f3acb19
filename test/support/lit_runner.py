"""Runs the RUN lines of a lit test inside this process.

The real lit spends most of its time on starting Python. Here lit parses the commands and
`lit.cfg.py` has the substitutions; `snippets-opt`, `snippets-run`, `filecheck` and modules of
`snippets_mlir.tools` are called as functions, other commands are processes. What lit would run and
this does not (`||`, `&`, `REQUIRES:`) is an error, so that a test cannot pass unread. `.ci/run`
runs the tests with lit, too.
"""

from __future__ import annotations

import io
import os
import re
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Any
from unittest.mock import patch

from lit.ShUtil import ShParser
from xdsl.ir import Attribute

from snippets_mlir.dialects.snippets.registry import record_of, unregister
from snippets_mlir.driver.settings import default_context
from snippets_mlir.support.outside import OPS, PARTS
from snippets_mlir.targets.implementations import registry
from snippets_mlir.targets.machine import TARGETS

CONFIG = Path(__file__).resolve().parents[2] / "lit.cfg.py"
SECONDS_PER_TEST = 300
"""Ends what hangs; the longest take some seconds of a processor that others may want, too."""

TOOLS = {
    "snippets-opt": "snippets_mlir.tools.snippets_opt",
    "snippets-run": "snippets_mlir.tools.snippets_run",
    "filecheck": "filecheck.main",
}
_RUN = re.compile(r"^\s*(?://|#)\s*RUN:\s?(.*)$", re.MULTILINE)
_OTHER_KEYWORDS = re.compile(
    r"^\s*(?://|#)\s*(REQUIRES|UNSUPPORTED|XFAIL|ALLOW_RETRIES|DEFINE|REDEFINE):", re.MULTILINE
)


class LitFailure(Exception):
    """A test failed; the text says which command and what it printed."""


@dataclass(frozen=True)
class Stage:
    words: list[str]
    redirects: list[tuple[tuple[str | int, ...], str]]
    """Operator, with the number of the stream if it has one, and file: `((">", 2), "log")`."""


@dataclass
class Outcome:
    code: int
    out: bytes
    err: bytes


Observer = Callable[[Sequence[str], Outcome], None]
"""Gets the words of each command of our tools and what it came to, redirected streams included."""


def run_lines(text: str) -> list[str]:
    """The commands of a test; a backslash at the end of a line joins the next one."""
    joined = "\n".join(match.group(1).rstrip() for match in _RUN.finditer(text))
    if joined.endswith("\\"):
        raise LitFailure("the last RUN line ends with a backslash")
    return joined.replace("\\\n", " ").splitlines()


@cache
def _substitutions() -> tuple[tuple[str, str], ...]:
    """Those of `lit.cfg.py`."""
    config = SimpleNamespace(environment={"PATH": ""}, substitutions=[], maxIndividualTestTime=0)
    runpy.run_path(str(CONFIG), {"config": config})
    return tuple(config.substitutions)


def substitute(command: str, path: Path, directory: Path) -> str:
    """Replace `%s`, `%S`, `%t`, `%T` and what `lit.cfg.py` adds."""
    for name, text in _substitutions():
        command = command.replace(name, text)
    values = {
        "%s": str(path),
        "%S": str(path.parent),
        "%t": str(directory / f"{path.name}.tmp"),
        "%T": str(directory),
        "%%": "%",
    }
    return re.sub(r"%[sStT%]", lambda match: values[match.group()], command)


def pipelines(command: str) -> list[list[Stage]]:
    """The pipelines that `&&` or `;` joins."""

    def flat(tree: Any) -> Iterator[list[Stage]]:
        if not hasattr(tree, "op"):
            yield [Stage([*map(str, c.args)], c.redirects) for c in tree.commands]
            return
        if tree.op not in ("&&", ";"):
            raise LitFailure(f"'{tree.op}' is not supported in: {command}")
        yield from flat(tree.lhs)
        yield from flat(tree.rhs)

    try:
        return list(flat(ShParser(command, False, True).parse()))
    except (ValueError, IndexError) as error:  # IndexError: a line that ends with an operator
        raise LitFailure(f"cannot read ({error}): {command}") from None


@contextmanager
def plugins_apart() -> Generator[None]:
    """What plug-ins register inside is gone after it: tools run in this process, too."""
    rows, ops = [*registry.implementations()], set(OPS)
    known = default_context()
    with (
        patch.dict(TARGETS),
        patch.object(registry, "_rows", rows),
        patch.dict(PARTS),
        patch.object(known, "plugins", [*known.plugins]),
    ):
        try:
            yield
        finally:
            if new := [r for op in set(OPS) - ops if (r := record_of(op)) is not None]:
                unregister(*new)


def run_test(
    path: Path, observe: Observer | None = None, only: str = "", most: int | None = None
) -> None:
    """Run a test file, or the first `most` of those of its commands that contain `only`.

    Raises:
        LitFailure: a command failed, or is not understood.
    """
    text = path.read_text(encoding="utf-8")
    if (keyword := _OTHER_KEYWORDS.search(text)) is not None:
        raise LitFailure(f"'{keyword.group(1)}:' is not supported")
    with (
        tempfile.TemporaryDirectory(prefix="lit-") as directory,
        _time_limit(),
        chdir(directory),
        plugins_apart(),
    ):
        for command in [line for line in run_lines(text) if only in line][:most]:
            run_command(substitute(command, path, Path(directory)), observe)


def run_command(command: str, observe: Observer | None = None) -> None:
    """Run pipelines; all of their commands have to succeed.

    Raises:
        LitFailure: one did not.
    """
    for pipeline in pipelines(command):
        log, failed, data = "", list[str](), b""
        for stage in pipeline:
            words, inverted = list(stage.words), False
            variables: dict[str, str] = {}
            while words and words[0] in ("not", "env"):
                inverted ^= words[0] == "not"
                words = words[1:]
                while words and re.match(r"\w+=", words[0]):
                    name, _, variables[name] = words.pop(0).partition("=")
            if not words:
                raise LitFailure(f"no command after 'not' or 'env' in: {command}")
            starts = words[:2] == ["python", "-m"] and "PYTHONPATH" not in variables
            if starts and words[2].startswith("snippets_mlir.tools."):
                words = words[2:]
            with patch.dict(os.environ, variables):
                outcome = _run_redirected(stage, words, data, observe)
            said = " ".join(stage.words)
            log += f"$ {said}\n{outcome.err.decode(errors='replace')}"
            if (outcome.code != 0) != inverted:
                failed.append(f"exit code {outcome.code}: {said}")
            data = outcome.out
        if failed:
            raise LitFailure("\n".join((*failed, log, data.decode(errors="replace")[-6000:])))


def _run_redirected(
    stage: Stage, words: list[str], data: bytes, observe: Observer | None
) -> Outcome:
    """Run one command; streams that go to files are empty in the outcome."""
    files: list[tuple[bool, str, str]] = []
    merged = False
    for operator, name in stage.redirects:
        match operator:
            case ("<",):
                data = Path(name).read_bytes()
            case (">" | ">>" as kind,) | (">" | ">>" as kind, 1 | 2):
                files.append((operator[1:] == (2,), "ab" if kind == ">>" else "wb", name))
            case (">&", 2) if name == "1":
                merged = True
            case _:
                raise LitFailure(f"redirection {operator} {name} is not supported")
    module = words[0] if words[0].startswith("snippets_mlir.tools.") else TOOLS.get(words[0])
    if module is not None:
        outcome = _call(module, words if words[0] == "filecheck" else words[1:], data, merged)
    else:
        outcome = _spawn(words, data, merged)
    if observe is not None and words[0] in TOOLS:
        observe(words, outcome)
    for is_error, mode, name in files:
        with open(name, mode) as file:
            file.write(outcome.err if is_error else outcome.out)
        if is_error:
            outcome.err = b""
        else:
            outcome.out = b""
    return outcome


def _spawn(words: list[str], data: bytes, merged: bool) -> Outcome:
    command = [sys.executable, *words[1:]] if words[0] == "python" else words
    error = subprocess.STDOUT if merged else subprocess.PIPE
    try:
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, stderr=error, check=False
        )
    except OSError as problem:
        raise LitFailure(f"cannot run '{words[0]}': {problem}") from problem
    return Outcome(done.returncode, done.stdout, done.stderr or b"")


def _call(module: str, arguments: list[str], data: bytes, merged: bool) -> Outcome:
    """Call a tool's `main` with standard streams of its own."""
    main: Callable[[list[str]], object] = import_module(module).main
    raw = io.BytesIO(), io.BytesIO()
    out, err = (io.TextIOWrapper(file, encoding="utf-8", write_through=True) for file in raw)
    post_init = Attribute.__post_init__  # --disable-verify takes it away for the whole process
    stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    with (
        patch.object(sys, "stdin", stdin),
        redirect_stdout(out),
        redirect_stderr(out if merged else err),
    ):
        try:
            code = main(arguments)
        except SystemExit as stop:
            code = stop.code
        except Exception:  # what the interpreter would print
            traceback.print_exc()
            code = 1
        finally:
            Attribute.__post_init__ = post_init
    return Outcome(
        int(code or 0) if isinstance(code, int | None) else 1, *(f.getvalue() for f in raw)
    )


@contextmanager
def _time_limit() -> Generator[None]:
    def stop(signum: int, frame: FrameType | None) -> None:
        raise LitFailure(f"the test ran longer than {SECONDS_PER_TEST} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS_PER_TEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
