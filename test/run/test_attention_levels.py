"""Attentions that are interpreted at every level of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from attentions import Array, attention, expected, numbers
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

LEVELS = (
    "snippets-tokenize-mha",
    "snippets-decompose-softmax",
    "convert-snippets-to-lir",
    "lir-fuse-loops",
    "lir-brgemm-row-blocks",
    "lir-insert-loops",
    "lir-insert-specific-iterations",
    "convert-lir-to-vector",
)
"""Passes after which the program is interpreted."""
LAST = LEVELS if ALL else (LEVELS[4], LEVELS[-1])
"""Those that are left of them where there are many rows, which take seconds to interpret."""


def check_levels(
    text: str,
    arrays: list[Array],
    wanted: Array,
    threads: int = 0,
    levels: Sequence[str] = LEVELS,
) -> dict[str, str]:
    """The interpreter gives `wanted` after each of `levels`; the text after passes on products."""
    ctx = make_context()
    module = parse_module(text, ctx)
    target = f"set-target{{target=generic threads={threads}}}"
    passes = PIPELINES["snippets-to-llvm"].replace("set-target", target, 1)
    ran, seen = list[str](), dict[str, str]()

    def after(p: ModulePass, module: ModuleOp) -> None:
        if "brgemm" in p.name:
            seen[p.name] = str(module)
        if p.name in levels:
            ran.append(p.name)
            (found,) = Interpreter(module, verify=False).run("main", arrays)
            np.testing.assert_allclose(found, wanted, 2e-6, 1e-6, err_msg=p.name)

    passes = passes.partition(",convert-scf-to-cf")[0]
    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True, after=after)
    assert ran == [*levels]
    return seen


def test_every_level_gives_the_same():
    shapes = ((2, 5, 4), (2, 6, 4), (2, 6, 3), (5, 6))
    arrays = numbers(8, *shapes)
    check_levels(attention(*shapes), arrays, expected(*arrays))


@pytest.mark.parametrize(
    ("heads", "keys", "threads"), sampled([(1, 3, 0), (1, 11, 1), (2, 11, 1), (2, 11, 2)], 4)
)
def test_every_level_of_blocks_that_are_not_equal(heads: int, keys: int, threads: int):
    """131 rows are two blocks of 72 and 59; keys of one head are copied, in panels, before both."""
    shapes = ((heads, 131, 2), (heads, keys, 2), (heads, keys, 2), (131, keys))
    arrays, text = numbers(8, *shapes), attention(*shapes)
    seen = check_levels(text, arrays, expected(*arrays), threads=threads, levels=LAST)
    assert (", panels " in seen["lir-brgemm-copy-b"]) == ((heads, keys, threads) == (1, 11, 1))


HEADS_LAST = """
!a = tensor<3x5x4xf32>
!s = tensor<3x5x5xf32>
func.func @main(%a: !a) -> tensor<5x3x4xf32> {
  %0 = snippets.matmul %a, %a {transpose_b} : (!a, !a) -> !s
  %1 = snippets.softmax %0 {axis = 2 : i64} : !s
  %2 = snippets.matmul %1, %a : (!s, !a) -> !a
  %3 = snippets.transpose %2 {permutation = array<i64: 1, 0, 2>} : (!a) -> tensor<5x3x4xf32>
  func.return %3 : tensor<5x3x4xf32>
}
"""


def test_every_level_of_a_result_in_another_order():
    arrays = numbers(12, (3, 5, 4))
    a = arrays[0].astype(np.float64)
    e = np.exp(a @ a.swapaxes(1, 2))
    wanted = e / e.sum(-1, keepdims=True) @ a
    check_levels(HEADS_LAST, arrays, wanted.swapaxes(0, 1))
