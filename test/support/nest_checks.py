"""Checks that passes keep what random loops compute (`random_nests`, `random_siblings`)."""

# pyright: basic

from __future__ import annotations

import numpy as np
from loop_oracle import Oracle
from random_nests import Nest
from xdsl.passes import ModulePass

from snippets_mlir.context import make_context
from snippets_mlir.parsing import parse_module
from snippets_mlir.passes.vectorize.affine_super_vectorize import AffineSuperVectorizePass
from snippets_mlir.pipeline_spec import run_passes


def check_nest(nest: Nest) -> bool:
    """Compare scalar and vectorized runs; whether anything was vectorized.

    Raises:
        AssertionError: they differ, or the vectorized one is undefined.
    """
    return "vector<" in check_passes(nest, [AffineSuperVectorizePass(**nest.options)])


def check_passes(nest: Nest, passes: list[ModulePass]) -> str:
    """Compare a nest before and after passes; the text behind them.

    Raises:
        AssertionError: they differ, or the vectorized one is undefined.
    """
    ctx = make_context()
    module = parse_module(nest.text, ctx)
    before, after = nest.arguments(), nest.arguments()
    function = module.body.block.ops.first
    assert function is not None
    Oracle().call(function, before)
    run_passes(module, ctx, passes, verify_each=True)
    text = str(module)
    try:
        Oracle().call(function, after)
        for expected, found in zip(before, after, strict=True):
            np.testing.assert_array_equal(found, expected)
    except AssertionError as error:
        spec = ",".join(str(p.spec()) for p in passes)
        error.add_note(f"seed {nest.seed}: -p '{spec}'\n{nest.text}\n{text}")
        raise
    return text
