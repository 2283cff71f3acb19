"""The stubs of this process: found without building IR, and loaded once.

The LLVM text of a stub is a file in `texts`, written by `write_texts.py` from the stub's IR. The
key of its object on disk is that text and the CPU, as for kernels. If there is none,
`begin_objects` lets LLVM compile it beside the passes on a program.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from snippets_mlir.codegen.cache import cached
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.locks import MAKING, forever

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject

T = TypeVar("T")

TEXTS = Path(__file__).with_name("texts")
"""The folder of the texts."""


OUTSIDE = "snippets_outside_"
"""The prefix of the names of index checks; the type of the indices follows."""

INDEX_TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
"""The types of indices that are checked."""


class Stub(NamedTuple):
    """The module that builds a stub, and the symbols of its object.

    Attributes:
        module: the module of this package.
        build: its function, which gives a `builder.Module`.
        symbols: the exported symbols of the object.
        machines: the machines with a separate text, as in `platform.machine`: `build` takes one, or
            nothing for all others.
    """

    module: str
    build: str
    symbols: tuple[str, ...]
    machines: tuple[str, ...] = ()


STUBS = {
    "addresses": Stub("call_addresses", "addresses_module", ("snippets_call_addresses",)),
    "call": Stub("call", "call_module", ("snippets_call", "snippets_copy")),
    "fault": Stub("fault", "fault_module", ("snippets_fault", "snippets_old", "snippets_watch")),
    "fields": Stub("array_fields", "fields_module", ("snippets_fields",)),
    "indices": Stub(
        "index_checks", "index_checks_module", tuple(f"{OUTSIDE}{name}" for name in INDEX_TYPES)
    ),
    "launch": Stub(
        "launch",
        "launch_module",
        (
            "snippets_launch",
            "snippets_launch_aligned",
            "snippets_range",
            "snippets_crew_end",
            "snippets_crew_member",
            "snippets_crew_pause",
        ),
        ("x86_64", "aarch64"),
    ),
    "operators": Stub(
        "ort_operators", "operators_module", ("snippets_register", "snippets_operators")
    ),
    "requests": Stub(
        "take_requests",
        "requests_module",
        ("snippets_take", "snippets_submit", "snippets_end", "snippets_want", "snippets_aim"),
    ),
    "sizes": Stub("size_steps", "sizes_module", ("snippets_sizes",)),
    "tensors": Stub("call_tensors", "tensors_module", ("snippets_call_tensors",)),
    "xla": Stub(
        "xla_call", "xla_module", ("snippets_xla", "snippets_process", "snippets_xla_minor")
    ),
}
OF_CALLS = ("call", "fields", "launch")
"""The stubs that calls of programs may need."""
OF_TEMPLATES = (*OF_CALLS, "sizes")
"""The stubs that calls of programs with symbolic sizes may need."""
OF_OPERATORS = ("operators",)
"""The stubs that kernels inside a session need."""

_objects: dict[str, bytes] = {}
_loaded: dict[str, LoadedObject] = {}


def file_of(name: str, machine: str = "") -> str:
    """The name of the file with a stub's text, for `machine` or for all others."""
    return f"{name}.{machine}.ll" if machine in STUBS[name].machines else f"{name}.ll"


@cache
def stub_text(name: str) -> str:
    """The LLVM text of a stub for this machine."""
    return (TEXTS / file_of(name, platform.machine())).read_text("utf-8")


def begin_objects(names: Sequence[str], later: Callable[[Callable[[], bytes]], object]) -> None:
    """Begin to compile the objects of stubs; each object is compiled once.

    Args:
        names: the stubs.
        later: begins work in a thread that ends before the caller releases the compilation lock.
            Work that is begun twice runs in sequence.
    """
    for name in names:
        if name not in _loaded and name not in _objects:
            later(partial(_made, name))


def _made(name: str) -> bytes:
    """The compiled object of a stub, which is kept for its loaders."""
    if (found := _objects.get(name)) is None:
        found = _objects[name] = _from_cache(name, bytes)
    return found


def stub_object(name: str) -> LoadedObject:
    """The loaded object of a stub, which stays in memory."""
    from snippets_mlir.codegen.load import LoadedObject

    if name not in _loaded:
        with MAKING:
            if name not in _loaded:  # this thread loaded it first
                load = partial(LoadedObject, symbols=STUBS[name].symbols)
                ready = _objects.pop(name, None)
                made = _from_cache(name, load) if ready is None else load(ready)
                _loaded[name] = forever(made)
    return _loaded[name]


def _from_cache(name: str, use: Callable[[bytes], T]) -> T:
    """The result of `use` for the object of a stub, which is compiled if the cache lacks it."""
    triple, cpu, features = host_cpu()
    return cached(stub_text(name), use, triple=triple, cpu=cpu, features=features, kernels=True)
