"""Calls whose shapes differ each time: one table takes the sizes of each call."""

from __future__ import annotations

import gc
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper

import snippets_mlir
from snippets_mlir.driver import Compiled
from snippets_mlir.driver.programs.dynamic import DynamicProgram
from snippets_mlir.runtime import threads
from snippets_mlir.runtime.pool import KEPT
from snippets_mlir.runtime.program import Program
from snippets_mlir.runtime.threads import openmp_runtime

pytestmark = pytest.mark.usefixtures("foreign_products")

Array = np.ndarray[Any, Any]
WIDTH = 24


def decoder(*, counts: bool = False) -> onnx.ModelProto:
    """Kernels and sessions in turn on a cache that grows by the rows of `x` in each call.

    With `counts` a session between two kernels has a size that only it knows.
    """
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.standard_normal((WIDTH, WIDTH)).astype(np.float32),
        "table": rng.standard_normal((7, WIDTH)).astype(np.float32),
    }
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["row"]),  # fails where ids are too large
        helper.make_node("Add", ["x", "row"], ["a"]),
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Concat", ["cache", "b"], ["cache_new"], axis=1),
        helper.make_node("Exp", ["cache_new"], ["e"]),
        helper.make_node("MatMul", ["e", "w"], ["p"]),
        helper.make_node("Sigmoid", ["p"], ["s"]),
        helper.make_node("Mul", ["s", "e"], ["g"]),
        helper.make_node("ReduceSum", ["g", "last"], ["y"], keepdims=0),
    ]
    outputs: dict[str, tuple[int, list[Any]]] = {
        "y": (TensorProto.FLOAT, ["batch", "total"]),
        "cache_new": (TensorProto.FLOAT, ["batch", "total", WIDTH]),
    }
    if counts:
        nodes += [
            helper.make_node("NonZero", ["y"], ["places"]),
            helper.make_node("Cast", ["places"], ["found"], to=TensorProto.FLOAT),
            helper.make_node("Exp", ["found"], ["exps"]),
            helper.make_node("Neg", ["exps"], ["z"]),
        ]
        outputs["z"] = TensorProto.FLOAT, [2, "many"]
    inputs: dict[str, tuple[int, list[Any]]] = {
        "x": (TensorProto.FLOAT, ["batch", "new", WIDTH]),
        "ids": (TensorProto.INT64, ["batch", "new"]),
        "cache": (TensorProto.FLOAT, ["batch", "past", WIDTH]),
    }
    given, made = (
        [helper.make_tensor_value_info(n, t, s) for n, (t, s) in side.items()]
        for side in (inputs, outputs)
    )
    data = [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()]
    data.append(onnx.numpy_helper.from_array(np.array([-1]), "last"))
    graph = helper.make_graph(nodes, "g", given, made, data)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def feed(batch: int, new: int, past: int, seed: int = 0) -> dict[str, Array]:
    rng = np.random.default_rng((batch, new, past, seed))
    x = rng.standard_normal((batch, new, WIDTH)).astype(np.float32)
    if x.size:
        x.flat[: 2 + 3 * (seed % 2)] = [-0.0, np.nan, np.inf, -np.inf, 1e-40][: 2 + 3 * (seed % 2)]
    cache = rng.standard_normal((batch, past, WIDTH)).astype(np.float32)
    return {"x": x, "ids": rng.integers(0, 7, (batch, new)), "cache": cache}


class Reference:
    """onnxruntime on the model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        providers = ["CPUExecutionProvider"]
        self._session: Any = ort.InferenceSession(model.SerializeToString(), providers=providers)
        self._names = [output.name for output in self._session.get_outputs()]

    def check(self, found: dict[str, Array], given: dict[str, Array]) -> None:
        """AssertionError unless outputs are those of the model."""
        wanted = dict(zip(self._names, self._session.run(None, given), strict=True))
        for name, array in wanted.items():
            assert found[name].shape == array.shape
            assert found[name].dtype == array.dtype
            np.testing.assert_allclose(found[name], array, rtol=1e-4, atol=1e-4)


def compiled(model: onnx.ModelProto, threads: int = 2) -> Compiled:
    return snippets_mlir.compile(model, num_threads=threads, mark_skipped="none")


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that have run in Python."""
    ran: list[Program] = []
    run = Program.run_in_python

    def noted(self: Program, *arguments: Any) -> Any:
        ran.append(self)
        return run(self, *arguments)

    monkeypatch.setattr(Program, "run_in_python", noted)
    return ran


