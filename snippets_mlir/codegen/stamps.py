"""Stamps that distinguish states of a package's files without reading them.

    stamps_of("onnx", ("__init__.py",))    of another package: name, size and date of a file or two
    files_stamp(folder)                    of this one: of all its Python files, or its RECORD
    own_stamp()                            the same of the files that this process runs

`own_stamp` gives no stamp if a file of this package is newer than this process, because imported
modules may be from before or after the change. So the stamp may be computed late, when there is
time for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from marshal import dumps
from pathlib import Path

from snippets_mlir import __version__
from snippets_mlir.support.outside import IMPORTED_AT

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of this package."""

WITHOUT_REFERENCES = 2
"""A version of `marshal` whose bytes depend only on the values."""

CLOCK_NS = 10_000_000
"""A file's date may be earlier than the time of writing by this much: a tick of the clock."""


@cache
def own_stamp() -> bytes | None:
    """The stamp of this package's files; None if one of them is newer than this process."""
    stamp, newest = files_stamp(PACKAGE)
    return stamp if newest < IMPORTED_AT * 1e9 - CLOCK_NS else None


def is_known() -> bool:
    """Whether `own_stamp` is computed already."""
    return own_stamp.cache_info().currsize > 0


def files_stamp(package: Path) -> tuple[bytes, int]:
    """A hash that changes when the files of `package` do, and when the last one did (nanoseconds).

    An installer always writes `RECORD` beside the package, with the hash of each file: its size and
    date represent all files. A checkout has no such file, even if it is installed as editable:
    there each Python file is checked, which takes some milliseconds.
    """
    record = package.parent / f"{package.name}-{__version__}.dist-info" / "RECORD"
    try:
        status = os.stat(record)
    except OSError:
        files, newest = python_files(str(package))
        files.sort()
    else:
        files = [(str(record), status.st_size, status.st_mtime_ns)]
        newest = max(status.st_mtime_ns, status.st_ctime_ns)
    return sha256(dumps(files, WITHOUT_REFERENCES)).digest(), newest


def python_files(root: str) -> tuple[list[tuple[str, int, int]], int]:
    """Path, size and date of the Python files in a folder and in its packages, and the last change.

    A file that was given an earlier date has a later `st_ctime_ns`. This runs for more than a
    thousand files, so it has no layers.
    """
    folders, files, newest = [root], list[tuple[str, int, int]](), 0
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if name[-3:] == ".py":
                    try:
                        status = entry.stat()
                    except OSError:  # it was deleted meanwhile
                        continue
                    date, changed = status.st_mtime_ns, status.st_ctime_ns
                    files.append((entry.path, status.st_size, date))
                    if date > newest:
                        newest = date
                    if changed > newest:
                        newest = changed
                elif name != "__pycache__" and name.isidentifier() and entry.is_dir():
                    folders.append(entry.path)
    return files, newest


def stamps_of(package: str, names: Sequence[str]) -> list[str]:
    """Name, size and date of files of a package; none if it is not installed."""
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
