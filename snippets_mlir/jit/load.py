"""Object code into the memory of this process, through LLVM's JITLink.

One LLJIT serves the process. Each object is a library of its own, under a name that is never used
twice (LLVM forbids it), and sees the symbols of the process (`memcpy`, `GOMP_parallel` when
loaded). It is unloaded when its `LoadedObject` dies, so whoever keeps an address keeps the object.
"""

from __future__ import annotations

from itertools import count

import llvmlite.binding as llvm

from snippets_mlir.jit.compile import InternalError, initialize
from snippets_mlir.jit.locks import LOADING

_numbers = count()
_engines: list[llvm.LLJIT] = []


def _engine() -> llvm.LLJIT:
    if not _engines:
        initialize(llvm.get_process_triple())
        _engines.append(llvm.create_lljit_compiler(use_jit_link=True))  # pyright: ignore[reportUnknownMemberType]
    return _engines[0]


class LoadedObject:
    """An object in memory; its symbols stay valid as long as this lives.

    Attributes:
        image: the object itself.
    """

    def __init__(self, obj: bytes) -> None:
        """Load `obj`; InternalError when it is not an object of this machine."""
        self.image = obj
        with LOADING:
            self._engine = _engine()
            self._name = f"snippets{next(_numbers)}"
            builder = llvm.JITLibraryBuilder().add_object_img(obj).add_current_process()  # pyright: ignore[reportUnknownMemberType]
            try:
                self._library = builder.link(self._engine, self._name)  # pyright: ignore[reportUnknownMemberType]
            except RuntimeError as error:
                raise InternalError(f"the object cannot be loaded: {error}") from error
            self._symbols: dict[str, llvm.ResourceTracker] = {}

    def address(self, symbol: str) -> int:
        """Address of a symbol of the object; KeyError when it has none of that name.

        The first call links the object; what it needs and nobody has is an InternalError.
        """
        with LOADING:
            if symbol not in self._symbols:
                try:
                    self._symbols[symbol] = self._engine.lookup(self._name, symbol)  # pyright: ignore[reportUnknownMemberType]
                except RuntimeError as error:
                    if "Symbols not found" in str(error) and symbol in str(error):
                        raise KeyError(symbol) from error
                    raise InternalError(f"the object cannot be linked: {error}") from error
            return self._symbols[symbol][symbol]  # pyright: ignore[reportUnknownVariableType]
