"""What Python shows: public names, representations, errors of one message, names of inputs."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import onnx
import pytest
from warm_process import run_warm

import snippets_mlir
from snippets_mlir import extend
from snippets_mlir.tools import snippets_opt, snippets_run

EXAMPLES = Path(__file__).parents[3] / "docs/examples"
WRONG = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.reluu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}"""
DYNAMIC = """func.func @main(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = snippets.add %x, %y : tensor<?x8xf32>
  func.return %0 : tensor<?x8xf32>
}"""


def shown(value: object, kind: str) -> str | None:
    """What a notebook shows of a value."""
    return getattr(value, f"_repr_{kind}_")()


def test_dir_is_what_is_public():
    assert set(dir(snippets_mlir)) == {*snippets_mlir.__all__, "__version__"}
    assert {"compile", "Compiled", "Kernel", "Program"} <= set(snippets_mlir.__all__)
    assert all(hasattr(snippets_mlir, name) for name in dir(snippets_mlir))
    assert set(dir(extend)) == set(extend.__all__)


def test_ways_in_need_no_import_of_their_own():
    """Without the packages that three of them are for."""
    code = """
import snippets_mlir as s
print(*map(callable, (s.dask.map_blocks, s.jax.kernel, s.torch.explain, s.xp.exp)))
"""
    assert run_warm("-c", code).stdout.split() == ["True"] * 4


def test_representations():
    m = snippets_mlir.compile(EXAMPLES / "two_outputs.mlir")
    assert repr(m) == (
        "<StaticProgram (x: 33x17xfloat32, y: 33x17xfloat32) -> "
        "(difference: 33x17xfloat32, activated: 33x17xfloat32)>"
    )
    html = shown(m, "html")
    assert html is not None
    assert "1 kernel(s), 0 op(s) in no kernel" in html
    assert "white-space: pre-wrap" in html  # long lines of the report do not widen the page
    assert html.count("<svg") == 1
    picture = ElementTree.fromstring(shown(m.kernels[0], "svg") or "")
    assert "gelu" in "".join(picture.itertext())


def test_a_dynamic_program_has_a_representation_before_a_call():
    m = snippets_mlir.compile(DYNAMIC)
    assert (
        repr(m) == "<DynamicProgram (arg0: ?x8xfloat32, arg1: ?x8xfloat32) -> (out0: ?x8xfloat32)>"
    )
    assert "1 kernel(s)" in str(shown(m, "html"))
    assert shown(m.kernels[0], "svg") is None
    m(np.ones((3, 8), np.float32), np.ones((3, 8), np.float32))
    assert (m.compile_count, m.per_shape_reason) == (1, None)
    assert shown(m.kernels[0], "svg") is not None


@pytest.mark.parametrize("debug", [False, True])
def test_a_wrong_program_ends_in_one_message(debug: bool):
    code = f"import snippets_mlir\nsnippets_mlir.compile({WRONG!r})"
    environment = {"SNIPPETS_DEBUG": "1"} if debug else {}
    done = run_warm("-c", code, env={**os.environ, **environment})
    assert "unknown op 'snippets.reluu'" in done.stderr.splitlines()[-1]
    assert ("The above exception" in done.stderr) == debug
    frames = [line for line in done.stderr.splitlines() if line.lstrip().startswith("File ")]
    assert (len([f for f in frames if "warm_process.py" not in f]) > 3) == debug


