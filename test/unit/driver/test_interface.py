"""What a program is called with is what its lowered form takes, from the cache or not."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from retyping_passes import plugin_context
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver import compile_with
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager import universe
from snippets_mlir.tools.snippets_run import main

ROOT = Path(snippets_mlir.__file__).parents[1]

TEXT = """func.func @main(%x: tensor<2x6x5x7xf32>, %y: tensor<5x7xf32>) -> tensor<2x6x5x7xf32> {
  %0 = snippets.add %x, %y : (tensor<2x6x5x7xf32>, tensor<5x7xf32>) -> tensor<2x6x5x7xf32>
  %1 = snippets.exp %0 : tensor<2x6x5x7xf32>
  func.return %1 : tensor<2x6x5x7xf32>
}
"""
SHAPES = {
    "static": TEXT,
    "dynamic rows": TEXT.replace("2x6x5", "?x6x5"),
    "dynamic": TEXT.replace("2x6x5", "?x?x5"),
}
LAYOUTS = "snippets-canonicalize-layouts{layouts=NCHW4c,HW}"
TYPES = "snippets-align-element-types{inputs=f16,- outputs=f16}"
RETYPING = {LAYOUTS: ("float32", "float32", 5), TYPES: ("float16", "float16", 4)}


def planar(x: np.ndarray) -> np.ndarray:
    """Channels in blocks as channels."""
    n, blocks, h, w, c = x.shape
    return x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * c, h, w)


def test_every_pass_that_retypes_is_tested() -> None:
    files = {name: row.partition(":")[0] for name, row in universe.PASSES.items()}
    texts = {name: Path(ROOT, *file.split(".")).with_suffix(".py") for name, file in files.items()}
    retyping = {name for name, path in texts.items() if "= RETYPES" in path.read_text()}
    assert retyping == {text.partition("{")[0] for text in RETYPING}


@pytest.mark.parametrize(("kind", "inserted"), sampled(product(SHAPES, RETYPING), 2))
def test_cold_and_warm_programs_take_what_was_lowered(
    cache_directory: Path, kind: str, inserted: str
) -> None:
    """A program once took the source's types when it was compiled, and read beyond its inputs."""
    dtype, result, rank = RETYPING[inserted]
    rng = np.random.default_rng(0)
    compiled: list[Any] = []
    for _ in range(2):
        m = snippets_mlir.compile(
            SHAPES[kind], insert_passes=[f"after:snippets-tokenize:{inserted}"]
        )
        compiled.append(m)
        assert [str(spec.dtype) for spec in (*m.inputs, *m.outputs)] == [dtype, "float32", result]
        shape = m.inputs[0].shape or ()
        assert len(shape) == len(m.outputs[0].shape or ()) == rank
        sizes = zip(shape, (2, 2, 5, 7, 4) if rank == 5 else (2, 6, 5, 7), strict=True)
        x = rng.standard_normal([found for _, found in sizes]).astype(dtype)
        y = rng.standard_normal((5, 7), np.float32)
        found = m(x, y)
        assert found.dtype == result
        wide = (planar(x) if rank == 5 else x).astype(np.float64)
        values = planar(found) if rank == 5 else found
        np.testing.assert_allclose(values, np.exp(wide + y), rtol=2.0**-10)
        np.testing.assert_array_equal(m.run({"arg0": x, "arg1": y})["out0"], found)
        with pytest.raises((TypeError, ValueError), match="input 'arg0': expected"):
            m(np.ones((2, 6, 5, 7), np.float32), y)
        with pytest.raises((TypeError, ValueError), match="output 'out0': expected"):
            m(x, y, out=np.ones((2, 6, 5, 7), np.float32))
    assert (compiled[1].from_cache == "program") == (kind == "static")
    for attribute in ("inputs", "outputs", "passes", "manifest"):
        assert str(getattr(compiled[0], attribute)) == str(getattr(compiled[1], attribute))
    for stage in ("graph", "snippets-tokenize", "subgraph", "llvm-ir"):
        assert compiled[0].ir(stage) == compiled[1].ir(stage)


@pytest.mark.parametrize(("kind", "inserted"), sampled(product(SHAPES, RETYPING), 2))
def test_verify_compares_with_what_the_pass_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, inserted: str
) -> None:
    path = tmp_path / "program.mlir"
    path.write_text(SHAPES[kind])
    option = f"--insert-pass=after:snippets-tokenize:{inserted}"
    assert main([str(path), "--verify", option]) == 0
    out, err = capsys.readouterr()
    assert out.count("ok\n") == 1
    assert err == (
        f"remark: results are compared with those of the IR after pass "
        f"'{inserted.partition('{')[0]}', which gave @main other arguments or results\n"
    )
    assert main([str(path), "--verify"]) == 0
    assert capsys.readouterr().err == ""


