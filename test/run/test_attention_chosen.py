"""Blocks of rows that a call chooses, interpreted at the levels of the pipeline."""

from __future__ import annotations

import numpy as np
import pytest
from attentions import expected, numbers
from sampled import ALL, sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.choices import choice_of, set_choice
from snippets_mlir.dialects.lir.instances import instance_of
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

LEVELS = (
    "lir-brgemm-whole-tiles",
    "lir-insert-loops",
    "lir-insert-specific-iterations",
    "convert-lir-to-vector",
)


def text_of(rows: str) -> str:
    """An attention of 2 heads of 5 columns, its rows `?0` or known, and its keys `?1`."""
    keys = "#lir.sizes<?1>"
    of_rows, of_both = ("", f", {keys}") if rows != "?" else (", #lir.sizes<?0>", "")
    of_both = of_both or ", #lir.sizes<?0, ?1>"
    q, s = f"tensor<2x{rows}x5xf32{of_rows}>", f"tensor<2x{rows}x?xf32{of_both}>"
    k, v, o = (
        f"tensor<2x?x5xf32, {keys}>",
        f"tensor<2x?x3xf32, {keys}>",
        f"tensor<2x{rows}x3xf32{of_rows}>",
    )
    return f"""
func.func @main(%q: {q}, %k: {k}, %v: {v}) -> {o} {{
  %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> {s}
  %1 = snippets.softmax %0 {{axis = 2 : i64}} : {s}
  %2 = snippets.matmul %1, %v : ({s}, {v}) -> {o}
  func.return %2 : {o}
}}
"""


@pytest.mark.parametrize(("rows", "threads"), sampled([("?", 0), ("29", 0), ("29", 2)], 3))
def test_every_level_of_blocks_that_a_call_chooses(rows: str, threads: int):
    """The limit of the choice is small here: 16 keys leave more rows for a block than 23."""
    ctx = make_context()
    module = parse_module(text_of(rows), ctx)
    target = f"set-target{{target=generic threads={threads}}}"
    passes = PIPELINES["snippets-to-llvm"].replace("set-target", target, 1)
    passes = passes.partition(",convert-scf-to-cf")[0]
    height, chosen, ran = 29 if rows != "?" else 13, set[int](), list[str]()

    def after(p: ModulePass, module: ModuleOp) -> None:
        if p.name == LEVELS[0]:
            (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
            choice = choice_of(kernel)
            assert choice is not None
            set_choice(kernel, choice._replace(limit=600))
            chosen.update(choice._replace(limit=600).number([height, keys]) for keys in (16, 23))
        if p.name not in LEVELS:
            return
        ran.append(p.name)
        for keys in (16, 23) if ALL else (16 if len(ran) % 2 else 23,):
            q, k, v = numbers(keys, (2, height, 5), (2, keys, 5), (2, keys, 3))
            one = instance_of(module, [height, keys])
            (found,) = Interpreter(one, verify=False).run("main", [q, k, v])
            wanted = expected(2 * q, k, v, np.zeros((height, keys)))
            np.testing.assert_allclose(found, wanted, 2e-6, 1e-6, err_msg=p.name)

    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True, after=after)
    assert ran == [*LEVELS]
    assert len(chosen) == 2
    assert 2 <= min(chosen) < max(chosen) < height
