"""Facts about the ops of a host function, and functions made from some of them.

The host function works on tensors: it holds `lir.call`, constants, views and the ops that need an
executor. Kernels and their parts work on pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Region, SSAValue
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
from snippets_mlir.support.walking import operands_within, used_outside


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
    """`ops` as one unit, with the values that it reads and the results that are used outside."""
    inside = {result for op in ops for result in op.results}
    members = {inner for op in ops for inner in op.walk()}
    reads = dict.fromkeys(v for op in ops for v in operands_within(op) if v not in inside)
    writes = used_outside(ops, members)
    if len(ops) == 1 and isinstance(ops[0], ComputeOp | CallOp):
        writes = list(ops[0].results)  # also unused ones: all of them are computed
    return Unit(tuple(ops), tuple(reads), tuple(writes))


def function_of(name: str, unit: Unit) -> func.FuncOp:
    """A function that holds copies of the ops of `unit`: its reads are the arguments."""
    block = Block(arg_types=[v.type for v in unit.reads])
    mapping: dict[SSAValue, SSAValue] = dict(zip(unit.reads, block.args, strict=True))
    for op in unit.ops:
        block.add_op(op.clone(mapping))
    block.add_op(func.ReturnOp(*(mapping[v] for v in unit.writes)))
    signature = ([a.type for a in block.args], [v.type for v in unit.writes])
    return func.FuncOp(name, signature, Region([block]))
