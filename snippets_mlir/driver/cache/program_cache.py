"""Finished programs on disk: a cached program is neither parsed nor compiled again.

The key of a program is the SHA-256 of everything it depends on: the bytes of its source, the entry,
the pipeline and all other options, the target and the CPU, the number of threads, and the versions
of the compiler's packages. So a lookup needs no parsing and does not load the compiler. The files
of this package count, too: they are part of the checksum of an entry (`codegen/cache.py`).
`program_entry.py` defines the form of an entry. IR is never kept: it is computed again from the
source on request.

For an ONNX model that runs as one session, the entry records only that (`session_entry.py`). If
kernels and onnxruntime share a model, the entry has the models of its sessions (`shared_entry.py`).

Some programs are kept only as objects (`codegen/cache.py`): functions on memrefs, sources in memory
(`ModuleOp`), models in memory with data in files, programs with more than `MAX_CONSTANTS` bytes of
constants below a page, compilations with a plug-in whose code is in no file (`plugin_contents.py`),
and pipelines with a pass that has side effects (prints, counts, writes a file). For a program in
MLIR with dynamic dims the code for each mask is kept, or for each shape if onnxruntime or NumPy
runs a part; its source is still parsed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from snippets_mlir.codegen.cache import (
    cache_directory,
    digest_of,
    entry_path,
    is_entry,
    is_whole,
    package_versions,
    read_entry,
    why_no_programs,
    write_entry,
)
from snippets_mlir.codegen.stamps import stamps_of
from snippets_mlir.codegen.unwritten import why_unwritten
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.computer import computer
from snippets_mlir.driver.cache.constant_files import KIND as CONSTANTS
from snippets_mlir.driver.cache.entry_parts import header_in
from snippets_mlir.driver.cache.program_entry import MAGIC, built_of, decoded, encoded
from snippets_mlir.driver.cache.program_header import Header
from snippets_mlir.driver.cache.step_executors import optimize_executors
from snippets_mlir.driver.cache.storing import constant_bytes, store, written
from snippets_mlir.driver.sources.key_bytes import source_bytes

if TYPE_CHECKING:
    from snippets_mlir.passmanager.context import ToolContext

KINDS = ("programs", CONSTANTS, "objects")
FORMER = ("stubs",)
"""Folders of earlier versions, which nothing reads any more."""


class Request(NamedTuple):
    """The request of a compilation.

    Attributes:
        entry: the function to compile, or None.
        options: all options by name; options that depend on the computer are filled in.
        threads: how many threads a kernel uses.
        plugins: the contents of the plug-ins of the compilation.
        uncached: why plug-ins keep the program out of the cache; None if they do not.
    """

    entry: str | None
    options: Mapping[str, Any]
    threads: int
    plugins: tuple[str, ...] = ()
    uncached: str | None = None


@cache
def _versions() -> tuple[str, ...]:
    """The versions of everything that compiles, for the name of an entry."""
    return (digest_of(_compilers()),)


def _compilers() -> list[str]:
    """The versions of everything that compiles, without the files of this package."""
    found = [*package_versions(), np.__version__, sys.version]
    for package in ("onnx", "onnxruntime"):
        if stamps := stamps_of(package, ("__init__.py",)):
            found += [package, *stamps]
    return found


def has_effects(passes: str, ctx: ToolContext) -> bool:
    """Whether some pass of a pipeline, which has run, does more than change the module."""
    from snippets_mlir.passmanager.pipeline import has_side_effects, parse_pipeline

    return any(map(has_side_effects, parse_pipeline(passes, ctx)))


def program_key(source: object, request: Request) -> str | None:
    """The name of the program in the cache, None if it is not kept there."""
    if cache_directory() is None or request.uncached is not None:
        return None
    found = source_bytes(source)
    if found is None:
        return None
    asked = request.entry, request.threads, sorted(request.options.items()), request.plugins
    return digest_of((*found, repr(asked), *computer(), *_versions()))


def uncached_reason(request: Request, key: str | None) -> str | None:
    """Why the program of a request, which is called `key`, is in no cache.

    None if plug-ins, the files of this package and the disk allow it. A program of a kind that is
    not kept has no key.
    """
    if request.uncached is not None or key is None:
        return request.uncached
    written()
    folders = (entry_path(kind, key) for kind in ("programs", CONSTANTS))
    refusals = (why_unwritten(path.parent) for path in folders if path is not None)
    return why_no_programs() or next(filter(None, refusals), None)


def mask_key(key: str, mask: Sequence[int | None]) -> str:
    """The name of the code for one mask of a program with dynamic dims."""
    return digest_of((key, repr(tuple(mask))))


def read_program(key: str, threads: int) -> tuple[Built, Header] | None:
    """The program called `key` and its header; None if there is no usable one."""
    written()
    path = entry_path("programs", key)
    raw = None if path is None else read_entry(path)
    return None if raw is None else program_of(raw, threads, path)


def program_of(raw: bytes, threads: int, path: Path | None = None) -> tuple[Built, Header] | None:
    """The program of the entry in `path` and its header; None if it has no usable one."""
    start = perf_counter()
    try:
        found = decoded(raw, threads)
    except Exception:  # whatever other code wrote there: it is compiled anew
        return None
    optimize_executors(path, raw, MAGIC, found[2])
    return built_of(found, perf_counter() - start), found[2]


def keep_program(key: str, built: Built, ctx: ToolContext, **more: object) -> None:
    """Store a program, unless a part of it cannot be stored; `more` goes into the header."""
    path = entry_path("programs", key)
    if path is None or has_effects(built.passes, ctx):
        return

    def write() -> None:
        if (raw := encoded(built, more)) is not None:
            write_entry(path, raw)
            if built.program.executors:
                optimize_executors(path, raw, MAGIC, header_in(raw, MAGIC))

    store(constant_bytes(built), write)


class Contents(NamedTuple):
    """The cache's contents of one kind."""

    kind: str
    entries: int
    bytes: int


def contents() -> list[Contents]:
    """How many entries of each kind there are, and their size; empty when the cache is off."""
    directory = cache_directory()
    if directory is None:
        return []
    found: list[Contents] = []
    for kind in KINDS:
        sizes: list[int] = []
        for path in _entries(directory / kind):
            with suppress(FileNotFoundError):  # another process has removed it
                sizes.append(path.stat().st_size)
        found.append(Contents(kind, len(sizes), sum(sizes)))
    return found


class Refused(NamedTuple):
    """Entries that every lookup refuses.

    Attributes:
        damaged: their contents differ from what was written.
        foreign: programs that other files of this package wrote, such as another version.
    """

    damaged: list[Path]
    foreign: list[Path]


def refused_entries(kind: str) -> Refused:
    """The entries of `programs` or `objects` (kinds with a checksum) that every lookup refuses."""
    refused = Refused([], [])
    if (directory := cache_directory()) is None:
        return refused
    for path in sorted(_entries(directory / kind)):
        if path.suffix != ".tmp" and not is_entry(path):
            (refused.foreign if is_whole(path) else refused.damaged).append(path)
    return refused


def clear() -> int:
    """Remove all entries, including those of earlier versions; returns their number."""
    directory = cache_directory()
    if directory is None:
        return 0
    removed = 0
    for kind in (*KINDS, *FORMER):
        for path in _entries(directory / kind):
            with suppress(FileNotFoundError):
                path.unlink()
                removed += 1
    for kind in FORMER:
        with suppress(OSError):  # there is none, or it has something else
            (directory / kind).rmdir()
    return removed


def _entries(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.is_file()] if directory.is_dir() else []
