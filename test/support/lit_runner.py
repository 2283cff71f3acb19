"""Runs the RUN lines of a lit test inside this process.

The real lit spends most of its time on starting Python. This runner understands the part of the
shell that the tests use: pipes, `&&`, redirections, `not`, `env`, quotes and the substitutions of
`lit.cfg.py`. `snippets-opt`, `snippets-run` and `filecheck` are called as functions; a few plain
tools run as they are. Everything else is an error, so that a test cannot pass unread.
"""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from xdsl.ir import Attribute

from snippets_mlir.targets.machine import TARGETS

SECONDS_PER_TEST = 120
"""Ends what hangs; the longest take some seconds of a processor that others may want, too."""

ROUNDTRIP = "snippets-opt %s | snippets-opt - | filecheck %s"
GENERIC_ROUNDTRIP = "snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s"
PLAIN_TOOLS = frozenset(
    (
        *("cat", "cmp", "cp", "diff", "echo", "false", "grep", "head", "ls", "mkdir", "mv"),
        *("python", "rm", "sed", "sort", "tail", "test", "touch", "true", "wc"),
    )
)

_RUN = re.compile(r"^\s*(?://|#)\s*RUN:\s?(.*)$", re.MULTILINE)
_OTHER_KEYWORDS = re.compile(
    r"^\s*(?://|#)\s*(REQUIRES|UNSUPPORTED|XFAIL|ALLOW_RETRIES|DEFINE|REDEFINE):", re.MULTILINE
)
_OPERATOR = re.compile(r"2>&1|2>>|2>|&>|>>|>|<|\|\||&&|\||;")
_WORD = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s|<>;&"'\\])+""")
_QUOTED = re.compile(r""""((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)|([^"'\\]+)""")


class LitFailure(Exception):
    """A test failed; the text says which command and what it printed."""


@dataclass
class Stage:
    """One command of a pipe."""

    words: list[str] = field(default_factory=list[str])
    stdin: str | None = None
    stdout: tuple[str, bool] | None = None
    stderr: str | None = None
    """None: to the log; `1`: where standard output goes; else a file."""


@dataclass
class Outcome:
    """What a command came to."""

    code: int
    out: bytes
    err: bytes


def run_lines(text: str) -> list[str]:
    """The commands of a test; a backslash at the end of a line joins the next one."""
    commands: list[str] = []
    joined = ""
    for match in _RUN.finditer(text):
        line = match.group(1).rstrip()
        if line.endswith("\\"):
            joined += line[:-1] + " "
            continue
        commands.append(joined + line)
        joined = ""
    if joined:
        raise LitFailure("the last RUN line ends with a backslash")
    return commands


Observer = Callable[[Sequence[str], Outcome], None]
"""Gets the words of each command of our tools and what it came to, redirected streams included."""


def run_test(path: Path, observe: Observer | None = None) -> None:
    """Run a test file.

    Raises:
        LitFailure: a command failed, or is not understood.
    """
    text = path.read_text(encoding="utf-8")
    if (keyword := _OTHER_KEYWORDS.search(text)) is not None:
        raise LitFailure(f"'{keyword.group(1)}:' is not supported")
    with (
        tempfile.TemporaryDirectory(prefix="lit-") as directory,
        _time_limit(),
        _in(directory),
        patch.dict(TARGETS),  # those of plugins end with the test
    ):
        for command in run_lines(text):
            run_command(substitute(command, path, Path(directory)), observe)


def substitute(command: str, path: Path, directory: Path) -> str:
    """Replace `%s`, `%S`, `%t`, `%T` and the two roundtrips."""
    command = command.replace("%generic-roundtrip", GENERIC_ROUNDTRIP)
    command = command.replace("%roundtrip", ROUNDTRIP)
    values = {
        "%s": str(path),
        "%S": str(path.parent),
        "%t": str(directory / f"{path.name}.tmp"),
        "%T": str(directory),
        "%%": "%",
    }
    return re.sub(r"%[sStT%]", lambda match: values[match.group()], command)


def run_command(command: str, observe: Observer | None = None) -> None:
    """Run pipes that are joined by `&&` or `;`; all of them have to succeed."""
    for stages in parse(command):
        log = io.StringIO()
        failed: list[str] = []
        data = b""
        for stage in stages:
            words, inverted = _without_not(stage.words)
            outcome = _run_stage(stage, words, data, observe)
            print(f"$ {' '.join(stage.words)}", file=log)
            log.write(outcome.err.decode(errors="replace"))
            if (outcome.code != 0) != inverted:
                failed.append(f"exit code {outcome.code}: {' '.join(stage.words)}")
            data = outcome.out
        if failed:
            output = data.decode(errors="replace")
            raise LitFailure("\n".join((*failed, log.getvalue(), output[-6000:])))


