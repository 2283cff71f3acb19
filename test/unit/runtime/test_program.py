"""Running a manifest: memory, executors, outputs. The kernels here are Python functions."""

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.calls import python_call
from snippets_mlir.runtime.manifests.manifest import Manifest, Step
from snippets_mlir.runtime.memory.scratch import ALIGNMENT
from snippets_mlir.runtime.program import Executor, Program

SIZE = 8
KERNELS: list[Callable[..., Any]] = [np.add, np.multiply, np.negative]


def fake_launch(
    kernel: int,
    data: int,
    rt: int,
    scratch: int,
    domain: int,
    grain: int,
    threads: int,
    aligned: int,
) -> None:
    """Call the NumPy function of number `kernel` on the dense arrays that `data` points to."""
    function = KERNELS[kernel]
    count = 2 if function is np.negative else 3
    pointers = (ctypes.c_void_p * count).from_address(data)
    *inputs, output = [
        np.ctypeslib.as_array((ctypes.c_float * domain).from_address(p or 0)) for p in pointers
    ]
    output[...] = function(*inputs)


@pytest.fixture(autouse=True)
def python_kernels(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(python_call, "launch", fake_launch)


def kernel(name: str, inputs: list[int], output: int, domain: int = SIZE) -> Step:
    return {
        "kind": "kernel",
        "symbol": name,
        "inputs": inputs,
        "outputs": [output],
        "domain": domain,
        "grain": 1,
        "scratch": 16,
    }


def execute(inputs: list[int], outputs: list[int]) -> Step:
    return {"kind": "execute", "ops": ["x"], "text": "", "inputs": inputs, "outputs": outputs}


def view(source: int, target: int) -> Step:
    return {"kind": "view", "inputs": [source], "outputs": [target]}


def program(
    count: int,
    inputs: list[int],
    steps: list[Step],
    outputs: list[int],
    *,
    constants: dict[int, Array] | None = None,
    executors: Sequence[Executor] = (),
    shapes: dict[int, list[int | None]] | None = None,
) -> Program:
    values = [{"shape": (shapes or {}).get(i, [SIZE]), "dtype": "float32"} for i in range(count)]
    manifest: Any = {
        "version": 1,
        "entry": "main",
        "target": None,
        "threads": 1,
        "values": values,
        "inputs": [{"name": f"i{v}", "value": v, **values[v]} for v in inputs],
        "outputs": [{"name": f"o{v}", "value": v, **values[v]} for v in outputs],
        "constants": [{"value": v, "data": ""} for v in constants or {}],
        "steps": steps,
    }
    checked: Manifest = manifest
    addresses = {"add": 0, "multiply": 1, "negative": 2}
    return Program(checked, addresses, constants or {}, executors, 2)


def array(seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(SIZE).astype(np.float32)


def test_a_kernel_writes_the_output():
    p = program(3, [0, 1], [kernel("add", [0, 1], 2)], [2])
    x, y = array(0), array(1)
    (result,) = p.run([x, y])
    np.testing.assert_array_equal(result, x + y)
    out = np.zeros(SIZE, np.float32)
    (same,) = p.run([x, y], [out])
    assert same is out
    np.testing.assert_array_equal(out, x + y)


def test_an_output_that_is_not_dense_is_written_through_a_copy():
    p = program(2, [0], [kernel("negative", [0], 1)], [1])
    memory = np.zeros(2 * SIZE, np.float32)
    x = array()
    p.run([x], [memory[::2]])
    np.testing.assert_array_equal(memory[::2], -x)
    np.testing.assert_array_equal(memory[1::2], 0)


def test_a_long_chain_in_reused_memory_twice():
    steps = [kernel("add", [i, 0], i + 1) for i in range(20)]
    p = program(21, [0], steps, [20])
    for seed in range(2):
        x = array(seed)
        np.testing.assert_allclose(p.run([x])[0], x * 21, rtol=1e-5)
    assert p.storage.arena < 6 * 64


def test_inputs_constants_and_repeated_values_come_back_as_copies():
    constant = array(7)
    constant.flags.writeable = False
    p = program(3, [0], [kernel("negative", [0], 2)], [0, 1, 2, 2, 1], constants={1: constant})
    x = array()
    results = p.run([x])
    for result, expected in zip(results, [x, constant, -x, -x, constant], strict=True):
        np.testing.assert_array_equal(result, expected)
        assert result.flags.writeable
    arrays = [x, constant, *results]
    for i, a in enumerate(arrays):
        assert not any(np.shares_memory(a, b) for b in arrays[i + 1 :])
    again = [np.zeros(SIZE, np.float32) for _ in range(5)]
    assert all(a is b for a, b in zip(p.run([x], again), again, strict=True))
    np.testing.assert_array_equal(again[3], -x)


def test_views_of_outputs_and_intermediates():
    p = program(
        4,
        [0],
        [kernel("negative", [0], 1), view(1, 2), kernel("add", [2, 0], 3)],
        [2, 1, 3],
        shapes={2: [2, 4]},
    )
    x = array()
    folded, flat, zero = p.run([x])
    np.testing.assert_array_equal(folded, -x.reshape(2, 4))
    np.testing.assert_array_equal(flat, -x)
    np.testing.assert_array_equal(zero, 0)
    assert not np.shares_memory(folded, flat)


def test_a_view_with_several_sizes_that_only_the_executor_knows():
    squeezed: Step = {**view(1, 2), "dims": [1, 2]}
    p = program(
        3,
        [0],
        [execute([0], [1]), squeezed],
        [2],
        executors=[lambda arrays: [arrays[0][:6].reshape(1, 2, 3)]],
        shapes={1: [1, None, None], 2: [None, None]},
    )
    np.testing.assert_array_equal(p.run([array()])[0], array()[:6].reshape(2, 3))


def test_a_view_of_an_input_is_returned_as_a_copy():
    p = program(2, [0], [view(0, 1)], [1], shapes={1: [4, 2]})
    x = array()
    (result,) = p.run([x])
    np.testing.assert_array_equal(result, x.reshape(4, 2))
    assert not np.shares_memory(result, x)


def test_unused_inputs():
    p = program(3, [0, 1], [kernel("negative", [1], 2)], [2])
    np.testing.assert_array_equal(p.run([array(0), array(1)])[0], -array(1))


def test_executors_run_between_kernels():
    def twice(arrays: Sequence[Array]) -> list[Array]:
        return [arrays[0] * 2, arrays[0] * 3]

    p = program(
        5,
        [0],
        [kernel("negative", [0], 1), execute([1], [2, 3]), kernel("add", [2, 3], 4)],
        [4, 2],
        executors=[twice],
    )
    x = array()
    total, double = p.run([x])
    np.testing.assert_allclose(total, x * -5, rtol=1e-6)
    np.testing.assert_array_equal(double, x * -2)


def test_an_executor_that_returns_its_input_is_copied():
    p = program(
        3,
        [0],
        [kernel("negative", [0], 1), execute([1], [2])],
        [2, 1],
        executors=[lambda arrays: [arrays[0]]],
    )
    x = array()
    a, b = p.run([x])
    np.testing.assert_array_equal(a, -x)
    assert not np.shares_memory(a, b)


@pytest.mark.parametrize(
    "wrong", [np.zeros(SIZE), np.zeros(SIZE + 1, np.float32), np.zeros((SIZE, 1), np.float32)]
)
def test_an_executor_that_breaks_its_promise_is_caught(wrong: Array):
    p = program(2, [0], [execute([0], [1])], [1], executors=[lambda _: [wrong]])
    with pytest.raises(RuntimeError, match="an executor returned"):
        p.run([array()])


def test_a_size_that_only_the_executor_knows():
    p = program(
        2,
        [0],
        [execute([0], [1])],
        [1],
        executors=[lambda arrays: [arrays[0][:3]]],
        shapes={1: [None]},
    )
    assert p.run([array()])[0].shape == (3,)
    with pytest.raises(ValueError, match=r"^output 'o1': expected shape \(3,\), found \(4,\)"):
        p.run([array()], [np.zeros(4, np.float32)])


def test_nothing_is_launched_for_an_empty_domain():
    p = program(2, [0], [kernel("negative", [0], 1, 0)], [1], shapes={0: [0, 3], 1: [0, 3]})
    assert p.run([np.zeros((0, 3), np.float32)])[0].shape == (0, 3)


def test_several_threads_call_at_once():
    steps = [kernel("add", [i, 0], i + 1) for i in range(10)]
    p = program(11, [0], steps, [10])

    def call(seed: int) -> Array:
        return p.run([array(seed)])[0]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(call, range(64)))
    for seed, result in enumerate(results):
        np.testing.assert_allclose(result, array(seed) * 11, rtol=1e-5)


def test_an_error_gives_the_memory_back():
    def fail(_: Sequence[Array]) -> list[Array]:
        raise KeyError("boom")

    p = program(2, [0], [execute([0], [1])], [1], executors=[fail])
    for _ in range(3):
        with pytest.raises(KeyError):
            p.run([array()])
    assert p.pool.free_bytes() == p.storage.arena + ALIGNMENT  # of one call
