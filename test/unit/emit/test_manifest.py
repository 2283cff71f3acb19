"""The program of a host function as JSON."""

import json
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.emit.host import find_host_function, unit_of
from snippets_mlir.inspect.opt import manifest_text
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context(), "test.mlir")


def manifest(text: str) -> dict[str, Any]:
    """Without what a test of graphs looks at: implementations and queues of steps."""
    module = parse(text)
    before = str(module)
    result = json.loads(manifest_text(module))
    assert str(module) == before
    for step in result["steps"]:
        if step["kind"] != "view":
            assert step.pop("impl") in ("snippets", "reference")
            assert (step.pop("queue"), step.pop("waits")) == (0, [])
    return result


KERNEL = """
lir.kernel @k "linear" (%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32>
    attributes {snippets.domain = 4 : i64, snippets.grain = 2 : i64, snippets.scratch = 64 : i64,
                snippets.cost = 125 : i64, snippets.space = 32 : i64} {
}
"""


def test_a_program_of_constants_kernels_views_and_other_ops():
    result = manifest(
        """builtin.module attributes {snippets.target = "generic", snippets.threads = 3 : i64} {
        func.func @main(%x: tensor<4xf32> {snippets.name = "x"})
            -> (tensor<2x2xf32>, tensor<4xf32>) {
          %c = snippets.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
          %0 = lir.call @k(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
          %1 = snippets.reshape %0 : (tensor<4xf32>) -> tensor<2x2xf32>
          %2 = snippets.floor_mod %0, %x : tensor<4xf32>
          func.return %1, %2 : tensor<2x2xf32>, tensor<4xf32>
        }"""
        + KERNEL
        + "}"
    )
    assert (result["version"], result["entry"]) == (2, "main")
    assert (result["target"], result["threads"]) == ("generic", 3)
    assert result["inputs"] == [{"name": "x", "value": 0, "shape": [4], "dtype": "float32"}]
    assert [(o["name"], o["value"]) for o in result["outputs"]] == [("out0", 3), ("out1", 4)]
    (constant,) = result["constants"]
    elements = np.frombuffer(b64decode(constant["data"]), "<f4")
    assert elements.tolist() == [1.0, 2.0, 3.0, 4.0]
    assert result["arena"] == 64 * 0
    assert [value.get("mem") for value in result["values"][2:]] == [
        ["output", 0, None],
        None,
        ["output", 1, None],
    ]
    kernel, view, execute = result["steps"]
    assert kernel == {
        "kind": "kernel",
        "symbol": "k",
        "inputs": [0, 1],
        "outputs": [2],
        "domain": 4,
        "grain": 2,
        "scratch": 64,
        "cost": 125,
        "space": 32,
    }
    assert view == {"kind": "view", "inputs": [2], "outputs": [3]}
    assert execute["ops"] == ["snippets.floor_mod"]
    assert (execute["inputs"], execute["outputs"]) == ([2, 0], [4])
    region = parse(execute["text"])
    assert [op.name for op in find_host_function(region, "region_0").body.block.ops] == [
        "snippets.floor_mod",
        "func.return",
    ]


def test_scalars_bools_and_references_are_constants():
    result = manifest(
        """func.func @main() -> (tensor<f64>, tensor<3xi1>, tensor<1000xf32>) {
          %0 = snippets.scalar -0.0 : f64
          %1 = snippets.constant dense<[true, false, true]> : tensor<3xi1>
          %2 = snippets.constant #snippets.resource<"w.npy", "w", "abc"> : tensor<1000xf32>
          func.return %0, %1, %2 : tensor<f64>, tensor<3xi1>, tensor<1000xf32>
        }"""
    )
    number, bools, reference = result["constants"]
    assert b64decode(number["data"]) == np.array(-0.0).tobytes()
    assert b64decode(bools["data"]) == b"\1\0\1"
    assert reference["resource"] == {"file": "w.npy", "key": "w", "sha256": "abc"}
    assert "data" not in reference


