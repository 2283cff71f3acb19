"""Whether IR verifies, in 0.6 to 0.9 of the time that `Operation.verify` takes.

    verify(module)  # as module.verify()

xDSL reads the definition of an op's class again for each op: how many operands it may have, which
of them are lists, which constraints say nothing. Here a class's definition is read once, into the
checks that are left of it. Traits and verifiers in Python are called as they are.

The answer is yes only where `Operation.verify` raises nothing. It may be no for a module that
verifies, which then takes xDSL's time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from inspect import getclosurevars
from types import FunctionType
from typing import Any, NamedTuple

from xdsl.ir import Attribute, Block, ErasedSSAValue, Operation, OpTrait, SSAValue
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
    VarIRConstruct,
    VerificationContext,
    irdl_op_verify_arg_list,
    irdl_op_verify_regions,
    verify_variadic_size,
)
from xdsl.traits import IsTerminator, NoTerminator

from snippets_mlir.support.walking import operands_of

Check = Callable[[Attribute, VerificationContext], None]
"""Raises if an attribute is not what a constraint asks for."""


class _Wrong(Exception):
    """Something is wrong, or may be; xDSL says what."""


class _Named(NamedTuple):
    """Properties or attributes of a definition: those that have to be there, and the checks."""

    required: tuple[str, ...]
    checks: tuple[tuple[str, Check], ...]


class _Values(NamedTuple):
    """Operands or results: how many, and what their types have to be.

    Checks stand beside places; `most` is None for a list that ends nowhere.
    """

    least: int
    most: int | None
    checks: tuple[tuple[int, Check], ...]
    """From the first value on; places below zero count from the last one."""
    listed: tuple[int, int, RangeConstraint] | None
    """Values before and after the list, and what the list has to be."""


class _Plan(NamedTuple):
    """What is left to do for each op of a class."""

    definition: OpDef
    operands: _Values | None
    """None: xDSL's function, since an attribute of the op has the sizes of its lists."""
    results: _Values | None
    properties: _Named
    known: frozenset[str]
    """The properties that an op may have."""
    attributes: _Named
    own: Callable[[Operation], None] | None
    """The verifier in Python."""


def verify(op: Operation) -> None:
    """As `op.verify()`: all of an op, with the same errors."""
    if not verifies(op):
        op.verify()


def verifies(op: Operation) -> bool:
    """Whether an op and all that is in it verify; False where that is not sure."""
    try:
        _verify(op)
    except Exception:  # verifiers of plug-ins raise anything
        return False
    return True


def _verify(op: Operation) -> None:
    """Raises where `op.verify()` does, and maybe elsewhere."""
    operands = operands_of(op)
    for value in operands:
        if value.__class__ is ErasedSSAValue:
            raise _Wrong
    block = op.parent
    if op.successors or (block is not None and block.last_op is op):
        _verify_end(op, block)
    for region in op.regions:
        for inner in region.blocks:
            if inner.parent is not region:
                raise _Wrong
            _verify_block(inner)
    plan = _plan(op.__class__)
    if plan is None:
        op.verify_()
        return
    _verify_definition(op, plan, operands)
    for trait_of in _traits(plan.definition.traits.traits):
        trait_of(op)
    if plan.own is not None:
        plan.own(op)


def _verify_block(block: Block) -> None:
    op = block.first_op
    if op is None:
        if (region := block.parent) is not None and (around := region.parent) is not None:
            if len(region.blocks) == 1 and not around.has_trait(NoTerminator):
                raise _Wrong
        return
    while op is not None:
        if op.parent is not block:
            raise _Wrong
        _verify(op)
        op = op.next_op


def _verify_end(op: Operation, block: Block | None) -> None:
    """The last op of a block, or one with successors."""
    region = None if block is None else block.parent
    if op.successors and (block is None or region is None or block.last_op is not op):
        raise _Wrong
    if any(after.parent is not region for after in op.successors):
        raise _Wrong
    if region is None or op.has_trait(IsTerminator):
        return
    single = len(region.blocks) == 1
    around = region.parent
    if not single or (around is not None and not around.has_trait(NoTerminator)):
        raise _Wrong


