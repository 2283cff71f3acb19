"""snippets_mlir, with default settings, for the target of the run."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from mlir_text import mlir
from steps import Array, Workload
from targets import target

import snippets_mlir
from peers.base import Call, Inputs, Way
from snippets_mlir.dialects.snippets.resources import digest


class Snippets:
    """Compiled by `snippets_mlir.compile`."""

    name = "snippets_mlir"

    def __init__(self, threads: int, target: str | None = None) -> None:
        """The number of threads, and another target than that of the run."""
        self.threads = threads
        self._target = target

    def version(self) -> str:
        """The version of the package, for the report."""
        return snippets_mlir.__version__

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """One kernel; an op outside of it is an error. Constants are in the program."""
        with TemporaryDirectory() as folder:
            files = {name: _saved(inputs[name], Path(folder, name)) for name in workload.constants}
            compiled = snippets_mlir.compile(
                mlir(workload, size, files),
                num_threads=self.threads,
                fallback="error",
                target=self._target or target(),
            )

        def fed(inputs: Inputs) -> tuple[Array, ...]:
            return tuple(a for name, a in inputs.items() if name not in workload.constants)

        def given(inputs: Inputs, out: Array) -> Call:
            arrays = fed(inputs)
            return lambda: compiled(*arrays, out=out)

        def fresh(inputs: Inputs, _: Array) -> Call:
            arrays = fed(inputs)
            return lambda: compiled(*arrays)

        return Way("", True, given), Way("", False, fresh)


def _saved(array: Array, path: Path) -> str:
    """A constant in a file, in the form for the text."""
    np.save(path.with_suffix(".npy"), array)
    return f'#snippets.resource<"{path}.npy", "{path.name}", "{digest(array)}">'
