"""Checks of indices: an error for one that is outside, whatever runs the program."""

from __future__ import annotations

import random
from copy import deepcopy
from ctypes import CFUNCTYPE, c_int64, c_void_p
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.codegen.stubs.objects import INDEX_TYPES, OUTSIDE, stub_object
from snippets_mlir.dialects.builtin.index_bounds import checked_indices
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.runtime.arguments.arrays import address_of
from snippets_mlir.runtime.manifests.laws import check_manifest
from snippets_mlir.support.errors import PlaceError
from snippets_mlir.support.parsing import parse_module

Array = np.ndarray[Any, Any]

ROWS = """func.func @main(%x: tensor<{rows}x5xf32>, %i: tensor<{places}x{type}>)
    -> tensor<{places}x5xf32> {{
  %c = snippets.check_indices %i, %x {{axis = 0 : i64{mode}}}
    : (tensor<{places}x{type}>, tensor<{rows}x5xf32>) -> tensor<{places}x{type}>
  %0 = snippets.gather %x, %c {{axis = 0 : i64{mode}}}
    : (tensor<{rows}x5xf32>, tensor<{places}x{type}>) -> tensor<{places}x5xf32>
  %1 = snippets.negative %0 : tensor<{places}x5xf32>
  func.return %1 : tensor<{places}x5xf32>
}}"""


def rows_of(
    rows: int | str = 9, places: int | str = 3, type: str = "i64", from_end: bool = True
) -> str:
    """A program that negates rows of a table."""
    mode = ", from_end" if from_end else ""
    return ROWS.format(rows=rows, places=places, type=type, mode=mode)


def table(rows: int = 9) -> Array:
    return np.arange(5 * rows, dtype=np.float32).reshape(rows, 5) + 1


def refuses(call: Any, index: int, size: int = 9) -> None:
    """The error says which index is outside of what, and is an IndexError, too."""
    message = f"index {index} is out of bounds for axis 0 with size {size}"
    for kind in (IndexError, snippets_mlir.CompileError):
        with pytest.raises(kind, match=message):
            call()


@pytest.mark.parametrize("type", ["i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"])
@pytest.mark.parametrize("from_end", [False, True])
def test_indices_of_every_type(type: str, from_end: bool) -> None:
    """The first call runs in Python, the others in machine code; an error leaves nothing behind."""
    unsigned = type[0] == "u"
    dtype = np.dtype(("uint" if unsigned else "int") + type.lstrip("ui"))
    compiled = snippets_mlir.compile(rows_of(type=type, from_end=from_end))
    x, extremes = table(), np.iinfo(dtype)
    inside = [[0, 8, 3], [8, 8, 8], *([] if unsigned or not from_end else [[-9, -1, 8]])]
    outside = [9, extremes.max, *([] if unsigned else [extremes.min, -10 if from_end else -1])]
    for _ in range(3):
        for i in inside:
            np.testing.assert_array_equal(compiled(x, np.array(i, dtype)), -x[i])
        for wrong in outside:
            refuses(lambda wrong=wrong: compiled(x, np.array([0, wrong, 8], dtype)), wrong)
    assert compiled.manifest["steps"][0]["kind"] == "check"


def test_programs_with_nothing_to_read() -> None:
    """No indices are right for every table, and no index for one without rows."""
    compiled = snippets_mlir.compile(rows_of("?", "?"))
    for _ in range(2):
        for rows in (0, 1, 9):
            assert compiled(table(rows), np.zeros(0, np.int64)).shape == (0, 5)
        for wrong in (0, -1):
            with pytest.raises(snippets_mlir.CompileError):
                compiled(table(0), np.full(2, wrong))


