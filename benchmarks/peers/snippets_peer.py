"""snippets_mlir, with default settings, for the target of the run."""

from __future__ import annotations

from mlir_text import mlir
from steps import Array, Workload
from targets import target

import snippets_mlir
from peers.base import Call, Inputs, Way


class Snippets:
    """Compiled by `snippets_mlir.compile`."""

    name = "snippets_mlir"

    def __init__(self, threads: int) -> None:
        """Nothing to set but the number of threads."""
        self.threads = threads

    def version(self) -> str:
        """The version of the package, for the report."""
        return snippets_mlir.__version__

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """One kernel; what does not go into it is an error."""
        program = mlir(workload, size)
        compiled = snippets_mlir.compile(
            program, num_threads=self.threads, fallback="error", target=target()
        )

        def given(inputs: Inputs, out: Array) -> Call:
            arrays = tuple(inputs.values())
            return lambda: compiled(*arrays, out=out)

        def fresh(inputs: Inputs, _: Array) -> Call:
            arrays = tuple(inputs.values())
            return lambda: compiled(*arrays)

        return Way("", True, given), Way("", False, fresh)