def parse(command: str) -> list[list[Stage]]:
    """Split a command line into pipes and stages."""
    pipes: list[list[Stage]] = [[Stage()]]
    target: str | None = None
    for kind, word in _tokens(command):
        stage = pipes[-1][-1]
        if kind == "word":
            if target is None:
                stage.words.append(word)
            elif target == "<":
                stage.stdin = word
            elif target in (">", ">>"):
                stage.stdout = (word, target == ">>")
            elif target == "2>":
                stage.stderr = word
            else:
                raise LitFailure(f"'{target}' is not supported in: {command}")
            target = None
        elif target is not None:
            raise LitFailure(f"'{target}' needs a file in: {command}")
        elif word == "|":
            pipes[-1].append(Stage())
        elif word in ("&&", ";"):
            pipes.append([Stage()])
        elif word == "2>&1":
            stage.stderr = "1"
        elif word == "||":
            raise LitFailure(f"'||' is not supported in: {command}")
        else:
            target = word
    if target is not None:
        raise LitFailure(f"'{target}' needs a file in: {command}")
    if any(not stage.words for stages in pipes for stage in stages):
        raise LitFailure(f"empty command in: {command}")
    return pipes


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(command):
        if command[position].isspace():
            position += 1
        elif (match := _OPERATOR.match(command, position)) is not None:
            yield "operator", match.group()
            position = match.end()
        elif (match := _WORD.match(command, position)) is not None:
            yield "word", _unquote(match.group())
            position = match.end()
        else:
            raise LitFailure(f"cannot read '{command[position:]}' in: {command}")


def _unquote(word: str) -> str:
    parts: list[str] = []
    for double, single, escaped, plain in _QUOTED.findall(word):
        parts.append(re.sub(r'\\(["\\$`])', r"\1", double) or single or escaped or plain)
    return "".join(parts)


def _without_not(words: Sequence[str]) -> tuple[list[str], bool]:
    inverted = False
    rest = list(words)
    while rest and rest[0] == "not":
        inverted = not inverted
        rest = rest[1:]
    return rest, inverted


def _run_stage(
    stage: Stage, words: list[str], data: bytes, observe: Observer | None = None
) -> Outcome:
    variables: dict[str, str] = {}
    if words and words[0] == "env":
        words = words[1:]
        while words and re.match(r"\w+=", words[0]):
            name, _, value = words[0].partition("=")
            variables[name] = value
            words = words[1:]
    if not words:
        raise LitFailure("no command behind 'not' or 'env'")
    if words[0] == "not":
        raise LitFailure("write 'not env A=B command', not 'env A=B not command'")
    if stage.stdin is not None:
        data = Path(stage.stdin).read_bytes()
    merged = stage.stderr == "1"
    with _environment(variables):
        if words[0] in _FUNCTIONS:
            outcome = _call(_FUNCTIONS[words[0]], words, data, merged)
            if observe is not None:
                observe(words, outcome)
        elif words[0] in PLAIN_TOOLS:
            outcome = _spawn(words, data, merged)
        else:
            raise LitFailure(f"command '{words[0]}' is not supported by the in-process runner")
    if stage.stderr is not None and not merged:
        Path(stage.stderr).write_bytes(outcome.err)
        outcome.err = b""
    if stage.stdout is not None:
        name, append = stage.stdout
        with open(name, "ab" if append else "wb") as file:
            file.write(outcome.out)
        outcome.out = b""
    return outcome


def _spawn(words: list[str], data: bytes, merged: bool) -> Outcome:
    command = [sys.executable, *words[1:]] if words[0] == "python" else words
    done = subprocess.run(
        command,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr or b"")


def _call(
    function: Callable[[list[str]], object], words: list[str], data: bytes, merged: bool
) -> Outcome:
    """Call a tool's `main` with standard streams of its own."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = out if merged else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    streams = sys.stdin, sys.stdout, sys.stderr
    post_init = Attribute.__post_init__  # --disable-verify takes it away for the whole process
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    sys.stdout, sys.stderr = out, err
    try:
        code = function(words)
    except SystemExit as stop:
        code = stop.code
    except Exception:  # what the interpreter would print
        traceback.print_exc()
        code = 1
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        Attribute.__post_init__ = post_init
    return Outcome(
        0 if code is None else code if isinstance(code, int) else 1, _bytes(out), _bytes(err, out)
    )


def _bytes(stream: io.TextIOWrapper, same_as: io.TextIOWrapper | None = None) -> bytes:
    if stream is same_as:
        return b""
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def _snippets_opt(words: list[str]) -> object:
    from snippets_mlir.tools.snippets_opt import main

    return main(words[1:])


def _snippets_run(words: list[str]) -> object:
    from snippets_mlir.tools.snippets_run import main

    return main(words[1:])


def _filecheck(words: list[str]) -> object:
    from filecheck.main import main

    return main(words)


_FUNCTIONS: dict[str, Callable[[list[str]], object]] = {
    "snippets-opt": _snippets_opt,
    "snippets-run": _snippets_run,
    "filecheck": _filecheck,
}


@contextmanager
def _in(directory: str) -> Generator[None]:
    before = os.getcwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _environment(variables: dict[str, str]) -> Generator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


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
