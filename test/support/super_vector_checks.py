"""Functions on super-vectors: in tiles against taken apart as a whole, bit by bit."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from random_super_vectors import SuperVectors

import snippets_mlir
from snippets_mlir.passes.pipelines import AFFINE_TO_LLVM

WHOLE = 1_000_000
"""So many vectors of the target are not large."""


def pipeline(most: int, before: str = "", target: str = "threads=1") -> str:
    """`affine-to-llvm` with tiles for vectors of more than `most` vectors of the target."""
    own = f"convert-vector-to-scf{{most={most}}}"
    passes = [own if name == "convert-vector-to-scf" else name for name in AFFINE_TO_LLVM]
    return ",".join([f"snippets-set-target{{{target}}}", *([before] if before else []), *passes])


def run(program: Any, arrays: list[Any], rest: tuple[Any, ...]) -> list[Any]:
    """The arrays after a call on copies."""
    copies = deepcopy(arrays, {})
    program(*copies, *rest)
    return copies


def check_super_vectors(seed: int, most: int) -> None:
    """One function in tiles and as a whole; NaN is NaN, all else the same bits."""
    function = SuperVectors(seed)
    whole = snippets_mlir.compile(function.text, pipeline=pipeline(WHOLE))
    tiled = snippets_mlir.compile(function.text, pipeline=pipeline(most))
    for arrays, rest in function.calls(3):
        pairs = zip(run(whole, arrays, rest), run(tiled, arrays, rest), strict=True)
        for expected, found in pairs:
            np.testing.assert_array_equal(found, expected, err_msg=f"seed {seed}")
            signs = np.signbit(expected) == np.signbit(found)
            assert np.all(signs | np.isnan(expected)), f"seed {seed}: signs of zeros"
