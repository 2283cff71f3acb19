"""Batches of products whose matrices threads share by rows or columns: `lir-brgemm-blocking`."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from levels import is_level
from numpy.typing import NDArray
from product_kernels import check, operands, program
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.lir import shared_batches
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

Array = NDArray[Any]

SIZES = [
    (3, 60, 70, 129),  # columns outside, with a rest of them
    (5, 2000, 30, 8),  # rows outside, with a rest of them
    (3, 600, 40, 16),  # one vector of columns
    (2, 1, 2000, 300),  # one row: whole matrices
    (3, 64, 128, 64),  # no rest
    (13, 10, 400, 22),  # one panel: rows outside
]


@pytest.mark.parametrize(("sizes", "several"), sampled(product(SIZES, [2, 3, 8]), 3))
def test_threads_change_no_bit(sizes: tuple[int, int, int, int], several: int) -> None:
    """Nor do they leave a tile out, or write beyond the result."""
    batch, rows, terms, columns = sizes
    a, b = operands((batch, rows, terms), (batch, terms, columns))
    results: list[Array] = []
    for threads in (1, several):
        compiled = snippets_mlir.compile(program(a.shape, b.shape), num_threads=threads)
        memory = np.full((batch + 2, rows, columns), 7, np.float32)
        compiled(a, b, out=memory[1:-1])
        assert (memory[0] == 7).all()
        assert (memory[-1] == 7).all()
        results.append(memory[1:-1])
        np.testing.assert_array_equal(results[-1], results[0])
    check(results[0], a, b, "")


DIVIDED = [
    (7, 96, 6),  # tiles of columns alone
    (7, 133, 9),  # tiles, the last of which has a tail
    (7, 37, 9),  # a tail of columns
    (5, 229, 12),  # tiles, vectors and a tail, which one unit runs
    (47, 20, 12),  # rows outside: tiles, and single rows
    (1, 70, 3),  # one row: whole matrices
]


@pytest.mark.parametrize(
    ("rows", "columns", "domain", "epilogue"),
    sampled([(*sizes, epilogue) for sizes in DIVIDED for epilogue in ("", "relu")], 6),
)
def test_every_level_gives_the_same_bits(
    rows: int, columns: int, domain: int, epilogue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_batches, "DIVIDED", 0)
    ctx = make_context()
    options = "set-target{target=x86-64-avx512 threads=2}"
    text = PIPELINES["snippets-to-llvm"].replace("set-target", options, 1)
    text = text.partition(",convert-scf-to-cf")[0]
    source = program((3, rows, 5), (3, 5, columns))
    if epilogue:
        source = source.replace("snippets.yield %1", f"%2 = snippets.{epilogue} %1 : R\n yield %1")
        result = f"tensor<3x{rows}x{columns}xf32>"
        source = source.replace(": R", f": {result}").replace("yield %1", "snippets.yield %2")
    arrays = operands((3, rows, 5), (3, 5, columns))
    known: list[Array] = []
    texts = {""}

    def after(p: ModulePass, module: ModuleOp) -> None:
        if is_level(p.name) and (now := print_module(module)) not in texts:
            texts.add(now)
            (found,) = Interpreter(module, verify=False).run("main", arrays)
            known.append(found)
            np.testing.assert_array_equal(found, known[0], err_msg=p.name)

    module = parse_module(source, ctx)
    run_passes(module, ctx, parse_pipeline(text, ctx), verify_each=True, after=after)
    assert f"snippets.domain = {domain} : i64" in str(module)
