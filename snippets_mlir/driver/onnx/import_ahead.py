"""The import of a dynamic model that begins while its session opens.

    this thread    [ reads the model ][ infers shapes ][ imports nodes ... ]  first call: the rest
    another one    [ the session opens                                     ]

The plan of a dynamic model needs the sizes of its first call, its import does not. What is imported
meanwhile costs nothing, whether a kernel pays or not: the import stops at the node at which the
session is there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from snippets_mlir.driver.onnx.template import Numbering

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.graph import GraphImport
    from snippets_mlir.frontends.onnx.prepare import PreparedModel


class ImportAhead:
    """The import of one model for sizes that are symbols, as far as there was time."""

    def __init__(self) -> None:
        """Import nothing yet."""
        self._begun: tuple[PreparedModel, Numbering, GraphImport] | None = None

    def begin(self, prepared: PreparedModel, goes_on: Callable[[], bool]) -> None:
        """Import nodes as long as `goes_on` says so before each.

        The model may not have been checked: an import that fails is made again, and fails there.
        """
        if not goes_on():
            return
        from snippets_mlir.frontends.onnx.graph import GraphImport

        numbering = Numbering()
        with suppress(Exception):
            graph = GraphImport(prepared, numbering.number, hashed=False)
            graph.go_on(goes_on)
            self._begun = prepared, numbering, graph

    def take(self, prepared: PreparedModel) -> tuple[Numbering, GraphImport | None]:
        """The numbers of sizes and what is imported of `prepared`, once; None: nothing is."""
        begun, self._begun = self._begun, None
        if begun is None or begun[0] is not prepared:
            return Numbering(), None
        return begun[1:]

    def forget(self) -> None:
        """Let go of the model."""
        self._begun = None
