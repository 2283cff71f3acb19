"""Object code into the memory of this process, through LLVM's JITLink.

Each object is a separate library in an LLJIT, under a unique name (LLVM forbids duplicates), and
sees the symbols of the process (`memcpy`, and `GOMP_parallel` if loaded). It is unloaded when its
`LoadedObject` dies, so a user of an address must keep the object.

LLVM keeps 9 KB of an unloaded library until its LLJIT is closed. So a new LLJIT is made after every
`PER_ENGINE` objects, and an LLJIT is closed after its last object is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import llvmlite.binding as llvm

from snippets_mlir.codegen.compile import initialize
from snippets_mlir.codegen.elf import is_object_for, undefined_symbols
from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.codegen.locks import LOADING

PER_ENGINE = 16
"""Objects of one LLJIT, which takes 0.7 ms to create and about 120 KB."""


class _Engine:
    """An LLJIT that numbers its libraries."""

    def __init__(self) -> None:
        initialize(llvm.get_process_triple())
        self.jit = llvm.create_lljit_compiler(use_jit_link=True, suppress_errors=True)  # pyright: ignore[reportUnknownMemberType]
        self.libraries = 0


_newest: list[_Engine] = []
"""The LLJIT that gets the next object, if there is one."""


def _engine() -> _Engine:
    if not _newest or _newest[0].libraries == PER_ENGINE:
        _newest[:] = [_Engine()]
    _newest[0].libraries += 1
    return _newest[0]


class LoadedObject:
    """An object in memory, or several in one library; its symbols stay valid as long as this lives.

    Attributes:
        images: the objects themselves.
    """

    def __init__(self, images: bytes | Sequence[bytes], symbols: Iterable[str] = ()) -> None:
        """Load objects; if `symbols` are given, also link the objects and look up these symbols.

        Raises:
            InternalError: an object is not for this machine, or cannot be linked.
            KeyError: one of these symbols does not exist.
        """
        self.images = (images,) if isinstance(images, bytes) else tuple(images)
        if not all(is_object_for(image, llvm.get_process_triple()) for image in self.images):
            raise InternalError("the object cannot be loaded: it is for another machine")
        self._symbols: dict[str, llvm.ResourceTracker] = {}
        with LOADING:
            engine = _engine()
            self._name = f"snippets{engine.libraries}"
            builder = llvm.JITLibraryBuilder()
            for image in self.images:
                builder.add_object_img(image)  # pyright: ignore[reportUnknownMemberType]
            builder.add_current_process()
            try:
                self._library = builder.link(engine.jit, self._name)  # pyright: ignore[reportUnknownMemberType]
            except (RuntimeError, UnicodeDecodeError) as error:
                raise InternalError(f"the object cannot be loaded: {error}") from error
        self._engine = engine
        for symbol in symbols:
            self.address(symbol)

    def address(self, symbol: str) -> int:
        """Address of a symbol of the object; KeyError if it does not exist.

        The first call links the object; an undefined symbol is an InternalError.
        """
        if not symbol.partition("\0")[0]:
            raise KeyError(symbol)  # LLVM ends the process for a name without characters
        with LOADING:
            if symbol not in self._symbols:
                try:
                    found = self._engine.jit.lookup(self._name, symbol)  # pyright: ignore[reportUnknownMemberType]
                except (RuntimeError, UnicodeDecodeError) as error:
                    if "Symbols not found" in str(error) and symbol in str(error):
                        raise KeyError(symbol) from error
                    why = self._why(error)
                    raise InternalError(f"the object cannot be linked: {why}") from error
                self._symbols[symbol] = found
            return self._symbols[symbol][symbol]  # pyright: ignore[reportUnknownVariableType]

    def _why(self, error: Exception) -> str:
        """The cause of a failed link: the undefined symbols, else LLVM's message."""
        wanted = [name for image in self.images for name in undefined_symbols(image)]
        missing = [name for name in wanted if llvm.address_of_symbol(name) is None]  # pyright: ignore[reportUnknownMemberType]
        return f"no such symbol: {', '.join(missing)}" if missing else str(error)
