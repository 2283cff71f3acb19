"""Programs in the cache with steps that onnxruntime or NumPy runs: cold, warm, and refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import Any, cast

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.driver.cache import engine_model, step_executors, storing
from snippets_mlir.driver.cache.entry_parts import header_in
from snippets_mlir.driver.cache.program_entry import MAGIC
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.runtime.engine.opening import open_session

FLOOR = """func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = snippets.tanh %x : tensor<3x5xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64}
       : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = snippets.add %1, %x : tensor<3x5xf32>
  func.return %2 : tensor<3x5xf32>
}"""
SUM = """func.func @main(%x: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c = snippets.constant dense<[1.0, -0.0, 0x7F800000, 0x7FC00000, 4.0]> : tensor<5xf32>
  %0 = snippets.tanh %x : tensor<3x5xf32>
  %1 = snippets.cum_sum %0 {axis = 1 : i64, snippets.skipped} : tensor<3x5xf32>
  %2 = snippets.add %1, %c : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  func.return %2 : tensor<3x5xf32>
}"""
BOTH = """func.func @main(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = onnx.node "Floor"(%x) {domain = "", version = 13 : i64}
       : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %1 = snippets.cum_sum %x {axis = 1 : i64, snippets.skipped} : tensor<3x5xf32>
  %2 = snippets.multiply %0, %1 : tensor<3x5xf32>
  func.return %1, %2 : tensor<3x5xf32>, tensor<3x5xf32>
}"""
STABLEHLO = """module @m { func.func public @main(%arg0: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = stablehlo.tanh %arg0 : tensor<3x5xf32>
  %t = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xi32>
  %1 = stablehlo.popcnt %t : tensor<3x5xi32>
  %2 = stablehlo.convert %1 : (tensor<3x5xi32>) -> tensor<3x5xf32>
  %3 = stablehlo.add %0, %2 : tensor<3x5xf32>
  return %3 : tensor<3x5xf32>
}}"""
DYNAMIC = FLOOR.replace("3x5", "?x5")
X = np.array([[0.5, -0.0, np.nan, np.inf, -2], [1, 2, 3, -np.inf, 5], [0] * 5], np.float32)

pytestmark = pytest.mark.usefixtures("cache_directory")


def bits(results: Any) -> list[bytes]:
    """The bytes of all results."""
    arrays = cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)
    return [array.tobytes() for array in arrays]


def is_from_cache(program: Any) -> bool:
    """Whether a program was found in the cache."""
    return [*program.seconds] == ["program cache"]


@pytest.mark.parametrize(
    "text", [FLOOR, SUM, BOTH, STABLEHLO], ids=["engine", "numpy", "both", "stablehlo"]
)
def test_warm_programs_compute_the_same(text: str) -> None:
    cold = snippets_mlir.compile(text)
    warm = snippets_mlir.compile(text)
    assert not is_from_cache(cold)
    assert cold.opaque
    assert is_from_cache(warm)
    assert bits(warm(X)) == bits(cold(X)) == bits(warm(X))
    assert warm.ir("program") == cold.ir("program")
    assert [*map(str, warm.opaque)] == [*map(str, cold.opaque)]
    with snippets_mlir.compile_program(text, streams=1, threads_per_stream=1) as program:
        network = program.network()
        network.set_input(program.compiled.inputs[0].name, X)
        network.execute()
        assert network.output(program.compiled.outputs[0].name).tobytes() == bits(cold(X))[0]


def test_the_other_process_loads_no_compiler(cache_directory: Path) -> None:
    """A session is opened on its bytes; a step of NumPy is parsed when it runs."""
    code = (
        "import sys, numpy, snippets_mlir;"
        "p = snippets_mlir.compile(sys.argv[1]);"
        "print([*p.seconds], 'xdsl' in sys.modules);"
        "p(numpy.zeros((3, 5), numpy.float32));"
        "print('xdsl' in sys.modules)"
    )

    def run(text: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code, text],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "SNIPPETS_CACHE_DIR": str(cache_directory)},
        )
        return done.stdout.splitlines()

    for text, parses in ((FLOOR, "False"), (BOTH, "True")):
        snippets_mlir.compile(text)
        assert run(text) == ["['program cache'] False", parses]


def test_damaged_entries_are_compiled_again(cache_directory: Path) -> None:
    """Cut off, other kinds, other bytes in the place of a model: never a wrong result."""
    expected = bits(snippets_mlir.compile(BOTH)(X))
    storing.finish()
    (path,) = (cache_directory / "programs").iterdir()
    body = unsealed(MAGIC, read_entry(path) or b"")
    for wrong in (
        body[:-1],
        body.replace(b'"kind": "reference"', b'"kind": "kernel123"'),
        body.replace(b'"kind": "onnxruntime"', b'"kind": "reference__"'),
        body[:-40] + bytes(40),
    ):
        assert wrong != body
        storing.finish()  # what it stores is not what is read
        write_entry(path, sealed(MAGIC, wrong))
        program = snippets_mlir.compile(BOTH)
        if wrong[-1:] != b"\0":  # text that is broken shows when it is parsed
            assert not is_from_cache(program)
            assert bits(program(X)) == expected


def test_ops_of_plugins_are_not_kept(tmp_path: Path) -> None:
    """Another process may not have the plug-in when it reads the text."""
    folder = Path(__file__).parents[3] / "docs" / "examples" / "plugin"
    text = (folder / "shrink.mlir").read_text()
    plugin = folder / "shrinking" / "softshrink.py"
    for _ in range(2):
        program = snippets_mlir.compile(text, plugins=[plugin], force_impl=["*:reference"])
        program(*[np.ones(cast("Any", spec.shape), np.float32) for spec in program.inputs])
        assert not is_from_cache(program)


def test_sessions_open_while_the_code_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    snippets_mlir.compile(FLOOR)
    loaded = Event()

    class Loaded(LoadedObject):
        """Code whose end of loading is noted."""

        def __init__(self, *arguments: Any) -> None:
            assert begun.wait(60.0), "the session waits for the code"
            super().__init__(*arguments)
            loaded.set()

    begun = Event()

    def opened(*arguments: Any) -> Any:
        begun.set()
        assert loaded.wait(60.0)
        return open_session(*arguments)

    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.loaded", Loaded)
    monkeypatch.setattr("snippets_mlir.driver.cache.step_executors.open_session", opened)
    warm = snippets_mlir.compile(FLOOR)
    assert is_from_cache(warm)
    assert loaded.is_set()
    assert bits(warm(X)) == bits(snippets_mlir.compile(FLOOR, fallback="onnxruntime")(X))


@pytest.mark.parametrize("text", [FLOOR, BOTH, DYNAMIC])
def test_sessions_are_optimized_once(
    text: str, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = bits(snippets_mlir.compile(text)(X))
    storing.finish()
    told = [
        executor
        for path in (cache_directory / "programs").iterdir()
        for executor in header_in(read_entry(path) or b"", MAGIC).get("executors", ())
    ]
    sessions = [executor for executor in told if executor["kind"] == "onnxruntime"]
    assert sessions
    assert all(executor["optimized"] for executor in sessions)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a model is optimized")

    monkeypatch.setattr(step_executors, "open_session", refuse)
    again = snippets_mlir.compile(text)
    assert bits(again(X)) == expected
    assert again.from_cache is not None


@pytest.mark.parametrize("spoiled", ["none", "gone"])
def test_tensors_of_an_optimized_session_are_in_a_file(
    spoiled: str, cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_model, "LARGE", 1000)
    rows = ", ".join(str([float(i * j % 7) for j in range(60)]) for i in range(5))
    text = f"""func.func @main(%x: tensor<3x5xf32>) -> tensor<3x60xf32> {{
  %w = snippets.constant dense<[{rows}]> : tensor<5x60xf32>
  %0 = snippets.tanh %x : tensor<3x5xf32>
  %1 = onnx.node "MatMul"(%0, %w) {{domain = "", version = 13 : i64, snippets.skipped}}
       : (tensor<3x5xf32>, tensor<5x60xf32>) -> tensor<3x60xf32>
  func.return %1 : tensor<3x60xf32>
}}"""
    x = np.ones((3, 5), np.float32)
    expected = bits(snippets_mlir.compile(text)(x))
    storing.finish()
    (file,) = (cache_directory / "constants").iterdir()
    if spoiled == "gone":
        file.unlink()
    again = snippets_mlir.compile(text)
    assert again.from_cache == (None if spoiled == "gone" else "program")
    assert bits(again(x)) == expected
