"""The interpreter: what it computes, and what it refuses."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation

from snippets_mlir.interpreter import Interpreter, OpaqueHandler
from snippets_mlir.interpreter.machine import MAX_DEPTH
from snippets_mlir.interpreter.registry import handler_table
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
ONES = np.ones(4, np.float32)


def interpreter(text: str, **handlers: OpaqueHandler) -> Interpreter:
    ctx = make_context(allow_unregistered=True)
    named = {name.replace("_", ".", 1): handler for name, handler in handlers.items()}
    return Interpreter(parse_module(text, ctx, "test.mlir"), named)


def run(text: str, *arrays: Any) -> tuple[Array, ...]:
    return interpreter(text).run("main", arrays)


IDENTITY = """
func.func @main(%x: tensor<4xf32> {snippets.name = "data"}) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
"""


def test_every_op_of_the_dialect_but_the_terminator_has_a_handler() -> None:
    from snippets_mlir.dialects.snippets import Snippets

    names = {op.name for op in Snippets.operations}
    assert names - set(handler_table()) == {"snippets.yield"}


def test_a_function_with_broadcasting_and_several_results() -> None:
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 2, 4], np.float32)
    total, flags = run(
        """
        func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>)
            -> (tensor<2x3xf32>, tensor<2x3xi1>) {
          %half = snippets.scalar 0.5 : f32
          %0 = snippets.multiply %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
          %1 = snippets.add %0, %half : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
          %2 = snippets.less %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
          func.return %1, %2 : tensor<2x3xf32>, tensor<2x3xi1>
        }
        """,
        x,
        y,
    )
    np.testing.assert_array_equal(total, x * y + np.float32(0.5))
    np.testing.assert_array_equal(flags, x < y)


def test_subgraphs_and_calls() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %w = snippets.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %0, %1 = snippets.subgraph (%a = %x, %b = %w) :
          (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
        %2 = snippets.add %a, %b : tensor<4xf32>
        %3 = snippets.negative %2 : tensor<4xf32>
        snippets.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
      }
      %4 = func.call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0, %4 : tensor<4xf32>, tensor<4xf32>
    }
    func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.add %x, %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    """
    first, second = run(text, ONES)
    assert first.tolist() == [2, 3, 4, 5]
    assert second.tolist() == [-4, -6, -8, -10]


def test_rank_zero_empty_and_dynamic_arrays() -> None:
    text = """
    func.func @main(%x: tensor<?x3xf32>, %s: tensor<f32>) -> tensor<?x3xf32> {
      %0 = snippets.add %x, %s : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
      func.return %0 : tensor<?x3xf32>
    }
    """
    for rows in (0, 1, 5):
        (found,) = run(text, np.ones((rows, 3), np.float32), np.array(2, np.float32))
        np.testing.assert_array_equal(found, np.full((rows, 3), 3, np.float32))


def test_results_are_fresh_and_arguments_unchanged() -> None:
    x = ONES.copy()
    (found,) = run(IDENTITY, x)
    found[:] = 7
    assert x.tolist() == [1, 1, 1, 1]


def test_a_constant_by_reference_is_read_and_checked(tmp_path: Path) -> None:
    weights = np.array([1, 2, 3, 4], np.float32)
    np.save(tmp_path / "w.npy", weights)
    digest = hashlib.sha256(weights.tobytes()).hexdigest()
    text = """
    func.func @main() -> tensor<%sxf32> {
      %%0 = snippets.constant #snippets.resource<"%s", "", "%s"> : tensor<%sxf32>
      func.return %%0 : tensor<%sxf32>
    }
    """
    path = tmp_path / "w.npy"
    (found,) = run(text % (4, path, digest, 4, 4))
    assert found.tolist() == [1, 2, 3, 4]
    with pytest.raises(CompileError, match=r"test\.mlir:3:.*expected shape 5, found 4"):
        run(text % (5, path, digest, 5, 5))
    with pytest.raises(CompileError, match="sha256"):
        run(text % (4, path, "0" * 64, 4, 4))
    with pytest.raises(CompileError, match="does not exist"):
        run(text % (4, tmp_path / "absent.npy", digest, 4, 4))


OPAQUE = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "onnx.thing"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""


def test_handlers_execute_opaque_ops() -> None:
    def double(op: Operation, operands: Sequence[Array]) -> Sequence[Array]:
        assert op.results[0].type == op.operands[0].type
        return [operands[0] * np.float32(2)]

    assert interpreter(OPAQUE, onnx_thing=double).run("main", [ONES])[0].tolist() == [2] * 4