GROWING = [(1, 1, past) for past in (15, 16, 17, 18, 1, 40, 17, 200, 3)]
SHAPES = [*GROWING, (2, 3, 5), (1, 1, 16), (2, 3, 5), (1, 1, 16), (2, 3, 5), (3, 1, 1), (1, 9, 33)]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_call_of_a_shape_walks_the_table(threads: int, in_python: list[Program]) -> None:
    """Shapes that grow, shrink, and go back and forth; two outputs of one value's sizes."""
    model = decoder()
    reference, program = Reference(model), compiled(model, threads)
    kinds = None
    for number, shape in enumerate(SHAPES):
        given = feed(*shape, seed=number)
        reference.check(program.run(given), given)
        kinds = [step["kind"] for step in program.manifest["steps"]]
        shapes = [given[v["name"]].shape for v in program.manifest["inputs"]]
        assert [tuple(v["shape"]) for v in program.manifest["inputs"]] == shapes
    assert kinds is not None
    assert {"kernel", "execute"} <= {*kinds}
    assert len(in_python) == 1  # the first call of all
    assert program.compiled_times == 1


def test_a_cache_that_grows_from_call_to_call(in_python: list[Program]) -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    given = feed(1, 1, 1)
    for number in range(70):
        found = program.run(given)
        reference.check(found, given)
        given = {**feed(1, 1, 1, seed=number), "cache": found["cache_new"]}
    assert given["cache"].shape == (1, 71, WIDTH)
    assert len(in_python) == 1


def test_empty_dims_and_sizes_of_1(in_python: list[Program]) -> None:
    """What the symbols do not take is one session, between calls that they take."""
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for shape in ((1, 1, 4), (1, 1, 0), (1, 1, 5), (0, 1, 5), (1, 0, 5), (2, 1, 1), (1, 1, 0)):
        given = feed(*shape, seed=1)
        reference.check(program.run(given), given)


def test_sizes_that_only_a_step_knows() -> None:
    """These programs run in Python, for each shape with its own sizes."""
    model = decoder(counts=True)
    reference, program = Reference(model), compiled(model)
    for shape in ((1, 1, 4), (1, 1, 5), (2, 2, 9), (1, 1, 4), (1, 1, 6)):
        given = feed(*shape, seed=2)
        given["x"][:] = 1  # NaN is not 0, and the order of sums is not that of onnxruntime
        reference.check(program.run(given), given)
    assert None in [size for v in program.manifest["values"] for size in v["shape"] or ()]


def test_memory_of_other_calls_is_never_read() -> None:
    """What is in the arena of a network when it takes other sizes makes no difference."""
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for number, shape in enumerate(SHAPES):
        given = feed(*shape, seed=number)
        reference.check(program.run(given), given)
        for network in program.built().program._shared.idle:  # pyright: ignore
            network.block[1][:] = 255


def test_a_failing_step_leaves_the_table_usable() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5, 6, 7):
        given = feed(1, 2, past)
        wrong = {**given, "ids": np.array([[0, 70]])}
        with pytest.raises(ValueError, match="out of data bounds"):
            program.run(wrong)
        with pytest.raises(ValueError, match=r"input 'cache': expected shape .*found"):
            program.run({**given, "cache": given["cache"][:, :, 1:]})
        reference.check(program.run(given), given)
        with pytest.raises(ValueError, match="out of data bounds"):
            program.run(wrong)


def test_strided_and_unaligned_inputs_and_outputs_of_the_caller(in_python: list[Program]) -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5, 6):
        given = feed(2, 1, past, seed=past)
        odd = dict(given)
        odd["cache"] = np.repeat(given["cache"], 2, axis=1)[:, ::2]
        raw = np.zeros(given["x"].nbytes + 1, np.uint8)
        odd["x"] = raw[1:].view(np.float32).reshape(given["x"].shape)
        odd["x"][...] = given["x"]
        out = [np.zeros((2, past + 1), np.float32), np.zeros((2, 2 * past + 2, WIDTH), np.float32)]
        out[1] = out[1][:, ::2]
        found = program(*(odd[spec.name] for spec in program.inputs), out=out)
        assert all(a is b for a, b in zip(found, out, strict=True))
        reference.check(dict(zip(("y", "cache_new"), out, strict=True)), given)
        with pytest.raises(ValueError, match=r"output 'y': expected shape"):
            program(*(given[spec.name] for spec in program.inputs), out=[out[0][:, 1:], out[1]])
    assert len(in_python) == 1


def test_several_threads_have_shapes_of_their_own() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model, 1)
    workers = 4
    start = Barrier(workers)

    def calls(worker: int) -> list[tuple[dict[str, Array], dict[str, Array]]]:
        start.wait()
        found: list[tuple[dict[str, Array], dict[str, Array]]] = []
        for past in range(1, 30):
            given = feed(1 + worker % 2, 1, past + worker, seed=past)
            found.append((program.run(given), given))
        return found

    with ThreadPoolExecutor(workers) as pool:
        for results in list(pool.map(calls, range(workers))):
            for found, given in results:
                reference.check(found, given)
    assert len(program.built().program._shared.idle) <= KEPT  # pyright: ignore