# --- passes of plugins


def inserted(text: str, insertion: str) -> Any:
    settings = Settings.filled(context=plugin_context(), insert_passes=[insertion])
    return compile_with(text, None, settings)


SUM = """func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>, %z: tensor<7xf32>)
    -> tensor<3x4xf32> {
  %0 = snippets.add %x, %y : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  func.return %0 : tensor<3x4xf32>
}
"""
X, Y, Z = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones(4, np.float32), np.zeros(7)
PLUGINS = {
    "with-one-more": (["arg0", "arg1", "arg2", "arg3"], [X + 9, X, Y, Z.astype(np.float32)]),
    "without-unused": (["arg0", "arg1"], [X, Y]),
    "renamed": (["p0", "p1", "p2"], [X, Y, Z.astype(np.float32)]),
}


@pytest.mark.parametrize(
    ("position", "name", "size"),
    sampled(product(["start", "after:snippets-tokenize", "end"], PLUGINS, ["3", "?"]), 3),
)
def test_a_pass_of_a_plugin(name: str, position: str, size: str) -> None:
    names, arrays = PLUGINS[name]
    if (size, position) == ("?", "end"):
        m = inserted(SUM.replace("3x4", "?x4"), f"{position}:{name}")
        with pytest.raises(CompileError, match=r"the passes turn .* before convert-"):
            m(X, Y, Z.astype(np.float32))
        return
    m = inserted(SUM.replace("3x4", f"{size}x4"), f"{position}:{name}")
    assert [spec.name for spec in m.inputs] == names
    np.testing.assert_array_equal(m(*arrays), X + Y)
    source, last = m.reference()
    assert last == name
    assert source.input_names == names


def test_a_pass_of_a_plugin_that_does_not_say_that_it_retypes() -> None:
    m = inserted(SUM, "start:undeclared")
    np.testing.assert_array_equal(m(X + 1, X, Y, Z.astype(np.float32)), X + Y)
    m = inserted(SUM.replace("3x4", "?x4"), "start:undeclared")
    with pytest.raises(CompileError, match="EFFECT = RETYPES"):
        m(X, Y, Z.astype(np.float32))


def test_dims_that_a_pass_pins_or_frees() -> None:
    text = """func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
      %0 = snippets.abs %x : tensor<?x4xf32>
      func.return %0 : tensor<?x4xf32>
    }"""
    m = inserted(text, "start:pinned")
    assert not m.dynamic
    np.testing.assert_array_equal(m(-X), X)
    with pytest.raises(ValueError, match="expected shape"):
        m(X[:2])
    with pytest.raises(CompileError, match="the passes give input 'arg0' dynamic dims"):
        inserted(text.replace("?", "3"), "end:unpinned")


# --- functions on memrefs

SCALE = """func.func @main(%x: memref<4xf32>, %a: f32, %u: memref<2xf32>) -> f32 {
  affine.for %i = 0 to 4 {
    %0 = affine.load %x[%i] : memref<4xf32>
    %1 = arith.mulf %0, %a : f32
    affine.store %1, %x[%i] : memref<4xf32>
  }
  func.return %a : f32
}
"""
V, U = np.arange(4, dtype=np.float32), np.zeros(2, np.float32)


@pytest.mark.parametrize("position", ["start", "before:finalize-memref-to-llvm"])
@pytest.mark.parametrize(
    ("name", "arguments", "at"),
    [
        ("with-one-more", lambda: [V + 8, V.copy(), 2.5, U], 1),
        ("without-unused", lambda: [V.copy(), 2.5], 0),
        ("renamed", lambda: [V.copy(), 2.5, U], 0),
        ("widened", lambda: [V.astype(np.float64), 2.5, U.astype(np.float64)], 0),
    ],
)
def test_a_pass_on_memrefs(position: str, name: str, arguments: Any, at: int) -> None:
    """A descriptor was once read where the code had another argument."""
    if (position, name) == ("before:finalize-memref-to-llvm", "widened"):
        position = "before:lower-affine"
    m = inserted(SCALE, f"{position}:{name}")
    values = arguments()
    assert len(m.inputs) == len(values)
    assert m(*values) == 2.5
    np.testing.assert_array_equal(values[at], 2.5 * V)
    again = arguments()
    assert m.reference()[1] == name
    assert m.interpreted(again) == (2.5,)
    np.testing.assert_array_equal(again[at], 2.5 * V)
    with pytest.raises(TypeError, match="expected"):
        m(V.copy(), 2.5, U, 1.0, 2.0)


def test_a_pass_that_changes_lowered_code() -> None:
    with pytest.raises(CompileError, match="the passes leave no function that C can call as @main"):
        inserted(SCALE, "end:too-late")
