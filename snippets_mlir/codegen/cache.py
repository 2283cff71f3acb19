"""The cache on disk: a kernel is compiled once per machine, not once per process.

The key of an object is the SHA-256 of everything its bytes depend on: LLVM text, triple, CPU,
features, optimisation level, LLVM's passes, the versions of llvmlite and of this package. A file is
a checksum of its name and the object, followed by the object. A file that does not match is
damaged, or has a wrong name, and the object is compiled again. Files are written under a temporary
name and renamed, so that other processes see all or nothing. Whole programs are kept in the same
way (`driver/cache/program_cache.py`).

A program also depends on the files of this package. Reading their dates takes some milliseconds in
a checkout, so they are not part of the program's name but of the second half of the checksum of its
file. They are read if there is a file; a program from other files is not used.

The directory is `SNIPPETS_CACHE_DIR`, else `$XDG_CACHE_HOME/snippets_mlir`, else
`~/.cache/snippets_mlir`; an empty `SNIPPETS_CACHE_DIR` turns the cache off. Errors of the disk
never stop a compilation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from snippets_mlir import __version__
from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.codegen.stamps import PACKAGE, own_stamp, stamps_of
from snippets_mlir.codegen.unwritten import noted

T = TypeVar("T")

CACHE_DIR = "SNIPPETS_CACHE_DIR"
"""The environment variable that names the directory."""

_NAMES = (CACHE_DIR, "XDG_CACHE_HOME", "HOME", "USERPROFILE")
"""The variables that the directory depends on; `Path.home` reads the last two."""

LLVM_PASSES = (
    "kernels: rotate loops, simplify cfg, unroll loops, no loop strength reduction; "
    "functions: O1, unroll loops"
)
"""What `compile.py` runs when `opt` is not 0. It is part of keys, which are made without LLVM."""

LIMIT = 512 << 20
"""Maximal bytes of one kind of entries; the least recently used are removed first."""
SHARE = 64
"""A directory grows above `LIMIT` by about this part before old entries are removed."""
STAMPED = "programs"
"""The kind of entries that are useless for other files of this package."""
CHANGED = "a file of snippets_mlir has changed since this process imported it"
"""Why a process uses no cached program: its modules may be from before or after the change."""
_SUM = 32
_HALF = _SUM // 2  # it depends on name and data, the other half also on this package's files


def cache_directory() -> Path | None:
    """The directory of objects, None if the cache is off."""
    return _directory(*map(os.environ.get, _NAMES))


@lru_cache(maxsize=8)
def _directory(named: str | None, base: str | None, *_: str | None) -> Path | None:
    """The directory for values of the variables `_NAMES`."""
    if named is not None:
        return Path(named) if named else None
    try:
        return (Path(base) if base else Path.home() / ".cache") / "snippets_mlir"
    except RuntimeError:
        return None


def digest_of(parts: Iterable[str | bytes]) -> str:
    """One name for several texts; the name also depends on where each text ends."""
    digest = sha256()
    for part in parts:
        raw = part if isinstance(part, bytes) else part.encode()
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.hexdigest()


def compiler_versions() -> tuple[str, ...]:
    """The versions that the object of a text depends on: this package, llvmlite, LLVM's passes."""
    from llvmlite import __version__ as llvmlite_version

    return (__version__, llvmlite_version, LLVM_PASSES)


@cache
def package_versions() -> tuple[str, ...]:
    """The versions that the IR of a source depends on, without the files of this package."""
    return (*compiler_versions(), *stamps_of("xdsl", ("_version.py",)), str(PACKAGE))


def object_key(
    llvm_text: str, triple: str, cpu: str, features: str, opt: int, kernels: bool
) -> str:
    """The SHA-256 that names the object in the cache; see the module docstring."""
    how = (triple, cpu, features, str(opt), "kernels" if kernels else "functions")
    return digest_of((*compiler_versions(), *how, llvm_text))


