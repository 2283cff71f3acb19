# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""Kernels on the chunks of Dask's arrays: threads, processes, workers that die; the recipes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snippets_mlir.support.errors import CompileError

pytest.importorskip("dask", reason="needs dask: make test-integrations")
da: Any = import_module("dask.array")
ours: Any = import_module("snippets_mlir.dask")

N = np.random.default_rng(0).normal(size=(100, 70)).astype(np.float32)
WIDE = N.astype(np.float64)


def chunked(*chunks: int) -> Any:
    return da.from_array(N, chunks=chunks)


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def squares(block: Any, axis: Any, keepdims: bool) -> Any:
    return (block * block).sum(axis, keepdims=keepdims)


def close(found: Any, expected: Any) -> None:
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.compute(), expected, 2e-5, 2e-6)


def test_elementwise_with_broadcasts_numbers_and_chunks_that_differ() -> None:
    def f(x: Any, y: Any, k: Any) -> Any:
        return np.tanh(x) * y + k

    row = da.from_array(N[0], chunks=17)
    found = ours.map_blocks(f, chunked(32, 40), row, 2)
    close(found, np.tanh(WIDE) * WIDE[0] + 2)
    close(ours.map_blocks(f, chunked(32, 40).T, N[:1].T, 0.5), np.tanh(WIDE.T) * WIDE[:1].T + 0.5)


def test_arrays_in_the_other_byte_order() -> None:
    swapped = da.from_array(N.astype(N.dtype.newbyteorder()), chunks=(32, 40))
    close(ours.map_blocks(lambda x: np.tanh(x) * 2, swapped), np.tanh(WIDE) * 2)


def test_rows_are_rechunked_only_along_their_axis() -> None:
    split, whole = (ours.apply_gufunc(softmax, "(i)->(i)", chunked(32, c)) for c in (40, 70))
    assert split.chunks == whole.chunks == ((32, 32, 32, 4), (70,))
    names = [{key[0].split("-")[0] for key in dict(a.dask)} for a in (split, whole)]
    assert any("rechunk" in name for name in names[0])
    assert not any("rechunk" in name for name in names[1])
    expected = softmax(WIDE)
    close(split, expected)
    close(whole, expected)


def test_several_results_and_an_axis_that_only_a_result_has() -> None:
    total, first = ours.apply_gufunc(
        lambda x: (x.sum(-1), x[..., :3] * 2), "(i)->(),(k)", chunked(32, 40)
    )
    close(total, WIDE.sum(-1))
    close(first, WIDE[:, :3] * 2)


@pytest.mark.parametrize("axis", [0, -1, (0, 1), None])
def test_reductions_of_chunks_are_combined_by_a_tree(axis: Any) -> None:
    x = chunked(16, 16)
    close(ours.reduction(squares, x, axis=axis, split_every=2), (WIDE * WIDE).sum(axis))
    largest = ours.reduction(
        lambda b, axis, keepdims: abs(b).max(axis, keepdims=keepdims),
        x, combine=np.max, axis=axis, keepdims=True,
    )  # fmt: skip
    close(largest, abs(WIDE).max(axis, keepdims=True))


def test_equal_graphs_have_equal_names() -> None:
    def double(x: Any) -> Any:
        return x * 2

    first, second = (ours.map_blocks(double, chunked(32, 40)) for _ in range(2))
    assert first.name == second.name
    assert first.name != ours.map_blocks(lambda x: x * 3, chunked(32, 40)).name


def test_threads_compile_once_for_each_shape_and_kernels_have_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module: Any = import_module("snippets_mlir.integrations.block_function")
    compiled: list[tuple[str, Any]] = []
    compile_: Any = module.compile

    def noted(text: str, **options: Any) -> Any:
        compiled.append((text, options))
        return compile_(text, **options)

    monkeypatch.setattr(module, "compile", noted)
    x = da.from_array(N, chunks=(10, 30))  # of 10x30 and 10x10, twenty and ten times
    found = ours.map_blocks(lambda x: np.sqrt(x * x + 5), x)
    np.testing.assert_allclose(
        found.compute(scheduler="threads", num_workers=4), np.sqrt(WIDE**2 + 5), 2e-6
    )
    assert len({text for text, _ in compiled}) == len(compiled) == 2
    assert [options for _, options in compiled] == [{"num_threads": 1}] * 2


def test_processes() -> None:
    """The function is a lambda of this file, which the processes do not see."""
    found = ours.map_blocks(lambda x: np.exp(x), chunked(50, 70))
    np.testing.assert_allclose(
        found.compute(scheduler="processes", num_workers=2), np.exp(WIDE), 2e-6
    )


