"""The short way through a call: taken when nothing needs care, left in every other case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.runtime.direct import direct_call
from snippets_mlir.runtime.threads import SHARED_BYTES, team_for

TEXT = """
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<4x5xi1>) {
  %0 = snippets.add %x, %y : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %1 = snippets.greater %0, %x : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xi1>
  func.return %0, %1 : tensor<4x5xf32>, tensor<4x5xi1>
}
"""

Array = np.ndarray[Any, Any]


@pytest.fixture(scope="module")
def compiled() -> Any:
    return snippets_mlir.compile(TEXT, fallback="error")


@pytest.fixture(scope="module")
def direct(compiled: Any) -> Any:
    found = direct_call(compiled.built().program, compiled.inputs, compiled.outputs)
    assert found is not None
    return found


def _arrays() -> tuple[Array, Array, Array, Array]:
    x = np.arange(20, dtype=np.float32).reshape(4, 5)
    y = np.array([-1, 0, 1, np.nan, np.inf], np.float32)
    return x, y, np.zeros((4, 5), np.float32), np.zeros((4, 5), np.bool_)


def test_it_computes_the_same(compiled: Any, direct: Any) -> None:
    x, y, total, larger = _arrays()
    assert direct((x, y), (total, larger))
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(larger, x + y > x)
    results = compiled(x, y, out=[total, larger])
    assert results[0] is total
    assert results[1] is larger


def test_fresh_outputs_belong_to_the_caller(compiled: Any) -> None:
    x, y, _, _ = _arrays()
    first, _ = compiled(x, y)
    kept = first.copy()
    second, _ = compiled(x + 1, y)
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(second, x + 1 + y)
    assert not np.shares_memory(first, second)


CASES: dict[str, Callable[[Array, Array, Array, Array], tuple[Any, Any, Any, Any]]] = {
    "a list as input": lambda x, y, t, g: (x, y.tolist(), t, g),
    "another type": lambda x, y, t, g: (x.astype(np.float64), y, t, g),
    "another shape": lambda x, y, t, g: (x[:3], y, t, g),
    "a strided input": lambda x, y, t, g: (np.asfortranarray(x), y, t, g),
    "an unaligned input": lambda x, y, t, g: (_unaligned(x), y, t, g),
    "a byte-swapped input": lambda x, y, t, g: (x.astype(">f4"), y, t, g),
    "a strided output": lambda x, y, t, g: (x, y, np.asfortranarray(t), g),
    "a read-only output": lambda x, y, t, g: (x, y, _frozen(t), g),
    "an output that is an input": lambda x, y, t, g: (x, y, x, g),
    "a subclass": lambda x, y, t, g: (np.ma.masked_array(x), y, t, g),
}


def _unaligned(array: Array) -> Array:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    copy = raw[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("case", CASES)
def test_it_leaves_what_needs_care(direct: Any, case: str) -> None:
    x, y, total, larger = CASES[case](*_arrays())
    assert not direct((x, y), (total, larger))


def test_a_wrong_number_of_arrays_is_left(compiled: Any, direct: Any) -> None:
    x, y, total, larger = _arrays()
    assert not direct((x,), (total, larger))
    assert not direct((x, y), total)
    with pytest.raises(TypeError, match=r"expected 2 input\(s\)"):
        compiled(x, out=(total, larger))


def test_programs_of_more_than_one_kernel_have_no_short_way() -> None:
    text = TEXT.replace("func.return %0", "func.return %x")
    compiled = snippets_mlir.compile(text, fallback="error")
    program = compiled.built().program
    assert direct_call(program, compiled.inputs, compiled.outputs) is None


def test_small_kernels_stay_on_one_thread() -> None:
    assert team_for(0, 4) == 1
    assert team_for(SHARED_BYTES - 1, 4) == 1
    assert team_for(SHARED_BYTES, 4) == 4
    small = snippets_mlir.compile(TEXT, fallback="error", num_threads=4)
    assert small.built().program.teams == [1]
    large = snippets_mlir.compile(TEXT.replace("4x5x", "4000x5x"), fallback="error", num_threads=4)
    assert large.built().program.teams == [4]
