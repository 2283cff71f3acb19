"""The insert and replace helpers of the linear IR: the guide's insert_node (`insert_before`,
`insert_after`) and replace_with_expr.

They keep ports, loops and consumers right, and every pass that inserts ops uses them. A pattern
passes its `rewriter`, which then makes the edit.
"""

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.lir.access import (
    input_ports,
    loop_ids,
    output_ports,
    scope,
    set_loop_ids,
    set_ports,
)
from snippets_mlir.dialects.lir.ports import PortDescriptor


def place(op: Operation, ports: Sequence[PortDescriptor], loops: Sequence[int]) -> Operation:
    """Give a new op its ports and loops."""
    set_loop_ids(op, loops)
    set_ports(op, ports)
    return op


def _insert(op: Operation, point: InsertPoint, rewriter: PatternRewriter | None) -> None:
    if rewriter is None:
        Rewriter.insert_op(op, point)
    else:
        rewriter.insert(op, point)


def insert_before(
    anchor: Operation,
    op: Operation,
    ports: Sequence[PortDescriptor],
    loops: Sequence[int],
    rewriter: PatternRewriter | None = None,
) -> Operation:
    """Insert the new `op` before `anchor` with its ports and loops."""
    op.location = anchor.location
    _insert(place(op, ports, loops), InsertPoint.before(anchor), rewriter)
    return op


def insert_after(
    anchor: Operation,
    op: Operation,
    ports: Sequence[PortDescriptor],
    loops: Sequence[int],
    rewriter: PatternRewriter | None = None,
) -> Operation:
    """Insert the new `op` after `anchor` with its ports and loops."""
    op.location = anchor.location
    _insert(place(op, ports, loops), InsertPoint.after(anchor), rewriter)
    return op


def end_of_scope(value: OpResult) -> Operation:
    """The op after which `value` can be used.

    It is the op itself. For an accumulator, whose value exists after its innermost loop, it is the
    last op of that loop.
    """
    if scope(value) == loop_ids(value.op):
        return value.op
    loop = loop_ids(value.op)[-1]
    last, op = value.op, value.op.next_op
    while op is not None:
        if loop in loop_ids(op):
            last = op
        op = op.next_op
    return last


def replace_operand(op: Operation, index: int, value: SSAValue, port: PortDescriptor) -> None:
    """Let `op` read `value` at operand `index`, through the given port."""
    op.operands[index] = value
    inputs = list(input_ports(op))
    inputs[index] = port
    set_ports(op, [*inputs, *output_ports(op)])


def replace_with_expr(
    old: Operation, value: SSAValue, rewriter: PatternRewriter | None = None
) -> None:
    """Let the consumers of `old`, which has one result, read `value`; `old` is erased.

    `value` is the result of ops inserted before `old`, with ports and loops.
    """
    result = old.results[0]
    result.replace_all_uses_with(value)
    if value.name_hint is None:
        value.name_hint = result.name_hint
    erase(old, rewriter)


def erase(op: Operation, rewriter: PatternRewriter | None = None) -> None:
    """Remove an op without readers."""
    if rewriter is None:
        Rewriter.erase_op(op)
    else:
        rewriter.erase(op)


def map_ports(ops: Iterable[Operation], change: Callable[[PortDescriptor], PortDescriptor]) -> None:
    """Apply `change` to every port of `ops`."""
    for op in ops:
        inputs, outputs = input_ports(op), output_ports(op)
        if inputs or outputs:
            set_ports(op, [change(port) for port in (*inputs, *outputs)])
