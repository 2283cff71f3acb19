"""Whether IR verifies, in 0.6 to 0.9 of the time of `Operation.verify`.

    verify(module)  # as module.verify()

xDSL reads the definition of an op's class again for each op: the number of its operands, which of
them are lists, which constraints are trivial. Here a class's definition is read once and reduced to
the necessary checks. Traits and Python verifiers are called unchanged.

The answer is yes only if `Operation.verify` raises nothing. It may be no for a valid module, which
then takes xDSL's time.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, ErasedSSAValue, Operation, SSAValue
from xdsl.irdl import (
    VarIRConstruct,
    VerificationContext,
    irdl_op_verify_arg_list,
    irdl_op_verify_regions,
    verify_variadic_size,
)
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.support.definitions import Plan, Values, Wrong, plan_of
from snippets_mlir.support.walking import operands_of


class WrongInside(VerifyException):
    """The verifier of an op rejects `op`, which is inside it; errors point at `op`."""

    def __init__(self, message: str, op: Operation) -> None:
        super().__init__(message)
        self.op = op


def verify(op: Operation) -> None:
    """As `op.verify()`, of all of an op; also refuses branches to entry blocks."""
    if not verifies(op):
        op.verify()
        for inner in op.walk():
            if any(_is_entry(block) for block in inner.successors):
                raise WrongInside("branches to the entry block of its region", inner)


def _is_entry(block: Block) -> bool:
    """Whether a block is the first one of its region: nothing may branch to it, as in MLIR."""
    return block.parent is not None and block.parent.first_block is block


def verifies(op: Operation) -> bool:
    """Whether an op and all ops inside it verify; False if this is not certain."""
    try:
        _verify(op)
    except Exception:  # verifiers of plug-ins may raise anything
        return False
    return True


def _verify(op: Operation) -> None:
    """Raise if `op.verify()` does, and perhaps for other ops."""
    operands = operands_of(op)
    for value in operands:
        if value.__class__ is ErasedSSAValue:
            raise Wrong
    block = op.parent
    if op._successors or (block is not None and block.last_op is op):  # pyright: ignore[reportPrivateUsage]
        _verify_end(op, block)
    for region in op.regions:
        for inner in region.blocks:
            if inner.parent is not region:
                raise Wrong
            _verify_block(inner)
    plan = plan_of(op.__class__)
    if plan is None:
        op.verify_()
        return
    _verify_definition(op, plan, operands)
    for trait_of in plan.traits:
        trait_of(op)
    if plan.own is not None:
        plan.own(op)


def _verify_block(block: Block) -> None:
    op = block.first_op
    if op is None:
        if (region := block.parent) is not None and (around := region.parent) is not None:
            if len(region.blocks) == 1 and not around.has_trait(NoTerminator):
                raise Wrong
        return
    while op is not None:
        if op.parent is not block:
            raise Wrong
        _verify(op)
        op = op.next_op


def _verify_end(op: Operation, block: Block | None) -> None:
    """Verify the last op of a block, or an op with successors."""
    region = None if block is None else block.parent
    if op.successors and (block is None or region is None or block.last_op is not op):
        raise Wrong
    if any(after.parent is not region or _is_entry(after) for after in op.successors):
        raise Wrong
    if region is None or op.has_trait(IsTerminator):
        return
    single = len(region.blocks) == 1
    around = region.parent
    if not single or (around is not None and not around.has_trait(NoTerminator)):
        raise Wrong


def _verify_definition(op: Operation, plan: Plan, operands: Sequence[SSAValue]) -> None:
    """As `OpDef.verify`, except for traits."""
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
    if op._successors or definition.successors:  # pyright: ignore[reportPrivateUsage]
        verify_variadic_size(op, definition, VarIRConstruct.SUCCESSOR)
    if not plan.known.issuperset(op.properties):
        raise Wrong
    for held, named in (op.properties, plan.properties), (op.attributes, plan.attributes):
        for name in named.required:
            if name not in held:
                raise Wrong
        for name, check in named.checks:
            if name in held:
                check(held[name], context)


def _verify_values(values: Sequence[SSAValue], plan: Values, context: VerificationContext) -> None:
    count = len(values)
    if count < plan.least or (plan.most is not None and count > plan.most):
        raise Wrong
    types = [value.type for value in values]
    if plan.listed is None:
        for place, check in plan.checks:
            check(types[place], context)
        return
    # The order matters to constraints with variables: the first one that sees a variable sets it.
    before, after, constraint = plan.listed
    for place, check in plan.checks:
        if place >= 0:
            check(types[place], context)
    constraint.verify(tuple(types[before : count - after]), context)
    for place, check in plan.checks:
        if place < 0:
            check(types[place], context)
