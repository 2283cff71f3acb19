"""A program at every stage: its text runs, can be edited, and its profile names every node once."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from sampled import ALL, sampled
from xdsl.dialects.builtin import ArrayAttr, StringAttr

import snippets_mlir
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

FUNCTION = """func.func @main(%x: tensor<6x33xf32> {snippets.name = "x"},
                %b: tensor<33xf32> {snippets.name = "b"})
    -> (tensor<198xf32> {snippets.name = "y"}, tensor<6x33xf32> {snippets.name = "s"}) {
  %sum = snippets.add %x, %b : (tensor<6x33xf32>, tensor<33xf32>) -> tensor<6x33xf32>
  %act = snippets.relu %sum : tensor<6x33xf32>
  %soft = snippets.softmax %act {axis = 1 : i64} : tensor<6x33xf32>
  %scaled = snippets.multiply %soft, %b : (tensor<6x33xf32>, tensor<33xf32>) -> tensor<6x33xf32>
  %norm = snippets.softmax %scaled {axis = 0 : i64} : tensor<6x33xf32>
  %flat = snippets.reshape %norm : (tensor<6x33xf32>) -> tensor<198xf32>
  func.return %flat, %soft : tensor<198xf32>, tensor<6x33xf32>
}"""
IDS = ["act", "flat", "norm", "scaled", "soft", "sum"]

STAGES = {
    "topology": "convert-host-to-program",
    "fused": "program-prepare-fusing,program-fuse-primitives",
    "selected": "program-select-implementations,program-lower-implementations",
    "planned": "program-memory-dependencies{queue=out-of-order},program-plan-memory",
    "scheduled": "program-schedule{queues=2}",
}


def texts() -> dict[str, str]:
    """The text of the program at each stage."""
    ctx = make_context()
    module, found = parse_module(FUNCTION, ctx), dict[str, str]()
    for stage, passes in STAGES.items():
        run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
        found[stage] = print_module(module)
        assert f'program.graph @main "{stage}"' in found[stage]
    return found


TEXTS = texts()


def inputs() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((6, 33)).astype(np.float32)
    x[0, :3] = [-0.0, 40.0, -40.0]
    return {"x": x, "b": rng.standard_normal(33).astype(np.float32)}


@cache
def program_of(stage: str) -> snippets_mlir.Program:
    """The program of a stage's text, or of the function."""
    return snippets_mlir.compile_program(TEXTS.get(stage, FUNCTION))


def compiled(stage: str) -> snippets_mlir.Compiled:
    return program_of(stage).compiled


@cache
def results(stage: str) -> dict[str, Any]:
    return dict(compiled(stage).run(inputs()))


def objects(stage: str) -> Any:
    """The machine code of a stage."""
    built: Any = compiled(stage).built()
    assert built.code.images
    return built.code.images


@cache
def code(stage: str) -> dict[str, str]:
    return llvm(compiled(stage))


def llvm(program: Any) -> dict[str, str]:
    return {kernel.name: kernel.ir("llvm-ir") for kernel in program.kernels}


@pytest.mark.parametrize("stage", STAGES)
def test_the_text_of_a_stage_runs(stage: str) -> None:
    """The same results and code from each; the plan and schedule of the text are kept."""
    for name, array in results("function").items():
        np.testing.assert_allclose(results(stage)[name], array, 1e-5, 1e-7)
    first = "topology" if stage == "topology" else "fused"
    for name, array in results(first).items():
        np.testing.assert_array_equal(results(stage)[name], array)
    assert objects(stage) == objects(first)
    manifest: Any = compiled(stage).manifest
    assert manifest.get("queues") == (2 if stage == "scheduled" else None)


@pytest.mark.parametrize(
    ("node", "kind"), sampled([("scaled", "onnxruntime"), ("norm", "reference")], 2)
)
def test_another_implementation_changes_one_kernel(node: str, kind: str) -> None:
    ctx = make_context()
    module = parse_module(TEXTS["fused"], ctx)
    passes = f'program-select-implementations{{force="{node}:{kind}"}}'
    run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
    program = snippets_mlir.compile(print_module(module))
    kernels, before = llvm(program), code("fused")
    assert before.keys() - kernels.keys() == {node}
    assert kernels == {name: before[name] for name in kernels}
    steps: Any = program.manifest["steps"]
    assert [s["impl"] for s in steps if s.get("node") == node] == [kind]
    for name, array in results("fused").items():
        np.testing.assert_allclose(program.run(inputs())[name], array, 1e-5, 1e-7)


