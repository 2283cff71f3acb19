"""Law L18 of a `lir.kernel`: each element of an output with parts is in exactly one part.

Before `accessed` the parts of a `lir.result` are `lir.part` views. Together they have as many
elements as the output. If their places are numbers, no two parts share an element. The ports of the
result say where the parts are, and later how they are stored. The op that computes a part, and the
stores into the part, run in loops of the part's sizes: in a longer loop, they would write past the
part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, format_size, product, static_shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_text import format_sizes
from snippets_mlir.dialects.lir.access import input_ports, loop_ids, output_ports
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.memory import ResultOp, StoreOp
from snippets_mlir.dialects.lir.part import PartOp, is_part
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.lir.slice_laws import walk, walk_text

if TYPE_CHECKING:
    from snippets_mlir.dialects.lir.laws import Fail


def check_outputs(ops: Iterable[Operation], table: Mapping[int, LoopInfo], fail: Fail) -> None:
    """Check the law; `fail` is called with it and a message."""
    for op in ops:
        if isinstance(op, ResultOp):
            parts = [value.owner for value in op.values if isinstance(value.owner, PartOp)]
            if parts:
                _check_cover(op, parts, fail)
            for value, port in zip(op.values, input_ports(op), strict=True):
                _check_place(value, port, fail)
        elif isinstance(op, StoreOp) or is_part(op):
            _check_loops(op, table, fail)


def _check_cover(op: ResultOp, parts: list[PartOp], fail: Fail) -> None:
    whole = shape_of(op.values[0])
    held: Dim = sum((product(shape_of(part.source)) for part in parts), start=0)
    if len(parts) != len(op.values) or held != product(whole):
        fail(
            "L18",
            f"expected parts with the {format_size(product(whole))} elements of result "
            f"{op.index.value.data}, found {format_size(held)}",
        )
    for one, other in combinations(parts, 2):
        if _overlap(one, other):
            fail("L18", f"parts of result {op.index.value.data} overlap")


def _check_place(value: SSAValue, port: PortDescriptor, fail: Fail) -> None:
    """Check that the ports of a result agree with the places of its parts and of their stores."""
    owner = value.owner
    if isinstance(owner, PartOp):
        wanted = walk(shape_of(owner.source), owner.strides)
        found = walk(port.shape, port.strides)
        if product(port.shape) != product(shape_of(owner.source)):
            held = format_sizes(shape_of(owner.source))
            fail("L18", f"expected a part of {held}, found {format_sizes(port.shape)}")
        if wanted is not None and found is not None and wanted != found:
            fail("L18", f"expected a part of {walk_text(wanted)}, found {walk_text(found)}")
    elif isinstance(owner, StoreOp) and (stored := output_ports(owner)[0]).strides != port.strides:
        wanted_at, found_at = (format_sizes(p.strides) for p in (stored, port))
        fail(
            "L18", f"expected a result with the strides of its store, {wanted_at}, found {found_at}"
        )


def _overlap(one: PartOp, other: PartOp) -> bool:
    """Whether two parts are known to share elements."""
    if one.starts is None or other.starts is None:
        return False

    def ends(part: PartOp, starts: tuple[int, ...]) -> list[int]:
        return [s + n for s, n in zip(starts, static_shape(shape_of(part.source)), strict=True)]

    places = zip(
        one.starts, ends(one, one.starts), other.starts, ends(other, other.starts), strict=True
    )
    return all(a < d and c < b for a, b, c, d in places)


def _check_loops(op: Operation, table: Mapping[int, LoopInfo], fail: Fail) -> None:
    port = output_ports(op)[0]
    if isinstance(op, StoreOp) and not port.strides:
        return
    for id_ in loop_ids(op):
        loop = table[table[id_].unified_id]
        if loop.inner_of is None and port.shape[len(port.shape) - 1 - loop.dim] != loop.work_amount:
            fail(
                "L18",
                f"expected {op.name}, a part of an output, in loops of its own sizes, found loop "
                f"{id_} of work {format_size(loop.work_amount)}",
            )
