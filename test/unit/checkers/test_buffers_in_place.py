"""R1 and R2 for a buffer written over another one that loops beside those of the store read."""

from __future__ import annotations

import pytest

from snippets_mlir.checkers.linear_buffers import verify_buffers
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

ATTENTION = """
!q = tensor<20x8xf32>
!s = tensor<20x21xf32>
func.func @main(%q: !q, %k: tensor<8x21xf32>, %v: tensor<21x8xf32>) -> !q {
  %0 = snippets.matmul %q, %k : (!q, tensor<8x21xf32>) -> !s
  %1 = snippets.softmax %0 {axis = 1 : i64} : !s
  %2 = snippets.matmul %1, %v : (!s, tensor<21x8xf32>) -> !q
  func.return %2 : !q
}
"""


@pytest.fixture
def kernel() -> KernelOp:
    """Scores and softmax of 20 rows, which share memory, and exp of one row."""
    ctx = make_context()
    module = parse_module(ATTENTION, ctx)
    passes = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-allocate-buffers") + 1]
    graph = PIPELINES["snippets-to-lir"].replace("set-target", "set-target{target=generic}", 1)
    run_passes(module, ctx, parse_pipeline(f"{graph},{','.join(passes)}", ctx))
    (found,) = (op for op in module.ops if isinstance(op, KernelOp))
    return found


def buffers(kernel: KernelOp) -> list[BufferOp]:
    return [op for op in kernel.block.ops if isinstance(op, BufferOp)]


def test_the_softmax_lies_over_the_scores(kernel: KernelOp):
    scores, exponentials, softmax = buffers(kernel)
    assert scores.offset == softmax.offset
    assert scores.decided("cluster") == softmax.decided("cluster")
    assert exponentials.decided("cluster") != softmax.decided("cluster")
    verify_buffers(kernel)


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_that_later_iterations_read_are_not_overwritten(kernel: KernelOp, rows: int):
    softmax = buffers(kernel)[2]
    softmax.decide("offset", rows * 21 * 4)
    with pytest.raises(CompileError, match="R2"):
        verify_buffers(kernel)


def test_a_buffer_of_one_row_does_not_lie_over_the_scores(kernel: KernelOp):
    buffers(kernel)[1].decide("offset", 0)
    with pytest.raises(CompileError, match=r"R[12]"):
        verify_buffers(kernel)
