"""The live ranges of a kernel as intervals in the register files."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, Operation, OpResult

from snippets_mlir.analysis.kernels.live_ranges import LiveRange, LiveRanges
from snippets_mlir.analysis.kernels.pointer_ranges import PointerRange, pointer_ranges
from snippets_mlir.analysis.kernels.rare_values import rare_values
from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.registers import counter_of, location
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.internal import BroadcastMoveOp
from snippets_mlir.passes.lir.linear_scan import Interval
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.table import EmitterTable

_LOOP = 10.0
"""The assumed number of runs of a loop's body, for the choice of spills."""


_RARE = 0.01
"""The assumed runs of an op that few vectors need, for each run of the others."""


_REPEATABLE = frozenset({BroadcastOp.name, BroadcastMoveOp.name, BroadcastLoadOp.name})
"""Ops that may be able to run again at the uses of their results."""


def weights_of(lives: LiveRanges) -> list[float]:
    """The assumed number of runs of the op at each position."""
    powers = [_LOOP**depth for depth in range(1 + max(map(len, lives.around), default=0))]
    weights = [powers[len(loops)] for loops in lives.around]
    for value in rare_values(lives.body.ops):
        assert isinstance(value, OpResult)
        weights[lives.position[value.op]] *= _RARE
    return weights


def value_interval(
    r: LiveRange, lives: LiveRanges, weights: Sequence[float], in_memory: frozenset[Operation]
) -> Interval:
    """The interval of a value or connector: markers read and write it in place.

    Args:
        r: the range.
        lives: all of them.
        weights: of the positions.
        in_memory: accesses whose pointers have no register of their own.
    """
    cost = 0.0
    for at in r.defs:
        cost += weights[at]
    last = -1
    for at in r.uses:
        if at != last:
            cost += weights[at]
            last = at
    return Interval(r.start, r.end, r.units, r.defs, r.uses, cost, _again(r, lives, in_memory))


def _again(r: LiveRange, lives: LiveRanges, in_memory: frozenset[Operation]) -> bool:
    """Whether the op can run again where its value is used.

    A broadcast load can, inside of its own loops: inputs do not change, and the pointer is at its
    old place, because loops in between reset it. In other loops the pointer may have moved.
    """
    if r.carried or r.immediate:
        return False
    op = lives.body.ops[r.start]
    if op.name not in _REPEATABLE or op in in_memory:
        return False
    source = op.operands[0]
    if not isinstance(op, BroadcastLoadOp):
        return isinstance(source.owner, ScalarOp)
    around = lives.around[r.start]
    return (
        bool(around)
        and isinstance(view_source(source), BlockArgument)
        and all(lives.around[at] == around for at in r.uses)
    )


def pointer_interval(r: PointerRange, lives: LiveRanges, weights: Sequence[float]) -> Interval:
    """The interval of a pointer or counter; if it is in memory, the loops move it there."""
    uses = [lives.position[user] for user in r.users]
    if isinstance(r.users[0], LoopBeginOp):
        return Interval(r.start, r.end, cost=2 * _LOOP * weights[uses[0]])
    return Interval(r.start, r.end, 1, (), uses, sum(weights[at] for at in uses))


def auxiliary_intervals(
    lives: LiveRanges, emitters: EmitterTable, file: str, size: int
) -> dict[Operation, Interval]:
    """The registers of a file that emitters need besides operands and result.

    There are at most as many as the file has: an emitter saves further borrowed registers.
    """
    needs: dict[str, int] = {}
    found: dict[Operation, Interval] = {}
    for position, op in enumerate(lives.body.ops):
        units = needs.get(op.name)
        if units is None:
            units = needs[op.name] = min(emitters.auxiliary(op, file), size)
        if units:
            found[op] = Interval(position, position, units, pinned=True)
    return found


def named_pointers(kernel: KernelOp, lives: LiveRanges) -> list[PointerRange]:
    """The pointers and counters that the ports name; CompileError if they name none."""
    found: dict[str, PointerRange] = {}
    for r in pointer_ranges(kernel, lives):
        for user in r.users:
            counter = isinstance(user, LoopBeginOp)
            text = counter_of(user) if counter else memory_port(user).register
            register = location(text)
            if register is None or register.abstract is None:
                raise CompileError(
                    f"expected {user.name} to name an abstract register, found {text or 'none'}; "
                    "run lir-init-live-ranges first",
                    **position_of(user),
                )
            name = register.abstract
            joined = found.setdefault(name, PointerRange(name, r.start, r.end, [], r.order))
            joined.start, joined.end = min(joined.start, r.start), max(joined.end, r.end)
            joined.users.append(user)
    return list(found.values())