def _verify_definition(op: Operation, plan: _Plan, operands: Sequence[SSAValue]) -> None:
    """As `OpDef.verify`, but for traits."""
    definition, context = plan.definition, VerificationContext()
    if plan.operands is None:
        irdl_op_verify_arg_list(op, definition, VarIRConstruct.OPERAND, context)
    else:
        _verify_values(operands, plan.operands, context)
    if plan.results is None:
        irdl_op_verify_arg_list(op, definition, VarIRConstruct.RESULT, context)
    else:
        _verify_values(op.results, plan.results, context)
    if op.regions or definition.regions:
        irdl_op_verify_regions(op, definition, context)
    if op.successors or definition.successors:
        verify_variadic_size(op, definition, VarIRConstruct.SUCCESSOR)
    if not plan.known.issuperset(op.properties):
        raise _Wrong
    for held, named in (op.properties, plan.properties), (op.attributes, plan.attributes):
        for name in named.required:
            if name not in held:
                raise _Wrong
        for name, check in named.checks:
            if name in held:
                check(held[name], context)


def _verify_values(values: Sequence[SSAValue], plan: _Values, context: VerificationContext) -> None:
    count = len(values)
    if count < plan.least or (plan.most is not None and count > plan.most):
        raise _Wrong
    if plan.listed is None:
        for place, check in plan.checks:
            check(values[place].type, context)
        return
    # The order matters to constraints with variables: the first one that sees a variable sets it.
    before, after, constraint = plan.listed
    for place, check in plan.checks:
        if place >= 0:
            check(values[place].type, context)
    constraint.verify(tuple([v.type for v in values[before : count - after]]), context)
    for place, check in plan.checks:
        if place < 0:
            check(values[place].type, context)


@cache
def _plan(cls: type[Operation]) -> _Plan | None:
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
    return _Plan(
        definition,
        _values(definition.operands, definition),
        _values(definition.results, definition),
        _named(definition.properties),
        frozenset(definition.properties),
        _named(definition.attributes),
        None if own is Operation.verify_ else own,
    )


@cache
def _traits(traits: frozenset[OpTrait]) -> tuple[Callable[[Operation], None], ...]:
    """The verifiers of traits that have one."""
    return tuple(trait.verify for trait in traits if type(trait).verify is not OpTrait.verify)


def _values(
    defs: Sequence[tuple[str, OperandDef]] | Sequence[tuple[str, ResultDef]], definition: OpDef
) -> _Values | None:
    lists = [place for place, (_, found) in enumerate(defs) if isinstance(found, VariadicDef)]
    if len(lists) > 1 or (lists and definition.options):
        return None
    count = len(defs)
    checks: list[tuple[int, Check]] = []
    for place, (_, found) in enumerate(defs):
        if place not in lists and (check := _check_of_one(found.constr)) is not None:
            checks.append((place - count if lists and place > lists[0] else place, check))
    if not lists:
        return _Values(count, count, tuple(checks), None)
    listed = defs[lists[0]][1]
    most = count if isinstance(listed, OptionalDef) else None
    return _Values(count - 1, most, tuple(checks), (lists[0], count - 1 - lists[0], listed.constr))


def _named(defs: dict[str, Any]) -> _Named:
    found: dict[str, AttrOrPropDef] = defs
    required = tuple(name for name, one in found.items() if not isinstance(one, OptionalDef))
    checks = ((name, _check(one.constr)) for name, one in found.items())
    return _Named(required, tuple((name, check) for name, check in checks if check is not None))


def _check_of_one(constraint: RangeConstraint) -> Check | None:
    """The check of a list that has one element."""
    if type(constraint) is RangeLengthConstraint and type(constraint.length) is EqIntConstraint:
        if constraint.length.value == 1:
            return _check_of_one(constraint.constraint)
    if type(constraint) is RangeOf:
        return _check(constraint.constr)
    return lambda attribute, context: constraint.verify((attribute,), context)


def _check(constraint: AttrConstraint) -> Check | None:
    """None for a constraint that says nothing."""
    if type(constraint) is AnyAttr:
        return None
    if type(constraint) is BaseAttr:
        return _instance_of(constraint.attr)
    return constraint.verify


def _instance_of(base: type[Attribute]) -> Check:
    def check(attribute: Attribute, context: VerificationContext) -> None:
        if attribute.__class__ is not base and not isinstance(attribute, base):
            raise _Wrong

    return check
