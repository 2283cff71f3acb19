"""Errors in the code of plug-ins: one message, with the line of the plug-in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import PARTS
from snippets_mlir.targets.implementations import registry
from snippets_mlir.tools import snippets_opt, snippets_run

OP = """from snippets_mlir.extend import *

@irdl_op_definition
class DoubleOp(FloatOp):
    \"\"\"2 * x.\"\"\"
    name = "mine.double"

def value(x):
    return {value}

def expansion(b, operands, attributes):
    return {expansion}

RECORDS = [OpRecord(DoubleOp, value=wide(value), floats={floats})]
"""
RIGHT = {
    "value": "2 * x",
    "expansion": "b.add(operands[0], operands[0])",
    "floats": "Expansion(expansion)",
}
GRAPH = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = mine.double %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
"""
X = np.arange(8, dtype=np.float32)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.mlir"
    path.write_text(GRAPH)
    return path


def plugin(folder: Path, **changes: str) -> Path:
    path = folder / "mine.py"
    path.write_text(OP.format(**{**RIGHT, **changes}))
    return path


def test_a_line_that_cannot_be_imported(tmp_path: Path) -> None:
    path = plugin(tmp_path, floats="Expansion(nothing)")
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(GRAPH, plugins=[path])
    said = f"{path}:14: plugin '{path}' cannot be loaded: NameError: name 'nothing' is not defined"
    assert str(caught.value) == said


def test_an_error_of_the_compiler_while_it_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "target.py"
    path.write_text("from snippets_mlir.extend import *\nT = variant('generik', 'mine')\n")
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(GRAPH, plugins=[path])
    said = f"{path}:2: plugin '{path}' cannot be loaded: unknown target 'generik'; did you mean"
    assert str(caught.value).startswith(said)


def test_an_expansion_that_raises(tmp_path: Path, graph: Path) -> None:
    path = plugin(tmp_path, expansion="b.plus(operands[0])")
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(graph, plugins=[path])
    said = f"pass 'lir-expand-math' failed at {path}:12: AttributeError: 'LirMathBuilder' object"
    assert caught.value.message.startswith(said)


def test_a_value_that_raises(
    tmp_path: Path,
    graph: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = plugin(tmp_path, value="x.twice()")
    option = f"--load-dialect-plugin={path}"
    assert snippets_run.main([str(graph), option]) == 0
    assert snippets_run.main([str(graph), option, "--verify"]) == 1
    said = f"error: {path}:9: AttributeError: 'numpy.ndarray' object has no attribute 'twice'"
    assert capsys.readouterr().err.splitlines() == [said]
    assert snippets_opt.main([str(graph), option, "-p", "cse", "--check-each"]) == 1
    assert f"{path}:9: AttributeError" in capsys.readouterr().err
    monkeypatch.setenv("SNIPPETS_DEBUG", "1")
    with pytest.raises(AttributeError, match="twice"):
        snippets_run.main([str(graph), option, "--verify"])


@pytest.mark.parametrize(
    ("expansion", "found"),
    [("None", "None"), ("'a'", "'a'"), ("b.gt(operands[0], b.constant(0.0))", "one of i1")],
)
def test_an_expansion_that_is_no_value(tmp_path: Path, expansion: str, found: str) -> None:
    path = plugin(tmp_path, expansion=expansion)
    said = (
        f"pass 'lir-expand-math': plugin '{path}': the expansion of mine.double: expected a value "
        f"of f32 from the builder, found {found}"
    )
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(GRAPH, plugins=[path])
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("None", "mine.double computes shape scalar, its type says 8"),
        ("'a'", "mine.double: expected an array of numbers as its value: "),
        ("x[:1]", "mine.double computes shape 1, its type says 8"),
    ],
)
def test_a_value_that_is_wrong(
    tmp_path: Path, graph: Path, capsys: pytest.CaptureFixture[str], value: str, said: str
) -> None:
    path = plugin(tmp_path, value=value)
    assert snippets_run.main([str(graph), f"--load-dialect-plugin={path}", "--verify"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"error: plugin '{path}': {said}" in line


def test_a_value_of_another_type(
    tmp_path: Path, graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = plugin(tmp_path)
    path.write_text(path.read_text().replace("wide(value)", "lambda op, dtype, x: x > 0"))
    assert snippets_run.main([str(graph), f"--load-dialect-plugin={path}", "--verify"]) == 1
    said = f"plugin '{path}': mine.double: expected a value of float32, found bool"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ("validate=lambda n: 5", "validate of Implementation 'bad': expected a reason or None"),
        ("validate=5", "validate of Implementation 'bad': expected a function of a node"),
        ("cost=lambda n: 'x'", "cost of Implementation 'bad': expected nanoseconds, 0 or more"),
        ("cost=lambda n: float('nan')", "cost of Implementation 'bad': expected nanoseconds"),
        ("scratch=lambda n: -1", "scratch of Implementation 'bad': expected bytes, 0 or more"),
        ("claims=lambda f: {}", "claims of Implementation 'bad': expected a function (ops, *"),
        ("claims=lambda o, weighed: 7", "claims of Implementation 'bad': expected a dictionary"),
    ],
)
def test_rows_that_give_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, functions: str, said: str
) -> None:
    monkeypatch.setattr(registry, "_rows", [*registry.implementations()])
    monkeypatch.delitem(PARTS, "implementation 'bad'", raising=False)
    path = tmp_path / "rows.py"
    fits = "" if functions.startswith("validate") else "validate=lambda n: None, "
    path.write_text(
        "from snippets_mlir.extend import Implementation\n"
        f"IMPLEMENTATIONS = [Implementation('bad', {fits}{functions})]\n"
    )
    node = '%0 = onnx.node "Erf"(%x) {domain = "", version = 13 : i64} : '
    node += "(tensor<8xf32>) -> tensor<8xf32>\n  %1 = snippets.exp %0 : tensor<8xf32>"
    text = GRAPH.replace("%0 = mine.double %x : tensor<8xf32>", node)
    with pytest.raises(CompileError) as caught:
        snippets_mlir.compile(text.replace("return %0", "return %1"), plugins=[path])
    assert f"plugin '{path}': {said}" in caught.value.message


def test_an_op_without_code_runs_in_numpy(tmp_path: Path) -> None:
    program = snippets_mlir.compile(GRAPH, plugins=[plugin(tmp_path, floats="None")])
    (op,) = program.opaque
    reason = "its record has no code for f32 elements: neither `code` nor an expansion"
    assert (op.op, op.reason, program.kernels) == ("mine.double", reason, ())
    np.testing.assert_array_equal(program(X), 2 * X)


def test_an_op_with_code_is_in_a_kernel(tmp_path: Path) -> None:
    program = snippets_mlir.compile(GRAPH, plugins=[plugin(tmp_path)], fallback="error")
    np.testing.assert_array_equal(program(X), 2 * X)
