"""Calls of compiled programs: arrays by place and by name, outputs of the caller, wrong calls."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from add_program import ADD, X, Y, Z

import snippets_mlir


def test_calls():
    m = snippets_mlir.compile(ADD)
    result: Any = m(X, Y)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, Z)
    out = np.zeros_like(X)
    assert m(X, Y, out=out) is out
    np.testing.assert_array_equal(out, Z)
    out[...] = 0
    assert m(X, Y, out=[out]) is out
    np.testing.assert_array_equal(m.run({"y": Y, "x": X})["z"], Z)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (None, r"^inputs: expected arrays by name, found NoneType"),
        ([X, Y], r"^inputs: expected arrays by name, found list"),
        ({"x": X, 1: Y}, r"^inputs: expected names that are strings, found 1"),
    ],
)
def test_runs_without_names(arrays: Any, message: str):
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=message):
        m.run(arrays)
    with (
        snippets_mlir.compile_program(ADD, streams=1) as program,
        pytest.raises(TypeError, match=message),
    ):
        program.request().start(arrays)


def test_an_output_that_is_bytes():
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=r"^out: expected an array or .*, found memoryview"):
        m(X, Y, out=memoryview(m(X, Y)))


def test_lists_of_numbers_are_inputs():
    m = snippets_mlir.compile(ADD)
    np.testing.assert_array_equal(m(X.tolist(), Y.tolist()), Z)
    np.testing.assert_array_equal(m.run({"x": X, "y": Y.tolist()})["z"], Z)
    with snippets_mlir.compile_program(ADD, streams=1) as program:
        request = program.request()
        request.start({"x": X.tolist(), "y": Y})
        request.wait()
        np.testing.assert_array_equal(request["z"], Z)


def test_calls_that_are_wrong():
    m = snippets_mlir.compile(ADD)
    with pytest.raises(TypeError, match=r"expected 2 input\(s\) \('x', 'y'\), found 1"):
        m(X)
    with pytest.raises(TypeError, match=r"^input 'y': expected float32, found float64"):
        m(X, Y.astype(np.float64))
    with pytest.raises(ValueError, match=r"^input 'x': expected rank 2"):
        m(Y, Y)
    with pytest.raises(ValueError, match=r"^output 'z': overlaps input 'x' in memory"):
        m(x := X.copy(), Y, out=x)
    with pytest.raises(ValueError, match=r"^input 'z': no such input.*inputs are 'x', 'y'"):
        m.run({"x": X, "y": Y, "z": Y})
    with pytest.raises(ValueError, match=r"^input 'y': missing"):
        m.run({"x": X})
    long = snippets_mlir.compile(ADD.replace('"x"', '"hidden_state"'))
    with pytest.raises(ValueError, match="did you mean 'hidden_state'"):
        long.run({"hiden_state": X, "y": Y})


def test_several_outputs_are_a_tuple():
    text = """func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi1>) {
      %0 = snippets.abs %x : tensor<4xf32>
      %1 = snippets.is_nan %x : (tensor<4xf32>) -> tensor<4xi1>
      func.return %x, %0, %1 : tensor<4xf32>, tensor<4xf32>, tensor<4xi1>
    }"""
    x = np.array([-1, np.nan, -0.0, np.inf], np.float32)
    same, size, nan = snippets_mlir.compile(text)(x)
    np.testing.assert_array_equal(same, x)
    assert not np.shares_memory(same, x)
    np.testing.assert_array_equal(size, np.abs(x))
    np.testing.assert_array_equal(nan, np.isnan(x))


def test_no_kernel_no_input_no_output():
    constant = """func.func @main() -> tensor<2xf32> {
      %0 = snippets.constant dense<[1.0, -0.0]> : tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }"""
    first = snippets_mlir.compile(constant)()
    first[0] = 7
    np.testing.assert_array_equal(snippets_mlir.compile(constant)(), [1, -0.0])
    assert snippets_mlir.compile("func.func @main() {\n func.return\n}")() == ()


def test_the_code_lives_as_long_as_the_program():
    m = snippets_mlir.compile(ADD)
    gone = weakref.ref(m)
    call = m.__call__
    del m
    gc.collect()
    np.testing.assert_array_equal(call(X, Y), Z)
    del call
    gc.collect()
    assert gone() is None
