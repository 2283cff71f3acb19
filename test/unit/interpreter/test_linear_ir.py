"""The interpreter on kernels written by hand: what each stage means, and what it forbids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.inspect.levels import STOPS, run_levels
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.interpreter.domain import Domain, pieces_of
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

Array = np.ndarray[Any, np.dtype[Any]]
X = np.arange(10, dtype=np.float32).reshape(2, 5) - 4

HOST = """
func.func @main(%x: tensor<2x5xf32>) -> {out} {{
  %0 = lir.call @k(%x) : (tensor<2x5xf32>) -> {out}
  func.return %0 : {out}
}}
"""


def run(kernel: str, out: str = "tensor<2x5xf32>") -> Array:
    module = parse_module(HOST.format(out=out) + kernel, make_context(), "k.mlir")
    return Interpreter(module).run("main", [X])[0]


def looped(body: str, *, stage: str = "looped", work: int = 5) -> str:
    """A kernel of a parallel loop over 2 rows and a loop over 5 columns, by vectors of 4."""
    return f"""
lir.kernel @k "{stage}" (%x: tensor<2x5xf32>) -> tensor<2x5xf32>
    loops [#lir.loop<0, work 2, inc 1, dim 1, parallel>, #lir.loop<1, work {work}, inc 4, dim 0>] {{
  lir.loop_begin 0
  lir.loop_begin 1
  {body}
  lir.loop_end 1
  lir.loop_end 0
  lir.result %s {{index = 0 : i64, lir.ports = [{MEMORY}]}} : tensor<2x5xf32>
}}"""


MEMORY = "#lir.port<[2, 5], sub [4], loops [0: dim 1 ptr 5 fin -10, 1: dim 0 ptr 1 fin -5]>"
VECTOR = "#lir.port<[2, 5], sub [4]>"
ONE = "#lir.port<[2, 1], sub [1]>"
IN = "lir.loops = array<i64: 0, 1>"
TYPE = "tensor<2x5xf32>"
LOAD = f"%l = lir.load %x {{count = 4 : i64, {IN}, lir.ports = [{MEMORY}, {VECTOR}]}} : {TYPE}"
STORE = f"%s = lir.store %r {{count = 4 : i64, {IN}, lir.ports = [{VECTOR}, {MEMORY}]}} : {TYPE}"
ADD = f"%r = snippets.add %l, %l {{{IN}, lir.ports = [{VECTOR}, {VECTOR}, {VECTOR}]}} : {TYPE}"


def test_the_last_iteration_of_a_loop_may_be_short() -> None:
    np.testing.assert_array_equal(run(looped(f"{LOAD}\n{ADD}\n{STORE}")), X + X)


def test_a_vector_that_meets_one_element_is_refused() -> None:
    narrow = (
        f"%n = snippets.scalar 1.0 : f32 {{{IN}, lir.ports = [{ONE}]}}\n"
        f"%m = lir.load %x {{count = 1 : i64, {IN}, lir.ports = [{MEMORY}, {ONE}]}} : {TYPE}"
    )
    add = ADD.replace("%l, %l", "%l, %m")
    with pytest.raises(
        CompileError, match=r"L22: .* \[2, 1\] by 1, as it is made, found \[2, 5\] by 4"
    ):
        run(looped(f"{LOAD}\n{narrow}\n{add}\n{STORE}"))
    scalar = ADD.replace("%l, %l", "%l, %n").replace(
        ": tensor<2x5xf32>", ": (tensor<2x5xf32>, tensor<f32>) -> tensor<2x5xf32>"
    )
    scalar = scalar.replace(f"[{VECTOR}, {VECTOR}, ", f"[{VECTOR}, {ONE}, ")
    np.testing.assert_array_equal(run(looped(f"{LOAD}\n{narrow}\n{scalar}\n{STORE}")), X + 1)


def test_ops_without_a_value_in_loops_are_refused() -> None:
    softmax = ADD.replace("snippets.add %l, %l {", "snippets.softmax %l {axis = 1 : i64, ")
    softmax = softmax.replace(f"{VECTOR}, {VECTOR}, {VECTOR}", f"{VECTOR}, {VECTOR}")
    with pytest.raises(CompileError, match=r"k\.mlir:\d+:\d+: in @k: snippets\.softmax: it has no"):
        run(looped(f"{LOAD}\n{softmax}\n{STORE}"))


def test_an_output_that_loops_do_not_cover_is_refused() -> None:
    kernel = looped(f"{LOAD}\n{ADD}\n{STORE}", work=4).replace("fin -5", "fin -4")
    with pytest.raises(CompileError, match="element 4 of output 0 was never written"):
        run(kernel)


ACCUMULATED = "#lir.port<[2, 4], sub [4]>"


def reduction(fill: int = 4, source: str = VECTOR) -> str:
    """The sums of the rows at stage `marked`."""
    return f"""
