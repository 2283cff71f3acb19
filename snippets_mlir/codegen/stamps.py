"""What tells one state of a package's files from another, without reading them.

    stamps_of("onnx", ("__init__.py",))    of another package: name, size and date of a file or two
    files_stamp(folder)                    of this one: of all its Python files, or its RECORD
    own_stamp()                            the same of the files that this process runs

`own_stamp` says nothing where a file of this package is younger than this process: its modules may
be those from before the change, or after it, whenever they are imported. So the stamp may be asked
for late, where there is time for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from snippets_mlir import __version__
from snippets_mlir.support.outside import IMPORTED_AT

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of this package."""

CLOCK_NS = 10_000_000
"""A file's date may be so much before the time at which it was written: a tick of the clock."""


@cache
def own_stamp() -> bytes | None:
    """The hash of what tells the files of this package; None: one is younger than this process."""
    stamp, newest = files_stamp(PACKAGE)
    is_older = newest < IMPORTED_AT * 1e9 - CLOCK_NS
    return sha256(stamp.encode()).digest() if is_older else None


def files_stamp(package: Path) -> tuple[str, int]:
    """What changes when the files of `package` do, and when the last one did (nanoseconds).

    An installer writes `RECORD` beside the package, with the hash of each file, whenever it writes
    files: its size and date stand for all of them. A checkout has no such file, also if it is
    installed as editable: there each Python file is asked for, which takes some milliseconds.
    """
    record = package.parent / f"{package.name}-{__version__}.dist-info" / "RECORD"
    try:
        status = os.stat(record)
    except OSError:
        found = sorted(python_files(str(package)))
        newest = max((changed for *_, changed in found), default=0)
        return repr([facts for *facts, _ in found]), newest
    return f"{record} {status.st_size} {status.st_mtime_ns}", _changed(status)


def _changed(status: os.stat_result) -> int:
    """When a file changed: what has been given an earlier date has a later `st_ctime_ns`."""
    return max(status.st_mtime_ns, status.st_ctime_ns)


def python_files(root: str) -> Iterator[tuple[str, int, int, int]]:
    """Name, size, date and last change of the Python files in a folder and in its packages.

    This is asked for more than a thousand files, so it has no layers.
    """
    folders = [root]
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name[-3:] == ".py":
                    try:
                        status = entry.stat()
                    except OSError:  # it is gone
                        continue
                    name, date = entry.path[len(root) :], status.st_mtime_ns
                    yield name, status.st_size, date, _changed(status)
                elif entry.name != "__pycache__" and entry.name.isidentifier() and entry.is_dir():
                    folders.append(entry.path)


def stamps_of(package: str, names: Sequence[str]) -> list[str]:
    """Name, size and date of files of a package; none when it is not installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    root = Path(spec.origin).parent
    found: list[str] = []
    for name in names:
        with suppress(OSError):
            status = os.stat(root / name)
            found.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return found