def test_sizes_of_the_call_need_one_program() -> None:
    compiled = snippets_mlir.compile(rows_of("?", "?"))
    for rows, count in [(9, 3), (7, 2), (2, 40), (100, 5), (7, 2), (3, 300)]:
        x, i = table(rows), np.arange(count) % (2 * rows) - rows
        np.testing.assert_array_equal(compiled(x, i), -x[i])
        i[count // 2] = rows
        refuses(lambda x=x, i=i: compiled(x, i), rows, rows)
        i[count // 2] = -rows - 1
        refuses(lambda x=x, i=i: compiled(x, i), -rows - 1, rows)
    assert (compiled.compiled_times, compiled.per_shape) == (1, None)


def test_a_program_from_the_cache_checks(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    for text in (rows_of(places=6), rows_of("?", "?")):
        for _ in range(2):
            compiled = snippets_mlir.compile(text)
            x, i = table(), np.arange(6)
            for _ in range(3):
                np.testing.assert_array_equal(compiled(x, i), -x[i])
                refuses(lambda x=x, i=i: compiled(x, i + 4), 9)


@pytest.mark.parametrize("threads", [1, 2])
def test_large_tables_and_threads(threads: int) -> None:
    """The interpreter's lock is given up, kernels have teams, and the check is between them."""
    text = """func.func @main(%x: tensor<5000x64xf32>, %i: tensor<4096xi32>) -> tensor<4096x64xf32> {
      %e = snippets.exp %x : tensor<5000x64xf32>
      %j = snippets.add %i, %i : tensor<4096xi32>
      %c = snippets.check_indices %j, %e {axis = 0 : i64, from_end} : (tensor<4096xi32>, tensor<5000x64xf32>) -> tensor<4096xi32>
      %0 = snippets.gather %e, %c {axis = 0 : i64, from_end} : (tensor<5000x64xf32>, tensor<4096xi32>) -> tensor<4096x64xf32>
      %1 = snippets.negative %0 : tensor<4096x64xf32>
      func.return %1 : tensor<4096x64xf32>
    }"""  # noqa: E501
    compiled = snippets_mlir.compile(text, num_threads=threads)
    rng = np.random.default_rng(0)
    x = rng.random((5000, 64), np.float32)
    for _ in range(3):
        i = rng.integers(-2500, 2500, 4096, np.int32)
        np.testing.assert_allclose(compiled(x, i), -np.exp(x[2 * i]), 1e-5)
        i[4095] = 2500
        refuses(lambda i=i: compiled(x, i), 5000, 5000)


def test_requests_and_streams() -> None:
    x, i = table(), np.array([1, -2, 3])

    def run(request: Any, indices: Array) -> Array:
        request.start({"arg0": x, "arg1": indices})
        request.wait()
        return request["out0"]

    with snippets_mlir.compile_program(rows_of()) as program:
        right, wrong = program.request(), program.request()
        for _ in range(3):
            np.testing.assert_array_equal(run(right, i), -x[i])
            refuses(lambda: run(wrong, i + 8), 11)


def test_the_values_of_the_interpreter_are_checked() -> None:
    module = parse_module(rows_of(), make_context())
    x, i = table(), np.array([1, -2, 3])
    (found,) = Interpreter(module).run("main", [x, i])
    np.testing.assert_array_equal(found, -x[i])
    with pytest.raises(snippets_mlir.CompileError, match="3:3: index 11 is out of bounds"):
        Interpreter(module).run("main", [x, i + 8])


def test_the_indices_may_be_the_table() -> None:
    """And the result of a check may be the result of the program."""
    text = """func.func @main(%i: tensor<6xi64>) -> tensor<6xi64> {
      %c = snippets.check_indices %i, %i {axis = 0 : i64} : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
      func.return %c : tensor<6xi64>
    }"""  # noqa: E501
    compiled, i = snippets_mlir.compile(text), np.array([5, 0, 1, 2, 3, 4])
    for _ in range(3):
        found = compiled(i)
        np.testing.assert_array_equal(found, i)
        assert not np.shares_memory(found, i)
        refuses(lambda: compiled(i + 1), 6, 6)


def test_the_text_of_a_program_runs() -> None:
    """A check is a node with the implementation of NumPy, and a step of its own."""
    compiled = snippets_mlir.compile(rows_of())
    text = compiled.ir("program")
    assert 'impl<"reference">' in text
    again = snippets_mlir.compile(text, pipeline="")
    assert [step["kind"] for step in again.manifest["steps"]] == ["check", "kernel"]
    x, i = table(), np.array([1, -2, 3])
    for _ in range(3):
        np.testing.assert_array_equal(again(x, i), -x[i])
        refuses(lambda: again(x, i + 8), 11)


@pytest.mark.parametrize("seed", sampled(range(40), 8))
def test_machine_code_finds_what_numpy_finds(seed: int) -> None:
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    prototype = CFUNCTYPE(c_int64, c_void_p, c_void_p, c_int64, c_int64, c_int64)
    for name in INDEX_TYPES:
        dtype = np.dtype(("uint" if name[0] == "u" else "int") + name[1:])
        extremes, count = np.iinfo(dtype), draw.choice([0, 1, 3, 16, 33, 100])
        size = draw.choice([0, 1, 7, 1000])
        least, most = max(extremes.min, -size - 1), min(extremes.max, size)
        indices = rng.integers(least, most, count, dtype, endpoint=True)
        if draw.random() < 0.5:
            indices = np.clip(indices, max(extremes.min, -size), max(0, size - 1)).astype(dtype)
        if count and draw.random() < 0.2:
            indices[draw.randrange(count)] = draw.choice([extremes.min, extremes.max])
        found = np.empty_like(indices)
        for from_end in (False, True):
            outside = prototype(stub_object("indices").address(f"{OUTSIDE}{name}"))
            given = address_of(indices), address_of(found)
            is_outside = bool(outside(*given, count, size, from_end))
            np.testing.assert_array_equal(found, indices)
            try:
                checked_indices(indices, 0, size, from_end=from_end)
                assert not is_outside
            except PlaceError:
                assert is_outside


def test_the_step_of_a_manifest_that_comes_from_a_file_is_checked() -> None:
    """It has what the runtime takes for granted."""
    manifest: Any = snippets_mlir.compile(rows_of()).manifest
    check_manifest(manifest)
    step = manifest["steps"][0]
    assert step == {
        "kind": "check",
        "axis": 0,
        "from_end": True,
        "ops": ["c"],
        "impl": "reference",
        "queue": 0,
        "waits": [],
        "inputs": [1, 0],
        "outputs": [2],
    }
    for name, wrong, message in [
        ("inputs", [1], "a check of other indices"),
        ("inputs", [0, 1], "checked indices of another type"),
        ("axis", 2, "a check along no dim"),
        ("axis", -1, "a check along no dim"),
        ("symbol", "subgraph_0", "a check in another form"),
    ]:
        changed: Any = deepcopy(manifest)
        changed["steps"][0][name] = wrong
        with pytest.raises(ValueError, match=message):
            check_manifest(changed)
