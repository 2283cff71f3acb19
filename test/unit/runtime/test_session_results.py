"""Results of sessions in memory that onnxruntime takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.analysis.memory.happens_before import Life
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.engine.taken_results import Wanted
from snippets_mlir.runtime.memory.session_results import LARGE, apart_of

CHANNELS, SIDE, BLOCK = 4, 64, 8
IMAGE = CHANNELS * SIDE * SIDE * 4
"""Bytes of an image, of which 16 are 1 MiB."""


def test_a_result_that_the_arena_is_smaller_without():
    """Kernel, session, kernel: the values of the kernels share a place."""
    lives = [Life(0, (1,)), Life(1, (2,)), Life(2, (3,))]
    sizes = [LARGE, 2 * LARGE, 2 * LARGE]
    assert apart_of(sizes, lives, {1}) == (1,)


def test_a_result_whose_place_others_use():
    lives = [Life(0, (1,)), Life(1, (2,)), Life(2, (3,)), Life(3, (4,))]
    assert apart_of([LARGE] * 4, lives, {1, 3}) == ()


def test_small_results_and_those_of_kernels_stay():
    lives = [Life(0, (1,)), Life(1, (2,))]
    assert apart_of([LARGE, LARGE - 64], lives, {1}) == ()
    assert apart_of([LARGE, LARGE], lives, ()) == ()


def test_an_arena_that_becomes_smaller_by_half_of_it():
    """Without the result, 2 of the 4 MiB that are live at step 3 are the largest sum."""
    lives = [Life(0, (1,)), Life(1, (2,)), Life(3, (4,)), Life(3, (4,))]
    sizes = [2 * LARGE, 2 * LARGE, LARGE, 2 * LARGE]
    assert apart_of(sizes, lives, {1}) == ()


def _model() -> bytes:
    """A kernel, a session, a kernel that reads its result, and a session when that is dead."""
    sizes = {"x": SIDE, "y": SIDE, "z": SIDE // BLOCK}
    x, *outputs = (
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", CHANNELS, size, size])
        for name, size in sizes.items()
    )
    window, block = [3, 3], [BLOCK, BLOCK]
    nodes = [
        helper.make_node("Tanh", ["x"], ["a"]),
        helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=window, auto_pad="SAME_UPPER"),
        helper.make_node("Neg", ["b"], ["y"]),
        helper.make_node("AveragePool", ["y"], ["z"], kernel_shape=block, strides=block),
    ]
    graph = helper.make_graph(nodes, "g", [x], outputs)
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def _expected(x: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    a = np.tanh(x.astype(np.float64))
    padded = np.pad(a, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-np.inf)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    y = -windows.max((-1, -2))
    blocks = y.reshape(len(x), CHANNELS, SIDE // BLOCK, BLOCK, SIDE // BLOCK, BLOCK)
    return [y, blocks.mean((3, 5))]


@pytest.fixture(scope="module")
def program() -> Compiled:
    return snippets_mlir.compile(_model(), num_threads=2, mark_skipped="none")


def _sessions(program: Compiled) -> list[Session]:
    """The sessions of all builds of a program."""
    assert isinstance(program, TensorProgram)
    executors = [e for b in program.known_builds() for e in b.program.executors.values()]
    return [*dict.fromkeys(e for e in executors if isinstance(e, Session))]


def _call(program: Compiled, count: int, seed: int) -> None:
    x = np.random.default_rng(seed).standard_normal((count, CHANNELS, SIDE, SIDE))
    x = x.astype(np.float32)
    for found, wanted in zip(program(x), _expected(x), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_calls_with_and_without_a_place_in_the_arena(program: Compiled):
    """In turns, each shape three times: in Python, in a network, and by the direct call."""
    for turn in range(3):
        for count in (1, 32, 2, 40, 33):
            _call(program, count, turn)
    kinds = [step["kind"] for step in program.manifest["steps"]]
    assert kinds == ["kernel", "execute", "kernel", "execute"]


def test_the_arena_has_no_place_for_it():
    with snippets_mlir.compile_program(_model(), streams=1, mark_skipped="none") as parts:
        network = parts.network()
        for count, places in ((32, 1), (1, 2), (32, 1)):
            x = np.full((count, CHANNELS, SIDE, SIDE), 0.5, np.float32)
            network.set_input("x", x)
            network.execute()
            for name, wanted in zip("yz", _expected(x), strict=True):
                np.testing.assert_allclose(network.output(name), wanted, rtol=1e-5)
            text = str(network.execution_graph())
            assert text.count('"arena [') == places, text


def test_a_session_that_cannot_be_bound(program: Compiled, monkeypatch: pytest.MonkeyPatch):
    """Its results are copied into memory of the step."""

    def refuse(*_: object) -> None:
        raise RuntimeError

    _call(program, 36, 0)
    for session in _sessions(program):
        assert session.bound is not None
        monkeypatch.setattr(session, "bound", (session.bound[0], refuse))
    for turn in range(3):
        _call(program, 36, turn)


def test_a_result_of_another_shape_is_not_taken(program: Compiled):
    _call(program, 1, 0)
    session = next(s for s in _sessions(program) if s.outputs == ("b",))
    x = np.ones((2, CHANNELS, SIDE, SIDE), np.float32)
    made = session.run_into([x], [Wanted(x.shape, x.dtype)])
    assert made is not None
    np.testing.assert_array_equal(made[0], x)
    for shape, dtype in (((2, CHANNELS, SIDE, 1), "float32"), (x.shape, "int32")):
        assert session.run_into([x], [Wanted(shape, np.dtype(dtype))]) is None
