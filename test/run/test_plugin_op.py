"""An op outside of the package: one file with a class and its record, and all parts know it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from runnable import RUNNABLE
from sampled import sampled
from warm_process import run_warm
from xdsl.dialects.builtin import ModuleOp, bf16, f16, f32, f64
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import register, unregister
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.inspect.opt import assembly_text
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import ToolContext, make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.plugins import load_dialect_plugin, load_plugin
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module
from snippets_mlir.targets.machine import TARGETS
from snippets_mlir.tools import snippets_run
from snippets_mlir.tools.random_graphs import check, make_graph

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "plugin" / "shrinking"
PLUGIN = (EXAMPLES / "softshrink.py").read_text(encoding="utf-8")

NAME = "mine.softshrink"
GRAPH = """func.func @main(%x: tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
  %0 = snippets.negative %x : tensor<{n}x{t}>
  %1 = mine.softshrink %0 : tensor<{n}x{t}>
  func.return %1 : tensor<{n}x{t}>
}}"""
KERNEL = """func.func @main(%x: tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
  %0 = snippets.subgraph (%a = %x) : (tensor<{n}x{t}>) -> tensor<{n}x{t}> {{
    %1 = snippets.negative %a : tensor<{n}x{t}>
    %2 = mine.softshrink %1 : tensor<{n}x{t}>
    snippets.yield %2 : tensor<{n}x{t}>
  }}
  func.return %0 : tensor<{n}x{t}>
}}"""
ELEMENTS: dict[str, Attribute] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
PRECISION = "snippets-set-target,snippets-propagate-precision"
LOWERING = (
    "snippets-constants-to-scalars,snippets-broadcast-to-broadcast-move,"
    "convert-snippets-to-lir,lir-to-vector,vector-to-llvm"
)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    path = tmp_path / "softshrink.py"
    path.write_text(PLUGIN, encoding="utf-8")
    return path


@pytest.fixture
def ctx(plugin: Path) -> Iterator[ToolContext]:
    """A context after the plug-in was loaded; its op is gone again after the test."""
    context = make_context()
    assert load_dialect_plugin(str(plugin), context) == ()
    yield context
    unregister(*records(plugin))


def records(plugin: Path) -> list[OpRecord]:
    return load_plugin(str(plugin)).RECORDS


def shrunk(x: Any) -> Any:
    wide = x.astype(np.float64)
    return (np.sign(wide) * np.maximum(np.abs(wide) - 0.5, 0)).astype(x.dtype)


def numbers(element: str, count: int) -> Any:
    """Values that every float type has."""
    whole = np.arange(count) % 129 - 64
    return (whole / 32).astype(numpy_dtype(ELEMENTS[element]))


def after(text: str, passes: str, ctx: ToolContext) -> ModuleOp:
    module = parse_module(text, ctx, "t")
    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
    return module


def names_in(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def test_it_parses_prints_and_verifies(ctx: ToolContext):
    text = GRAPH.format(n=8, t="f32")
    module = parse_module(text, ctx, "t")
    module.verify()
    assert print_module(parse_module(print_module(module), ctx, "t")) == print_module(module)
    wrong = GRAPH.format(n=8, t="i32")
    with pytest.raises((CompileError, VerifyException), match=r"mine\.softshrink expects float"):
        parse_module(wrong, ctx, "t").verify()


def test_it_folds(ctx: ToolContext):
    text = """func.func @main() -> tensor<3xf32> {
      %0 = snippets.constant dense<[2.0, -0.25, -1.0]> : tensor<3xf32>
      %1 = mine.softshrink %0 : tensor<3xf32>
      func.return %1 : tensor<3xf32>
    }"""
    found = print_module(after(text, "canonicalize", ctx))
    assert NAME not in found
    assert "[1.500000e+00, -0.000000e+00, -5.000000e-01]" in found


def test_it_is_interpreted(ctx: ToolContext):
    x = numbers("f32", 33)
    module = parse_module(GRAPH.format(n=33, t="f32"), ctx, "t")
    (found,) = Interpreter(module).run("main", [x])
    np.testing.assert_array_equal(found, shrunk(-x))


def test_it_is_tokenized(ctx: ToolContext):
    found = names_in(after(GRAPH.format(n=33, t="f32"), "snippets-tokenize", ctx))
    inside = found[found.index("snippets.subgraph") :]
    assert NAME in inside
    assert found.count(NAME) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_it_compiles_for_every_float_on_every_target(target: str, ctx: ToolContext):
    """Its code calls no conversions of a library."""
    for element in sampled(ELEMENTS, 2):
        passes = f"snippets-set-target{{target={target}}},snippets-propagate-precision,{LOWERING}"
        module = after(KERNEL.format(n=999, t=element), passes, ctx)
        assert NAME not in names_in(module)
        calls = re.findall(r"\t(?:callq|jmp|bl)\t([^.\s]+)$", assembly_text(module), re.MULTILINE)
        assert {*calls} <= {"subgraph_0"}, element


@pytest.mark.parametrize(
    ("target", "element"), sampled([(t, element) for t in RUNNABLE for element in ELEMENTS], 3)
)
def test_it_is_in_a_kernel_for_every_float_on_every_target(
    target: str, element: str, ctx: ToolContext
):
    x = numbers(element, 999)
    program = snippets_mlir.compile(GRAPH.format(n=999, t=element), target=target)
    assert len(program.kernels) == 1
    assert not program.opaque
    np.testing.assert_array_equal(program(x), shrunk(-x))


@pytest.mark.parametrize("element", ELEMENTS)
def test_kernels_compute_its_value(element: str, ctx: ToolContext):
    x = numbers(element, 999)
    module = after(KERNEL.format(n=999, t=element), PRECISION, ctx)
    module.attributes.pop("snippets.target")
    kernel = snippets_mlir.compile(
        module, fallback="error", pipeline=f"snippets-set-target,{LOWERING}"
    )
    assert NAME in kernel.kernels[0].ops
    outside = snippets_mlir.compile(GRAPH.format(n=999, t=element))
    assert not outside.opaque
    for program in (kernel, outside):
        np.testing.assert_array_equal(program(x), shrunk(-x))


def model(element: int = TensorProto.FLOAT, **attributes: Any) -> onnx.ModelProto:
    nodes = [
        helper.make_node("Exp", ["x"], ["a"]),
        helper.make_node("Softshrink", ["a"], ["b"], domain="mine", **attributes),
        helper.make_node("Neg", ["b"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", element, [4, 33])
    y = helper.make_tensor_value_info("y", element, None)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("mine", 1)]
    return helper.make_model(helper.make_graph(nodes, "g", [x], [y]), opset_imports=opsets)


@pytest.mark.parametrize("fallback", ["onnxruntime", "error"])
def test_it_is_imported_from_a_domain_of_its_own(
    fallback: Literal["onnxruntime", "error"], ctx: ToolContext
):
    """onnxruntime does not have it, so it is in a kernel however small the model is."""
    x = np.linspace(-3, 3, 132, dtype=np.float32).reshape(4, 33)
    for _ in range(2):
        program = snippets_mlir.compile(model(), fallback=fallback)
        assert program.kernels[0].ops == ("snippets.exp", NAME, "snippets.negative")
        np.testing.assert_allclose(program(x), -shrunk(np.exp(x)), rtol=1e-6)


def test_attributes_that_its_record_does_not_map_leave_the_node(ctx: ToolContext):
    """A kernel with 0.5 in place of 0.75 would be another function."""
    made = model(lambd=0.75)
    reason = "the attribute lambd of Softshrink is unknown, none is known"
    assert reason in str(import_model(made))
    found = r"mine\.Softshrink.* plug-in that knows their attributes \(lambd\): docs/plugins\.md"
    with pytest.raises(CompileError, match=found):
        snippets_mlir.compile(made)


@pytest.mark.parametrize("mark_skipped", ["auto", "none"])
def test_calls_that_onnxruntime_cannot_run_have_code_of_their_own(
    mark_skipped: Literal["auto", "none"], ctx: ToolContext
):
    made = model()
    made.graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 33]))
    w = np.eye(33, dtype=np.float32)
    made.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    made.graph.node.append(helper.make_node("MatMul", ["y", "w"], ["z"]))
    made.graph.output[0].name = "z"
    for first in (0, 2):
        program = snippets_mlir.compile(made, mark_skipped=mark_skipped)
        for rows in (first, 4, 0, 1, 0):
            x = np.linspace(-3, 3, rows * 33, dtype=np.float32).reshape(rows, 33)
            np.testing.assert_allclose(program(x), -shrunk(np.exp(x)), rtol=1e-6, strict=True)
        assert program.compiled_times == 2


def test_the_tool_verifies_against_the_interpreter(
    plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """onnxruntime cannot run the model; an operator that only it has runs there."""
    made = model()
    made.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "n"
    made.graph.output[0].name = "z"
    made.graph.node.append(helper.make_node("Trilu", ["y", "axis"], ["z"]))
    made.graph.initializer.append(onnx.numpy_helper.from_array(np.array(1), "axis"))
    path = tmp_path / "model.onnx"
    path.write_bytes(made.SerializeToString())
    arguments = [str(path), "--verify", "--report", "--shape=x=3x33"]
    assert snippets_run.main([*arguments, f"--load-dialect-plugin={plugin}"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"^z: 3x33 float32 max_abs=\S+ max_rel=\S+ ok$", out, re.MULTILINE)
    assert f"candidate kernel: snippets.exp, {NAME}, snippets.negative: onnxruntime lacks" in out
    assert "remark: results are compared with the interpreter: onnxruntime does not accept" in err
    unregister(*records(plugin))
    assert snippets_run.main(arguments) == 1
    out, err = capsys.readouterr()
    assert "the ONNX node mine.Softshrink (input " in err
    assert "operators of other domains need a plug-in: docs/plugins.md" in err


def test_without_the_plugin_the_operator_stays(plugin: Path):
    nodes = [op for op in import_model(model()).walk() if isinstance(op, NodeOp)]
    assert "operators of the domain 'mine' are not compiled" in str(nodes[0].attributes)
    register(*records(plugin))
    try:
        assert not [op for op in import_model(model()).walk() if isinstance(op, NodeOp)]
    finally:
        unregister(*records(plugin))


def test_it_is_in_random_graphs(ctx: ToolContext):
    seeds = [seed for seed in range(40) if NAME in make_graph(seed).ops]
    assert seeds
    assert not check(seeds[0], ()).failures


def test_another_op_of_its_name_is_refused(ctx: ToolContext, tmp_path: Path):
    other = tmp_path / "other.py"
    other.write_text(PLUGIN, encoding="utf-8")
    with pytest.raises(CompileError, match=r"already an op 'mine\.softshrink'"):
        load_dialect_plugin(str(other), make_context())


@pytest.mark.usefixtures("cache_directory")
def test_the_tools_load_it_with_a_cold_and_a_warm_cache(
    plugin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """The process with the warm cache has not seen the plug-in before."""
    source = tmp_path / "graph.mlir"
    source.write_text(GRAPH.format(n=33, t="f32"), encoding="utf-8")
    arguments = [str(source), "--report", f"--load-dialect-plugin={plugin}"]
    assert snippets_run.main(arguments) == 0
    cold = capsys.readouterr().out
    unregister(*records(plugin))
    code = "import sys; from snippets_mlir.tools.snippets_run import main; sys.exit(main())"
    done = run_warm("-c", code, *arguments)
    assert done.returncode == 0, done.stderr
    for said in (cold, done.stdout):
        assert f"snippets.negative, {NAME}" in said
    assert "program cache" not in cold
    assert "program cache" in done.stdout