def test_a_decorated_function_of_a_script_is_sent_with_its_code(tmp_path: Path) -> None:
    """Workers have another `__main__`, and lost their connection at a name that it lacks."""
    (tmp_path / "script.py").write_text("""
import pickle, sys, cloudpickle, snippets_mlir
@snippets_mlir.jit
def f(x, times=None):
    return x + 1 if times is None else x * times
assert pickle.loads(pickle.dumps(f)) is f
sys.stdout.buffer.write(cloudpickle.dumps(f))
""")
    run = subprocess.run([sys.executable, tmp_path / "script.py"], stdout=-1, check=True)
    function: Any = import_module("cloudpickle").loads(run.stdout)
    np.testing.assert_array_equal(function(N, 3), N * 3)
    np.testing.assert_array_equal(function(N, None), N + 1)


def test_a_worker_dies_in_the_middle(tmp_path: Path) -> None:
    distributed: Any = import_module("distributed")
    mark = tmp_path / "died"

    def die_once(block: Any) -> Any:
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            time.sleep(0.01)
            return block
        os._exit(1)

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=2, dashboard_address=None, silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        before = set(client.scheduler_info()["workers"])
        x = ours.map_blocks(lambda x: x * 2 + 1, chunked(10, 10))
        dying = da.map_blocks(die_once, x, dtype=x.dtype, meta=np.empty((0, 0), x.dtype))
        found = ours.reduction(squares, dying, axis=0).compute()
        assert mark.exists()
        assert set(client.scheduler_info()["workers"]) != before
    np.testing.assert_allclose(found, ((WIDE * 2 + 1) ** 2).sum(0), 2e-5)


def test_errors_come_when_the_graph_is_made() -> None:
    x = chunked(32, 40)
    with pytest.raises(CompileError, match=r"test_dask.py:\d+:\d+.*np\.sort"):
        ours.map_blocks(lambda x: np.sort(x), x)
    with pytest.raises(ValueError, match=r"gives shapes \(\(\),\), '\(\)->\(\)' says"):
        ours.map_blocks(lambda x: x.sum(), x)
    with pytest.raises(ValueError, match="a reduction of the axes"):
        ours.reduction(lambda b, axis, keepdims: b, x, axis=0)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        ours.map_blocks(lambda x: x + 1, x[x > 0])
    with pytest.raises(ValueError, match="is not a signature"):
        ours.apply_gufunc(softmax, "i->i", x)
    with pytest.raises(ValueError, match="is for 2 arrays, found 1"):
        ours.apply_gufunc(softmax, "(i),(i)->(i)", x)
    with pytest.raises(ValueError, match="3 axes for an array of 2"):
        ours.apply_gufunc(softmax, "(i,j,k)->(i)", x)
    with pytest.raises(ValueError, match="expected an array"):
        ours.map_blocks(lambda x: x, 1)
    with pytest.raises(CompileError, match="has to return an array"):
        ours.map_blocks(lambda x: {"a": x}, x)


def test_axes_and_sizes_that_do_not_fit_are_named() -> None:
    for axis, message in (
        (5, "axis 5 is out of bounds"),
        ((0, 0), "repeated axis"),
        (-3, "axis -3"),
    ):
        with pytest.raises(ValueError, match=message):
            ours.reduction(squares, chunked(32, 40), axis=axis)
    with pytest.raises(ValueError, match="axis 1 from the end has 70 and 100"):
        ours.map_blocks(lambda x, y: x + y, chunked(32, 40), N[:, 0])


def test_a_block_of_another_size_than_its_array_states() -> None:
    wrong = da.map_blocks(lambda b: b[:5], chunked(32, 40), dtype=np.float32)
    with pytest.raises(CompileError, match="do not have the chunk sizes"):
        ours.map_blocks(lambda x: x + 1, wrong).compute()


def test_examples_of_the_docs_run() -> None:
    page = (Path(__file__).parents[2] / "docs" / "dask.md").read_text()
    blocks = re.findall(r"^```python needs=dask\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    exec("\n".join(blocks), {})


WORKER = """
import sys
import numpy as np
from snippets_mlir.integrations.block_function import BlockFunction
function = BlockFunction({((4, 8),): sys.argv[1]}, {})
print(function(np.ones((4, 8), np.float32)).sum(), "xdsl.dialects.builtin" in sys.modules)
"""


def test_a_worker_that_finds_the_program_imports_no_compiler(tmp_path: Path) -> None:
    """It took as long as four chunks of 64 MiB."""
    tracing: Any = import_module("snippets_mlir.integrations.block_tracing")
    shapes = [((4, 8),)]
    traced = tracing.trace_blocks(lambda x: x * 2, shapes, [np.dtype(np.float32)], {})
    command = [sys.executable, "-c", WORKER, *traced.function.texts.values()]
    env = {**os.environ, "SNIPPETS_CACHE_DIR": str(tmp_path)}
    found = [subprocess.check_output(command, env=env, text=True) for _ in range(2)]
    assert found == ["64.0 True\n", "64.0 False\n"]
