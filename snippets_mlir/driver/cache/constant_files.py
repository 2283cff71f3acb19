"""Large constants of cached programs, in separate files that are mapped instead of read.

    constants/<SHA-256 of the file>     each constant at a multiple of a cache line

An entry of a program has the name, size, time and inode of its file. While these are unchanged, the
file is mapped read-only: elements are loaded when a kernel reads them, and all processes share one
copy in memory, in huge pages if the system has them. Programs with the same constants in the same
order share a file. A program that is compiled hashes the file that is there before it shares it,
and replaces it if it is damaged; a program from the cache does not, so `snippets-cache verify`
hashes all files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from mmap import ACCESS_READ, mmap
from pathlib import Path
from time import time_ns
from typing import TypedDict, TypeVar

import numpy as np

from snippets_mlir.codegen.cache import at_once, cache_directory, entry_path, evict
from snippets_mlir.codegen.unwritten import noted
from snippets_mlir.driver.cache.optional_work import Stop, Stopped, let_others_go_first
from snippets_mlir.driver.cache.storing import LATER
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.support.cache_lines import LINE
from snippets_mlir.support.huge_pages import HUGE, ask_for_huge_pages
from snippets_mlir.support.meanwhile import meanwhile

KIND = "constants"

LARGE = 1 << 20
"""Bytes from which a constant is in a file."""

PAGE = 1 << 12
"""The same for a program whose other constants have `LARGE` bytes or more: a load would read, copy
and hash them, and hash the entry once more."""

LIMIT = 4 << 30
"""Bytes of all files; the least recently used go first."""

_PIECE = HUGE
"""Linux keeps what is written at once together: such a piece of a file is one page of all processes
that map it."""
_NAME = re.compile("[0-9a-f]{64}")
T = TypeVar("T")


class FileData(TypedDict):
    """A file and its identity when it was written."""

    name: str
    bytes: int
    time: int
    inode: int


@dataclass(frozen=True)
class ConstantFile:
    """The file of a program.

    Attributes:
        data: its identity.
        offsets: where each constant begins in it.
    """

    data: FileData
    offsets: Mapping[int, int]


def constants_folder() -> Path | None:
    """The folder of all files; None if the cache is off."""
    return entry_path(KIND, "")


def keep_constants(
    constants: Mapping[int, Array], least: int, stop: Stop | None = None
) -> ConstantFile | None:
    """Write a program's constants of `least` bytes or more to a file, unless it is there.

    None if there are no such constants.

    Args:
        constants: of the program.
        least: see above.
        stop: tells it to stop, if this is a thread of low priority.

    Raises:
        OSError: the disk does not allow it.
        Stopped: it had to stop.
    """
    large = {value: array for value, array in constants.items() if array.nbytes >= least}
    if not large:
        return None
    offsets, size = offsets_of(large)
    if (folder := constants_folder()) is None:
        raise OSError("the cache is off")
    beside = folder / f"{os.urandom(8).hex()}.tmp"

    def keep() -> Path:
        path = folder / _written(beside, large, stop)
        if _hash(path) == path.name:
            os.unlink(beside)
        else:
            os.replace(beside, path)
            evict(folder, LIMIT)
        return path

    with noted(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            path = _after_others(size, keep) if stop is None else keep()
        except (OSError, Stopped):
            with suppress(OSError):
                os.unlink(beside)
            raise
    return ConstantFile(_facts(path.name, path.stat()), offsets)


def offsets_of(large: Mapping[int, Array]) -> tuple[dict[int, int], int]:
    """The offset of each constant in a file, and the length of the file."""
    offsets: dict[int, int] = {}
    size = 0
    for value, array in large.items():
        offsets[value] = size
        size += array.nbytes + -array.nbytes % LINE
    return offsets, size


def _pieces(constants: Mapping[int, Array]) -> Iterator[memoryview]:
    """The bytes of a file, in pieces; a piece is valid until the next one."""
    piece, filled = np.empty(_PIECE, np.uint8), 0
    for array in constants.values():
        raw = array.reshape(-1).view(np.uint8)
        for left in (raw, np.zeros(-raw.size % LINE, np.uint8)):
            while left.size:
                part, left = np.split(left, [_PIECE - filled])
                piece[filled : filled + part.size] = part
                filled += part.size
                if filled == _PIECE:
                    yield piece.data
                    filled = 0
    yield piece[:filled].data


def _after_others(size: int, do: Callable[[], T]) -> T:
    """The result of writing a file of `size` bytes.

    If no caller waits for the file, a separate thread writes it and gives calls of programs
    priority. It takes the interpreter's lock only between pieces, because code of low priority
    could hold it for long.
    """
    if size < LATER:
        return do()

    def later() -> T:
        let_others_go_first()
        return do()

    with meanwhile(later) as result:
        return result()


def _written(path: Path, constants: Mapping[int, Array], stop: Stop | None) -> str:
    digest = sha256()
    with open(path, "xb") as file:
        for piece in _pieces(constants):
            if stop is not None:
                stop.check()
            digest.update(piece)
            file.write(piece)
    return digest.hexdigest()


def _facts(name: str, status: os.stat_result) -> FileData:
    size, time, inode = status.st_size, status.st_mtime_ns, status.st_ino
    return {"name": name, "bytes": size, "time": time, "inode": inode}


def mapped(data: FileData) -> memoryview:
    """The bytes of a file.

    Raises:
        OSError: the file is gone.
        ValueError: the file is not the written one, or the cache is off.
    """
    path = entry_path(KIND, data["name"])
    if path is None or _NAME.fullmatch(data["name"]) is None:
        raise ValueError("no name of a file of constants")
    with open(path, "rb", opener=at_once) as file:
        status = os.fstat(file.fileno())
        if _facts(data["name"], status) != data:
            raise ValueError("other constants than the entry has")
        with suppress(OSError):  # its last use; the time of its contents stays
            os.utime(file.fileno(), ns=(time_ns(), status.st_mtime_ns))
        pages = mmap(file.fileno(), 0, access=ACCESS_READ)
        ask_for_huge_pages(pages, 0, len(pages))
        return memoryview(pages)


def damaged_files() -> list[Path]:
    """The files whose names do not match the hash of their contents."""
    directory = cache_directory()
    folder = None if directory is None else directory / KIND
    if folder is None or not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if _hash(path) not in (None, path.name)]


def _hash(path: Path) -> str | None:
    """The SHA-256 of a file; None if another process has removed it or is writing it."""
    if path.suffix == ".tmp":
        return None
    digest = sha256()
    try:
        with open(path, "rb", opener=at_once) as file:
            while piece := file.read(_PIECE):
                digest.update(piece)
    except OSError:
        return None
    return digest.hexdigest()
