"""Decoders whose cache has no rows before the first tokens: kernels take such a call, too."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest

import snippets_mlir
from snippets_mlir.driver.cache import stored_shared
from snippets_mlir.driver.onnx import one_session

F32 = np.float32
FORBIDDEN = 0
UNREADABLE = mmap.mmap(-1, 3 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE, prot=FORBIDDEN)
"""The memory around empty inputs: a kernel that reads it ends the process."""

ATTENTION = """
    <ir_version: 10, opset_import: ["" : 20]>
    g (float[b, 2, s, 16] x, float[b, 2, p, 16] past)
        => (float[b, 2, s, 16] y, float[b, 2, q, 16] keys) {
        joined = Concat <axis = 2> (past, x)
        keys = Identity (joined)
        k = Transpose <perm = [0, 1, 3, 2]> (joined)
        scores = MatMul (x, k)
        weights = Softmax <axis = -1> (scores)
        z = MatMul (weights, joined)
        y = Sigmoid (z)
    }"""
REDUCED = """
    <ir_version: 10, opset_import: ["" : 20]>
    g (float[2, s, 16] x, float[2, p, 16] past) => (float[2, s, 16] y, float[2, q, 16] keys) {
        keys = Concat <axis = 1> (past, x)
        axes = Constant <value_ints = [1]> ()
        total = ReduceSum (past, axes)
        y = Add (x, total)
    }"""
CAST = """
    <ir_version: 10, opset_import: ["" : 20]>
    g (float[2, s, 16] x, float[2, p, 16] past) => (float[2, q, 16] keys, float[2, p, 16] r) {
        r = Relu (past)
        keys = Concat <axis = 1> (r, x)
    }"""
"""Kernels compute from the empty input; its rows are an output."""


def feeds(rank: int, rows: int, past: int, batch: int = 2) -> list[np.ndarray]:
    random = np.random.default_rng(rows + past)
    lead = (batch, 2) if rank == 4 else (2,)
    found = [random.standard_normal((*lead, n, 16)).astype(F32) for n in (rows, past)]
    if past == 0:
        found[1] = np.ndarray((*lead, 0, 16), F32, UNREADABLE, mmap.PAGESIZE)
    return found


def checked(program: Any, model: onnx.ModelProto, *arrays: np.ndarray) -> None:
    session: Any = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    names = [i.name for i in session.get_inputs()]
    expected = session.run(None, dict(zip(names, arrays, strict=True)))
    for found, right in zip(program(*arrays), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=2e-5, atol=2e-5, strict=True)


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(*_: object, **__: object) -> None:
        raise AssertionError("the whole model was opened")

    for module in (one_session, stored_shared):
        monkeypatch.setattr(module, "session_beside_kernels", opened)


CALLS = [(5, 0), (1, 5), (1, 6), (1, 7), (17, 0), (1, 17), (3, 0), (1, 1)]


@pytest.mark.usefixtures("no_session")
@pytest.mark.parametrize("options", [{}, {"num_threads": 2}])
def test_kernels_take_calls_with_an_empty_cache(options: dict[str, Any]):
    model = onnx.parser.parse_model(ATTENTION)
    program = snippets_mlir.compile(model, mark_skipped="none", **options)
    for rows, past in CALLS * 2:
        for batch in (1, 2):
            checked(program, model, *feeds(4, rows, past, batch))
            assert program.kernels
    assert program.compile_count == 1


@pytest.mark.usefixtures("programs", "no_session")
def test_a_program_from_the_cache_takes_them():
    model = onnx.parser.parse_model(ATTENTION)
    for known in (None, "shared"):
        program = snippets_mlir.compile(model, mark_skipped="none")
        assert program.from_cache == known
        for rows, past in CALLS:
            checked(program, model, *feeds(4, rows, past))
            assert program.kernels


@pytest.mark.parametrize("text", [REDUCED, CAST])
def test_other_readers_of_an_empty_input_run_as_one_session(text: str):
    model = onnx.parser.parse_model(text)
    program = snippets_mlir.compile(model, mark_skipped="none")
    for rows, past in CALLS:
        checked(program, model, *feeds(3, rows, past))
        assert bool(program.kernels) == (past > 0)


def test_no_new_rows_run_as_one_session():
    model = onnx.parser.parse_model(ATTENTION)
    program = snippets_mlir.compile(model, mark_skipped="none")
    for rows, past in ((1, 4), (0, 4), (2, 4)):
        checked(program, model, *feeds(4, rows, past))
        assert bool(program.kernels) == (rows > 0)
