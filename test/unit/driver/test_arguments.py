"""Arguments of `compile`: each wrong one is a `TypeError` or a `CompileError`, at once."""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.arguments import MAX_THREADS, OPTIONAL, WORDS, checked, threads_for
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.settings import Settings

ADD = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = snippets.relu %x : tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}"""
DYNAMIC = ADD.replace("2x3", "?x3")
MEMREFS = "func.func @main(%x: memref<4xf32>) {\n  func.return\n}"

OPTIONS = {
    name: parameter.default
    for name, parameter in signature(snippets_mlir.compile).parameters.items()
    if parameter.kind is Parameter.KEYWORD_ONLY and name != "plugins"  # test_extend.py
}
STRINGS = {"entry", "pipeline", "target", *WORDS}
OBJECTS: list[Any] = [
    object(), {}, {"a": 1}, [[1]], [None], [b"x"], np.array([1, 2]), 1.5, float("nan"), 1j, b"x",
    lambda: 0, snippets_mlir, type, np.float32(1), {"x"}, iter(()),
]  # fmt: skip
VALUES: dict[str, list[Any]] = {
    **{name: [*OBJECTS, 0, 1, True, np.int64(2), [], ["x"], ("x",)] for name in STRINGS},
    "num_threads": [*OBJECTS, "", "2", True, False, [], ["x"]],
    "compile_workers": [*OBJECTS, "", "2", True, False, [], ["x"]],
    "insert_passes": [*OBJECTS, "", "end:cse", 0, 1, True, None, ["end:cse", None]],
    "force_impl": [*OBJECTS, "", "a:snippets", 0, 1, True, None, ["a:snippets", None]],
    "segfault_detector": [*OBJECTS, 0, 1, None, "", "yes", []],
}


def compiled(text: str, name: str, value: Any) -> Any:
    """`text` with one argument."""
    options: dict[str, Any] = {name: value}
    return snippets_mlir.compile(text, **options)


def test_every_option_is_tested() -> None:
    assert VALUES.keys() == OPTIONS.keys()
    assert checked(OPTIONS) == OPTIONS


@pytest.mark.parametrize("text", [ADD, DYNAMIC, MEMREFS], ids=["static", "dynamic", "memrefs"])
@pytest.mark.parametrize("name", OPTIONS)
def test_another_type_is_a_type_error(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`num_threads="2"` once failed in a comparison, `math=None` in a search for close matches."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(stored, "program_key", program_key)
    filled: Any = Settings.filled
    for value in [*VALUES[name], *([] if name in OPTIONAL else [None])]:
        with pytest.raises(TypeError, match=f"^{name}: expected .*, found [^\n]*$"):
            compiled(text, name, value)
        if name != "entry":
            with pytest.raises(TypeError, match=f"^{name}: expected"):
                filled(**{name: value})


def test_forced_implementations_are_a_sequence_of_strings() -> None:
    filled: Any = Settings.filled
    for value in [*OBJECTS, "a:snippets", 0, True, None, ["a:snippets", None]]:
        with pytest.raises(TypeError, match=r"^force_impl: expected a sequence of strings"):
            filled(force_impl=value)
    assert Settings.filled(force_impl=["a:snippets"]).force_impl == ("a:snippets",)


@pytest.mark.parametrize("name", WORDS)
def test_an_unknown_word_is_a_compile_error(name: str) -> None:
    known = WORDS[name]
    for value in ("", "x", known[0].upper(), known[0] + " ", "a\0b", "\ud800", known[0][:-1]):
        with pytest.raises(CompileError, match=f"^{name}: expected one of {known[0]}"):
            compiled(ADD, name, value)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("num_threads", 0, "num_threads: expected 1 or more, found 0"),
        ("num_threads", -(2**70), "num_threads: expected 1 or more"),
        ("num_threads", np.int64(0), "num_threads: expected 1 or more, found 0"),
        ("num_threads", MAX_THREADS + 1, "num_threads: expected 1024 at most, found 1025"),
        ("num_threads", 2**70, "num_threads: expected 1024 at most"),
        ("perf_clock", "rdtsc", "perf_clock: rdtsc needs perf_count"),
        ("target", "", "unknown target ''"),
        ("target", "\ud800", "unknown target"),
        ("entry", "", "expected a function @, found @main"),
        ("entry", "a\0b", "expected a function @a"),
        ("pipeline", "\0", "expected a pass name"),
        ("insert_passes", [""], "unknown position ''"),
        ("insert_passes", ["\ud800"], "unknown position"),
        ("insert_passes", ["end:\0"], "expected a pass name"),
        ("force_impl", [""], "force: expected PATTERN:KIND, found ''"),
        ("force_impl", ["a"], "force: expected PATTERN:KIND, found 'a'"),
        ("force_impl", ["a:\0"], "force: expected one of snippets, onnxruntime, reference"),
    ],
)
@pytest.mark.parametrize("text", [ADD, DYNAMIC, MEMREFS], ids=["static", "dynamic", "memrefs"])
def test_wrong_values(text: str, name: str, value: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        compiled(text, name, value)


def test_numbers_that_are_integers() -> None:
    assert checked({"num_threads": np.int64(2)}) == {"num_threads": 2}
    assert type(checked({"num_threads": np.int64(2)})["num_threads"]) is int
    assert checked({"insert_passes": ["end:cse"]}) == {"insert_passes": ("end:cse",)}


def test_threads_of_the_environment_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "99999999999999")
    assert threads_for(None) == MAX_THREADS
    assert threads_for(3) == 3


@pytest.mark.parametrize("name", ["a\0b.mlir", "a\0b.onnx", "\ud800.mlir", "x" * 5000 + ".mlir"])
def test_paths_that_are_none(name: str) -> None:
    with pytest.raises(CompileError, match="cannot read"):
        snippets_mlir.compile(name)
    with pytest.raises(CompileError):
        snippets_mlir.compile(Path(name))


# --- pipelines that do not lead to LLVM


@pytest.mark.parametrize("pipeline", ["", "canonicalize", "snippets-set-target", "vector-to-llvm"])
@pytest.mark.parametrize("text", [ADD, DYNAMIC], ids=["static", "dynamic"])
def test_a_pipeline_without_kernels(text: str, pipeline: str) -> None:
    """Such a program once ran in NumPy."""
    with pytest.raises(
        CompileError, match=r"does not lead to LLVM: it leaves 'snippets.relu'"
    ) as e:
        snippets_mlir.compile(text, pipeline=pipeline)
    assert e.value.line == 2


def test_subgraphs_that_no_pass_lowers() -> None:
    """A subgraph that was left once had no executor: a `zip` of lists of two lengths."""
    with pytest.raises(CompileError, match=r"does not lead to LLVM: it leaves 'snippets.subgraph'"):
        snippets_mlir.compile(ADD, insert_passes=["end:snippets-fuse-ops"])
    with pytest.raises(CompileError, match=r"does not lead to LLVM: it leaves 'snippets.subgraph'"):
        snippets_mlir.compile(ADD, pipeline="snippets-tokenize")


def test_a_function_on_memrefs_without_its_passes() -> None:
    with pytest.raises(CompileError, match=r"does not lead to LLVM: @main is still a 'func.func'"):
        snippets_mlir.compile(MEMREFS, pipeline="canonicalize")


def test_no_passes_for_what_needs_none() -> None:
    text = """func.func @main() -> tensor<2xf32> {
      %0 = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
      func.return %0 : tensor<2xf32>
    }"""
    np.testing.assert_array_equal(snippets_mlir.compile(text, pipeline="")(), [1, 2])
    lowered = snippets_mlir.compile(ADD).ir("llvm")
    found = snippets_mlir.compile(lowered, pipeline="")(np.full((2, 3), -1, np.float32))
    np.testing.assert_array_equal(found, 0)
