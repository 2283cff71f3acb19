"""The form of the LLVM text: coverage, constants, phis, attributes, determinism, errors."""

# ruff: noqa: E501 - MLIR text

from __future__ import annotations

import ctypes

import pytest
from llvm_text_of import emit, load

from snippets_mlir.dialects.llvm import LLVM
from snippets_mlir.emit.llvm_functions import CONSTANTS
from snippets_mlir.emit.llvm_table import FORMATS
from snippets_mlir.support.errors import CompileError


def test_every_op_of_the_dialect_can_be_written() -> None:
    known = {*FORMATS, *CONSTANTS}
    other = {
        "llvm.func",
        "llvm.mlir.global",
        "llvm.inline_asm",
        "llvm.intr.stacksave",
        "llvm.intr.stackrestore",
    }
    missing = {op.name for op in LLVM.operations if op not in known} - other
    assert missing == set()


def test_integer_and_dense_constants() -> None:
    text = emit("""
llvm.func @k(%r: !llvm.ptr) {
  %a = llvm.mlir.constant(dense<[0, -1, 127, -128]> : vector<4xi8>) : vector<4xi8>
  %b = llvm.mlir.constant(dense<[true, false]> : vector<2xi1>) : vector<2xi1>
  %c = llvm.mlir.constant(dense<-3> : vector<4xi64>) : vector<4xi64>
  %d = llvm.mlir.zero : vector<4xf32>
  %n = llvm.mlir.zero : !llvm.ptr
  llvm.store %a, %r {alignment = 1 : i64} : vector<4xi8>, !llvm.ptr
  llvm.store %b, %r {alignment = 1 : i64} : vector<2xi1>, !llvm.ptr
  llvm.store %c, %r {alignment = 8 : i64} : vector<4xi64>, !llvm.ptr
  llvm.store %d, %r {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
  llvm.store %n, %r {alignment = 8 : i64} : !llvm.ptr, !llvm.ptr
  llvm.return
}""")
    assert "store <4 x i8> <i8 0, i8 -1, i8 127, i8 -128>, ptr %a0, align 1" in text
    assert "store <2 x i1> <i1 true, i1 false>, ptr" in text
    assert "store <4 x i64> splat (i64 -3), ptr %a0, align 8" in text
    assert "store <4 x float> zeroinitializer, ptr" in text
    assert "store ptr null, ptr" in text


LOOP = """
llvm.func @k(%x: !llvm.ptr, %n: i64) -> i64 {
  %zero = llvm.mlir.constant(0) : i64
  %one = llvm.mlir.constant(1) : i64
  llvm.br ^bb1(%zero, %zero, %one : i64, i64, i64)
^bb2:
  %s = llvm.add %sum, %a : i64
  %j = llvm.add %i, %one : i64
  llvm.br ^bb1(%j, %s, %a : i64, i64, i64)
^bb1(%i: i64, %sum: i64, %a: i64):
  %c = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %c, ^bb2, ^bb3
^bb4:
  llvm.br ^bb3
^bb3:
  %even = llvm.icmp "eq" %sum, %n : i64
  llvm.cond_br %even, ^bb5(%sum : i64), ^bb5(%zero : i64)
^bb5(%r: i64):
  llvm.return %r : i64
}
"""


def test_blocks_come_in_reverse_post_order_with_phis() -> None:
    text = emit(LOOP)
    assert "b5" not in text, "an unreachable block is left out"
    assert "b3.else:\n  br label %b4" in text
    assert "phi i64 [ %v1, %b3 ], [ 0, %b3.else ]" in text
    loaded = load(text)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(
        loaded.address("k")
    )
    assert [function(None, n) for n in (0, 1, 7)] == [0, 1, 7]


def test_two_equal_edges_to_one_block_stay_one_branch() -> None:
    text = emit("""
llvm.func @k(%c: i1, %x: i64) -> i64 {
  llvm.cond_br %c, ^bb1(%x : i64), ^bb1(%x : i64)
^bb1(%r: i64):
  llvm.return %r : i64
}""")
    assert ".else" not in text
    assert "phi i64 [ %a1, %b0 ], [ %a1, %b0 ]" in text
    load(text).address("k")


