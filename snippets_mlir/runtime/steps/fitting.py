"""Writes the sizes of a call into a network by machine code, which runs the steps of
`size_steps.py`.

fitting = Fitting(table.steps, words)
fitting.take(base, plan)                  the memory that its network has, from now on
fitting.run([3, 128])                     False: `Network.fit` has to do it
fitting.sizes.shape((4, 7))               the formulas 4 and 7 of the form, for these symbols
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial

from snippets_mlir.codegen.locks import once_after
from snippets_mlir.codegen.stubs.objects import stub_object
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.memory.storage import Plan
from snippets_mlir.runtime.steps.size_steps import SizeSteps

_CODE = partial(stub_object, "sizes")
_SIZES = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


@once_after(_CODE)
def run_steps() -> Callable[[int, int, int], int]:
    """`snippets_sizes`, called with the lock of the interpreter."""
    return _SIZES(_CODE().address("snippets_sizes"))


class KnownSizes:
    """The sizes of a call, by the numbers of their formulas."""

    def __init__(self, values: memoryview) -> None:
        self._values = values

    def shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The numbers of a shape of formulas, for the symbols of the call."""
        values = self._values
        return tuple([values[number] for number in shape])


class Fitting:
    """See the module.

    Attributes:
        sizes: the sizes of the last run.
        teams: the teams of all works in the last run.
    """

    def __init__(self, steps: SizeSteps, words: Numbers) -> None:
        """The steps on the words of one network."""
        self._steps, self._words = steps, words
        every = memoryview(words)  # pyright: ignore[reportArgumentType]
        self._symbols = every[steps.symbols : steps.values]
        self.sizes = KnownSizes(every[steps.values : steps.teams])
        self.teams = every[steps.teams : steps.plan]
        self._arguments = address_of(words), address_of(steps.steps), len(steps.steps)

    def take(self, base: int, plan: Plan) -> None:
        """Use the arena at `base` with this plan."""
        words = self._steps.plan_words(base, plan.start, plan.least, plan.sizes)
        self._words[self._steps.plan : self._steps.plan + len(words)] = words

    def run(self, symbols: Sequence[int]) -> bool:
        """Write the words that depend on symbols; False: `Network.fit` has to write all of them."""
        try:
            for number, value in enumerate(symbols):
                self._symbols[number] = value
        except ValueError:  # it has more than 64 bits
            return False
        return bool(run_steps()(*self._arguments))
