"""Checks that passes keep what random loops compute (`random_nests`, `random_siblings`)."""

# pyright: basic

from __future__ import annotations

import numpy as np
from loop_oracle import Oracle
from random_nests import Nest
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir.passes.loops.affine.affine_super_vectorize import AffineSuperVectorizePass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.support.parsing import parse_module


def check_nest(nest: Nest) -> bool:
    """Compare scalar and vectorized runs; whether anything was vectorized.

    Raises:
        AssertionError: they differ, or the vectorized one is undefined.
    """
    return "vector<" in check_passes(nest, [AffineSuperVectorizePass(**nest.options)])


def check_passes(nest: Nest, passes: list[ModulePass]) -> str:
    """Compare a nest before and after passes; the text after them.

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


def check_kernel(nest: Nest) -> bool:
    """Compare a scalar run with the machine code of the vectorized nest; whether it is vectorized.

    Raises:
        AssertionError: they differ.
    """
    vectorize = AffineSuperVectorizePass(**nest.options).spec()
    pipeline = f"snippets-set-target{{threads=1}},{vectorize},affine-to-llvm"
    module = parse_module(nest.text, make_context())
    function = module.body.block.ops.first
    assert function is not None
    before, after = nest.arguments(), nest.arguments()
    Oracle().call(function, before)
    program = snippets_mlir.compile(nest.text, pipeline=pipeline)
    program(*after)
    try:
        for expected, found in zip(before, after, strict=True):
            np.testing.assert_array_equal(found, expected)
    except AssertionError as error:
        error.add_note(f"seed {nest.seed}: -p '{pipeline}'\n{nest.text}")
        raise
    return "vector<" in program.ir("affine-super-vectorize")
