"""Constants in memory: the same bits as without, in fewer instructions and no spills."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.inspect.register_report import register_report
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passes.vector_to_llvm.live_vectors import live_vectors
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_target

PASS = "llvm-constants-to-memory"
FULL = PIPELINES["snippets-to-llvm"].replace(
    "snippets-set-target", "snippets-set-target{target=x86-64-avx2}", 1
)
VALUES = [0.0, -0.0, 1.5, -1.5, 1e-40, -80.0, 90.0, 1e30, np.inf, -np.inf, np.nan]


def _program(body: str, element: str, pipeline: str) -> snippets_mlir.Compiled:
    type = f"tensor<19x{element}>"
    text = f"""
    func.func @main(%x: {type}) -> {type} {{
      {body.format(type=type)}
      func.return %r : {type}
    }}"""
    return snippets_mlir.compile(text, pipeline=pipeline)


@pytest.mark.skipif(
    not host_target().startswith("x86-64-avx"), reason="this machine has no AVX2 to run it"
)
@pytest.mark.parametrize(
    ("element", "op"), sampled(product(("f32", "f64"), ("gelu", "swish", "tanh")), 2)
)
def test_the_bits_are_the_same(op: str, element: str) -> None:
    body = f"%r = snippets.{op} %x : {{type}}"
    x = np.resize(VALUES, 19).astype({"f32": np.float32, "f64": np.float64}[element])
    plain = _program(body, element, FULL.replace(f",{PASS}", ""))
    changed = _program(body, element, FULL)
    assert "@constant_0" not in plain.kernels[0].ir("llvm")
    assert "@constant_0" in changed.kernels[0].ir("llvm")
    assert plain(x).tobytes() == changed(x).tobytes()


@pytest.mark.skipif(
    not host_target().startswith("x86-64-avx"), reason="this machine has no AVX2 to run it"
)
def test_a_loop_with_other_live_values() -> None:
    body = "%r = snippets.log_softmax %x {{axis = 0 : i64}} : {type}"
    x = np.linspace(-3, 3, 19, dtype=np.float32)
    plain = _program(body, "f32", FULL.replace(f",{PASS}", ""))(x)
    changed = _program(body, "f32", FULL)(x)
    assert plain.tobytes() == changed.tobytes()
    wide = x.astype(np.float64)
    np.testing.assert_allclose(changed, wide - np.log(np.exp(wide).sum()), rtol=3e-7)


ROW = "tensor<4x512xf32>"


def test_log_softmax_needs_no_stack() -> None:
    """The maximum, the sum, two bounds, the stored difference and 4 others leave 7 registers."""
    text = f"""
    func.func @main(%x: {ROW}) -> {ROW} {{
      %r = snippets.log_softmax %x {{axis = 1 : i64}} : {ROW}
      func.return %r : {ROW}
    }}"""
    for use in register_report(parse_module(text, make_context()), "x86-64-avx2"):
        assert (use.spills, use.reloads) == (0, 0)


LOOP = """
llvm.func @loop(%outer: vector<8xf32>, %n: i64, %p: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %nothing = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
  %bound = llvm.mlir.constant(dense<5.0> : vector<8xf32>) : vector<8xf32>
  llvm.br ^head(%zero, %nothing : i64, vector<8xf32>)
^head(%i: i64, %sum: vector<8xf32>):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %moved = llvm.fmul %outer, %outer : vector<8xf32>
  %x = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %y = llvm.fsub %x, %moved : vector<8xf32>
  llvm.store %y, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  %small = llvm.fcmp "olt" %y, %bound : vector<8xf32>
  %z = llvm.select %small, %nothing, %y : vector<8xi1>, vector<8xf32>
  %bits = llvm.bitcast %z : vector<8xf32> to vector<8xi32>
  %twice = llvm.add %bits, %bits : vector<8xi32>
  %w = llvm.bitcast %twice : vector<8xi32> to vector<8xf32>
  %next = llvm.fadd %sum, %w : vector<8xf32>
  llvm.br ^head(%i, %next : i64, vector<8xf32>)
^end:
  llvm.return
}"""


def test_live_vectors() -> None:
    """%moved, %bound and %y the whole body; %sum; and one of %small, %z, %twice."""
    (function,) = parse_module(LOOP, make_context()).ops
    body = function.regions[0].blocks[2]
    assert live_vectors(body, 256) == 5
    assert live_vectors(body, 128) == 10
    assert live_vectors(body, 256, {(4, 1)}) == 4


def test_few_constants_stay_where_they_are() -> None:
    text = _program(
        "%r = snippets.exp %x : {type}", "f32", FULL.replace(PASS, f"{PASS}{{keeps=99}}")
    )
    assert "@constant_0" not in text.kernels[0].ir("llvm")


def test_a_negative_number_is_an_error() -> None:
    with pytest.raises(CompileError, match="expected keeps of 0 or more, found -1"):
        _program("%r = snippets.exp %x : {type}", "f32", FULL.replace(PASS, f"{PASS}{{keeps=-1}}"))
