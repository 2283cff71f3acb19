"""Static sizes above 2^30, arrays that nothing can hold, and questions that sizes do not decide."""

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.dialects.builtin.dims import Dim, symbol
from snippets_mlir.driver.dynamic.undecided import VARIABLE
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passes.lir import lir_mark_loops
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import UndecidedError
from snippets_mlir.support.parsing import parse_module

LARGE = (1 << 31) + 3

ROWS = """func.func @main(%x: tensor<?x3xf32>, %b: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = snippets.add %x, %b : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  func.return %0 : tensor<?x3xf32>
}"""


def llvm_text(text: str) -> str:
    ctx = make_context()
    module = parse_module(text, ctx)
    pipeline = "snippets-set-target{target=generic threads=2},snippets-to-llvm"
    run_passes(module, ctx, parse_pipeline(pipeline, ctx), verify_each=True)
    return emit_llvm(module)


@pytest.mark.parametrize("element", ["i32", "f32"])
def test_a_long_vector(element: str):
    text = llvm_text(
        f"""func.func @main(%x: tensor<{LARGE}x{element}>, %y: tensor<2x{LARGE}x{element}>)
            -> tensor<2x{LARGE}x{element}> {{
          %0 = snippets.add %x, %y :
            (tensor<{LARGE}x{element}>, tensor<2x{LARGE}x{element}>) -> tensor<2x{LARGE}x{element}>
          func.return %0 : tensor<2x{LARGE}x{element}>
        }}"""
    )
    assert str(LARGE) in text


def test_a_prime_above_2_to_the_30_is_a_number():
    text = llvm_text(
        """func.func @main(%x: tensor<1073741827x3xf32>) -> tensor<3xf32> {
          %0 = snippets.reduce_sum %x {axes = array<i64: 0>} :
            (tensor<1073741827x3xf32>) -> tensor<3xf32>
          func.return %0 : tensor<3xf32>
        }"""
    )
    assert "1073741" in text


def test_an_array_that_nothing_can_hold():
    text = ROWS.replace("?", str(1 << 61))
    with pytest.raises(CompileError, match=r"fewer than 2\^63 bytes, found"):
        snippets_mlir.compile(text)


def refuse(op: object) -> tuple[Dim, ...]:
    raise UndecidedError("?0 < 4", "here.py:1")


def test_a_question_without_an_answer_compiles_for_each_shape(monkeypatch: pytest.MonkeyPatch):
    """The one place that catches it: the first template asks, code for each shape does not."""
    asked: list[object] = []
    walked = lir_mark_loops.walked

    def ask(op: object) -> tuple[Dim, ...]:
        shape = walked(op)  # pyright: ignore[reportArgumentType]
        if symbol(0) in shape:
            asked.append(op)
            return refuse(op)
        return shape

    monkeypatch.setattr(lir_mark_loops, "walked", ask)
    x, b = np.ones((5, 3), np.float32), np.ones(3, np.float32)
    with pytest.raises(UndecidedError):
        snippets_mlir.compile(ROWS)(x, b)
    monkeypatch.delenv(VARIABLE)
    program = snippets_mlir.compile(ROWS)
    np.testing.assert_array_equal(program(x, b), x + b)
    assert len(asked) == 2
    assert program.per_shape == "dynamic dimensions do not decide ?0 < 4, asked at here.py:1"
