"""The passes on expanded loops, put into the pipeline: kernels compute the same."""

from __future__ import annotations

import numpy as np
import pytest
from sampled import sampled
from xdsl.ir import Operation, SSAValue

import snippets_mlir
from snippets_mlir.passes.lir import loop_copies
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

INSERTED = (
    "after:lir-insert-specific-iterations:lir-normalize-loop-ids,lir-validate-expanded-loops,"
    "lir-optimize-loop-single-evaluation"
)


@pytest.mark.parametrize(
    ("rows", "columns"), sampled([(3, 16), (5, 7), (4, 37), (1, 5000), (2, 33)], 2)
)
def test_softmax_and_sums(rows: int, columns: int) -> None:
    """Loops that run once, tails and blocks of split sums."""
    shape = f"tensor<{rows}x{columns}xf32>"
    text = f"""func.func @main(%x: {shape}) -> ({shape}, tensor<{rows}x1xf32>) {{
      %0 = snippets.softmax %x {{axis = 1 : i64}} : {shape}
      %1 = snippets.reduce_sum %x {{axes = array<i64: 1>, keep_dims}} :
        ({shape}) -> tensor<{rows}x1xf32>
      func.return %0, %1 : {shape}, tensor<{rows}x1xf32>
    }}"""
    x = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
    plain = snippets_mlir.compile(text, fallback="error")(x)
    changed = snippets_mlir.compile(text, fallback="error", insert_passes=[INSERTED])(x)
    for a, b in zip(plain, changed, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_has_no_work_in_a_part_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of whole tiles have none in the tail of a transpose, nor has their rest elsewhere."""
    text = """func.func @main(%x: tensor<37x70xf32>) -> tensor<70x37xf32> {
      %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} :
        (tensor<37x70xf32>) -> tensor<70x37xf32>
      %1 = snippets.exp %0 : tensor<70x37xf32>
      func.return %1 : tensor<70x37xf32>
    }"""
    ctx = make_context()
    module = parse_module(text, ctx)
    set_target = "snippets-set-target{target=x86-64-avx512}"
    passes = parse_pipeline(f"{set_target},snippets-to-lir,lir-to-vector", ctx)
    at = [one.name for one in passes].index("lir-insert-specific-iterations")
    run_passes(module, ctx, passes[:at])
    clone = loop_copies.cloned
    copies: list[Operation] = []

    def cloned(op: Operation, mapping: dict[SSAValue, SSAValue]) -> Operation:
        copies.append(clone(op, mapping))
        return copies[-1]

    monkeypatch.setattr(loop_copies, "cloned", cloned)
    run_passes(module, ctx, passes[at : at + 1])
    assert copies
    assert all(copy.parent is not None for copy in copies)
