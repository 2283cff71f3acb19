"""snippets_mlir, with default settings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from mlir_text import mlir
from steps import Array, Workload

import snippets_mlir
from peers.base import Variant, itself, of_array


class Snippets:
    """Compiled by `snippets_mlir.compile`."""

    name = "snippets_mlir"

    def __init__(self, threads: int) -> None:
        """Nothing to set but the number of threads."""
        self.threads = threads

    def version(self) -> str:
        """The package's version."""
        return snippets_mlir.__version__

    def prepare(
        self, workload: Workload, inputs: Mapping[str, Array], size: str
    ) -> tuple[Variant, ...]:
        """One kernel; what does not go into it is an error."""
        program = mlir(workload, size)
        compiled = snippets_mlir.compile(program, num_threads=self.threads, fallback="error")
        arrays = tuple(inputs.values())
        out = np.empty(workload.shape(size), workload.dtype)
        return (
            Variant("", True, lambda: compiled(*arrays, out=out), of_array(out)),
            Variant("", False, lambda: compiled(*arrays), itself),
        )
