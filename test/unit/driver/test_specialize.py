"""Copies of a function for the shapes of a call."""

import pytest

from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.diagnostics import verify_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module


def specialized(text: str, *shapes: tuple[int, ...]) -> str:
    module = parse_module(text, make_context(), "test.mlir")
    before = print_module(module)
    result = specialize(module, "main", shapes)
    verify_module(result)
    assert print_module(module) == before
    return print_module(result)


def test_result_types_follow_the_inputs():
    text = specialized(
        """func.func @main(%x: tensor<?x8xf32> {snippets.name = "x"}, %y: tensor<8xf32>)
        -> tensor<?x8xi1> {
          %0 = snippets.add %x, %y : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
          %1 = snippets.is_nan %0 : (tensor<?x8xf32>) -> tensor<?x8xi1>
          func.return %1 : tensor<?x8xi1>
        }""",
        (3, 8),
        (8,),
    )
    assert "?" not in text
    assert '%x: tensor<3x8xf32> {snippets.name = "x"}' in text
    assert "-> tensor<3x8xi1>" in text


def test_broadcasts_and_reshapes_with_one_unknown():
    text = specialized(
        """func.func @main(%x: tensor<?x1xf32>) -> tensor<?xf32> {
          %0 = snippets.broadcast %x : (tensor<?x1xf32>) -> tensor<2x?x4xf32>
          %1 = snippets.reshape %0 : (tensor<2x?x4xf32>) -> tensor<?xf32>
          func.return %1 : tensor<?xf32>
        }""",
        (3, 1),
    )
    assert "tensor<2x3x4xf32>" in text
    assert "tensor<24xf32>" in text


def test_a_subgraph_is_specialised_with_its_body():
    text = specialized(
        """func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
          %0 = snippets.subgraph (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
            %1 = snippets.exp %a : tensor<?xf32>
            snippets.yield %1 : tensor<?xf32>
          }
          func.return %0 : tensor<?xf32>
        }""",
        (0,),
    )
    assert "?" not in text
    assert "snippets.exp %a : tensor<0xf32>" in text


@pytest.mark.parametrize(
    ("body", "shapes", "message"),
    [
        (
            "%0 = snippets.add %x, %y : tensor<?xf32>",
            [(2,), (3,)],
            "does not follow from operands of shape 2, 3",
        ),
        (
            "%0 = snippets.reshape %x : (tensor<?xf32>) -> tensor<?x2xf32>",
            [(3,), (3,)],
            "does not follow",
        ),
        (
            "%0 = snippets.reshape %x : (tensor<?xf32>) -> tensor<?x?xf32>",
            [(4,), (4,)],
            "does not follow",
        ),
        (
            '%0 = onnx.node "NonZero"(%x) {domain = "", version = 13 : i64} : '
            "(tensor<?xf32>) -> tensor<?xi64>",
            [(4,), (4,)],
            "onnx.node: the result's shape does not follow",
        ),
    ],
)
def test_what_does_not_follow_is_an_error_with_a_position(
    body: str, shapes: list[tuple[int, ...]], message: str
):
    text = f"""func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) {{
      {body}
      func.return
    }}"""
    with pytest.raises(CompileError, match=message) as caught:
        specialized(text, *shapes)
    assert (caught.value.file, caught.value.line) == ("test.mlir", 2)


def test_ops_that_read_whole_tensors():
    text = specialized(
        """func.func @main(%x: tensor<?x?x4xf32>, %s: tensor<?xf32>) -> tensor<?x1xf32> {
          %0 = snippets.layer_norm %x, %s {axis = 2 : i64, epsilon = 1.0e-5 : f32}
             : (tensor<?x?x4xf32>, tensor<?xf32>) -> tensor<?x?x4xf32>
          %1 = snippets.transpose %0 {permutation = array<i64: 1, 2, 0>}
             : (tensor<?x?x4xf32>) -> tensor<?x4x?xf32>
          %2 = snippets.reduce_sum %1 {axes = array<i64: 1>, keep_dims}
             : (tensor<?x4x?xf32>) -> tensor<?x1x?xf32>
          %3 = snippets.squeeze %2 {axes = array<i64: 2>}
             : (tensor<?x1x?xf32>) -> tensor<?x1xf32>
          %4 = snippets.unsqueeze %3 {axes = array<i64: 0>}
             : (tensor<?x1xf32>) -> tensor<1x?x1xf32>
          func.return %3 : tensor<?x1xf32>
        }""",
        (1, 5, 4),
        (4,),
    )
    assert "?" not in text
    for part in ("tensor<5x4x1xf32>", "tensor<5x1x1xf32>", "-> tensor<1x5x1xf32>"):
        assert part in text


@pytest.mark.parametrize(
    ("op", "message"),
    [
        (
            "snippets.squeeze %x {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<?xf32>",
            "C7: snippets.squeeze expects axes of size 1, found 2x3",
        ),
        (
            "snippets.squeeze %x {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<3xf32>",
            "C7: snippets.squeeze expects axes of size 1, found 2x3",
        ),
        (
            "snippets.reshape %x : (tensor<?x?xf32>) -> tensor<5xf32>",
            "C5: snippets.reshape expects a result of 6 elements, found 5",
        ),
        (
            "snippets.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x?xf32>) -> tensor<4xf32>",
            "C5: snippets.reduce_sum expects a result of shape 3, found 4",
        ),
        (
            "snippets.rms_norm %x, %s {axis = 1 : i64, epsilon = 0.0 : f32} "
            ": (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>",
            "C8: snippets.rms_norm expects parameters that broadcast to 2x3, found 2",
        ),
    ],
)
def test_sizes_that_break_a_constraint_of_an_op(op: str, message: str):
    result = op.rpartition("-> ")[2]
    with pytest.raises(CompileError, match=message) as caught:
        specialized(
            f"func.func @main(%x: tensor<?x?xf32>, %s: tensor<?xf32>) -> {result} {{\n"
            f"  %0 = {op}\n  func.return %0 : {result}\n}}",
            (2, 3),
            (2,),
        )
    assert caught.value.line == 2
