"""The remaining checks of an op from the definition of its class: see `verifying.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import getclosurevars
from types import FunctionType
from typing import Any, NamedTuple

from xdsl.ir import Attribute, Operation, OpTrait
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrOrPropDef,
    BaseAttr,
    EqIntConstraint,
    IRDLOperation,
    OpDef,
    OperandDef,
    OptionalDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    ResultDef,
    VariadicDef,
    VerificationContext,
)
from xdsl.traits import IsolatedFromAbove, SameOperandsAndResultType

from snippets_mlir.support.walking import operands_of, ops_inside

Check = Callable[[Attribute, VerificationContext], None]
"""Raises if an attribute violates a constraint."""


class Wrong(Exception):
    """The op is or may be invalid; xDSL's verifier then reports the error."""


class Named(NamedTuple):
    """Properties or attributes of a definition: the required ones, and the checks."""

    required: tuple[str, ...]
    checks: tuple[tuple[str, Check], ...]


class Values(NamedTuple):
    """Operands or results: their number, and the requirements for their types.

    Each check comes with its position; `most` is None for a list without a maximal length.
    """

    least: int
    most: int | None
    checks: tuple[tuple[int, Check], ...]
    """From the first value on; places below zero count from the last one."""
    listed: tuple[int, int, RangeConstraint] | None
    """Values before and after the list, and what the list has to be."""


class Plan(NamedTuple):
    """The remaining checks for each op of a class."""

    definition: OpDef
    operands: Values | None
    """None: xDSL's function, since an attribute of the op has the sizes of its lists."""
    results: Values | None
    properties: Named
    known: frozenset[str]
    """The properties that an op may have."""
    attributes: Named
    traits: tuple[Callable[[Operation], None], ...]
    """The verifiers of traits that have one."""
    own: Callable[[Operation], None] | None
    """The verifier in Python."""


@cache
def plan_of(cls: type[Operation]) -> Plan | None:
    """None for a class whose `verify_` is not the one that xDSL makes from a definition."""
    made = cls.verify_
    if not issubclass(cls, IRDLOperation) or not isinstance(made, FunctionType):
        return None
    if made.__module__ != IRDLOperation.__module__:
        return None
    held = getclosurevars(made).nonlocals
    definition = held.get("op_def")
    if not isinstance(definition, OpDef):
        return None
    own = held.get("custom_verify")
    return Plan(
        definition,
        _values(definition.operands, definition),
        _values(definition.results, definition),
        _named(definition.properties),
        frozenset(definition.properties),
        _named(definition.attributes),
        tuple(
            _FASTER.get(type(trait)) or trait.verify
            for trait in definition.traits
            if type(trait).verify is not OpTrait.verify
        ),
        None if own is Operation.verify_ else own,
    )


def _isolated(op: Operation) -> None:
    """As `IsolatedFromAbove.verify`; most operands are values of the block that reads them."""
    for inner in ops_inside(op):
        block = inner.parent
        for value in operands_of(inner):
            owner = value.owner
            if owner is not block and owner.parent is not block:
                if owner is op or not op.is_ancestor(owner):
                    raise Wrong


def _same_types(op: Operation) -> None:
    """As `SameOperandsAndResultType.verify`; most ops have one type, the same object."""
    types = [value.type for values in (operands_of(op), op.results) for value in values]
    one = types[0] if op.results and len(types) > len(op.results) else None
    if one is None or any(type_ is not one for type_ in types):
        SameOperandsAndResultType().verify(op)


_FASTER: Mapping[type[OpTrait], Callable[[Operation], None]] = {
    IsolatedFromAbove: _isolated,
    SameOperandsAndResultType: _same_types,
}


def _values(
    defs: Sequence[tuple[str, OperandDef]] | Sequence[tuple[str, ResultDef]], definition: OpDef
) -> Values | None:
    lists = [place for place, (_, found) in enumerate(defs) if isinstance(found, VariadicDef)]
    if len(lists) > 1 or (lists and definition.options):
        return None
    count = len(defs)
    checks: list[tuple[int, Check]] = []
    for place, (_, found) in enumerate(defs):
        if place not in lists and (check := _check_of_one(found.constr)) is not None:
            checks.append((place - count if lists and place > lists[0] else place, check))
    if not lists:
        return Values(count, count, tuple(checks), None)
    listed = defs[lists[0]][1]
    most = count if isinstance(listed, OptionalDef) else None
    return Values(count - 1, most, tuple(checks), (lists[0], count - 1 - lists[0], listed.constr))


def _named(defs: dict[str, Any]) -> Named:
    found: dict[str, AttrOrPropDef] = defs
    required = tuple(name for name, one in found.items() if not isinstance(one, OptionalDef))
    checks = ((name, _check(one.constr)) for name, one in found.items())
    return Named(required, tuple((name, check) for name, check in checks if check is not None))


def _check_of_one(constraint: RangeConstraint) -> Check | None:
    """The check of a list that has one element."""
    if type(constraint) is RangeLengthConstraint and type(constraint.length) is EqIntConstraint:
        if constraint.length.value == 1:
            return _check_of_one(constraint.constraint)
    if type(constraint) is RangeOf:
        return _check(constraint.constr)
    return lambda attribute, context: constraint.verify((attribute,), context)


def _check(constraint: AttrConstraint) -> Check | None:
    """None for a constraint that always holds."""
    if type(constraint) is AnyAttr:
        return None
    if type(constraint) is BaseAttr:
        return _instance_of(constraint.attr)
    return constraint.verify


def _instance_of(base: type[Attribute]) -> Check:
    def check(attribute: Attribute, context: VerificationContext) -> None:
        if attribute.__class__ is not base and not isinstance(attribute, base):
            raise Wrong

    return check
