"""The graphs and pictures of kernels at every stage: well-formed, complete, and consistent."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from sampled import sampled

from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.inspect.lir_dump import VARIABLE
from snippets_mlir.passes.lir.debug.files import FORMATS, GRAPHS, rendered
from snippets_mlir.passes.lir.debug.kernel_view import KernelView, view_of
from snippets_mlir.passes.lir.debug.lir_debug_print import kernel_text
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.tools import snippets_opt

SOFTMAX = """func.func @main(%x: tensor<3x50xf32>, %b: tensor<50xf32>) -> tensor<3x50xf32> {
  %0 = snippets.add %x, %b : (tensor<3x50xf32>, tensor<50xf32>) -> tensor<3x50xf32>
  %1 = snippets.softmax %0 {axis = 1 : i64} : tensor<3x50xf32>
  func.return %1 : tensor<3x50xf32>
}"""
PREFIXES = range(LIR_TO_VECTOR.index("convert-lir-to-vector") + 1)


def kernel_after(count: int) -> KernelOp:
    """The kernel of a softmax after the first `count` passes over kernels."""
    ctx = make_context()
    module = parse_module(SOFTMAX, ctx)
    pipeline = ",".join((PIPELINES["snippets-to-lir"], *LIR_TO_VECTOR[:count]))
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    (kernel,) = kernels_of(module)
    return kernel


def check_graph(view: KernelView, graph: str) -> None:
    """Ids count up, edges join ports that exist, and each input of data has one edge."""
    net = ElementTree.fromstring(rendered(view, graph, "xml"))
    layers = net.findall("layers/layer")
    assert [layer.get("id") for layer in layers] == [str(i) for i in range(len(layers))]
    outputs = {
        (layer.get("id"), port.get("id"))
        for layer in layers
        for port in layer.findall("output/port")
    }
    inputs = [
        (layer.get("id"), port.get("id"))
        for layer in layers
        for port in layer.findall("input/port")
    ]
    edges = [
        ((e.get("from-layer"), e.get("from-port")), (e.get("to-layer"), e.get("to-port")))
        for e in net.findall("edges/edge")
    ]
    assert {start for start, _ in edges} <= outputs
    assert sorted(end for _, end in edges) == sorted(inputs)
    assert all(int(start[0] or 0) < int(end[0] or 0) for start, end in edges)
    expected = [op.op.name for op in view.ops]
    if graph == "data_flow":
        expected = [name for name in expected if "loop_" not in name]
    found = [data.get("op") for data in net.findall("layers/layer/data") if data.get("op")]
    assert found == expected


@pytest.mark.parametrize("count", sampled(PREFIXES, 4))
def test_every_stage_can_be_seen(count: int):
    kernel = kernel_after(count)
    view = view_of(kernel)
    for graph in GRAPHS:
        check_graph(view, graph)
        for suffix in FORMATS:
            text = rendered(view, graph, suffix)
            assert "href=" not in text
            assert "src=" not in text
            if suffix == "svg":
                ElementTree.fromstring(text)
    text = kernel_text(view)
    assert all(f"  {op.index}: {op.op.name}" in text for op in view.ops)


def test_loops_are_boxes_and_buffers_lifetimes():
    kernel = kernel_after(LIR_TO_VECTOR.index("lir-expand-math"))
    view = view_of(kernel)
    picture = ElementTree.fromstring(rendered(view, "control_flow", "svg"))
    ids = [group.get("id") for group in picture.iter("{http://www.w3.org/2000/svg}g")]
    loops = [op.id for op in kernel.block.ops if isinstance(op, LoopBeginOp)]
    buffers = [op for op in kernel.block.ops if isinstance(op, BufferOp)]
    assert buffers
    assert ids == [*(f"loop{i}" for i in loops), *(f"buffer{i}" for i in range(len(buffers)))]
    for buffer in view.buffers:
        assert 0 <= buffer.start <= buffer.end < len(view.ops)
        assert f"buffer {buffer.name}: offset {buffer.offset}" in kernel_text(view)


def test_several_kernels_have_files_of_their_own(tmp_path: Path):
    two = SOFTMAX + SOFTMAX.replace("@main", "@other").replace("50xf32", "51xf32")
    source = tmp_path / "two.mlir"
    source.write_text(two, encoding="utf-8")
    path = tmp_path / "k.xml"
    passes = f"snippets-to-lir,lir-serialize-data-flow{{path={path}}}"
    assert snippets_opt.main([str(source), "-p", passes, "-o", str(tmp_path / "o")]) == 0
    assert sorted(p.name for p in tmp_path.glob("*.xml")) == [
        "k_subgraph_0.xml",
        "k_subgraph_1.xml",
    ]


def test_the_environment_asks_for_dumps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source = tmp_path / "a.mlir"
    source.write_text(SOFTMAX, encoding="utf-8")
    monkeypatch.setenv(VARIABLE, f"PASSES=all DIR={tmp_path / 'dump'}")
    passes = "snippets-to-lir,lir-optimize-domain,lir-mark-loops"
    assert snippets_opt.main([str(source), "-p", passes, "-o", str(tmp_path / "o")]) == 0
    files = sorted(p.name.partition("_")[2] for p in tmp_path.glob("dump/*/*"))
    assert [name[3:] for name in files] == [
        "convert-snippets-to-lir_control_flow_out.xml",
        "lir-optimize-domain_control_flow_in.xml",
        "lir-optimize-domain_control_flow_out.xml",
        "lir-mark-loops_control_flow_in.xml",
        "lir-mark-loops_control_flow_out.xml",
        "final_control_flow_out.xml",
    ]
