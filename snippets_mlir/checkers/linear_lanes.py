"""A `lir.kernel` stores and folds only lanes that have values.

Claim checked, from stage `expanded` on, where each access has its number of elements:

* A3: a store takes no more lanes than its value has, and the operand of a fold has all lanes. A
  load of 5 elements into 8 lanes gives 5. A computed value has the lanes that all its operands
  have. A fill that begins where its operand ends has all lanes.

In a loop over a dynamic dim, all accesses have tails of the same length.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from snippets_mlir.checkers.linear_loops import fail
from snippets_mlir.dialects.lir.access import input_ports, is_array, is_view, output_ports, ports
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import TAIL, BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.reduction import FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp

ALL = 1 << 30
"""All lanes, however many they are."""


def verify_lanes(kernel: KernelOp) -> None:
    """Check the claim on a kernel at stage `expanded` or later.

    Raises:
        CompileError: at the first store or fold that takes a lane without a value.
    """
    known: dict[SSAValue, int] = {}
    while _walk(kernel, known):
        pass  # a carried value has the lanes that it has after each iteration


def _fewer(a: int, b: int) -> int:
    """The lanes that both values have; a tail has at least one lane."""
    if TAIL not in (a, b) or a == b:
        return min(a, b)
    other = b if a == TAIL else a
    return TAIL if other == ALL else min(other, 1)


def _reaches(lanes: int, count: int) -> bool:
    """Whether `lanes` have values for `count` elements."""
    return lanes == ALL or count in (lanes, 1) or (TAIL not in (lanes, count) and count <= lanes)


def _walk(kernel: KernelOp, known: dict[SSAValue, int]) -> bool:
    """Walk the ops once; returns whether a loop carries fewer lanes than known before."""
    begins: list[LoopBeginOp] = []
    again = False
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            begins.append(op)
            for inside, value in zip(op.results, op.operands, strict=True):
                known[inside] = _fewer(known.get(inside, ALL), known.get(value, ALL))
        elif isinstance(op, LoopEndOp):
            begin = begins.pop()
            loop = kernel.loop_table[op.id]
            once = loop.evaluated_once or loop.iteration == "last"
            pairs = zip(op.results, begin.results, op.operands, strict=True)
            for after, inside, value in pairs:
                left = known[after] = known.get(value, ALL)
                if not once and _fewer(known[inside], left) != known[inside]:
                    known[inside], again = _fewer(known[inside], left), True
        elif not (is_view(op) or isinstance(op, BufferOp | ResultOp | ScalarOp)):
            lanes = _lanes_of(op, known)
            for value in op.results:
                known[value] = lanes
    return again


def _lanes_of(op: Operation, known: dict[SSAValue, int]) -> int:
    """The number of lanes of an op's result that have values."""
    own = [known.get(value, ALL) for value in op.operands if not is_array(value)]
    if isinstance(op, LoadOp | GatherOp):
        return ALL if op.elements == output_ports(op)[0].lanes else op.elements
    if isinstance(op, BroadcastLoadOp):
        return ALL
    if isinstance(op, FillOp):
        first = op.first_filled
        return ALL if first < ports(op)[0].lanes and _reaches(own[0], first) else own[0]
    if isinstance(op, StoreOp):
        if not _reaches(own[0], op.elements):
            wanted, found = _text(op.elements), _text(own[0])
            fail(op, "A3", f"expected lir.store of {wanted} that its value has, found {found}")
        return ALL
    folds = isinstance(op, HorizonOp) and ports(op)[0].lanes > ports(op)[1].lanes
    if folds and own[0] != ALL:
        fail(op, "A3", f"expected lir.horizon of lanes that all have values, found {_text(own[0])}")
    if isinstance(op, LastLaneOp):
        return ALL if own[0] == ALL else 0
    if isinstance(op, BroadcastLikeOp) and input_ports(op)[0].lanes != output_ports(op)[0].lanes:
        return ALL if _reaches(own[0], 1) else 0
    lanes = ALL
    for other in own:
        lanes = _fewer(lanes, other)
    return lanes


def _text(lanes: int) -> str:
    return "those of a tail" if lanes == TAIL else f"{lanes} lanes"
