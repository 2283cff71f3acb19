"""The program of an ONNX model as it runs: kernels and sessions, or one session.

Nothing here loads the compiler: a program from the cache is made of the same parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from snippets_mlir.driver.built import Built
from snippets_mlir.driver.onnx_template import OnnxTemplate
from snippets_mlir.driver.templates import Shapes, filled_in
from snippets_mlir.runtime.program import Program


@dataclass(frozen=True)
class SharedProgram:
    """Kernels and the sessions between them, for all calls that the template takes.

    Attributes:
        template: what its symbols are for the shapes of a call.
        built: the program, with symbols for sizes.
    """

    template: OnnxTemplate
    built: Built

    def filled(self, shapes: Shapes) -> Built | None:
        """The program for a call with inputs of `shapes`; None when the template refuses them."""
        values = self.template.values(shapes)
        if values is None:
            return None
        if not values:
            return self.built
        program = self.built.program
        concrete = Program(
            filled_in(program.manifest, values),
            program.addresses,
            program.constants,
            [*program.executors.values()],
            program.threads,
            program.pool,
        )
        return replace(self.built, program=concrete)


class ReadyPrograms:
    """The builds of an ONNX model that is compiled; the interface is that of `Templates`.

    Attributes:
        compilations: none: the code was there.
        is_one_session: whether calls of all shapes run as one session.
        reason: None: no call needs code of its own.
    """

    compilations = 0
    reason = None

    def __init__(self, shared: SharedProgram | None, whole: Callable[[], Built]) -> None:
        """`whole` opens the model as one session."""
        self._shared = shared
        self._open = whole
        self._whole: Built | None = None
        self.is_one_session = shared is None

    def built(self, shapes: Shapes | None) -> Built:
        """The program for a call with inputs of `shapes`; None for a model without dynamic dims."""
        if self._shared is not None and (found := self._shared.filled(shapes or ())) is not None:
            return found
        if self._whole is None:
            self._whole = self._open()
        return self._whole