@pytest.mark.parametrize("main", [snippets_opt.main, snippets_run.main])
def test_the_tools_show_causes_on_request(
    main: Callable[[list[str]], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "wrong.mlir").write_text(WRONG)
    monkeypatch.delenv("SNIPPETS_DEBUG", raising=False)
    assert main([str(tmp_path / "wrong.mlir")]) == 1
    monkeypatch.setenv("SNIPPETS_DEBUG", "1")
    with pytest.raises(Exception, match=r"snippets\.reluu"):
        main([str(tmp_path / "wrong.mlir")])


def test_wrong_shapes_of_a_call_end_in_one_message():
    m = snippets_mlir.compile(DYNAMIC)
    with pytest.raises(snippets_mlir.CompileError, match="3x8, 4x8") as caught:
        m(np.ones((3, 8), np.float32), np.ones((4, 8), np.float32))
    assert caught.value.__cause__ is None
    assert all("specialize" not in str(entry.path) for entry in caught.traceback)


def test_arguments_of_memref_functions_have_the_names_of_the_text():
    m = snippets_mlir.compile(EXAMPLES / "loops/saxpy.mlir")
    assert [spec.name for spec in m.inputs] == ["a", "x", "y"]
    y = np.ones(5, np.float32)
    m.run({"a": 2.0, "x": np.ones(5, np.float32), "y": y})
    assert y.tolist() == [3.0] * 5


def test_fallback_error_refuses_a_dynamic_program_when_it_is_compiled():
    text = (EXAMPLES / "opaque.mlir").read_text().replace("<16x", "<?x")
    with pytest.raises(snippets_mlir.CompileError, match=r'fallback="error": 1 op.*onnx.MatMul'):
        snippets_mlir.compile(text, fallback="error")


def test_fallback_error_refuses_an_operator_of_a_dynamic_model_when_it_is_compiled():
    graph = onnx.parser.parse_graph("g (float[N] x) => (float[N] y) { z = Exp(x) y = Det2(z) }")
    graph.node[1].op_type = "NonZero"
    graph.output[0].type.tensor_type.elem_type = onnx.TensorProto.INT64
    graph.output[0].type.tensor_type.ClearField("shape")
    with pytest.raises(snippets_mlir.CompileError, match=r'fallback="error": 1 op.*NonZero'):
        snippets_mlir.compile(onnx.helper.make_model(graph), fallback="error")
    held = onnx.parser.parse_graph("g (float[N] x) => (float[N] y) { y = Exp(x) }")
    m = snippets_mlir.compile(onnx.helper.make_model(held), fallback="error")
    assert m(np.zeros(3, np.float32)).tolist() == [1, 1, 1]


@pytest.mark.parametrize("debug", [False, True])
def test_a_wrong_argument_shows_no_frames_of_the_program(
    debug: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SNIPPETS_DEBUG", "1" if debug else "")
    tensors = snippets_mlir.compile(
        "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "%0 = snippets.exp %x : tensor<3xf32>\n func.return %0 : tensor<3xf32>\n}"
    )
    memrefs = snippets_mlir.compile("func.func @f(%x: memref<3xf32>) {\n func.return\n}")
    for program in (tensors, memrefs):
        with pytest.raises(TypeError, match="expected float32, found float64") as found:
            program(np.zeros(3))
        frames = [frame.name for frame in found.traceback]
        assert (len(frames) == 2) != debug, frames


def test_a_program_shows_its_interface_and_not_how_it_works():
    program = snippets_mlir.compile(
        "func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n func.return %x : tensor<3xf32>\n}"
    )
    shown = [name for name in dir(program) if name[0] != "_"]
    assert {"run", "inputs", "kernels", "ir", "from_cache"} <= set(shown)
    assert not {"built", "build_for", "known_builds"} & set(shown)
    assert all(hasattr(program, name) for name in shown)
    page = (Path(__file__).resolve().parents[3] / "docs/python-api.md").read_text()
    assert [name for name in shown if not re.search(rf"`(m\.)?{name}\b", page)] == []


def test_a_type_that_no_array_has_is_named_with_its_place():
    """The place of its function."""
    text = (
        "\nfunc.func @main(%x: tensor<2xi3>) -> tensor<2xi3> {\n func.return %x : tensor<2xi3>\n}"
    )
    expected = "input 'arg0': element type i3 has no NumPy dtype"
    with pytest.raises(snippets_mlir.CompileError, match=expected) as error:
        snippets_mlir.compile(text)
    assert (error.value.line, error.value.column) == (2, 1)
