"""Values of type index, and conditions on them, as forms of a call.

    %n = memref.dim %x, %c0                                       dim 0 of argument 0
    %k = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%n)     its quotient by 4
    %t = arith.minsi %k, %m : index                               a value of the run, and its law
    %c = arith.cmpi slt, %i, %k : index                           k - i - 1 >= 0

A value without a form is itself a variable. It makes every form that contains it unknown
(`call_forms.is_known`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from itertools import product as choices
from typing import cast

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineConstraintKind, AffineMap, AffineSet

from snippets_mlir.analysis.loops.access_domains import Case, Guard
from snippets_mlir.analysis.loops.call_forms import product
from snippets_mlir.analysis.loops.linear_forms import Linear, floor_div, linear_of
from snippets_mlir.dialects.arith.compare import CmpiOp
from snippets_mlir.dialects.index.comparison import CmpOp

Form = Callable[[SSAValue], Linear]
"""The form of an index."""

MAX_OPTIONS = 16
"""Maximal cases of one condition; a condition with more is unknown."""

MINIMA = ("affine.min", "arith.minsi", "index.mins")
MAXIMA = ("affine.max", "arith.maxsi", "index.maxs")
CONSTANTS = ("arith.constant", "index.constant")
CASTS = ("arith.index_cast", "index.casts")
OPPOSITES = {"eq": "ne", "lt": "ge", "le": "gt", "ne": "eq", "ge": "lt", "gt": "le"}


def forms_of_map(map: AffineMap, operands: Sequence[SSAValue], form: Form) -> list[Linear]:
    """The results of a map; a result that is not affine is a variable."""
    inputs = [form(operand) for operand in operands]
    found = [linear_of(result, inputs, map.num_dims) for result in map.results]
    return [Linear.variable(map) if made is None else made for made in found]


def form_of_result(op: Operation, form: Form) -> Linear | None:
    """The form of an op's result of type index, from the forms of its operands; None for no
    form.
    """
    if isinstance(op, affine.ApplyOp):
        return forms_of_map(op.map.data, op.mapOperands, form)[0]
    if op.name in CONSTANTS:
        return Linear(constant=cast("IntegerAttr", op.properties["value"]).value.data)
    if op.name in CASTS:
        return form(op.operands[0])
    if len(op.operands) != 2 or not all(isinstance(v.type, IndexType) for v in op.operands):
        return None
    a, b = map(form, op.operands)
    match op.name:
        case "arith.addi" | "index.add":
            return a + b
        case "arith.subi" | "index.sub":
            return a - b
        case "arith.muli" | "index.mul":
            return product(a, b)
        case "arith.floordivsi" | "index.floordivs" if b.is_constant() and b.constant > 0:
            return floor_div(a, b.constant)
        case "arith.ceildivsi" | "index.ceildivs" if b.is_constant() and b.constant > 0:
            return floor_div(a + (b.constant - 1), b.constant)
        case _:
            return None


def forms_of_extreme(op: Operation, form: Form) -> list[Linear] | None:
    """The forms whose minimum or maximum an op computes; None for other ops."""
    if op.name not in (*MINIMA, *MAXIMA) or not isinstance(op.results[0].type, IndexType):
        return None
    if isinstance(given := op.properties.get("map"), AffineMapAttr):
        return forms_of_map(given.data, op.operands, form)
    return [form(operand) for operand in op.operands]


def guard_of_set(given: AffineSet, operands: Sequence[SSAValue], holds: bool, form: Form) -> Guard:
    """When an integer set holds, or does not."""
    zero = AffineConstantExpr(0)
    sides = [side for c in given.constraints for side in (c.lhs, c.rhs or zero)]
    forms = forms_of_map(AffineMap(given.num_dims, given.num_symbols, tuple(sides)), operands, form)
    names = {
        AffineConstraintKind.ge: "ge",
        AffineConstraintKind.le: "le",
        AffineConstraintKind.eq: "eq",
    }
    found = [
        compared(names[constraint.kind], left, right, holds)
        for constraint, left, right in zip(given.constraints, forms[::2], forms[1::2], strict=True)
    ]
    return Guard(_all_of(found) if holds else tuple(chain(*found)))


def guard_of_value(condition: SSAValue, holds: bool, form: Form) -> Guard | None:
    """When a value of type `i1` is true, or false; None if unknown."""
    options = _options(condition, holds, form)
    return None if options is None else Guard(options)


def _options(condition: SSAValue, holds: bool, form: Form) -> tuple[Case, ...] | None:
    match condition.owner:
        case CmpiOp(predicate=IntegerAttr(value=number), lhs=lhs, rhs=rhs):
            name = arith.CMPI_COMPARISON_OPERATIONS[number.data]
        case CmpOp(pred=pred, lhs=lhs, rhs=rhs):
            name = pred.data.value
        case Operation(name="arith.andi" | "arith.ori") as op:
            both = [_options(operand, holds, form) for operand in op.operands]
            found = [options for options in both if options is not None]
            if len(found) != len(both):
                return None
            every = _all_of(found) if holds == (op.name == "arith.andi") else tuple(chain(*found))
            return every if len(every) <= MAX_OPTIONS else None
        case _:
            return None
    if not isinstance(lhs.type, IndexType):
        return None
    return compared(name, form(lhs), form(rhs), holds)


def compared(name: str, left: Linear, right: Linear, holds: bool) -> tuple[Case, ...]:
    """When a comparison holds, or does not; `name` as `arith.cmpi` has it, signed by default."""
    kind = name[-2:] if holds else OPPOSITES[name[-2:]]
    if kind in ("gt", "ge"):
        left, right, kind = right, left, {"gt": "lt", "ge": "le"}[kind]
    below = right - left - (1 if kind in ("lt", "ne") else 0)
    if kind == "eq":
        return (Case((left - right,)),)
    if kind == "ne":
        return Case((), (below,)), Case((), (left - right - 1,))
    if name[0] != "u":
        return (Case((), (below,)),)
    negative = left * -1 - 1, right * -1 - 1
    return (
        Case((), (left, below)),
        Case((), (left, negative[1])),
        Case((), (*negative, below)),
    )


def _all_of(found: Sequence[tuple[Case, ...]]) -> tuple[Case, ...]:
    """The cases in which one option of each holds."""
    return tuple(
        Case(
            tuple(form for case in chosen for form in case.equations),
            tuple(form for case in chosen for form in case.inequalities),
        )
        for chosen in choices(*found)
    )
