"""Products of known sizes whose last block of terms is short: one code runs all blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from levels import is_level
from numpy.typing import NDArray
from product_kernels import check, operands, program
from runnable import RUNNABLE
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

Array = NDArray[Any]

TERMS = (89, 97, 127, 131, 193, 211, 257, 383, 509)
"""Numbers without a divisor that is the length of a block."""


@pytest.mark.parametrize(
    ("target", "terms"), sampled([(target, n) for target in RUNNABLE for n in TERMS], 5)
)
def test_any_number_of_terms(target: str, terms: int) -> None:
    a, b = operands((13, terms), (terms, 37))
    compiled = snippets_mlir.compile(program(a.shape, b.shape), target=target, num_threads=2)
    check(np.asarray(compiled(a, b)), a, b, "")


def test_nothing_beyond_the_terms_is_read() -> None:
    """NaN right after the last term of a row, and after the last row, reaches no result."""
    left, right = np.full((7, 200), np.nan, np.float32), np.full((200, 40), np.nan, np.float32)
    a, b = operands((7, 131), (131, 40))
    left[:, :131], right[:131] = a, b
    compiled = snippets_mlir.compile(program((7, 131), (131, 40)))
    flat = np.full(7 * 131 + 64, np.nan, np.float32)
    flat[: 7 * 131] = a.reshape(-1)
    check(np.asarray(compiled(flat[: 7 * 131].reshape(7, 131), right[:131])), a, b, "")


def test_every_level_gives_the_same_bits() -> None:
    """Once the terms are in blocks, which changes the order of their sum."""
    ctx = make_context()
    text = PIPELINES["snippets-to-llvm"].partition(",convert-scf-to-cf")[0]
    text = text.replace("set-target", "set-target{target=x86-64-avx512}", 1)
    arrays = operands((3, 131), (131, 20))
    known: list[Array] = []
    texts = {""}

    def after(p: ModulePass, module: ModuleOp) -> None:
        if is_level(p.name) and (now := print_module(module)) not in texts:
            texts.add(now)
            (found,) = Interpreter(module, verify=False).run("main", arrays)
            known.append(found)
            if p.name == "lir-insert-specific-iterations":
                assert "dim 1, whole of" in now
                assert "dim 1, last of" not in now
            if len(known) > 1 and p.name != "lir-split-loops":
                np.testing.assert_array_equal(found, known[-2], err_msg=p.name)

    module = parse_module(program((3, 131), (131, 20)), ctx)
    run_passes(module, ctx, parse_pipeline(text, ctx), verify_each=True, after=after)
    check(known[-1], *arrays, "")
