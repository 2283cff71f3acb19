"""What `--check-each` runs programs on, and what it takes for the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from snippets_mlir.emit.host import find_entry
from snippets_mlir.inspect.check_each import EachChecker, difference
from snippets_mlir.inspect.check_inputs import inputs_for
from snippets_mlir.inspect.native_kernels import native_kernels
from snippets_mlir.passes.effects import (
    APPROXIMATES,
    CONTRACTS,
    EXACT,
    REASSOCIATES,
    Effect,
    effect_of,
)
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager import universe
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.lazy import named
from snippets_mlir.support.parsing import parse_module

TEXT = """
func.func @main(%x: tensor<40xf32>, %h: tensor<?xbf16>, %n: tensor<9xi8>, %m: tensor<4x4xi1>,
                %u: tensor<9xui16>) -> tensor<40xf32> {
  %0 = snippets.relu %x : tensor<40xf32>
  func.return %0 : tensor<40xf32>
}
"""


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context(), "check.mlir")


def types_of(text: str) -> Sequence[Attribute]:
    """The types of the arguments of a function."""
    return find_entry(parse(text)).function_type.inputs.data


def test_every_pass_declares_an_effect_or_is_exact() -> None:
    effects = {name: effect_of(named(row)) for name, row in universe.PASSES.items()}
    loose = {name: effect.kind for name, effect in effects.items() if effect != EXACT}
    assert loose["lir-expand-math"] == "approximates"
    assert loose["lir-split-loops"] == loose["lir-reduce-decomposition"] == "reassociates"
    assert loose["snippets-mul-add-to-fma"] == "contracts"
    # The order of the additions of a product is that of its loop, of StableHLO none.
    assert [name for name in loose if name.startswith("convert-")] == [
        "convert-stablehlo-to-snippets",
        "convert-snippets-to-lir",
    ]


def test_an_effect_of_another_kind_is_refused() -> None:
    class Wrong(ModulePass):
        name = "wrong"
        EFFECT = "exact"

    with pytest.raises(TypeError, match="pass 'wrong': expected EFFECT to be an Effect"):
        effect_of(Wrong)


def test_inputs_are_seeded_and_hold_the_special_numbers() -> None:
    first, again = (list(inputs_for(types_of(TEXT), seed=3)) for _ in range(2))
    other = list(inputs_for(types_of(TEXT), seed=4))
    assert [s.name for s in first] == ["random", "special", "extreme"]
    for a, b, c in zip(first, again, other, strict=True):
        assert all(x.tobytes() == y.tobytes() for x, y in zip(a.arrays, b.arrays, strict=True))
        assert a.arrays[0].tobytes() != c.arrays[0].tobytes()
    x, h, n, m, u = first[1].arrays
    assert [a.shape for a in (x, h, n, m, u)] == [(40,), (3,), (9,), (4, 4), (9,)]
    assert {str(h.dtype), str(m.dtype), str(u.dtype)} == {"bfloat16", "bool", "uint16"}
    assert np.isnan(x).any()
    assert {np.inf, -np.inf, 1.0, -1.0} <= set(x.tolist())
    assert {bool(s) for s in np.signbit(x[x == 0])} == {True, False}
    assert {0, 1, -1, 127, -128} <= set(n.tolist())
    assert np.finfo(np.float32).max in first[2].arrays[0]


F32 = np.array([1.0, 2.0, -0.0, np.nan], np.float32)


def test_bits_are_compared_but_not_those_of_a_nan() -> None:
    other_nan = F32.copy()
    other_nan.view(np.uint32)[3] ^= 1
    assert difference(other_nan, F32, EXACT) is None
    zero = F32.copy()
    zero[2] = 0.0
    message = difference(zero, F32, EXACT)
    assert message is not None
    assert "element [2] is 0.0, was -0.0; 1 of 4 differ" in message
    assert difference(zero, F32, CONTRACTS) is None
    number = F32.copy()
    number[3] = 0.0
    assert "relative error of inf" in str(difference(number, F32, APPROXIMATES))


def test_floats_have_a_bound_and_integers_have_none() -> None:
    for effect in (CONTRACTS, REASSOCIATES, APPROXIMATES):
        assert difference(np.array([3], np.int32), np.array([4], np.int32), effect) is not None
    before = np.array([1.0, 1.0], np.float32)
    eps = float(np.finfo(np.float32).eps)
    for now, effect, same in (
        (1 + 64 * eps, CONTRACTS, True),
        (1 + 256 * eps, CONTRACTS, False),
        (1 + 256 * eps, REASSOCIATES, True),
        (1 + 1024 * eps, REASSOCIATES, False),
        (1 + 1024 * eps, Effect("approximates", 1024.0), True),
    ):
        found = difference(np.array([1.0, now], np.float32), before, effect)
        assert (found is None) == same
    assert "is float32[2], was float32[1]" in str(difference(before, before[:1], EXACT))
    assert difference(before[:0], before[:0], EXACT) is None


def test_kernels_of_another_computer_run_in_the_interpreter() -> None:
    module = parse(TEXT.replace("tensor<?xbf16>", "tensor<3xf32>"))
    ctx = make_context()
    pipeline = PIPELINES["snippets-to-llvm"].replace(
        "snippets-set-target", "snippets-set-target{target=aarch64-neon}"
    )
    checker = EachChecker(seed=0)
    checker.start(module)
    for p in parse_pipeline(pipeline, ctx):
        run_passes(module, ctx, [p])
        checker.after(p, module)
    assert native_kernels(module) is None


SAXPY = """
func.func @saxpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xf32>
    %1 = affine.load %y[%i] : memref<?xf32>
    %2 = arith.mulf %a, %0 : f32
    %3 = arith.addf %2, %1 : f32
    affine.store %3, %y[%i] : memref<?xf32>
  }
  func.return %a : f32
}
"""


def test_functions_on_memrefs_are_checked_until_they_are_taken_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ctx = make_context()
    module = parse(SAXPY)
    checker = EachChecker(seed=0)
    checker.start(module)
    pipeline = "affine-super-vectorize{virtual-vector-size=8},lower-affine,affine-to-llvm"
    for p in parse_pipeline(pipeline, ctx):
        run_passes(module, ctx, [p])
        checker.after(p, module)
    (remark,) = capsys.readouterr().err.splitlines()
    assert re.fullmatch(
        r"remark: --check-each ends before pass '[a-z-]+', which takes memrefs apart", remark
    )


@pytest.mark.parametrize(
    ("result", "last"),
    [
        ("f32", "convert-func-to-llvm', which lowers @f to llvm"),
        ("memref<4xf32>", "finalize-memref-to-llvm', which takes memrefs apart"),
    ],
)
def test_functions_without_arguments_are_checked_until_they_are_lowered(
    result: str, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value = (
        "%c = arith.constant 2.0 : f32" if result == "f32" else f"%c = memref.alloc() : {result}"
    )
    module = parse(f"func.func @f() -> {result} {{\n{value}\nreturn %c : {result}\n}}")
    ctx, checker = make_context(), EachChecker(seed=0)
    checker.start(module)
    passes = parse_pipeline("affine-to-llvm", ctx)
    run_passes(module, ctx, passes, after=checker.after)
    (remark,) = capsys.readouterr().err.splitlines()
    assert remark == f"remark: --check-each ends before pass '{last}"


def test_a_function_without_arguments_has_results_to_compare() -> None:
    text = "func.func @f() -> f32 {\n%c = arith.constant 2.0 : f32\nreturn %c : f32\n}"
    (p,) = parse_pipeline("canonicalize", make_context())
    checker = EachChecker(seed=0)
    checker.start(parse(text))
    with pytest.raises(CompileError, match=r"pass 'canonicalize' .* output 0, element"):
        checker.after(p, parse(text.replace("2.0", "2.5")))


def test_what_is_left_in_a_memref_is_an_output() -> None:
    (p,) = parse_pipeline("canonicalize", make_context())
    for old, new, message in (
        ("arith.addf %2, %1", "arith.subf %2, %1", "output 2, element"),
        ("affine.store %3, %y", "affine.store %3, %x", "output 1, element"),
        ("return %a", "return %k", "output 0, element"),
        ("load %x[%i]", "load %x[%i + 1]", "cannot run what pass 'canonicalize' left"),
    ):
        checker = EachChecker(seed=0)
        checker.start(parse(SAXPY))
        text = SAXPY.replace(old, new)
        if "%k" in text:
            text = text.replace("%c0 = ", "%k = arith.constant 2.0 : f32\n%c0 = ")
        with pytest.raises(CompileError, match=message):
            checker.after(p, parse(text))


def test_a_module_without_an_entry_is_refused() -> None:
    with pytest.raises(CompileError, match="expected a function @main or exactly one public"):
        EachChecker(seed=0).start(parse("func.func private @f()"))


GATHER = """
func.func @main(%t: tensor<7x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = snippets.check_indices %i, %t {axis = 0 : i64, from_end}
    : (tensor<2xi64>, tensor<7x3xf32>) -> tensor<2xi64>
  %1 = snippets.gather %t, %0 {axis = 0 : i64, from_end}
    : (tensor<7x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}
"""
NODE = """
func.func @main(%t: tensor<7x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %1 = onnx.node "Gather"(%t, %i) {domain = "", version = 18 : i64}
    : (tensor<7x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}
"""


@pytest.mark.parametrize("text", [GATHER, NODE])
def test_a_program_that_refuses_random_places_runs_on_small_ones(text: str) -> None:
    (p,) = parse_pipeline("canonicalize", make_context())
    checker = EachChecker(seed=1)
    checker.start(parse(text))
    other = "%2 = snippets.negative %1 : tensor<2x3xf32>\n func.return %2"
    with pytest.raises(CompileError, match=r"pass 'canonicalize' .* output 0, element"):
        checker.after(p, parse(text.replace("func.return %1", other)))


def test_a_node_that_refuses_small_places_too_is_an_error_at_its_place() -> None:
    empty = NODE.replace("7x3", "0x3")
    with pytest.raises(CompileError, match="out of data bounds") as caught:
        EachChecker(seed=1).start(parse(empty))
    assert caught.value.line == 3
