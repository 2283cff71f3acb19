"""Other programs of one model: for other inputs, or for given elements of an input.

The last few are kept, like the builds for the last shapes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.compiling import COMPILING

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.tensors import TensorProgram

MAX_VARIANTS = 16


class Variants:
    """Compiles each variant once, and keeps the last requested ones.

    Attributes:
        compilations: how often variants that are no longer kept generated code.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, TensorProgram] = OrderedDict()
        self.compilations = 0

    def get(self, key: Hashable, make: Callable[[], TensorProgram]) -> TensorProgram:
        """The variant called `key`, made by `make` if it does not exist."""
        if (found := self._found(key)) is not None:
            return found
        with COMPILING:
            if (found := self._found(key)) is not None:  # another thread was faster
                return found
            made = make()
            dropped: list[TensorProgram] = []  # outside of the lock
            with KEEPING:
                self._kept[key] = made
                if len(self._kept) > MAX_VARIANTS:
                    dropped.append(self._kept.popitem(last=False)[1])
            self.compilations += sum(variant.compiled_times for variant in dropped)
            return made

    def kept(self) -> list[TensorProgram]:
        """The variants that were asked for last, at most `MAX_VARIANTS`."""
        with KEEPING:
            return [*self._kept.values()]

    def __len__(self) -> int:
        return len(self._kept)

    def _found(self, key: Hashable) -> TensorProgram | None:
        with KEEPING:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    @property
    def compiled_times(self) -> int:
        """How often all of them generated code."""
        return self.compilations + sum(variant.compiled_times for variant in self.kept())
