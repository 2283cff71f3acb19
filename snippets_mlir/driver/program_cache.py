"""Finished programs on disk: what was compiled before is neither parsed nor compiled again.

A program is found by the SHA-256 of everything that it depends on: the bytes of its source, the
entry, the pipeline and all other options, the target and the CPU, the number of threads, and the
versions of what compiles it (of this package the files themselves: their sizes and dates). So it is
found before anything is parsed, and without loading the compiler. An entry is

    "SNPP"   8 bytes: length of the header   header (JSON)   object code   constants

where the header has the manifest, what reports say, and the places of the constants. IR is never
kept: it is made again from the source when it is asked for.

Not kept as programs, only as objects (`jit/cache.py`): what onnxruntime or NumPy runs a part of,
functions on memrefs, sources in memory (`ModuleOp`, `ModelProto`), models with data in other files,
programs with more than `MAX_CONSTANTS` bytes of constants, compilations with plugins, and pipelines
with a pass that does something beside its work (prints, counts, writes a file). Of a program with
dynamic dims the code for each mask is kept; its source is still parsed.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.driver.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.kernel_entry import KernelEntry, KernelFacts, OpaqueOp
from snippets_mlir.driver.source_bytes import source_bytes
from snippets_mlir.jit.cache import (
    cache_directory,
    compiler_versions,
    digest_of,
    entry_path,
    read_entry,
    write_entry,
)
from snippets_mlir.jit.compile import InternalError
from snippets_mlir.jit.host import host_cpu
from snippets_mlir.jit.load import LoadedObject
from snippets_mlir.runtime.arrays import Array, dtype_from_name
from snippets_mlir.runtime.program import Program

MAX_CONSTANTS = 16 << 20
MAGIC = b"SNPP"
KINDS = ("programs", "objects")


class Request(NamedTuple):
    """What is asked of a compilation.

    Attributes:
        entry: the function to compile, or None.
        options: all options by name; those that depend on the computer are filled in.
        threads: how many threads a kernel uses.
    """

    entry: str | None
    options: Mapping[str, Any]
    threads: int


@cache
def _versions() -> tuple[str, ...]:
    """What of all that compiles may change: versions, and the files of this package."""
    found = [*compiler_versions(), np.__version__, sys.version]
    spec = find_spec("xdsl")
    if spec is not None and spec.origin is not None:
        found += _stamps(Path(spec.origin).parent, ("_version.py",))
    root = Path(__file__).resolve().parents[1]
    return (*found, *_stamps(root, sorted(_python_files(str(root)))))


def _python_files(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(".py"):
                yield os.path.relpath(os.path.join(folder, name), root)


def _stamps(root: Path, names: Sequence[str]) -> list[str]:
    """Name, size and date of files."""
    found: list[str] = []
    for name in names:
        with suppress(OSError):
            status = os.stat(root / name)
            found.append(f"{name} {status.st_size} {status.st_mtime_ns}")
    return found


@cache
def _computer() -> tuple[str, ...]:
    """Triple, CPU and features, and the size of the last cache, which kernels are made for."""
    size = os.sysconf("SC_LEVEL3_CACHE_SIZE") if "SC_LEVEL3_CACHE_SIZE" in os.sysconf_names else 0
    return (*host_cpu(), str(size))


_WATCHING = ("print", "perf-count", "segfault")


def _does_more(options: Mapping[str, Any]) -> bool:
    """Whether the program does something beside its work, or a pass beside changing the module."""
    if options.get("perf_count") or options.get("segfault_detector"):
        return True
    text = ",".join((options.get("pipeline") or "", *options.get("insert_passes", ())))
    names: list[str] = re.findall(r"[A-Za-z0-9_-]+", text)
    if not names:
        return False
    with COMPILING:
        from snippets_mlir.universe import PASSES

    return any(
        ".passes.debug." in PASSES.get(name, "") or any(word in name for word in _WATCHING)
        for name in names
    )


def program_key(source: object, request: Request) -> str | None:
    """The name of the program in the cache, None when it is not kept there."""
    if cache_directory() is None:
        return None
    if _does_more(request.options):
        return None
    found = source_bytes(source)
    if found is None:
        return None
    options = [f"{name}={value!r}" for name, value in sorted(request.options.items())]
    asked = (repr(request.entry), str(request.threads), *options)
    return digest_of((*found, *asked, *_computer(), *_versions()))


def mask_key(key: str, mask: Sequence[int | None]) -> str:
    """The name of the code for one mask of a program with dynamic dims."""
    return digest_of((key, repr(tuple(mask))))


def read_program(key: str, threads: int) -> tuple[Built, Mapping[str, Any]] | None:
    """The program called `key` and its header; None when there is none that can be used."""
    start = perf_counter()
    path = entry_path("programs", key)
    raw = None if path is None else read_entry(path)
    if raw is None or not raw.startswith(MAGIC):
        return None
    try:
        return _decoded(raw, threads, start)
    except (LookupError, TypeError, ValueError, InternalError):
        return None  # written by other code, in another form


def _decoded(raw: bytes, threads: int, start: float) -> tuple[Built, Mapping[str, Any]]:
    first = len(MAGIC) + 8
    size = int.from_bytes(raw[len(MAGIC) : first], "little")
    header: dict[str, Any] = json.loads(raw[first : first + size])
    code_at = first + size
    image = raw[code_at : code_at + header["code"]]
    code = LoadedObject(image) if image else None
    symbols = {step["symbol"] for step in header["manifest"]["steps"] if "symbol" in step}
    if symbols and code is None:
        raise ValueError("kernels without code")
    addresses = {symbol: code.address(symbol) for symbol in symbols} if code else {}
    at = code_at + header["code"]
    constants = {c["value"]: _constant(raw, at, c) for c in header["constants"]}
    program = Program(header["manifest"], addresses, constants, [], threads)
    kernels = tuple(map(_kernel, header["kernels"]))
    opaque = tuple(OpaqueOp(*fields) for fields in header["opaque"])
    seconds = {"program cache": perf_counter() - start}
    return Built(program, code, header["passes"], kernels, opaque, seconds), header


def _constant(raw: bytes, start: int, described: Mapping[str, Any]) -> Array:
    dtype = dtype_from_name(described["dtype"])
    at = start + described["offset"]
    data = np.frombuffer(raw[at : at + described["bytes"]], dtype)
    array = data.reshape(described["shape"]).copy()
    array.flags.writeable = False
    return array


def _kernel(described: Mapping[str, Any]) -> KernelEntry:
    facts = described["facts"]
    return KernelEntry(
        name=described["name"],
        ops=tuple(described["ops"]),
        reason=described["reason"],
        facts=None if facts is None else KernelFacts(**facts),
        domain=described["domain"],
    )


def keep_program(key: str, built: Built, **more: object) -> None:
    """Write a program down, unless a part of it cannot be; `more` goes into the header."""
    program = built.program
    held = program.constants
    if program.executors or sum(array.nbytes for array in held.values()) > MAX_CONSTANTS:
        return
    path = entry_path("programs", key)
    if path is None:
        return
    constants: list[dict[str, Any]] = []
    data: list[bytes] = []
    offset = 0
    for value, array in held.items():
        place = {"value": value, "dtype": str(array.dtype), "shape": array.shape}
        constants.append({**place, "offset": offset, "bytes": array.nbytes})
        data.append(array.tobytes())
        offset += array.nbytes
    image = b"" if built.code is None else built.code.image
    header = {
        **more,
        "manifest": program.manifest,
        "passes": built.passes,
        "kernels": [asdict(kernel) for kernel in built.kernels],
        "opaque": built.opaque,
        "constants": constants,
        "code": len(image),
    }
    text = json.dumps(header).encode()
    write_entry(path, b"".join([MAGIC, len(text).to_bytes(8, "little"), text, image, *data]))


class Contents(NamedTuple):
    """What the cache holds of one kind."""

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
        sizes = [path.stat().st_size for path in _entries(directory / kind)]
        found.append(Contents(kind, len(sizes), sum(sizes)))
    return found


def clear() -> int:
    """Remove all entries; how many they were."""
    directory = cache_directory()
    if directory is None:
        return 0
    removed = 0
    for kind in KINDS:
        for path in _entries(directory / kind):
            with suppress(FileNotFoundError):
                path.unlink()
                removed += 1
    return removed


def _entries(directory: Path) -> list[Path]:
    return [path for path in directory.iterdir() if path.is_file()] if directory.is_dir() else []
