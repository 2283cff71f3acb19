"""The fast path of the calls that run as one session, in a program whose other calls run kernels.

The session is opened once, and takes inputs of all shapes: onnxruntime checks them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from snippets_mlir.driver.building.built import Built
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.calls.engine_call import EngineCall, engine_call

if TYPE_CHECKING:
    from snippets_mlir.runtime.program import Program


class SessionCalls:
    """The fast path of the latest session of one program."""

    def __init__(self, inputs: Sequence[TensorSpec]) -> None:
        """For a program with these inputs."""
        self._inputs = inputs
        self._latest: tuple[Program, EngineCall | None] | None = None

    def of(self, session: Built) -> EngineCall | None:
        """The fast path of a session; None if it has none."""
        known = self._latest
        if known is None or known[0] is not session.program:
            known = session.program, engine_call(session.program, self._inputs)
            self._latest = known
        return known[1]