lir.kernel @k "marked" (%x: tensor<2x5xf32>) -> tensor<2x1xf32>
    loops [#lir.loop<0, work 2, inc 1, dim 1, parallel>, #lir.loop<1, work 5, inc 4, dim 0>] {{
  %f = lir.fill %x {{offset = {fill} : i64, value = -0.0 : f32, {IN},
      lir.ports = [{VECTOR}, {VECTOR}]}} : tensor<2x5xf32>
  %a = lir.accumulate %f {{kind = "sum", {IN}, lir.ports = [{VECTOR}, {ACCUMULATED}]}}
      : tensor<2x5xf32>
  %h = lir.horizon %a {{kind = "sum", lir.loops = array<i64: 0>,
      lir.ports = [{source}, {ONE}]}} : (tensor<2x5xf32>) -> tensor<2x1xf32>
  lir.result %h {{index = 0 : i64, lir.ports = [{ONE}]}} : tensor<2x1xf32>
}}"""


def test_accumulators_hold_a_partial_result_for_each_lane() -> None:
    found = run(reduction(source=ACCUMULATED), "tensor<2x1xf32>")
    np.testing.assert_array_equal(found, X.sum(axis=1, keepdims=True))
    with pytest.raises(CompileError, match=r"to read \[2, 4\] by 4, as it is made, found \[2, 5\]"):
        run(reduction(), "tensor<2x1xf32>")
    with pytest.raises(CompileError, match="at offset 4, all lanes, before there are tails"):
        run(reduction(fill=1, source=ACCUMULATED), "tensor<2x1xf32>")


def test_lanes_that_are_folded_are_a_power_of_two() -> None:
    kernel = reduction(source="#lir.port<[2, 3], sub [3]>").replace("inc 4", "inc 3")
    kernel = kernel.replace(ACCUMULATED, "#lir.port<[2, 3], sub [3]>").replace("[4]", "[3]")
    with pytest.raises(CompileError, match="expected a power of two of lanes to fold, found 3"):
        run(kernel.replace("offset = 4", "offset = 3"), "tensor<2x1xf32>")


def test_a_kernel_is_called_with_its_types() -> None:
    kernel = looped(f"{LOAD}\n{ADD}\n{STORE}").replace("2x5", "5x2").replace("[2, 5]", "[5, 2]")
    with pytest.raises(CompileError, match="expected @k to take the types of the call's operands"):
        run(kernel)


def test_pieces_cover_the_domain_once_at_multiples_of_the_grain() -> None:
    for size in (0, 1, 7, 8, 16, 17, 100):
        for grain in (1, 8):
            pieces = pieces_of(Domain(size, grain))
            covered = sorted(unit for p in pieces for unit in range(p.begin, p.end))
            assert covered == list(range(size))
            assert all(p.begin % grain == 0 for p in pieces)
            assert len(pieces) == min(3, -(-size // grain)) or size <= 2 * grain


def test_pieces_that_begin_anywhere_cover_the_domain_and_overlap() -> None:
    for size in (16, 17, 100):
        pieces = pieces_of(Domain(size, 8, anywhere=True))
        assert {unit for p in pieces for unit in range(p.begin, p.end)} == set(range(size))
        assert any(p.begin % 8 for p in pieces)
        assert all((p.end - p.begin) % 8 == 0 or p.end == size for p in pieces)
    assert pieces_of(Domain(15, 8, anywhere=True)) == pieces_of(Domain(15, 8))


@pytest.mark.parametrize("shape", [(15, 7), (3, 16), (2, 40), (1, 7), (4, 1)])
def test_sums_of_two_dims_keep_their_lanes(shape: tuple[int, int]):
    """Rows at indices have a loop of their own: lanes of partial results are folded last."""
    type_ = "x".join(map(str, shape))
    text = f"""func.func @main(%x: tensor<{type_}xi32>, %i: tensor<{shape[0]}xi64>)
      -> tensor<i32> {{
      %0 = snippets.gather %x, %i {{axis = 0 : i64}}
         : (tensor<{type_}xi32>, tensor<{shape[0]}xi64>) -> tensor<{type_}xi32>
      %1 = snippets.reduce_min %0 {{axes = array<i64: 0, 1>}} : (tensor<{type_}xi32>) -> tensor<i32>
      func.return %1 : tensor<i32>
    }}"""
    x = np.random.default_rng(0).permutation(np.arange(np.prod(shape), dtype=np.int32)) + 7
    places = np.arange(shape[0])[::-1].copy()
    levels = dict(run_levels(text, [x.reshape(shape), places], tuple(STOPS)))
    assert levels.keys() == STOPS.keys()
    assert {level: found[0].item() for level, found in levels.items()} == dict.fromkeys(STOPS, 7)


def test_a_pipeline_without_the_motion_of_pointers_is_refused():
    """Each iteration would access the same elements; the same pipeline with it computes."""
    text = """func.func @main(%x: tensor<4x33xf32>, %y: tensor<4x1xf32>) -> tensor<4x33xf32> {
      %0 = snippets.add %x, %y : (tensor<4x33xf32>, tensor<4x1xf32>) -> tensor<4x33xf32>
      func.return %0 : tensor<4x33xf32>
    }"""
    x, y = np.ones((4, 33), np.float32), np.arange(4, dtype=np.float32).reshape(4, 1)
    passes = PIPELINES["snippets-to-llvm"]
    np.testing.assert_array_equal(snippets_mlir.compile(text, pipeline=passes)(x, y), x + y)
    without = passes.replace(",lir-init-loops", "")
    assert without != passes
    with pytest.raises(CompileError, match=r"after pass 'lir-insert-loops'.* run lir-init-loops"):
        snippets_mlir.compile(text, pipeline=without)
