"""Matching a rule's left side against an op, and building its right side.

`plan` is pure: it decides whether the rule applies and which value each name is bound to. Types are
part of the decision: the right side must have exactly the root's type. A rule that drops an operand
therefore does not apply if that operand determines the shape of the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import copysign, prod
from typing import Any, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    TensorType,
)
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.base import BOOL, FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.registry import derived, records
from snippets_mlir.dialects.snippets.rules import ALL_RULES
from snippets_mlir.dialects.snippets.rules.rule import (
    ONES,
    Apply,
    Literal,
    Rule,
    Term,
    Variable,
    variables,
)
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes, is_static
from snippets_mlir.support.walking import operands_of


@dataclass(frozen=True)
class Match:
    """The values that the names of a rule are bound to at one op."""

    rule: Rule
    root: ComputeOp
    values: Mapping[str, SSAValue]


@derived
def rules_for(op_name: str, *, folds: bool) -> tuple[Rule, ...]:
    """The rules whose root is `op_name`: rules that fold, or rules that build an op."""
    rules = (*ALL_RULES, *(rule for record in records() for rule in record.rules))
    return tuple(r for r in rules if r.root == op_name and r.is_fold is folds)


def in_linear_ir(op: Operation) -> bool:
    """Whether the op is an expression of the linear IR, whose ports tie it to its operands."""
    return "lir.ports" in op.attributes or "lir.loops" in op.attributes


def is_constant(value: SSAValue) -> bool:
    """Whether a constant op makes `value`."""
    return isinstance(value, OpResult) and makes_constants(type(value.op))


@lru_cache(1024)
def makes_constants(cls: type[Operation]) -> bool:
    """Whether ops of a class are constants; cached, because passes need it for each operand of each
    op.
    """
    return cls.has_trait(ConstantLike)


def dense_constant(value: SSAValue) -> DenseIntOrFPElementsAttr[Any] | None:
    """The elements of a constant written in the text, else None."""
    if not is_constant(value):
        return None
    attr: Any = ConstantLike.get_constant_value(value)
    return attr if attr.__class__ is DenseIntOrFPElementsAttr else None


def splat_value(attr: DenseIntOrFPElementsAttr[Any]) -> float | int | None:
    """The common value of all elements, None if they differ in a bit or there are none."""
    element = attr.get_element_type()
    data, size = attr.data.data, element.compile_time_size
    first = data[:size]
    if not data or first * (len(data) // size) != data:
        return None
    return cast(float | int, next(element.iter_unpack(first)))


def _is_literal(value: SSAValue, literal: bool | float | str) -> bool:
    if (attr := dense_constant(value)) is None or (found := splat_value(attr)) is None:
        return False
    element = attr.get_element_type()
    if isinstance(literal, bool):
        return kind_of(element) == BOOL and (found != 0) is literal
    if integers := integers_of(element):
        if integers.width == 1 or isinstance(literal, float):
            return False
        return found == (integers.all_bits if literal == ONES else literal)
    if isinstance(literal, str):
        return False
    return found == literal and copysign(1.0, found) == copysign(1.0, literal)


def _bind(term: Term, value: SSAValue, values: dict[str, SSAValue]) -> bool:
    match term:
        case Literal(literal):
            return _is_literal(value, literal)
        case Variable(name):
            if name in values:
                return values[name] is value
            if name in ("c", "v") and is_constant(value) is not (name == "c"):
                return False
            values[name] = value
            return True
        case Apply(op, arguments, name):
            owner = value.owner
            if not isinstance(owner, Operation) or owner.name != op or in_linear_ir(owner):
                return False
            if name is not None:
                values[name] = value
            pairs = zip(arguments, owner.operands, strict=True)
            return all(_bind(argument, operand, values) for argument, operand in pairs)


def kind_of_element(element: Attribute) -> str | None:
    """`float`, `signed`, `unsigned`, `bool`, or None: the kinds that rules name."""
    integers = integers_of(element)
    if integers is None or integers.width == 1:
        return kind_of(element)
    return "unsigned" if integers.unsigned else "signed"


def _covered(term: Term, rule: Rule) -> frozenset[str]:
    """The names of `term` and of the inner ops that its names are bound to."""
    names = variables(term)
    for inner in rule.pattern.arguments:
        if isinstance(inner, Apply) and inner.name in names:
            names |= variables(inner)
    return names


def _shape_kept(rule: Rule, root: ComputeOp, values: Mapping[str, SSAValue]) -> bool:
    """Whether the right side has the root's shape, at run time as well."""
    shape = shape_of(root.results[0])
    right = rule.result
    if isinstance(right, Literal):
        return is_static(shape)
    leaves = [right] if isinstance(right, Variable) else right.arguments
    sources = [values[leaf.name] for leaf in leaves if isinstance(leaf, Variable)]
    if broadcast_shapes(*(shape_of(s) for s in sources)) != shape:
        return False
    if is_static(shape):
        return True
    dropped = (v for v in root.operands if is_constant(v) and v not in sources)
    small = all(prod(shape_of(v)) == 1 for v in dropped)
    return small and variables(rule.pattern) <= _covered(right, rule)


def plan(rule: Rule, op: Operation) -> Match | None:
    """The match of `rule` at `op`, or None if it does not apply."""
    if op.name != rule.pattern.op:
        return None
    values: dict[str, SSAValue] = {}
    # Most rules end here: this loop takes half of the time of `all` of a generator.
    for argument, operand in zip(rule.pattern.arguments, operands_of(op), strict=True):
        if not _bind(argument, operand, values):
            return None
    if not isinstance(op, ComputeOp) or in_linear_ir(op):
        return None
    subject = values[rule.subject] if rule.subject else op.joined_operands[0]
    if kind_of_element(tensor_of(subject).element_type) not in rule.kinds:
        return None
    if not _shape_kept(rule, op, values):
        return None
    return Match(rule, op, values)


def literal_attr(literal: Literal, element: Attribute) -> FloatAttr | IntegerAttr[IntegerType]:
    """The literal as a number of the element type."""
    value = literal.value
    if isa(element, IntegerType):
        integers = integers_of(element)
        assert integers is not None
        return IntegerAttr(integers.all_bits if value == ONES else int(value), element)
    assert kind_of(element) == FLOAT
    return FloatAttr(float(value), cast(AnyFloat, element))


def literal_dense(literal: Literal, type_: TensorType[Any]) -> DenseIntOrFPElementsAttr[Any]:
    """A constant of `type_` with the literal in all elements."""
    value = literal_attr(literal, type_.element_type).value.data
    return DenseIntOrFPElementsAttr.from_list(cast(Any, type_), [value])
