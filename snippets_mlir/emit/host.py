"""Facts about the ops of a host function, and their order of execution.

The host function works on tensors: it holds `lir.call`, constants, views and the ops that need an
executor. Kernels and their parts work on pointers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.program.host import body_of as body_of
from snippets_mlir.dialects.program.host import find_entry as find_entry
from snippets_mlir.dialects.program.host import find_host_function as find_host_function
from snippets_mlir.dialects.program.host import host_functions as host_functions
from snippets_mlir.dialects.program.host import interface_names as interface_names
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.support.walking import operands_within


def is_constant(op: Operation) -> bool:
    """Whether `op` is a constant of the host program."""
    return isinstance(op, ConstantOp | ScalarOp)


def is_opaque(op: Operation) -> bool:
    """Whether `op` of a host function needs an executor."""
    return not (
        is_constant(op)
        or isinstance(op, CallOp | SubgraphOp)
        or is_view(op)
        or op.has_trait(IsTerminator)
    )


@dataclass(frozen=True, eq=False)
class Unit:
    """Ops of a host function that are executed as one step.

    `reads` are the values from outside, in the order in which the step takes them; `writes` the
    results that are used outside, in the order in which it gives them.
    """

    ops: tuple[Operation, ...]
    reads: tuple[SSAValue, ...]
    writes: tuple[SSAValue, ...]


def unit_of(ops: Sequence[Operation]) -> Unit:
    """`ops` as one unit, with what goes in and what is used outside."""
    inside = {result for op in ops for result in op.results}
    members = {inner for op in ops for inner in op.walk()}
    reads = dict.fromkeys(v for op in ops for v in operands_within(op) if v not in inside)
    writes = [
        result
        for op in ops
        for result in op.results
        if any(use.operation not in members for use in result.uses)
    ]
    if len(ops) == 1 and isinstance(ops[0], ComputeOp | CallOp):
        writes = list(ops[0].results)  # also unused ones: all of them are computed
    return Unit(tuple(ops), tuple(reads), tuple(writes))


def units_of(function: func.FuncOp, groups: Iterable[Sequence[Operation]] = ()) -> list[Unit]:
    """The ops of a host function as units, in an order in which they can run.

    Each of `groups` is one unit, any other op is a unit of its own; constants and unused
    groups are left out. Where the order is free it is that of the text. Raises `ValueError`
    for groups that need each other's results.
    """
    grouped = [unit_of(ops) for ops in groups]
    unit_with = {op: unit for unit in grouped for op in unit.ops}
    for op in body_of(function).ops:
        used = not is_constant(op) or op.results[0].first_use is not None
        if used and not op.has_trait(IsTerminator):
            unit_with.setdefault(op, unit_of([op]))
    order: dict[Unit, bool] = {}
    for unit in dict.fromkeys(unit_with.values()):
        _schedule(unit, unit_with, order)
    return [unit for unit in order if unit.writes or unit not in grouped]


def _schedule(first: Unit, unit_with: dict[Operation, Unit], order: dict[Unit, bool]) -> None:
    """Put `first` into `order` after the units it reads; False marks a unit that is still open."""
    stack = [first]
    while stack:
        unit = stack[-1]
        if order.get(unit):
            stack.pop()
            continue
        owners = [v.owner for v in unit.reads]
        needed = [unit_with[o] for o in owners if isinstance(o, Operation)]
        waiting = [other for other in dict.fromkeys(needed) if not order.get(other)]
        if not waiting:
            order.pop(unit, None)
            order[unit] = True
            stack.pop()
        elif order.get(unit) is False:
            raise ValueError("groups of a host function need each other's results")
        else:
            order[unit] = False
            stack.extend(reversed(waiting))


def function_of(
    name: str, unit: Unit, types: Mapping[SSAValue, Attribute] | None = None
) -> func.FuncOp:
    """A function that holds copies of the ops of `unit`: its reads are the arguments.

    `types` are those of reads of which more is known than the text says.
    """
    known = types or {}
    block = Block(arg_types=[known.get(v, v.type) for v in unit.reads])
    mapping: dict[SSAValue, SSAValue] = dict(zip(unit.reads, block.args, strict=True))
    for op in unit.ops:
        block.add_op(op.clone(mapping))
    block.add_op(func.ReturnOp(*(mapping[v] for v in unit.writes)))
    signature = ([a.type for a in block.args], [v.type for v in unit.writes])
    return func.FuncOp(name, signature, Region([block]))
