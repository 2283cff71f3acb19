"""Values whose sizes the data decide, in programs with kernels: networks run these, too."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, run_reference, save, value

import snippets_mlir
from snippets_mlir.runtime.calls.python_call import PythonCall
from snippets_mlir.runtime.program import Program

SIZE = 16

VIEW = """func.func @main(%x: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<?xi64>, tensor<2x?xi64>) {
  %a = snippets.tanh %x : tensor<4x16xf32>
  %n = onnx.node "NonZero"(%a) {domain = "", version = 13 : i64} : (tensor<4x16xf32>) -> tensor<2x?xi64>
  %r = snippets.reshape %n : (tensor<2x?xi64>) -> tensor<?xi64>
  func.return %a, %r, %n : tensor<4x16xf32>, tensor<?xi64>, tensor<2x?xi64>
}"""  # noqa: E501


def places(rows: int | str, nodes: Sequence[Any] = (), outputs: Sequence[Any] = ()) -> Any:
    """A kernel, the places where it is not 0, and a kernel that reads the sum of their numbers.

    A second session reads these places and the last kernel: `g` are its elements there.
    """
    made = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("NonZero", ["a"], ["n"]),
        helper.make_node("Transpose", ["n"], ["t"]),
        helper.make_node("Cast", ["n"], ["f"], to=1),
        helper.make_node("ReduceSum", ["f"], ["m"]),
        helper.make_node("Add", ["a", "m"], ["b"]),
        helper.make_node("Sigmoid", ["b"], ["s"]),
        helper.make_node("GatherND", ["s", "t"], ["g"]),
        *nodes,
    ]
    weights = {"line": np.array([-1]), "pairs": np.array([-1, 2])}
    found = [value("s", (rows, SIZE)), value("n", (2, None), np.int64), value("g", (None,))]
    return model(made, [value("x", (rows, SIZE))], [*found, *outputs], weights)


def sample(rows: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).standard_normal((rows, SIZE)).astype(np.float32)


def compiled(tmp_path: Path, made: Any, **options: Any) -> Any:
    save(made, tmp_path / "m.onnx")
    return snippets_mlir.compile(tmp_path / "m.onnx", num_threads=1, mark_skipped="none", **options)


def agrees(found: Any, made: Any, x: Any) -> None:
    for array, wanted in zip(found, run_reference(made, [x]), strict=True):
        assert array.dtype == wanted.dtype
        assert array.shape == wanted.shape
        np.testing.assert_allclose(array, wanted, rtol=1e-5, atol=1e-6)


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each call that Python runs step by step."""
    calls: list[int] = []
    execute = PythonCall.execute

    def counted(call: PythonCall) -> Any:
        calls.append(1)
        return execute(call)

    monkeypatch.setattr(PythonCall, "execute", counted)
    return calls


@pytest.mark.parametrize("rows", [3, "n"])
def test_a_network_runs_them(tmp_path: Path, in_python: list[int], rows: int | str) -> None:
    made = places(rows)
    program = compiled(tmp_path, made)
    sizes = [3] * 4 if rows == 3 else [3, 4, 3, 7, 4, 1, 30, 7, 2]
    for seed, size in enumerate(sizes):
        agrees(program(sample(size, seed)), made, sample(size, seed))
    assert program.kernels
    assert len(in_python) == 1  # the first call ever


def test_no_rows_and_no_places(tmp_path: Path) -> None:
    made = places("n")
    program = compiled(tmp_path, made)
    for size in (2, 2, 2, 0, 2, 1):
        agrees(program(sample(size)), made, sample(size))
        agrees(program(-np.abs(sample(size))), made, -np.abs(sample(size)))


def test_results_belong_to_the_caller(tmp_path: Path) -> None:
    """Each is in memory of its own, and later calls leave it alone; also what two outputs are."""
    again = [
        helper.make_node("Identity", ["n"], ["n2"]),
        helper.make_node("Reshape", ["n", "line"], ["flat_n"]),
    ]
    outputs = [value("n2", (2, None), np.int64), value("flat_n", (None,), np.int64)]
    made = places(3, nodes=again, outputs=outputs)
    program = compiled(tmp_path, made)
    program(sample(3))
    kept = [(seed, program(sample(3, seed))) for seed in range(4)]
    for seed, found in kept:
        agrees(found, made, sample(3, seed))
    arrays = [array for _, found in kept for array in found]
    for index, array in enumerate(arrays):
        assert not any(np.shares_memory(array, other) for other in arrays[:index])


def test_views_of_them(in_python: list[int]) -> None:
    program = snippets_mlir.compile(VIEW, num_threads=1)
    for seed in range(3):
        x = np.maximum(sample(4, seed), 0)
        _, flat, places = program(x)
        np.testing.assert_array_equal(places, np.nonzero(x))
        np.testing.assert_array_equal(flat, places.ravel())
        assert not np.shares_memory(flat, places)
    assert [step["kind"] for step in program.manifest["steps"]] == ["kernel", "execute", "view"]
    assert len(in_python) == 1


