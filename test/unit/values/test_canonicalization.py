"""Every named rule, executed before and after on values that break arithmetic."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.context import Context
from xdsl.dialects import test as xdsl_test
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.transforms.canonicalize import CanonicalizePass

from snippets_mlir.dialects.canonicalization.chains import (
    is_lossless,
    reciprocal_of_power_of_two,
    skips_middle,
)
from snippets_mlir.dialects.canonicalization.snippets import RulePattern, patterns_for
from snippets_mlir.dialects.dtypes import element_type_of, numpy_dtype
from snippets_mlir.dialects.folding import dense_of_scalar
from snippets_mlir.dialects.rules import ALL_RULES
from snippets_mlir.dialects.rules.match import kind_of_element, literal_attr
from snippets_mlir.dialects.rules.rule import (
    Apply,
    Literal,
    Rule,
    Term,
    Variable,
    parse_term,
    variables,
)
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.structure import ConstantOp, ScalarOp
from snippets_mlir.dialects.values import constant_array, evaluate

Array = NDArray[Any]
ValueOf = Callable[..., Array]
Same = Callable[[Array, Array], bool]
Special = Callable[[np.dtype[Any]], Array]
Conversion = type[ConvertTruncationOp] | type[ConvertSaturationOp]
f16, f32, f64, bf16_type = Float16Type(), Float32Type(), Float64Type(), BFloat16Type()
i8, i32, i64 = IntegerType(8), IntegerType(32), IntegerType(64)
ui8 = IntegerType(8, Signedness.UNSIGNED)
ELEMENTS: dict[str, tuple[Attribute, ...]] = {
    "float": (f32, f64, f16, bf16_type),
    "signed": (i8, i64),
    "unsigned": (ui8,),
}
ELEMENTS["bool"] = (i1,)
CONVERTIBLE = (i1, i8, ui8, i32, i64, f16, bf16_type, f32, f64)
OPS: dict[str, Any] = {op.name.removeprefix("snippets."): op for op in Snippets.operations}
BOOLEAN = ("select", "logical_not", "logical_and", "logical_or", "logical_xor")


class Program:
    """A block with arguments of special values, whose results a test op keeps alive."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        types = [TensorType(element_type_of(a.dtype), a.shape) for a in arrays]
        self.arrays = list(arrays)
        self.block = Block(arg_types=types)
        holder = xdsl_test.TestOp(regions=[Region(self.block)])
        self.module = ModuleOp([holder])

    def add(self, op: Operation) -> SSAValue:
        self.block.add_op(op)
        return op.results[0]

    def finish(self, value: SSAValue) -> None:
        self.block.add_op(xdsl_test.TestTermOp(operands=[value]))

    @property
    def result(self) -> SSAValue:
        assert self.block.last_op is not None
        return self.block.last_op.operands[0]

    @property
    def root(self) -> Operation:
        owner = self.result.owner
        assert isinstance(owner, Operation)
        return owner

    def run(self) -> Array:
        values: dict[SSAValue, Array] = dict(zip(self.block.args, self.arrays, strict=True))

        def value(v: SSAValue) -> Array:
            if v not in values:
                op = v.owner
                assert isinstance(op, Operation)
                if isinstance(op, ConstantOp):
                    assert not isinstance(op.value, ResourceAttr)
                    values[v] = constant_array(op.value)
                elif isinstance(op, ScalarOp):
                    dense = dense_of_scalar(op.value, tensor_of(op.result))
                    values[v] = constant_array(dense)
                else:
                    values[v] = evaluate(op, [value(o) for o in op.operands])
            return values[v]

        return value(self.result)

    def canonicalize(self) -> None:
        ctx = Context(allow_unregistered=True)
        ctx.load_dialect(Snippets)
        self.module.verify()
        CanonicalizePass().apply(ctx, self.module)
        self.module.verify()


def condition_names(term: Term) -> set[str]:
    """Variables and inner terms in the place of a boolean operand."""
    if not isinstance(term, Apply):
        return set()
    names = set[str]().union(*(condition_names(a) for a in term.arguments))
    short = term.op.removeprefix("snippets.")
    places = term.arguments[:1] if short == "select" else term.arguments
    if short in BOOLEAN:
        names |= {a.name for a in places if isinstance(a, Variable)}
    return names


def build(
    program: Program, term: Apply, values: dict[str, SSAValue], element: Attribute
) -> SSAValue:
    """The left side of a rule as ops; inner names are bound to one value."""
    short = term.op.removeprefix("snippets.")
    operands: list[SSAValue] = []
    for i, argument in enumerate(term.arguments):
        if isinstance(argument, Apply):
            operands.append(build(program, argument, values, element))
        elif isinstance(argument, Literal):
            boolean = isinstance(argument.value, bool)
            kind = i1 if boolean and (short != "select" or i == 0) else element
            operands.append(program.add(ScalarOp(literal_attr(argument, kind))))
        else:
            operands.append(values[argument.name])
    value = program.add(OPS[short](*operands))
    if term.name:
        values[term.name] = value
    return value


