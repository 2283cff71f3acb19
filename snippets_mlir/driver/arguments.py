"""The arguments of `compile`: the Python type of each, and the words it accepts.

`checked` runs before anything is read or looked up, so that a wrong argument is the same error for
every program, compiled or from the cache: a `TypeError` for a wrong Python type, a `CompileError`
for a wrong word or number. Messages begin with the name of the argument. Other strings (entries,
pipelines, targets) are checked at their use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from operator import index
from pathlib import Path
from typing import Any, cast

from snippets_mlir.runtime.parallel.threads import default_threads
from snippets_mlir.support.attribute_names import MAX_THREADS
from snippets_mlir.support.errors import CompileError

COUNTED = ("body", "loops", "expressions")
PROFILES = ("auto", "onnxruntime", "none")

WORDS: Mapping[str, Sequence[str]] = {
    "fallback": ("onnxruntime", "error"),
    "mark_skipped": PROFILES,
    "partitioner": ("tokenize", "fuse-ops"),
    "perf_count": COUNTED,
    "perf_clock": ("monotonic", "rdtsc"),
    "streaming": ("auto", "always", "never"),
    "math": ("accurate", "fast", "strict"),
    "bounds": ("check", "unchecked"),
}
"""The words that an argument may be."""

OPTIONAL = ("entry", "pipeline", "target", "num_threads", "perf_count", "compile_workers")
"""The arguments that may be None, as if they were not given."""

MAX_WORKERS = 4
"""Processes that compile unless the caller says how many. Few programs have work for more."""

WORKERS = "SNIPPETS_COMPILE_WORKERS"
"""The environment variable that says how many processes compile."""

OF_COMPILATION = frozenset({"compile_workers"})
"""The arguments that affect only the time of the compilation, not the program."""


def checked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """`arguments` by name in normal form: numbers are `int`s, passes are tuples.

    Raises:
        TypeError: an argument has the wrong Python type.
        CompileError: an argument is not a valid word or number.
    """
    found = {name: _checked(name, value) for name, value in arguments.items()}
    if found.get("perf_count") is None and found.get("perf_clock", "monotonic") != "monotonic":
        raise CompileError(
            f"perf_clock: {found['perf_clock']} needs perf_count, which says what to count"
        )
    return found


def checked_plugins(value: object) -> list[object]:
    """The argument `plugins`; a `TypeError` if it is not a list of paths and objects."""
    expected = "plugins: expected a list of paths, names or modules"
    if not isinstance(value, list | tuple):
        raise TypeError(f"{expected}, found {type(value).__name__}")
    found = [*cast("Sequence[object]", value)]
    for item in found:
        if not isinstance(item, str | Path) and not hasattr(item, "__dict__"):
            raise TypeError(f"{expected}, with {_shown(item)}")
    return found


def _checked(name: str, value: Any) -> Any:
    if value is None and name in OPTIONAL:
        return None
    match name:
        case "num_threads" | "compile_workers":
            return _count(name, value)
        case "insert_passes" | "force_impl":
            return _texts(name, value)
        case "segfault_detector":
            if not isinstance(value, bool):
                raise _wrong_type(name, "True or False", value)
        case _:
            if not isinstance(value, str):
                optional = " or None" if name in OPTIONAL else ""
                raise _wrong_type(name, f"a string{optional}", value)
            if name in WORDS:
                _check_word(name, value, WORDS[name])
    return value


def threads_for(asked: int | None) -> int:
    """The number of threads of a kernel: as requested, else the computer's number."""
    return min(default_threads(), MAX_THREADS) if asked is None else asked


def workers_for(asked: int | None, threads: int) -> int:
    """How many processes compile kernels, this one included.

    As requested, else as in `SNIPPETS_COMPILE_WORKERS`, else one for each thread of a kernel, at
    most `MAX_WORKERS`.

    Raises:
        CompileError: the variable is not a number from 1 to `MAX_THREADS`.
    """
    if asked is not None:
        return asked
    named = os.environ.get(WORKERS, "").strip()
    if not named:
        return min(threads, MAX_WORKERS)
    if not named.isdecimal():
        raise CompileError(f"{WORKERS}: expected a number, found {named!r:.40}")
    return _count(WORKERS, int(named))


def _count(name: str, value: Any) -> int:
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        number = None
    if number is None:
        raise _wrong_type(name, "an integer or None", value)
    if number < 1:
        raise CompileError(f"{name}: expected 1 or more, found {number}")
    if number > MAX_THREADS:
        raise CompileError(f"{name}: expected {MAX_THREADS} at most, found {number}")
    return number


def _texts(name: str, value: Any) -> tuple[str, ...]:
    example = "end:cse" if name == "insert_passes" else "relu*:reference"
    expected = f"a sequence of strings, as in ['{example}']"
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise _wrong_type(name, expected, value)
    for item in (items := tuple(cast("Sequence[object]", value))):
        if not isinstance(item, str):
            raise _wrong_type(name, f"{expected}, with", item)
    return cast("tuple[str, ...]", items)


def _wrong_type(name: str, expected: str, value: object) -> TypeError:
    return TypeError(f"{name}: expected {expected}, found {_shown(value)}")


def _shown(value: object) -> str:
    """A value for a message: its type, and its text if that is short."""
    kind = type(value).__name__
    simple = isinstance(value, str | bytes | int | float) and not isinstance(value, bool)
    return f"{kind} {value!r:.40}" if simple else "None" if value is None else kind


def _check_word(name: str, word: str, known: Sequence[str]) -> None:
    if word not in known:
        from snippets_mlir.support.diagnostics import close_match

        hint = close_match(word, known)
        raise CompileError(f"{name}: expected one of {', '.join(known)}, found {word!r}{hint}")
