"""The stubs of this process: found on disk without building any IR, and loaded once.

The LLVM text of a stub is found by the versions and files of this package, its object by that text
and the CPU, as the objects of kernels are. IR is built where there is no text yet: `write_texts`
does it while a program is compiled, when xDSL is loaded anyway, and `begin_objects` has LLVM
compile the stub beside the passes on the program. So a program from the cache finds the texts of
the process that compiled it. If they are gone, or the cache is off, the first call that needs one
imports the builders, under the lock of compilation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from snippets_mlir.codegen.cache import (
    cache_directory,
    cached,
    digest_of,
    entry_path,
    package_stamps,
    read_entry,
    write_entry,
)
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.locks import COMPILING, MAKING, forever

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject


class Stub(NamedTuple):
    """Where a stub is written.

    Attributes:
        module: the module of this package.
        build: its function, which gives a `builder.Module`.
        symbols: what the object has for others.
    """

    module: str
    build: str
    symbols: tuple[str, ...]


STUBS = {
    "addresses": Stub("call_addresses", "addresses_module", ("snippets_call_addresses",)),
    "call": Stub("call", "call_module", ("snippets_call", "snippets_copy")),
    "fault": Stub("fault", "fault_module", ("snippets_fault", "snippets_old", "snippets_watch")),
    "fields": Stub("array_fields", "fields_module", ("snippets_fields",)),
    "launch": Stub(
        "launch",
        "launch_module",
        ("snippets_launch", "snippets_launch_aligned", "snippets_range", "snippets_crew_member"),
    ),
    "operators": Stub(
        "ort_operators", "operators_module", ("snippets_register", "snippets_operators")
    ),
    "xla": Stub(
        "xla_call", "xla_module", ("snippets_xla", "snippets_process", "snippets_xla_minor")
    ),
}
OF_CALLS = ("call", "fields", "launch")
"""The stubs that calls of programs may need."""

_texts: dict[str, str] = {}
_objects: dict[str, bytes] = {}
_loaded: dict[str, LoadedObject] = {}


def write_texts(*names: str) -> None:
    """Have the texts of stubs on disk and in this process; build what is missing."""
    for name in names:
        text, path = stub_text(name), _path(name)
        if path is not None and not path.exists():
            _write(name, text)


def begin_objects(names: Sequence[str], later: Callable[[Callable[[], bytes]], object]) -> None:
    """Have the texts of stubs, and begin what makes their objects.

    Args:
        names: the stubs.
        later: begins work in a thread that ends before the caller gives the lock of compilation
            back.
    """
    write_texts(*names)
    for name in names:
        if name not in _loaded and name not in _objects:
            later(partial(_made, name, stub_text(name)))


def _made(name: str, text: str) -> bytes:
    """The object of a stub, which is kept for whoever loads it."""
    triple, cpu, features = host_cpu()
    found = cached(text, bytes, triple=triple, cpu=cpu, features=features)
    _objects[name] = found
    return found


def stub_text(name: str) -> str:
    """The LLVM text of a stub; the caller holds no lock that comes after `COMPILING`."""
    return _known_text(name) or _built_text(name)


def stub_object(name: str) -> LoadedObject:
    """The loaded object of a stub, which stays in memory.

    As `stub_text` for locks, unless the text is known. A text of the cache that other code wrote,
    so that LLVM refuses it or it lacks a symbol, is built anew.
    """
    from snippets_mlir.codegen.compile import InternalError

    if name in _loaded:
        return _loaded[name]
    try:
        return _load(name, stub_text(name))
    except (InternalError, KeyError):
        return _load(name, _built_text(name))


def _load(name: str, text: str) -> LoadedObject:
    """Load the object of LLVM text as a stub, unless another thread has."""
    from snippets_mlir.codegen.load import LoadedObject

    with MAKING:
        if name not in _loaded:
            load = partial(LoadedObject, symbols=STUBS[name].symbols)
            if (ready := _objects.pop(name, None)) is not None:
                made = load(ready)
            else:
                triple, cpu, features = host_cpu()
                made = cached(text, load, triple=triple, cpu=cpu, features=features)
            _loaded[name] = forever(made)
        return _loaded[name]


def _built_text(name: str) -> str:
    """Build the IR of a stub, and keep its text."""
    with COMPILING:
        stub = STUBS[name]
        module = import_module(f"snippets_mlir.codegen.stubs.{stub.module}")
        text: str = getattr(module, stub.build)().llvm_text()
    _texts[name] = text
    _write(name, text)
    return text


def _known_text(name: str) -> str | None:
    """The text that this process or the disk has."""
    if name not in _texts:
        path = _path(name)
        raw = None if path is None else read_entry(path)
        if not raw:
            return None
        _texts[name] = raw.decode(errors="replace")
    return _texts[name]


def _path(name: str) -> Path | None:
    """Where the text of a stub is kept, None when the cache is off."""
    return None if cache_directory() is None else entry_path("stubs", _key(name))


def _write(name: str, text: str) -> None:
    """Keep the text of a stub, if the cache is on."""
    path = _path(name)
    if path is not None:
        write_entry(path, text.encode())


@cache
def _key(name: str) -> str:
    """The name of the text in the cache."""
    return digest_of(("stub", name, *package_stamps()))