def test_results_of_handlers_are_checked() -> None:
    wrong: dict[str, OpaqueHandler] = {
        "expected dtype float32, found float64": lambda op, x: [x[0] * np.float64(2)],
        "expected shape 4, found 2": lambda op, x: [x[0][:2]],
        "expected an array, found float": lambda op, x: [1.0],
        "has 1 results, its handler gave 2": lambda op, x: [x[0], x[0]],
    }
    for message, handler in wrong.items():
        with pytest.raises(CompileError, match=message):
            interpreter(OPAQUE, onnx_thing=handler).run("main", [ONES])


def test_handlers_cannot_change_arguments() -> None:
    def clear(op: Operation, operands: Sequence[Array]) -> Sequence[Array]:
        operands[0][:] = 0
        return operands

    with pytest.raises(ValueError, match="read-only"):
        interpreter(OPAQUE, onnx_thing=clear).run("main", [ONES])


def test_ops_without_a_handler_are_named_with_their_place() -> None:
    with pytest.raises(CompileError, match=r"test\.mlir:3:.*no handler for .*onnx\.thing"):
        run(OPAQUE, ONES)


def test_handlers_do_not_replace_the_interpreters_own() -> None:
    with pytest.raises(ValueError, match=r"executes snippets\.add itself"):
        interpreter(IDENTITY, snippets_add=lambda op, x: x)


def test_arguments_are_checked() -> None:
    with pytest.raises(TypeError, match="expects 1 arrays, found 2"):
        run(IDENTITY, ONES, ONES)
    with pytest.raises(TypeError, match="input 'data': expected dtype float32, found float64"):
        run(IDENTITY, ONES.astype(np.float64))
    with pytest.raises(TypeError, match="input 'data': expected dtype float32, found >f4"):
        run(IDENTITY, ONES.astype(">f4"))
    with pytest.raises(TypeError, match="input 'data': expected a NumPy array, found list"):
        run(IDENTITY, [1.0] * 4)
    with pytest.raises(ValueError, match="input 'data': expected shape 4, found 2x2"):
        run(IDENTITY, ONES.reshape(2, 2))


def test_names_of_functions_are_checked() -> None:
    with pytest.raises(CompileError, match="no function mian; did you mean main"):
        interpreter(IDENTITY).run("mian", [ONES])
    text = "func.func private @main(tensor<4xf32>) -> tensor<4xf32>"
    with pytest.raises(CompileError, match="function main has no body"):
        run(text, ONES)


def test_endless_recursion_ends() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    """
    with pytest.raises(CompileError, match=f"more than {MAX_DEPTH} calls"):
        run(text, ONES)


def test_branches_are_followed() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %true = arith.constant true
      cf.cond_br %true, ^left(%x : tensor<4xf32>), ^right(%y : tensor<4xf32>)
    ^left(%a: tensor<4xf32>):
      cf.br ^end(%a : tensor<4xf32>)
    ^right(%b: tensor<4xf32>):
      cf.br ^end(%b : tensor<4xf32>)
    ^end(%r: tensor<4xf32>):
      func.return %r : tensor<4xf32>
    }
    """
    assert run(text, ONES, 2 * ONES)[0].tolist() == [1] * 4


def test_invalid_modules_are_refused() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<5xf32> {
      %0 = "snippets.exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
      func.return %0 : tensor<5xf32>
    }
    """
    with pytest.raises(CompileError, match="C5"):
        run(text, ONES)
    # Whoever says that a module is verified gets what its ops compute.
    module = parse_module(text.replace("5xf32", "4xf32"), make_context())
    (exp,) = (op for op in module.walk() if op.name == "snippets.exp")
    exp.results[0]._type = TensorType(f32, [5])  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(CompileError, match="C5"):
        Interpreter(module)
    assert Interpreter(module, verify=False).module is module


def test_values_are_not_used_before_they_are_made() -> None:
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.exp %1 : tensor<4xf32>
      %1 = snippets.exp %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    """
    with pytest.raises(CompileError, match=r"test\.mlir:3:.*operand 0 before it has a value"):
        run(text, ONES)


def test_shapes_that_only_contradict_at_run_time_are_refused() -> None:
    text = """
    func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      %0 = snippets.add %x, %y : tensor<?xf32>
      func.return %0 : tensor<?xf32>
    }
    """
    with pytest.raises(CompileError, match=r"test\.mlir:3:.*2, 3"):
        run(text, np.ones(2, np.float32), np.ones(3, np.float32))
