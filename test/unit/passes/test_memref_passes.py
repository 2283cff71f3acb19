"""Settings of functions on memrefs: passes and forms that they have, and what only kernels have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError

TEXT = """func.func @f(%x: memref<9xf32>) {
  affine.for %i = 0 to 9 {
    %v = affine.load %x[%i] : memref<9xf32>
    %w = math.exp %v : f32
    affine.store %w, %x[%i] : memref<9xf32>
  }
  func.return
}"""


@pytest.mark.parametrize(
    ("options", "name"),
    [({"perf_count": "body"}, "perf_count"), ({"segfault_detector": True}, "segfault_detector")],
)
def test_counters_and_fault_records_are_refused(options: dict[str, Any], name: str) -> None:
    with pytest.raises(CompileError, match=f"{name}: expected a program of kernels, found @f") as e:
        snippets_mlir.compile(TEXT, **options)
    assert (e.value.line, e.value.column) == (1, 1)


def test_passes_are_inserted() -> None:
    program = snippets_mlir.compile(TEXT, insert_passes=["before:lower-affine:affine-loop-fusion"])
    assert ",affine-loop-fusion,lower-affine," in program.passes
    x = np.linspace(-1, 1, 9, dtype=np.float32)
    expected = np.exp(x)
    program(x)
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    with pytest.raises(CompileError, match="the pipeline has no pass 'lower-afine'; did you mean"):
        snippets_mlir.compile(TEXT, insert_passes=["before:lower-afine:canonicalize"])


def test_the_forms_of_functions() -> None:
    passes = snippets_mlir.compile(TEXT, math="fast").passes
    assert passes.startswith("snippets-set-target{")
    assert "math=fast}" in passes
