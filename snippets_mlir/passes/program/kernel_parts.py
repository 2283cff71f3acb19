"""Outputs that consist of parts: the operands of concats, each stored at its place."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.access import set_loop_ids, set_ports
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.lir.part import PartOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.passes.program.kernel_ports import planar


def parts_of(concat: ConcatOp, starts: Sequence[Dim]) -> Iterator[tuple[SSAValue, Sequence[Dim]]]:
    """The parts of `concat` and of the concats that it reads, and their begins."""
    for part, start in zip(concat.parts, concat.starts, strict=True):
        place = list(starts)
        place[concat.axis] = place[concat.axis] + start
        if isinstance(part.owner, ConcatOp):
            yield from parts_of(part.owner, place)
        elif 0 not in shape_of(part) or 0 in shape_of(concat.result):
            yield part, place


def result_of_parts(concat: ConcatOp, index: int, rank: int, before: Operation) -> ResultOp:
    """The result of all parts of an output, after its views."""
    type_ = concat.result.type
    block = before.parent
    assert block is not None
    views: list[PartOp] = []
    ports: list[PortDescriptor] = []
    for part, starts in parts_of(concat, (0,) * len(shape_of(concat.result))):
        view = PartOp(part, starts, type_)
        set_loop_ids(view, ())
        set_ports(view, [planar(part), planar(view.result)])
        block.insert_op_before(view, before)
        views.append(view)
        strides = view.strides
        ports.append(replace(planar(part, rank), strides=(*(0,) * (rank - len(strides)), *strides)))
    result = ResultOp([view.result for view in views], index)
    set_ports(result, ports)
    return result