def test_networks_and_streams_of_their_own() -> None:
    """Networks of callers take shapes in turn, and streams as they come."""
    model = decoder()
    reference = Reference(model)
    with snippets_mlir.compile_program(model, threads_per_stream=1, mark_skipped="none") as program:
        networks = [program.network() for _ in range(3)]
        for past in (3, 4, 5, 3, 9, 4):
            for number, network in enumerate(networks):
                given = feed(1, 1, past + number, seed=past)
                for name, array in given.items():
                    network.set_input(name, array)
                network.execute()
                found = {name: network.output(name) for name in ("y", "cache_new")}
                reference.check(found, given)
                kinds = {row.kind for row in network.profile()}
                assert {"kernel", "execute"} <= kinds
                assert all(row.end >= row.begin > 0 for row in network.profile())
        request = program.request()
        for past in (3, 30, 4):
            given = feed(1, 1, past)
            request.start(given)
            assert request.wait(300)
            reference.check({name: request[name] for name in ("y", "cache_new")}, given)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_takes_other_shapes() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5):
        program.run(feed(1, 1, past))
    given = {past: feed(1, 1, past, seed=1) for past in (5, 6, 7, 6)}
    wanted = {past: program.run(arrays) for past, arrays in given.items() if past != 7}
    wanted[7] = program.run(given[7])
    reference.check(wanted[7], given[7])
    pid = os.fork()
    if pid == 0:
        right = True
        for past in (9, 5, 6, 7, 6):
            arrays = given.get(past) or feed(1, 1, past)
            found = program.run(arrays)
            right &= past not in wanted or np.array_equal(
                found["y"], wanted[past]["y"], equal_nan=True
            )
        os._exit(0 if right else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.skipif(openmp_runtime() is None, reason="no OpenMP runtime")
def test_teams_are_those_of_the_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A team rests before a session where one has run a kernel in this call."""
    rests: list[None] = []
    monkeypatch.setattr(threads, "rest", lambda: rests.append(None))
    model = decoder()
    reference, program = Reference(model), compiled(model)
    seen: list[tuple[int, bool]] = []
    for past in (3, 4, 3000, 5, 2999, 6):
        rests.clear()
        given = feed(2, 1, past, seed=1)
        reference.check(program.run(given), given)
        seen.append((max(program.built().program.teams), bool(rests)))
    assert [team for team, _ in seen] == [1, 1, 2, 1, 2, 1]
    assert [rested for _, rested in seen[1:]] == [False, True, False, True, False]


def test_memory_of_many_shapes_is_bounded() -> None:
    """Neither builds nor networks nor arenas add up; a huge call gives its arena back."""
    model = decoder()
    program = compiled(model)
    assert isinstance(program, DynamicProgram)
    program.run(feed(1, 1, 2))
    program.run(feed(4, 1, 30_000))
    held = program.built().program
    for past in range(3, 300):
        program.run(feed(1, 1, past))
    gc.collect()
    (network,) = held._shared.idle  # pyright: ignore
    small = program.built().program.sizes.places.arena
    assert network.block[1].nbytes <= max(10 * small, 8 << 20) + 64
    assert len(program.known_builds()) <= 16
    assert all(not b.program.arena_bytes() for b in program.known_builds())


@pytest.mark.parametrize("rows", [[5, 6, 5, 7, 5, 0, 1, 6, 8]])
def test_templates_of_programs_in_mlir(rows: Sequence[int], in_python: list[Program]) -> None:
    """Kernels and views alone; a mask (a size of 0 or 1) has a table of its own."""
    text = """func.func @main(%x: tensor<?x5xf32>, %y: tensor<5xf32>)
        -> (tensor<?x5xf32>, tensor<?x5xf32>) {
      %0 = snippets.add %x, %y : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
      %1 = snippets.reduce_max %0 {axes = array<i64: 0>} : (tensor<?x5xf32>) -> tensor<5xf32>
      %2 = snippets.subtract %0, %1 : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
      func.return %0, %2 : tensor<?x5xf32>, tensor<?x5xf32>
    }"""
    program: Any = snippets_mlir.compile(text, fallback="error")
    y = np.arange(5, dtype=np.float32)
    for count in rows:
        x = np.linspace(-1, 1, count * 5, dtype=np.float32).reshape(count, 5)
        first, second = program(x, y)
        np.testing.assert_array_equal(first, x + y)
        np.testing.assert_array_equal(second, (x + y) - (x + y).max(axis=0, initial=-np.inf))
    assert len(in_python) <= 3
