"""What our commands print in the `.mlir` tests, for `record.py`."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from lit_runner import LitFailure, Outcome, run_test
from recorded_programs import Program

TEST = Path(__file__).resolve().parents[1]
_FOLDER = re.compile(r"(?:/[\w.+-]+)+/(?=[\w.+-]+)")
_TEMPORARY = re.compile(r"\blit-\w{8}\b")
_TIME = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?(?= ?(?:ns|us|µs|ms|s|GB/s|x)\b)")
_FRAMES = re.compile(r"^(Traceback .*\n)(?: .*\n)+(?:[\w]+\.)*", re.MULTILINE)
"""Where an error of ours was raised, and the module of its class: no part of what is printed."""
_NUMBER = re.compile(r" *\d+(?:\.\d+)?| {2,}")
_MEASURING = re.compile(r"--(?:mlir-timing|time-passes|bench)|snippets-run.*--perf-")
"""Commands whose numbers, and columns, are times and counts of cycles."""


def tests() -> Iterator[Program]:
    """The tests by their names: the folder that one is in may change."""
    files = sorted(p for p in TEST.rglob("*.mlir") if "inputs" not in p.parts)
    count = Counter(path.stem for path in files)
    for path in files:
        data = path.read_bytes()
        mark = f".{hashlib.sha256(data).hexdigest()[:8]}" if count[path.stem] > 1 else ""
        yield Program(f"lit/{path.stem}{mark}", str(path), passes="", kind="test")


def printed(path: Path) -> str:
    """Commands, exit codes, standard output and errors, without folders and times."""
    parts: list[str] = []

    def observe(words: Sequence[str], outcome: Outcome) -> None:
        if words[0] == "filecheck":
            return
        out, err = (data.decode(errors="replace") for data in (outcome.out, outcome.err))
        command, text = " ".join(words), _TEMPORARY.sub("lit", out + err)
        if _MEASURING.search(command):
            text = _NUMBER.sub(" ", text)
        elif words[0] == "snippets-run":
            text = _TIME.sub("TIME", text)
        text = _FRAMES.sub(r"\1", text)
        parts.append(f"$ {command}\n{text}exit code {outcome.code}\n")

    try:
        run_test(path, observe)
    except LitFailure as failure:
        parts.append(f"failed: {str(failure).splitlines()[0]}\n")
    return _FOLDER.sub("", "".join(parts))
