"""What runs is what the text of the program says: its steps, and where their results are."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any, cast

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value
from sampled import sampled
from storage_plans import plan_storage

import snippets_mlir
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.manifests.laws import check_manifest
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.runtime.memory.storage import Storage
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
STATIC = ("two_outputs", "opaque", "softmax", "attention", "product", "select")

CHAIN = """program.graph @main "planned" (%x "x": tensor<16xf32>) attributes {{arena = {arena} : i64}} {{
  %a = program.node "a" (%v = %x) impl<"{kind}"> mem<arena, {a}, 64> : (tensor<16xf32>) -> tensor<16xf32> {{
    %r = snippets.relu %v : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }}
  %b = program.node "b" (%v = %a) impl<"{kind}"> mem<arena, {b}, 64> : (tensor<16xf32>) -> tensor<16xf32> {{
    %r = snippets.tanh %v : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }}
  %c = program.node "c" (%v = %a, %w = %b) impl<"{kind}"> mem<{c}> : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {{
    %r = snippets.add %v, %w : tensor<16xf32>
    program.yield %r : tensor<16xf32>
  }}
  program.output %c as "y" : tensor<16xf32>
}}"""  # noqa: E501


def program_of(compiled: Any) -> Program:
    return compiled.built().program


def without_plan(program: Program) -> Storage:
    """The memory that the runtime plans where the manifest says none."""
    manifest = cast("dict[str, Any]", deepcopy(program.manifest))
    manifest.pop("arena")
    for described in manifest["values"]:
        described.pop("mem", None)
    return plan_storage(cast("Manifest", manifest), program.teams, program.has_table)


@pytest.mark.parametrize("name", STATIC)
def test_the_plan_of_the_text_is_that_of_the_runtime(name: str) -> None:
    """A function is planned as a graph, with the rule that plans dynamic programs at a call."""
    program = program_of(snippets_mlir.compile(EXAMPLES / f"{name}.mlir"))
    assert "arena" in program.manifest
    assert program.storage == without_plan(program)


@pytest.mark.parametrize("name", sampled(STATIC, 3))
def test_the_text_of_a_program_is_that_program(name: str) -> None:
    """Compiled again: the same code, memory and results, from a text without the host function."""
    first = snippets_mlir.compile(EXAMPLES / f"{name}.mlir")
    text = first.ir("program")
    assert 'program.graph @main "planned"' in text
    assert "func.func @main" not in text
    again = snippets_mlir.compile(text, pipeline="")
    assert program_of(again).storage == program_of(first).storage
    one, two = first.built().code, again.built().code
    assert (one.images if one else ()) == (two.images if two else ())
    random = np.random.default_rng(1)
    arrays: dict[str, Any] = {
        spec.name: random.standard_normal([n or 0 for n in spec.shape or ()]).astype(spec.dtype)
        for spec in first.inputs
    }
    wanted, found = first.run(arrays), again.run(arrays)
    for output, array in wanted.items():
        np.testing.assert_array_equal(found[output], array)


def test_a_program_of_dynamic_sizes_is_planned_at_a_call() -> None:
    """Its graph has no memory; each call has what its sizes need."""
    compiled = snippets_mlir.compile(EXAMPLES / "dynamic.mlir")
    compiled(np.ones((3, 64), np.float32), np.ones(64, np.float32))
    assert "arena" not in program_of(compiled).manifest
    assert 'program.graph @main "selected"' in compiled.ir("program")


@pytest.mark.parametrize("size", [4, "n"])
def test_the_text_of_one_session_has_what_runs(size: int | str) -> None:
    """No kernel pays here, so no node of the text is one; the second time from the cache."""
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"]),
        helper.make_node("Mul", ["a", "x"], ["b"]),
        helper.make_node("ReverseSequence", ["b", "lengths"], ["y"]),
    ]
    lengths = np.array([1, 4, 2, 3], np.int64)
    made = model(nodes, [value("x", (size, 4))], ["y"], {"lengths": lengths})
    x = np.linspace(-2, 2, 16, dtype=np.float32).reshape(4, 4)
    for _ in range(2):
        compiled: Any = snippets_mlir.compile(made)
        wanted = compiled(x)
        assert compiled.kernels == ()
        text = compiled.ir("program")
        assert re.findall(r'impl<"([\w-]+)"', text) == ["onnxruntime"]
        assert "snippets.multiply" in compiled.ir("graph")  # what a kernel would hold
        assert re.findall(r'onnx.node "(\w+)"', text) == [
            "ReverseSequence",
            "Mul",
            "ReverseSequence",
        ]
        if size == 4:
            again = snippets_mlir.compile(text, pipeline="")
            np.testing.assert_array_equal(again(x), wanted)
            (step,) = again.manifest["steps"]
            assert step["kind"] == "execute"


@pytest.mark.parametrize("kind", ["snippets", "onnxruntime", "reference"])
@pytest.mark.parametrize(
    ("a", "b", "c", "arena"),
    [(0, 64, "output, 0", 128), (640, 128, "output, 0", 1024), (64, 0, "arena, 192, 64", 256)],
)
def test_an_edited_plan_runs(kind: str, a: int, b: int, c: str, arena: int) -> None:
    """The offsets of the text are those of the runtime; an output elsewhere is copied."""
    compiled = snippets_mlir.compile(CHAIN.format(kind=kind, a=a, b=b, c=c, arena=arena))
    storage = program_of(compiled).storage
    offsets = [slot.offset - storage.arena + arena for slot in storage.slots.values()]
    assert offsets == [a, b, *([192] if c.startswith("arena") else [])]
    x = np.linspace(-2, 2, 16, dtype=np.float32)
    x[:4] = [-0.0, np.nan, np.inf, -np.inf]
    positive = np.maximum(x, 0)
    want = np.tanh(positive) + positive
    for _ in range(2):
        np.testing.assert_allclose(compiled(x), want, rtol=1e-6)
        np.testing.assert_allclose(compiled.built().program.run_in_python([x])[0], want, rtol=1e-6)


@pytest.mark.parametrize(
    ("a", "b", "c", "message"),
    [
        (64, 64, "output, 0", r'M1: "b" \[64, 128\) overlaps "a" \[64, 128\) of the arena'),
        (0, 96, "output, 0", r'P8: in @main: "b" is at 96, no multiple of 64'),
        (0, 128, "output, 0", r'P8: in @main: "b" \[128, 192\) ends after the arena of 128 bytes'),
        (0, 64, "output, 1", r'P8: in @main: "c" is in output 1, which does not exist'),
    ],
)
def test_a_wrong_plan_is_refused(a: int, b: int, c: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        snippets_mlir.compile(CHAIN.format(kind="reference", a=a, b=b, c=c, arena=128))


@pytest.mark.parametrize(
    ("mem", "message"),
    [
        (["arena", 32, 64], "a value at a wrong place"),
        (["arena", -64, 64], "a value at a wrong place"),
        (["arena", 64, 64], "a value that its memory does not hold"),
        (["arena", 0, 60], "a value that its memory does not hold"),
        (["output", 0, None], "a value in the memory of another output"),
        (["output", 7, None], "a value in the memory of another output"),
        (["stack", 0, 64], "memory of no kind"),
    ],
)
def test_a_plan_from_a_file_is_checked(mem: list[str | int | None], message: str) -> None:
    text = CHAIN.format(kind="snippets", a=0, b=64, c="output, 0", arena=128)
    manifest = deepcopy(program_of(snippets_mlir.compile(text)).manifest)
    manifest["arena"] = 64
    first = manifest["steps"][0]["outputs"][0]
    second = manifest["steps"][1]["outputs"][0]
    manifest["values"][second].pop("mem", None)
    check_manifest(manifest)
    manifest["values"][first]["mem"] = mem
    with pytest.raises(ValueError, match=message):
        check_manifest(manifest)


def random_function(random: Random) -> str:
    """A function of kernels, nodes of ONNX and ops of NumPy, on values of earlier ones."""
    one, two = "(tensor<4xf32>) -> tensor<4xf32>", "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
    forms = (
        f"lir.call @k({{a}}, {{b}}) : {two}",
        f'onnx.node "Sin"({{a}}) {{{{domain = "", version = 11 : i64}}}} : {one}',
        f'onnx.node "Tanh"({{a}}) {{{{domain = "", version = 13 : i64}}}} : {one}',
        f'onnx.node "Sum"({{a}}, {{b}}) {{{{domain = "", version = 13 : i64}}}} : {two}',
        "snippets.relu {a} : tensor<4xf32>",
        'snippets.relu {a} {{snippets.skipped = "it"}} : tensor<4xf32>',
    )
    values, unread = ["%x", "%w"], dict.fromkeys(["%v0"])
    lines = ["%w = snippets.constant dense<1.0> : tensor<4xf32>"]
    lines.append(f"%v0 = lir.call @k(%x, %w) : {two}")
    for index in range(1, random.randrange(2, 14)):
        values.append(f"%v{index - 1}")
        form, a, b = random.choice(forms), random.choice(values), random.choice(values)
        lines.append(f"%v{index} = {form.format(a=a, b=b)}")
        for read in (a, b) if "{b}" in form else (a,):
            unread.pop(read, None)
        unread[f"%v{index}"] = None
    returned = [*unread, *random.sample(values, min(2, len(values)))]
    types = ", ".join(["tensor<4xf32>"] * len(returned))
    return (
        f"func.func @main(%x: tensor<4xf32>) -> ({types}) {{\n"
        + "".join(f"  {line}\n" for line in lines)
        + f"  func.return {', '.join(returned)} : {types}\n}}\n"
        + "func.func private @k(%p: !llvm.ptr, %b: i64, %e: i64, %t: i64)"
    )


@pytest.mark.parametrize("seed", sampled(range(40), 3))
def test_one_pass_makes_the_sessions_that_two_make(seed: int) -> None:
    """`lowered=true` is the conversion with `program-lower-implementations` after it."""
    text = random_function(Random(seed))
    found: list[str] = []
    for passes in (
        "convert-host-to-program{lowered=true}",
        "convert-host-to-program,program-lower-implementations",
    ):
        ctx = make_context()
        module = parse_module(text, ctx)
        run_passes(module, ctx, parse_pipeline(passes, ctx), verify_each=True)
        found.append(print_module(module).replace('"it"', '"onnxruntime runs it"'))
    assert found[0] == found[1]


def test_a_kernel_that_another_implementation_shall_run_is_refused() -> None:
    """The body is a call of the kernel: nothing is left that NumPy could run."""
    text = snippets_mlir.compile(EXAMPLES / "softmax.mlir").ir("program")
    edited = re.sub(r'impl<"snippets"[^>]*>', 'impl<"reference">', text)
    assert edited != text
    with pytest.raises(
        CompileError, match=r'P14: .* calls the kernel @.*impl<"reference">'
    ) as info:
        snippets_mlir.compile(edited, pipeline="")
    line = edited.splitlines()[(info.value.line or 0) - 1]
    assert "program.node" in line
