"""The folders of the cache that take no files, for a user who asks why a program is not kept.

Errors of the disk never stop a compilation, so nobody else learns of a cache that is read-only or
full.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_UNWRITTEN: dict[Path, str] = {}
"""Folders whose latest file was not written, and why. The operations on it are atomic."""


@contextmanager
def noted(folder: Path) -> Generator[None, None, None]:
    """Remember whether a file is written to `folder`; an error of the disk goes on."""
    try:
        yield
    except OSError as error:
        _UNWRITTEN[folder] = error.strerror or str(error)
        raise
    _UNWRITTEN.pop(folder, None)


def why_unwritten(folder: Path) -> str | None:
    """Why the latest file was not written to `folder`; None if it was, or there was none."""
    reason = _UNWRITTEN.get(folder)
    return None if reason is None else f"cannot write to {folder}: {reason}"
