"""Chains of conversions, views and clamps, and division by a power of two."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sampled import sampled
from value_types import (
    CONVERTIBLE,
    OPS,
    Conversion,
    NewProgram,
    Same,
    Special,
    ValueOf,
    bf16_type,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    ui8,
)
from xdsl.dialects.builtin import (
    FloatAttr,
    StringAttr,
    TensorType,
    i1,
)

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.snippets.canonicalization.chains import (
    is_lossless,
    reciprocal_of_power_of_two,
    skips_middle,
)
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.rules.match import kind_of_element


@pytest.mark.parametrize("outer", [ConvertTruncationOp, ConvertSaturationOp])
@pytest.mark.parametrize("inner", [ConvertTruncationOp, ConvertSaturationOp])
def test_skipping_a_conversion_keeps_every_bit(
    inner: Conversion, outer: Conversion, special: Special, same: Same, new_program: NewProgram
) -> None:
    skipped = 0
    every = [*itertools.product(CONVERTIBLE, repeat=3)]
    chosen = sampled(every, 2)
    for first, middle, last in chosen:
        program = new_program([special(numpy_dtype(first))])
        one = inner(program.block.args[0], middle)
        two = outer(program.add(one), last)
        program.finish(program.add(two))
        if not skips_middle(one, two):
            continue
        skipped += 1
        before = program.run()
        program.canonicalize()
        names = [op.name for op in program.block.ops]
        assert len(names) <= 2, (first, middle, last)
        assert same(before, program.run()), (first, middle, last)
    assert skipped > 100 * len(chosen) / len(every)


def test_lossless_conversions_are_those_that_come_back(
    special: Special, same: Same, value_of: ValueOf
) -> None:
    for source, target in itertools.product(CONVERTIBLE, repeat=2):
        x = special(numpy_dtype(source))
        there = value_of("convert_truncation", x, element=target)
        back = value_of("convert_truncation", there, element=source)
        if is_lossless(source, target):
            assert same(x, back), (source, target)
    assert is_lossless(i8, f16)
    assert is_lossless(ui8, i32)
    assert is_lossless(i32, f64)
    assert not is_lossless(i32, f32)
    assert not is_lossless(i8, ui8)
    assert not is_lossless(i64, f64)
    assert not is_lossless(f16, bf16_type)
    assert not is_lossless(f32, i64)


def test_conversions_that_lose_values_stay(new_program: NewProgram) -> None:
    for inner, outer, types in (
        (ConvertTruncationOp, ConvertTruncationOp, (f64, f32, f64)),
        (ConvertTruncationOp, ConvertTruncationOp, (i32, f64, i8)),
        (ConvertTruncationOp, ConvertTruncationOp, (i64, i8, i32)),
        (ConvertSaturationOp, ConvertTruncationOp, (i64, i32, i8)),
    ):
        program = new_program([np.ones(3, numpy_dtype(types[0]))])
        middle = program.add(inner(program.block.args[0], types[1]))
        program.finish(program.add(outer(middle, types[2])))
        program.canonicalize()
        assert program.root.operands[0] is middle, types


def test_views_of_views(new_program: NewProgram) -> None:
    program = new_program([np.arange(6, dtype=np.float32)])
    cls = OPS["reshape"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], [2, 3])), [3, 2])))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert np.array_equal(before, program.run())
    program = new_program([np.arange(3, dtype=np.float32)])
    cls = OPS["broadcast"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], [2, 3])), [5, 2, 3])))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert np.array_equal(before, program.run())
    program = new_program([np.arange(3, dtype=np.float32)])
    cls = OPS["bitcast"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], i32)), f32)))
    program.canonicalize()
    assert program.result is program.block.args[0]


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (2.0, -3.0)])
def test_equal_clamps_are_one(
    bounds: tuple[float, float], special: Special, same: Same, new_program: NewProgram
) -> None:
    program = new_program([special(np.dtype(np.float32))])
    attributes = [FloatAttr(b, f32) for b in bounds]
    inner = program.add(OPS["clamp"](program.block.args[0], *attributes))
    program.finish(program.add(OPS["clamp"](inner, *attributes)))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert same(before, program.run())


def test_different_clamps_stay(new_program: NewProgram) -> None:
    program = new_program([np.ones(3, np.float32)])
    one, two = FloatAttr(0.0, f32), FloatAttr(1.0, f32)
    inner = program.add(OPS["clamp"](program.block.args[0], one, two))
    program.finish(program.add(OPS["clamp"](inner, one, one)))
    program.canonicalize()
    assert program.root.operands[0] is inner


@pytest.mark.parametrize("element", [f32, f64, f16, bf16_type])
@pytest.mark.parametrize("divisor", [2.0, -8.0, 0.25, 1024.0, 0.001953125])
def test_division_by_a_power_of_two_keeps_every_bit(
    element: Any, divisor: float, special: Special, same: Same, new_program: NewProgram
) -> None:
    program = new_program([special(numpy_dtype(element))])
    number = program.add(ScalarOp(FloatAttr(divisor, element)))
    cls = OPS["divide"]
    program.finish(program.add(cls(program.block.args[0], number)))
    before = program.run()
    program.canonicalize()
    assert program.root.name == "snippets.multiply"
    assert same(before, program.run())


def test_dense_divisors_become_dense_factors(new_program: NewProgram) -> None:
    program = new_program([np.ones((2, 3), np.float32)])
    dense = dense_of_scalar(FloatAttr(4.0, f32), TensorType(f32, [3]))
    number = program.add(ConstantOp(dense))
    cls = OPS["divide"]
    program.finish(program.add(cls(program.block.args[0], number)))
    program.canonicalize()
    factor = program.root.operands[1].owner
    assert isinstance(factor, ConstantOp)
    assert factor.value == dense_of_scalar(FloatAttr(0.25, f32), TensorType(f32, [3]))


def test_reciprocals_that_are_not_exact_numbers_are_refused() -> None:
    assert reciprocal_of_power_of_two(3.0, f32) is None
    assert reciprocal_of_power_of_two(0.0, f32) is None
    assert reciprocal_of_power_of_two(float("inf"), f32) is None
    assert reciprocal_of_power_of_two(float("nan"), f32) is None
    assert reciprocal_of_power_of_two(2.0**127, f32) is None
    assert reciprocal_of_power_of_two(2.0**126, f32) == 2.0**-126
    assert reciprocal_of_power_of_two(2.0**-149, f32) is None
    assert reciprocal_of_power_of_two(2.0**-127, f32) == 2.0**127
    assert reciprocal_of_power_of_two(-4.0, f16) == -0.25


def test_division_by_three_stays(new_program: NewProgram) -> None:
    program = new_program([np.ones(3, np.float32)])
    three = program.add(ScalarOp(FloatAttr(3.0, f32)))
    program.finish(program.add(OPS["divide"](program.block.args[0], three)))
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_kinds_of_elements() -> None:
    kinds = {t: kind_of_element(t) for t in CONVERTIBLE}
    assert kinds[i1] == "bool"
    assert kinds[i8] == "signed"
    assert kinds[ui8] == "unsigned"
    assert kinds[bf16_type] == "float"
    assert kind_of_element(StringAttr("")) is None
