"""Steps of a program that check indices: in NumPy, and by machine code.

    {"kind": "check", "inputs": [1, 0], "outputs": [2], "axis": 0, "from_end": true}

The NumPy version is the definition, and raises the error. Machine code
(`codegen/stubs/index_checks.py`) does the same without Python if no index is outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.codegen.stubs.objects import OUTSIDE, stub_object
from snippets_mlir.dialects.builtin.index_bounds import checked_indices
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.form import CheckForm
from snippets_mlir.runtime.manifests.manifest import Step


class IndexCheck:
    """Runs one of these steps in Python, as executors run other steps."""

    def __init__(self, step: Step) -> None:
        self._axis, self._from_end = step.get("axis", 0), step.get("from_end", False)

    def __call__(self, arrays: Sequence[Array]) -> list[Array]:
        """The indices; PlaceError if one is outside of the axis of the other array."""
        indices, operand = arrays
        size = operand.shape[self._axis]
        return [checked_indices(indices, self._axis, size, from_end=self._from_end)]


def check_address(check: CheckForm) -> int:
    """The machine code of a check."""
    return stub_object("indices").address(f"{OUTSIDE}{check.type}")