def test_facts_that_a_kernel_does_not_carry_are_null():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = lir.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    lir.kernel @k "linear" (%a: tensor<4xf32>) -> tensor<4xf32> {}"""
    (step,) = manifest(text)["steps"]
    assert [step[fact] for fact in ("domain", "grain", "scratch", "cost", "space")] == [None] * 5


ALIGNED = """func.func @main(%x: tensor<4xi8>, %y: tensor<4xf64>) -> tensor<4xf64> {
  %0 = lir.call @k(%x, %y) : (tensor<4xi8>, tensor<4xf64>) -> tensor<4xf64>
  func.return %0 : tensor<4xf64>
}
lir.kernel @k "linear" (%a: tensor<4xi8>, %b: tensor<4xf64>) -> tensor<4xf64>
    attributes {snippets.grain = GRAIN : i64, snippets.aligned = VALUE} {}"""


def test_the_array_by_which_ranges_are_aligned():
    text = ALIGNED.replace("GRAIN", "16")
    (step,) = manifest(text.replace("VALUE", "array<i64: 1, 8>"))["steps"]
    assert step["aligned"] == [1, 8]
    (step,) = manifest(text.replace(", snippets.aligned = VALUE", ""))["steps"]
    assert "aligned" not in step


@pytest.mark.parametrize(
    ("value", "grain"),
    [
        ("array<i64: 1, 4>", 16),  # other bytes
        ("array<i64: 0, 8>", 16),
        ("array<i64: 2, 8>", 16),  # an output
        ("array<i64: -1, 8>", 16),
        ("array<i64: 1>", 16),
        ("array<i64: 1, 8, 8>", 16),
        ("8 : i64", 16),
        ("array<i64: 1, 8>", 4),  # half a line
    ],
)
def test_another_array_by_which_ranges_are_aligned_is_an_error(value: str, grain: int):
    text = ALIGNED.replace("VALUE", value).replace("GRAIN", str(grain))
    with pytest.raises(CompileError, match=r"@k: expected snippets\.aligned to be array<i64"):
        manifest(text)


def test_a_call_of_a_missing_kernel_is_an_error_with_a_position():
    text = """func.func @main(%x: tensor<4xf32>) {
      %0 = lir.call @gone(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return
    }"""
    with pytest.raises(CompileError, match=r"test\.mlir:2:\d+: lir\.call of @gone: no such kernel"):
        manifest(text)


def test_dynamic_dims_are_null():
    text = "func.func @main(%x: tensor<?x3xi64>) { func.return }"
    assert manifest(text)["inputs"][0]["shape"] == [None, 3]


@pytest.mark.parametrize(
    ("functions", "entry", "found"),
    [
        ("func.func @a() { func.return }", None, "a"),
        ("func.func @a() { func.return } func.func @main() { func.return }", None, "main"),
        ("func.func @a() { func.return } func.func private @b() { func.return }", None, "a"),
        ("func.func @a() { func.return } func.func @b() { func.return }", "b", "b"),
    ],
)
def test_the_entry(functions: str, entry: str | None, found: str):
    assert find_host_function(parse(functions), entry).sym_name.data == found


@pytest.mark.parametrize(
    ("functions", "entry", "message"),
    [
        ("func.func @a() { func.return } func.func @b() { func.return }", None, "found @a, @b"),
        ("func.func @a() { func.return }", "main", "expected a function @main, found @a"),
        ("func.func private @a() -> ()", None, "found none"),
    ],
)
def test_no_entry(functions: str, entry: str | None, message: str):
    with pytest.raises(CompileError, match=message):
        find_host_function(parse(functions), entry)


def test_two_inputs_of_one_name_are_refused():
    text = """func.func @main(%a: tensor<1xf32> {snippets.name = "x"},
                             %b: tensor<1xf32> {snippets.name = "x"}) { func.return }"""
    with pytest.raises(CompileError, match="two inputs are called 'x'"):
        manifest(text)


def test_unused_constants_are_left_out():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c = snippets.constant dense<1.0> : tensor<4xf32>
      func.return %x : tensor<4xf32>
    }"""
    result = manifest(text)
    assert not result["constants"]
    assert not result["steps"]
    assert result["outputs"][0]["value"] == 0


def test_values_used_inside_a_region_are_read():
    function = find_host_function(
        parse("""func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
          %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
            snippets.yield %a : tensor<4xf32>
          }
          func.return %0 : tensor<4xf32>
        }""")
    )
    subgraph = function.body.block.first_op
    assert subgraph is not None
    assert unit_of([subgraph]).reads == (function.body.block.args[0],)


def test_views_say_where_their_dims_come_from():
    steps = manifest(
        """func.func @main(%x: tensor<1x?x?xf32>) -> (tensor<?x?xf32>, tensor<?x1x?x1xf32>) {
          %0 = snippets.squeeze %x {axes = array<i64: 0>} : (tensor<1x?x?xf32>) -> tensor<?x?xf32>
          %1 = snippets.unsqueeze %0 {axes = array<i64: 1, 3>} :
               (tensor<?x?xf32>) -> tensor<?x1x?x1xf32>
          func.return %0, %1 : tensor<?x?xf32>, tensor<?x1x?x1xf32>
        }"""
    )["steps"]
    assert [(s["kind"], s["dims"]) for s in steps] == [
        ("view", [1, 2]),
        ("view", [0, None, 1, None]),
    ]
