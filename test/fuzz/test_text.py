"""Damaged text is a module or an error with a place, never a traceback and never a hang.

`make fuzz SEED=3` runs it for longer.
"""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

ROOT = Path(__file__).resolve().parents[2]
SECONDS = float(os.environ.get("SNIPPETS_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("SNIPPETS_FUZZ_SEED", "0"))
TEXTS = 300
"""As many at least, so that `make test` has the same ones on every machine."""

LIMIT = 20.0
"""Seconds of a processor that one text may take."""

PIECES = (
    *('"', "%", "@", "#", "!", "^", "<", ">", "(", ")", "{", "}", "[", "]", "=", ":", ",", "->"),
    *("0", "-1", "0x7fc00000", "99999999999999999999", "1.0e400", "x", "?", "f32", "i0", "tensor"),
    *("dense", "loc(", "é", "\t", "\r", "\\", "// ", "unit"),
)


def sources() -> list[str]:
    """Modules of the examples and of the tests of dialects and passes."""
    folders = (ROOT / "docs" / "examples", ROOT / "test" / "dialects", ROOT / "test" / "passes")
    files = sorted(file for folder in folders for file in folder.rglob("*.mlir"))
    return [part for file in files for part in file.read_text("utf-8").split("// -----")]


def damage(text: str, rng: random.Random) -> str:
    """Insert, drop, replace or copy a few pieces."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + rng.randint(1, 8) :]
            case 2:
                text = text[:at] + rng.choice(PIECES) + text[at + 1 :]
            case _:
                start = rng.randrange(len(text) + 1)
                text = text[:at] + text[start : start + 12] + text[at:]
    return text


def problem_with(text: str) -> str:
    """What is wrong with the way a text is refused; nothing when all is well."""
    start = time.thread_time()
    try:
        check_module(parse_module(text, make_context(), "t"))
    except CompileError as error:
        if error.line is None or "\n" in error.message:
            return f"no place, or several lines: {error.message}"
    except Exception as error:  # the claim is that there is none
        return f"{type(error).__name__}: {error}"
    return "too slow" if time.thread_time() - start > LIMIT else ""


def test_damaged_text():
    rng = random.Random(SEED)
    print(f"seed {SEED}")
    modules = sources()
    assert modules
    deadline, count = time.monotonic() + SECONDS, 0
    while count < TEXTS or time.monotonic() < deadline:
        count += 1
        text = damage(rng.choice(modules), rng)
        problem = problem_with(text)
        assert not problem, f"{problem}\n--- the text:\n{text}"