def test_another_place_changes_no_kernel() -> None:
    plain = compiled("planned")
    storage = plain.built().program.storage
    (slot, *_) = storage.slots.values()
    arena: Any = plain.manifest["arena"]
    place = f"mem<arena, {slot.offset - (storage.arena - arena)}, {slot.size}>"
    text = TEXTS["planned"].replace(place, f"mem<arena, {arena + 64}, {slot.size}>", 1)
    text = text.replace(f"arena = {arena} ", f"arena = {arena + 64 + slot.size} ")
    program = snippets_mlir.compile(text)
    assert next(s.offset for s in program.built().program.storage.slots.values()) >= arena + 64
    built: Any = program.built()
    assert built.code.images == objects("planned")
    for name, array in results("planned").items():
        np.testing.assert_array_equal(program.run(inputs())[name], array)


def computed(op: NodeOp) -> ArrayAttr[StringAttr]:
    assert op.node_attributes is not None
    return cast("ArrayAttr[StringAttr]", op.node_attributes.data["computes"])


@pytest.mark.parametrize("stage", STAGES)
def test_every_node_is_named_once(stage: str) -> None:
    """Executed, fused into another, or a view; in the profile and in the execution graph."""
    network = program_of(stage).network()
    for name, array in inputs().items():
        network.set_input(name, array)
    network.execute()
    graph = parse_module(str(network.execution_graph()), make_context())
    ran = [name for step in network.profile() for name in step.nodes]
    named = [
        text.data
        for op in graph.walk()
        if isinstance(op, NodeOp) and op.op_type.data not in ("constant", "copy")
        for text in computed(op)
    ]
    assert sorted(named) == IDS
    assert sorted([*ran, "flat"]) == IDS


def test_hundreds_of_lengths_take_the_memory_of_the_longest() -> None:
    """Code is made for each mask, and the arena of a network is that of its live plans."""
    text = FUNCTION.replace("6x33", "?x33").replace("tensor<198x", "tensor<?x")
    rng = random.Random(1)
    lengths = [rng.randrange(0, 200) for _ in range(1000 if ALL else 200)]
    b = inputs()["b"]
    with snippets_mlir.compile_program(text, streams=1) as program:
        arenas: list[int] = []
        with program.queue(requests=2) as queue:
            for length in lengths:
                x = np.full((length, 33), 0.25, np.float32)
                found = queue.submit({"x": x, "b": b}).result()
                assert found["s"].shape == x.shape
                np.testing.assert_allclose(found["s"].sum(axis=1), np.ones(length), 1e-5)
                arenas.append(program.memory()["arena"])
        assert program.compiled.compiled_times <= 3
        longest = max(arenas)
        assert longest == arenas[lengths.index(max(lengths))] or longest in arenas[:100]
        assert sum(arenas[-100:]) <= 1.01 * (sum(arenas[:100]) + 100 * longest)
        assert len(program.compiled.known_builds()) <= 16 + 3


@cache
def of_a_node() -> str:
    """The lowered text of a program with a node of onnxruntime's."""
    examples = Path(__file__).parents[3] / "docs" / "examples"
    return snippets_mlir.compile(examples / "opaque.mlir").ir("program")


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("cuda", "found 'cuda'"),
        ("inside", "refused it: chains"),
        ("reference", "refused it: onnx.node has no definition in NumPy"),
    ],
)
def test_lowered_text_with_a_wrong_implementation_is_refused(kind: str, reason: str) -> None:
    """No pass is left to be run, and nothing runs it in another way."""
    text = of_a_node()
    wrong = text.replace('impl<"onnxruntime">', f'impl<"{kind}">')
    assert wrong != text
    with pytest.raises(CompileError, match=reason):
        snippets_mlir.compile(wrong, pipeline="")


def test_a_graph_on_one_line_and_without_a_name() -> None:
    text = """program.graph @"" "topology" (%x: tensor<4xf32>) {
      %0 = program.node "n" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
        %r = snippets.negative %a : tensor<4xf32>
        program.yield %r : tensor<4xf32>
      }
      program.output %0 as "y" : tensor<4xf32>
    }"""
    for written in (text, text.replace("\n", " ")):
        assert (snippets_mlir.compile(written)(np.ones(4, np.float32)) == -1).all()
    with pytest.raises(CompileError, match=r"^<string>:1:14: "):
        snippets_mlir.compile("program.graph")
