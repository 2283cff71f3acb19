"""The import of a dynamic model for its plan, begun while the session that checks it opens.

    this thread    [ reads the model ][ infers shapes ][ imports nodes ]  the first call: a plan
    another one    [ the session opens                               ]

The import does not depend on the sizes of calls. It stops at the node at which the session is open,
so a model for which no plan is made loses nothing. The plan imports the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import Imported, import_graph
from snippets_mlir.frontends.onnx.graph import GraphImport
from snippets_mlir.frontends.onnx.prepare import PreparedModel


@dataclass(frozen=True)
class PlannedImport:
    """An import that numbers the sizes of a model, with all nodes that kernels may hold.

    Attributes:
        prepared: the model.
        numbering: the symbols of its sizes.
        begun: the import, if some steps are taken.
    """

    prepared: PreparedModel
    numbering: Numbering
    begun: GraphImport | None = None

    @classmethod
    def ahead(cls, prepared: PreparedModel, goes_on: Callable[[], bool]) -> PlannedImport | None:
        """An import of as many nodes as there is time for; None if a node fails.

        The model may not be valid: then the plan, which imports it again, reports the error.
        """
        numbering = Numbering()
        with suppress(Exception), COMPILING:
            begun = GraphImport(prepared, numbering.number, hashed=False)
            while goes_on() and next(begun.steps, None) is not None:
                pass
            return cls(prepared, numbering, begun)
        return None

    def finished(self) -> Imported:
        """The whole import, not verified.

        Raises:
            CompileError: the model cannot be imported.
            UndecidedError: only a call decides about an op.
        """
        return import_graph(
            self.prepared,
            sizes=self.numbering.number,
            hashed=False,
            verified=False,
            begun=self.begun,
        )