def cached(
    llvm_text: str,
    use: Callable[[bytes], T],
    *,
    triple: str,
    cpu: str,
    features: str,
    opt: int = 2,
    kernels: bool = False,
) -> T:
    """The result of `use` for the object of `compile_object`, which comes from the cache if
    possible.

    An object of the cache that `use` refuses by `InternalError` or `KeyError` is compiled anew.
    """
    from snippets_mlir.codegen.compile import compile_object

    path = entry_path("objects", object_key(llvm_text, triple, cpu, features, opt, kernels))
    if path is not None and (kept := read_entry(path)) is not None:
        with suppress(InternalError, KeyError):
            return use(kept)
    obj = compile_object(
        llvm_text, triple=triple, cpu=cpu, features=features, opt=opt, kernels=kernels
    )
    if path is not None:
        write_entry(path, obj)
    return use(obj)


def entry_path(kind: str, key: str) -> Path | None:
    """The path of an entry, None if the cache is off. Kinds are evicted separately."""
    directory = cache_directory()
    return None if directory is None else directory / kind / key


def at_once(path: str, flags: int) -> int:
    """Open a file of the cache without blocking: it may be a pipe that nobody writes to."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_entry(path: Path) -> bytes | None:
    """The data that was written to `path`; None if there is no file or it is damaged."""
    found = read_unstamped(path)
    return found[0] if found is not None and found[1]() else None


def read_unstamped(path: Path) -> tuple[bytes, Callable[[], bool]] | None:
    """The data of `read_entry`, if it counts: the function says whether the current files of this
    package wrote it, and may read their dates.
    """
    checksum, data = _parts(path)
    digest = _digest(path, data)
    if checksum[:_HALF] != digest[:_HALF]:
        return None
    with suppress(OSError):
        os.utime(path)
    return data, lambda: checksum == _sum(path, digest)


def is_entry(path: Path) -> bool:
    """Whether `read_entry` accepts the file at `path`; this does not count as a use of it."""
    checksum, data = _parts(path)
    return checksum == _sum(path, _digest(path, data))


def is_whole(path: Path) -> bool:
    """Whether the file at `path` is undamaged, even if other files of this package wrote it."""
    checksum, data = _parts(path)
    return checksum[:_HALF] == _digest(path, data)[:_HALF]


def _parts(path: Path) -> tuple[bytes, bytes]:
    """The checksum and the data of a file, which are empty if it cannot be read."""
    try:
        with open(path, "rb", opener=at_once) as file:
            return file.read(_SUM), file.read()
    except OSError:
        return b"", b""


def _digest(path: Path, data: bytes) -> bytes:
    (digest := sha256(path.name.encode() + b"\0")).update(data)
    return digest.digest()


def _sum(path: Path, digest: bytes) -> bytes | None:
    """The checksum of an entry; None for a program that this process neither reads nor stores."""
    stamp = own_stamp() if path.parent.name == STAMPED else b""
    if stamp is None:
        return None
    return digest[:_HALF] + sha256(digest + stamp).digest()[:_HALF]


def why_no_programs() -> str | None:
    """Why this process neither reads programs from the cache nor stores them; None if it does."""
    return CHANGED if own_stamp() is None else None


def prepare_to_write() -> None:
    """Compute what writing a program needs, while the caller waits for another thread."""
    if cache_directory() is not None:
        own_stamp()


def write_entry(path: Path, data: bytes) -> None:
    """Write an entry if the disk allows it, and occasionally remove old entries above the limit.

    With thousands of files, reading the size and age of each takes longer than writing an entry. So
    an entry does it with the probability `len(data) / (LIMIT / SHARE)`, drawn from its hash:
    processes that write one entry each keep the limit like one process that writes all entries.
    """
    if (checksum := _sum(path, _digest(path, data))) is None:
        return
    with suppress(OSError):
        with noted(path.parent):
            _write(path, checksum, data)
        if int.from_bytes(checksum[:4], "little") * (LIMIT // SHARE) < len(data) << 32:
            evict(path.parent, LIMIT)


def _write(path: Path, checksum: bytes, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{os.urandom(8).hex()}.tmp")
    try:
        with open(beside, "xb") as file:
            file.write(checksum + data)
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
        raise


def evict(directory: Path, limit: int) -> None:
    """Remove the least recently used files of `directory` until `limit` bytes are left."""
    files: list[tuple[float, int, str]] = []
    with os.scandir(directory) as entries:
        for entry in entries:
            with suppress(OSError):
                status = entry.stat()
                files.append((status.st_atime, status.st_size, entry.path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= limit:
            return
        with suppress(OSError):
            os.unlink(path)
        total -= size
