"""The fast path of a call with new sizes.

    call = SizedCall(inputs, template_for)
    call.call((x, y), out)                  the results, or None: nothing was done

A decoder with a cache has new sizes at each token. Such a call needs neither its own program
(`Program.filled`) nor the checks of `TensorProgram.execute`: an unused network takes the sizes of
the call, and its machine code checks the arrays against them. Sizes that occur again get a program,
whose `DirectCall` has nothing left to compute.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec
from snippets_mlir.runtime.program import Program

if TYPE_CHECKING:
    from snippets_mlir.runtime.calls.engine_call import EngineCall

Shapes = tuple[tuple[int, ...], ...]

REMEMBERED = 16
"""The number of earlier shapes that are remembered."""


class SizedCall:
    """The fast path of the programs of templates.

    Attributes:
        latest: the shapes of the call that it ran last; None if another path has run a call since.
    """

    def __init__(
        self,
        inputs: Sequence[TensorSpec],
        template_for: Callable[[Shapes], tuple[Program, Sequence[int]] | EngineCall | None],
    ) -> None:
        """See the module.

        Args:
            inputs: the announced inputs.
            template_for: returns the template for inputs of some shapes and the values of its
                symbols, or the fast path of a session; None if these shapes do not fit, or need
                another path.
        """
        self._inputs, self._template_for = inputs, template_for
        self._ran: OrderedDict[Shapes, None] = OrderedDict()
        self.latest: Shapes | None = None

    def has_run(self, shapes: Shapes) -> bool:
        """Whether one of the last calls that it ran had these shapes."""
        return shapes in self._ran

    def call(self, inputs: tuple[object, ...], out: Any) -> Any:
        """The results, or None: nothing was done.

        Args:
            inputs: the inputs of the program.
            out: an array, or a list or tuple of them; None for new ones.
        """
        try:
            shapes = tuple([cast("Array", array).shape for array in inputs])
            if shapes in self._ran or not self._matches(shapes):
                return None
        except (AttributeError, TypeError, ValueError):  # not arrays, or the wrong number of them
            return None
        if (found := self._template_for(shapes)) is None:
            return None
        if not isinstance(found, tuple):
            if (results := found.call(inputs, out)) is not None:
                self._note(shapes)
            return results
        template, symbols = found
        given = tuple(out) if out.__class__ is list else out
        if (results := template.call_sized(symbols, inputs, given)) is None:
            return None
        self._note(shapes)
        return results[0] if results.__class__ is tuple and len(results) == 1 else results

    def _matches(self, shapes: Shapes) -> bool:
        return all([spec.matches(shape) for spec, shape in zip(self._inputs, shapes, strict=True)])

    def _note(self, shapes: Shapes) -> None:
        with KEEPING:
            self._ran[shapes] = None
            if len(self._ran) > REMEMBERED:
                self._ran.popitem(last=False)
            self.latest = shapes