def cases() -> Iterator[Any]:
    for rule in ALL_RULES:
        for kind in sorted(rule.kinds):
            for element in ELEMENTS[kind]:
                yield pytest.param(rule, element, id=f"{rule.name}-{element}")


def set_up(rule: Rule, element: Attribute, special: Special) -> Program:
    """The left side on every combination of special values of its variables."""
    dtype = numpy_dtype(element)
    inner = {t.name for t in walk(rule.pattern) if isinstance(t, Apply) and t.name}
    names = sorted(variables(rule.pattern) - inner - {"c"})
    conditions = condition_names(rule.pattern)
    pools = [np.array([False, True]) if n in conditions else special(dtype) for n in names]
    if len(names) > 3:
        pools = [p[:: max(1, len(p) // 6)] for p in pools]
    grid: Sequence[Array] = np.meshgrid(*pools, indexing="ij") if pools else ()
    program = Program([g.ravel() for g in grid])
    values: dict[str, SSAValue] = dict(zip(names, program.block.args, strict=True))
    if "c" in variables(rule.pattern):
        number = literal_attr(Literal(3 if element != i1 else 1), element)
        values["c"] = program.add(ScalarOp(number))
    program.finish(build(program, rule.pattern, values, element))
    return program


def walk(term: Term) -> Iterator[Term]:
    yield term
    for argument in term.arguments if isinstance(term, Apply) else ():
        yield from walk(argument)


@pytest.mark.parametrize(("rule", "element"), list(cases()))
def test_rule_fires_and_keeps_every_bit(
    rule: Rule, element: Attribute, special: Special, same: Same
) -> None:
    program = set_up(rule, element, special)
    root = program.root
    before = program.run()
    program.canonicalize()
    assert program.result.owner is not root, f"{rule.equation} did not fire"
    assert same(before, program.run()), rule.equation


def test_rules_are_well_formed() -> None:
    names = [rule.name for rule in ALL_RULES]
    assert len(set(names)) == len(names)
    ops = {op.name for op in Snippets.operations}
    for rule in ALL_RULES:
        assert rule.law
        assert {t.op for t in walk(rule.pattern) if isinstance(t, Apply)} <= ops
        assert variables(rule.result) <= variables(rule.pattern), rule.name
        assert sum(isinstance(t, Apply) for t in walk(rule.result)) == (not rule.is_fold)


def test_terms_that_are_not_terms_are_refused() -> None:
    for text in ("x + y", "f(x, k=1)", "'a'"):
        with pytest.raises(ValueError, match="not a term"):
            parse_term(text)


def test_the_page_on_rules_names_every_topic() -> None:
    page = (Path(__file__).parents[3] / "docs" / "rewrite-rules.md").read_text()
    for topic in ("arithmetic", "comparison", "logic", "order", "chains"):
        assert f"{topic}.py" in page


def one_op(name: str, element: Any, *numbers: float) -> Program:
    """`name` of an argument and of scalar constants."""
    program = Program([np.ones(3, numpy_dtype(element))])
    scalars = [program.add(ScalarOp(FloatAttr(n, element))) for n in numbers]
    program.finish(program.add(OPS[name](program.block.args[0], *scalars)))
    return program


@pytest.mark.parametrize(
    ("name", "number"),
    [("add", 0.0), ("subtract", -0.0), ("multiply", 0.0), ("power", 0.5), ("maximum", -0.0)],
)
def test_rules_that_would_change_a_float_do_not_exist(name: str, number: float) -> None:
    program = one_op(name, f32, number)
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_differences_and_negated_orders_of_floats_stay() -> None:
    program = Program([np.ones(3, np.float32), np.ones(3, np.float32)])
    x, y = program.block.args
    less = program.add(OPS["less"](x, y))
    program.finish(program.add(OPS["logical_not"](less)))
    root = program.root
    program.canonicalize()
    assert program.root is root
    program = Program([np.ones(3, np.float32)])
    x = program.block.args[0]
    program.finish(program.add(OPS["subtract"](x, x)))
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_a_rule_does_not_fire_when_a_dropped_operand_gives_the_shape() -> None:
    program = Program([np.ones(3, bool), np.ones(3, np.float32), np.ones((4, 3), np.float32)])
    x, y, z = program.block.args
    select = OPS["select"]
    inner = program.add(select(x, y, z))
    program.finish(program.add(select(x, inner, y)))
    root = program.root
    program.canonicalize()
    assert program.root is root


def test_the_new_op_keeps_attributes_and_place() -> None:
    program = one_op("power", f32, 2.0)
    root = program.root
    root.attributes["snippets.skipped"] = StringAttr("why")
    location = root.location
    program.canonicalize()
    assert program.root.name == "snippets.multiply"
    assert program.root.attributes == {"snippets.skipped": StringAttr("why")}
    assert program.root.location == location


def test_ops_of_the_linear_ir_are_not_rewritten() -> None:
    program = one_op("power", f32, 2.0)
    root = program.root
    root.attributes["lir.ports"] = StringAttr("")
    program.canonicalize()
    assert program.root is root


def test_patterns_are_found_by_the_name_of_the_root() -> None:
    assert {p.rule.name for p in patterns_for("snippets.cosh") if isinstance(p, RulePattern)} == {
        "cosh_negative",
        "cosh_abs",
    }
    assert patterns_for("snippets.sin") == ()


# Chains.


@pytest.mark.parametrize("outer", [ConvertTruncationOp, ConvertSaturationOp])
@pytest.mark.parametrize("inner", [ConvertTruncationOp, ConvertSaturationOp])
def test_skipping_a_conversion_keeps_every_bit(
    inner: Conversion, outer: Conversion, special: Special, same: Same
) -> None:
    skipped = 0
    for first, middle, last in itertools.product(CONVERTIBLE, repeat=3):
        program = Program([special(numpy_dtype(first))])
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
    assert skipped > 100


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


def test_conversions_that_lose_values_stay() -> None:
    for inner, outer, types in (
        (ConvertTruncationOp, ConvertTruncationOp, (f64, f32, f64)),
        (ConvertTruncationOp, ConvertTruncationOp, (i32, f64, i8)),
        (ConvertTruncationOp, ConvertTruncationOp, (i64, i8, i32)),
        (ConvertSaturationOp, ConvertTruncationOp, (i64, i32, i8)),
    ):
        program = Program([np.ones(3, numpy_dtype(types[0]))])
        middle = program.add(inner(program.block.args[0], types[1]))
        program.finish(program.add(outer(middle, types[2])))
        program.canonicalize()
        assert program.root.operands[0] is middle, types


def test_views_of_views() -> None:
    program = Program([np.arange(6, dtype=np.float32)])
    cls = OPS["reshape"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], [2, 3])), [3, 2])))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert np.array_equal(before, program.run())
    program = Program([np.arange(3, dtype=np.float32)])
    cls = OPS["broadcast"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], [2, 3])), [5, 2, 3])))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert np.array_equal(before, program.run())
    program = Program([np.arange(3, dtype=np.float32)])
    cls = OPS["bitcast"]
    program.finish(program.add(cls(program.add(cls(program.block.args[0], i32)), f32)))
    program.canonicalize()
    assert program.result is program.block.args[0]


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (2.0, -3.0)])
def test_equal_clamps_are_one(bounds: tuple[float, float], special: Special, same: Same) -> None:
    program = Program([special(np.dtype(np.float32))])
    attributes = [FloatAttr(b, f32) for b in bounds]
    inner = program.add(OPS["clamp"](program.block.args[0], *attributes))
    program.finish(program.add(OPS["clamp"](inner, *attributes)))
    before = program.run()
    program.canonicalize()
    assert program.root.operands[0] is program.block.args[0]
    assert same(before, program.run())


def test_different_clamps_stay() -> None:
    program = Program([np.ones(3, np.float32)])
    one, two = FloatAttr(0.0, f32), FloatAttr(1.0, f32)
    inner = program.add(OPS["clamp"](program.block.args[0], one, two))
    program.finish(program.add(OPS["clamp"](inner, one, one)))
    program.canonicalize()
    assert program.root.operands[0] is inner


@pytest.mark.parametrize("element", [f32, f64, f16, bf16_type])
@pytest.mark.parametrize("divisor", [2.0, -8.0, 0.25, 1024.0, 0.001953125])
def test_division_by_a_power_of_two_keeps_every_bit(
    element: Any, divisor: float, special: Special, same: Same
) -> None:
    program = Program([special(numpy_dtype(element))])
    number = program.add(ScalarOp(FloatAttr(divisor, element)))
    cls = OPS["divide"]
    program.finish(program.add(cls(program.block.args[0], number)))
    before = program.run()
    program.canonicalize()
    assert program.root.name == "snippets.multiply"
    assert same(before, program.run())


def test_dense_divisors_become_dense_factors() -> None:
    program = Program([np.ones((2, 3), np.float32)])
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


def test_division_by_three_stays() -> None:
    program = one_op("divide", f32, 3.0)
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
