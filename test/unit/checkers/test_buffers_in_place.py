"""R1 and R2 for a buffer written over another one that loops beside those of the store read."""

from __future__ import annotations

import pytest

from snippets_mlir.checkers.linear_buffers import verify_buffers
from snippets_mlir.checkers.linear_motion import KernelMotion
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

ATTENTION = """
!q = tensor<20x8xf32>
!s = tensor<20x24xf32>
func.func @main(%q: !q, %k: tensor<8x24xf32>, %v: tensor<24x8xf32>) -> !q {
  %0 = snippets.matmul %q, %k : (!q, tensor<8x24xf32>) -> !s
  %1 = snippets.softmax %0 {axis = 1 : i64} : !s
  %2 = snippets.matmul %1, %v : (!s, tensor<24x8xf32>) -> !q
  func.return %2 : !q
}
"""


@pytest.fixture
def kernel() -> KernelOp:
    """Scores and softmax of 20 rows, which share memory, and exp of one row."""
    return kernel_of(ATTENTION, "generic")


def kernel_of(text: str, target: str) -> KernelOp:
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-allocate-buffers") + 1]
    graph = PIPELINES["snippets-to-lir"].replace("set-target", f"set-target{{target={target}}}", 1)
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
    verify_buffers(KernelMotion(kernel))


@pytest.mark.parametrize("rows", [1, 3])
def test_rows_that_later_iterations_read_are_not_overwritten(kernel: KernelOp, rows: int):
    softmax = buffers(kernel)[2]
    softmax.decide("offset", rows * 24 * 4)
    with pytest.raises(CompileError, match="R2"):
        verify_buffers(KernelMotion(kernel))


def test_a_buffer_of_one_row_does_not_lie_over_the_scores(kernel: KernelOp):
    buffers(kernel)[1].decide("offset", 0)
    with pytest.raises(CompileError, match=r"R[12]"):
        verify_buffers(KernelMotion(kernel))


def test_stripes_of_many_keys() -> None:
    """Rows of 2048 scores, which are read and written in stripes."""
    kernel = kernel_of(ATTENTION.replace("20x", "60x").replace("24", "2048"), "x86-64-avx512")
    verify_buffers(KernelMotion(kernel))
    scores, _, softmax = buffers(kernel)[-3:]
    assert scores.decided("cluster") == softmax.decided("cluster")
    softmax.decide("offset", 2048 * 4)
    with pytest.raises(CompileError, match="R2"):
        verify_buffers(KernelMotion(kernel))
