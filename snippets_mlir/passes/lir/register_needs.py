"""What the live ranges of a kernel need of the register files, as intervals."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import BlockArgument, Operation

from snippets_mlir.analysis.live_ranges import LiveRange, LiveRanges
from snippets_mlir.analysis.pointer_ranges import PointerRange, pointer_ranges
from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp, LoopMarkerOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp
from snippets_mlir.dialects.lir.pointers import memory_port
from snippets_mlir.dialects.lir.registers import counter_of, location
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.errors import CompileError
from snippets_mlir.passes.lir.linear_scan import Interval
from snippets_mlir.targets.emitters.table import EMITTERS

_LOOP = 10.0
"""How often a loop's body is taken to run, for the choice of what leaves its register."""


_MARKERS = frozenset({LoopBeginOp.name, LoopEndOp.name})


def _cost(positions: Iterable[int], lives: LiveRanges) -> float:
    return sum(_LOOP ** len(lives.around[position]) for position in positions)


def value_interval(r: LiveRange, lives: LiveRanges, in_memory: frozenset[Operation]) -> Interval:
    """What a value or connector needs: markers read and write it where it is.

    Args:
        r: the range.
        lives: all of them.
        in_memory: accesses whose pointers have no register of their own.
    """
    defs: set[int] = set()
    uses: set[int] = set()
    for value in r.values:
        owner = value.owner
        assert isinstance(owner, Operation)
        if owner.name not in _MARKERS:
            defs.add(lives.position[owner])
        for use in value.uses:
            if use.operation.name not in _MARKERS:
                uses.add(lives.position[use.operation])
    cost = _cost(defs, lives) + _cost(uses, lives)
    again = _again(r, lives) and r.values[0].owner not in in_memory
    return Interval(r.start, r.end, r.units, frozenset(defs), frozenset(uses), cost, again)


def _again(r: LiveRange, lives: LiveRanges) -> bool:
    """Whether the op can run again where its value is used.

    A broadcast load can in the loops that it is in: inputs do not change, and the pointer stands
    where it stood, for loops in between take it back. In others the pointer may have moved.
    """
    if len(r.values) != 1 or r.immediate:
        return False
    op = r.values[0].owner
    if isinstance(op, BroadcastLikeOp):
        return isinstance(op.operand.owner, ScalarOp)
    if not isinstance(op, BroadcastLoadOp):
        return False
    if not isinstance(view_source(op.source), BlockArgument):
        return False
    around = lives.around[lives.position[op]]
    return bool(
        around
        and all(
            not isinstance(use.operation, LoopMarkerOp)
            and lives.around[lives.position[use.operation]] == around
            for use in r.values[0].uses
        )
    )


def pointer_interval(r: PointerRange, lives: LiveRanges) -> Interval:
    """What a pointer or counter needs; in memory the loops move it there."""
    uses = [lives.position[user] for user in r.users]
    if isinstance(r.users[0], LoopBeginOp):
        inside = (*lives.around[uses[0]], uses[0])
        return Interval(r.start, r.end, cost=2 * _LOOP ** len(inside))
    return Interval(r.start, r.end, 1, frozenset(), frozenset(uses), _cost(uses, lives))


def auxiliary_intervals(lives: LiveRanges, size: int) -> dict[Operation, Interval]:
    """The registers that emitters need besides operands and result.

    They are not more than the file has: an emitter saves what it borrows beyond those.
    """
    found: dict[Operation, Interval] = {}
    for op, position in lives.position.items():
        emitter = EMITTERS.get(op.name)
        units = min(emitter.auxiliary_vectors, size) if emitter is not None else 0
        if units:
            found[op] = Interval(position, position, units, pinned=True)
    return found


def named_pointers(kernel: KernelOp, lives: LiveRanges) -> list[PointerRange]:
    """The pointers and counters as the ports name them; CompileError where they do not."""
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