def test_attributes_flags_and_linkage_are_kept() -> None:
    text = emit("""
llvm.func private @body(%x: !llvm.ptr {llvm.noalias, llvm.nocapture, llvm.nonnull, llvm.align = 16 : i64, snippets.name = "x"}) attributes {no_unwind, always_inline, target_cpu = "x86-64-v3", passthrough = ["nofree", ["key", "value"]]} {
  llvm.return
}
llvm.func internal @inner(%x: f32, %i: i32, %p: !llvm.ptr) -> f32 attributes {target_features = #llvm.target_features<["+avx2", "+fma"]>} {
  %a = llvm.fadd %x, %x {fastmathFlags = #llvm.fastmath<nnan,contract>} : f32
  %b = llvm.fmul %a, %x {fastmathFlags = #llvm.fastmath<fast>} : f32
  %c = llvm.intr.sqrt(%b) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  %d = llvm.add %i, %i overflow<nsw, nuw> : i32
  %e = llvm.udiv exact %d, %i : i32
  %f = llvm.or disjoint %e, %i : i32
  %g = llvm.zext nneg %f : i32 to i64
  %h = llvm.trunc %g overflow<nuw> : i64 to i32
  %l = llvm.load volatile %p {alignment = 2 : i64, nontemporal} : !llvm.ptr -> i32
  %k = llvm.load %p invariant {alignment = 4 : i64} : !llvm.ptr -> i32
  %m = llvm.getelementptr inbounds|nuw %p[1, %g] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  llvm.call @body(%m) : (!llvm.ptr) -> ()
  llvm.return %c : f32
}
llvm.func @"odd name"(!llvm.ptr) -> (i32 {llvm.signext})
""")
    assert (
        "define internal void @body(ptr align 16 noalias captures(none) nonnull %a0) "
        'alwaysinline nounwind nofree "key"="value" "target-cpu"="x86-64-v3" {' in text
    )
    assert (
        'define internal float @inner(float %a0, i32 %a1, ptr %a2) "target-features"="+avx2,+fma" {'
        in text
    )
    for line in (
        "fadd nnan contract float %a0, %a0",
        "fmul fast float %v0, %a0",
        "call afn float @llvm.sqrt.f32(float %v1)",
        "add nuw nsw i32 %a1, %a1",
        "udiv exact i32 %v3, %a1",
        "or disjoint i32 %v4, %a1",
        "zext nneg i32 %v5 to i64",
        "trunc nuw i64 %v6 to i32",
        "load volatile i32, ptr %a2, align 2, !nontemporal !0",
        "load i32, ptr %a2, align 4, !invariant.load !1",
        "getelementptr inbounds nuw [4 x float], ptr %a2, i32 1, i64 %v6",
        "call void @body(ptr %v10)",
        'declare signext i32 @"odd name"(ptr)',
        "!0 = !{i32 1}",
        "!1 = !{}",
    ):
        assert line in text
    load(text)


def test_equal_modules_give_equal_text() -> None:
    renamed = LOOP.replace("%sum", "%total").replace("%one", "%unit")
    assert emit(LOOP) == emit(renamed)


def test_host_program_is_left_out() -> None:
    assert (
        emit(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  func.return %a : tensor<4xf32>\n}"
        )
        == ""
    )


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("llvm.func @f(%x: f32) {\n  %0 = math.exp %x : f32\n  llvm.return\n}", "'math.exp' has no form in LLVM IR", 2),
        ("func.func @k() attributes {snippets.kernel} {\n  func.return\n}", 'kernel "k" is still a \'func.func\'', 1),
        ("lir.kernel @k \"linear\" () -> () {\n}", "still a 'lir.kernel'", 1),
        ("llvm.func @f(%x: !llvm.ptr {llvm.strange}) {\n  llvm.return\n}", "'llvm.strange'", 1),
        ("llvm.func @f() {\n  %0 = llvm.mlir.constant(dense<0.0> : vector<2x2xf32>) : vector<2x2xf32>\n  llvm.return\n}", "LLVM has no", 2),
        ("llvm.func @f() {\n  %0 = llvm.mlir.constant(dense<0> : vector<0xi64>) : vector<1xi64>\n  llvm.return\n}", "expected 1 elements, found 0", 2),
        ("llvm.func @f() {\n  %0 = llvm.mlir.constant(dense<0> : vector<2xi64>) : vector<4xi64>\n  llvm.return\n}", "expected 4 elements, found 2", 2),
    ],
)  # fmt: skip
def test_what_has_no_form_is_an_error_at_the_op(text: str, message: str, line: int) -> None:
    with pytest.raises(CompileError) as caught:
        emit(text)
    assert message in caught.value.message
    assert caught.value.line == line