def test_lists_of_arrays(tmp_path: Path, in_python: list[int]) -> None:
    listed = [
        helper.make_node("SplitToSequence", ["n"], ["parts"], axis=0),
        helper.make_node("ConcatFromSequence", ["parts"], ["whole"], axis=1),
    ]
    made = places(3, nodes=listed, outputs=[value("whole", (1, None), np.int64)])
    program = compiled(tmp_path, made)
    for seed in range(3):
        agrees(program(sample(3, seed)), made, sample(3, seed))
    assert len(in_python) == 1


def test_outputs_of_the_caller(tmp_path: Path) -> None:
    made = places(3)
    program = compiled(tmp_path, made)
    x = sample(3)
    for _ in range(3):
        out = [np.empty_like(array) for array in program(x)]
        found = program(x, out=out)
        assert all(array is given for array, given in zip(found, out, strict=True))
        agrees(out, made, x)
        with pytest.raises(ValueError, match="output 'n': expected shape"):
            program(x, out=[out[0], np.empty((2, 1), np.int64), out[2]])
        with pytest.raises((TypeError, ValueError)):
            program(x, out=[out[0]])
        with pytest.raises(ValueError, match="expected"):
            program(x[:2])


def test_calls_at_the_same_time(tmp_path: Path) -> None:
    made = places("n")
    program = compiled(tmp_path, made)
    arrays = [sample(2 + seed % 3, seed) for seed in range(60)]
    with ThreadPoolExecutor(4) as pool:
        for x, found in zip(arrays, pool.map(program, arrays), strict=True):
            agrees(found, made, x)


def test_networks_and_streams(tmp_path: Path) -> None:
    made = places("n")
    save(made, tmp_path / "m.onnx")
    with snippets_mlir.compile_program(
        tmp_path / "m.onnx", streams=1, mark_skipped="none"
    ) as program:
        network, request = program.network(), program.request()
        for seed in range(8):
            x = sample(2 + seed % 2, seed)
            network.set_input("x", x)
            network.execute()
            agrees([network.output(name) for name in "sng"], made, x)
            assert {step.kind for step in network.profile()} >= {"kernel", "execute"}
            request.start({"x": x})
            assert request.wait(60)
            agrees([request[name] for name in "sng"], made, x)


def _with_last(built: Program, run: Any) -> Program:
    """A program whose last executor is `run` of the one it has and of arrays."""
    *others, last = built.executors.values()
    executors: list[Any] = [*others, lambda arrays: run(last, arrays)]  # pyright: ignore
    addresses, constants = built.addresses, built.constants
    return Program(built.manifest, addresses, constants, executors, 1, code=built.code)


def _views(last: Any, arrays: Any) -> Any:
    """What the executor returns, as views of other arrays."""
    return [np.stack([array, array])[1] for array in last(arrays)]


def test_executors_of_numpy_take_and_return_them(tmp_path: Path) -> None:
    made = places(3)
    built = compiled(tmp_path, made).built().program
    program = _with_last(built, _views)
    for seed in range(3):
        outputs = program.new_outputs(program.sizes)
        agrees(program.call_once((sample(3, seed),), outputs), made, sample(3, seed))


@pytest.mark.parametrize("wrong", ["type", "rank", "raises"])
def test_after_an_error_the_network_is_used_again(tmp_path: Path, wrong: str) -> None:
    made, fails = places(3), [True, True, False]

    def other(last: Any, arrays: Any) -> Any:
        *others, result = last(arrays)
        if not fails.pop(0):
            return [*others, result]
        if wrong == "raises":
            raise KeyError("no")
        return [*others, result.astype(np.float64) if wrong == "type" else result[None]]

    program = _with_last(compiled(tmp_path, made).built().program, other)
    outputs = program.new_outputs(program.sizes)
    for _ in range(2):
        with pytest.raises(KeyError if wrong == "raises" else RuntimeError, match=r"no|executor"):
            program.call_once((sample(3),), outputs)
    agrees(program.call_once((sample(3),), outputs), made, sample(3))


def test_what_onnxruntime_refuses(tmp_path: Path) -> None:
    """Shapes that only the data decide may be wrong in one call and right in the next one."""
    fold = [helper.make_node("Reshape", ["g", "pairs"], ["p"])]
    made = places(2, nodes=fold, outputs=[value("p", (None, 2))])
    program = compiled(tmp_path, made)
    even, odd = np.ones((2, SIZE), np.float32), np.ones((2, SIZE), np.float32)
    odd[0, 0] = -1
    for _ in range(3):
        agrees(program(even), made, even)
        with pytest.raises(ValueError, match="onnxruntime"):
            program(odd)
