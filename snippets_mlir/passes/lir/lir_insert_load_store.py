"""output.
Make memory accesses explicit: load before an input's readers, store after an output's op.
output.

    %0 = snippets.relu %x                        %l = lir.load %x {count = 8 : i64}
    lir.result %0 {index = 0 : i64}    becomes   %0 = snippets.relu %l
                                                 %s = lir.store %0 {count = 8 : i64}
                                                 lir.result %s {index = 0 : i64}

A load takes the loops of its consumer, a store those of its producer. The count is the port's tile:
a vector, or 1 if the last dim has size 1. One load serves all consumers in the same loops that read
the input in the same shape and order. The result of an accumulator is stored after its loop. A view
of an output vanishes: the store's target has the type of the output, and its port the layout. Each
part of an output (`lir.part`) is a store at the part's offset, with the strides of the output.
Existing loads and stores, those of buffers, stay. A `snippets.gather` or `snippets.dynamic_slice`
becomes a `lir.gather` at loaded places. Refuses a result that is an array, because no op computes
it. Source: the guide's InsertLoadStore.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from typing_extensions import override
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.lir.access import (
    input_ports,
    is_array,
    is_view,
    loop_ids,
    output_ports,
    place_in_view,
    scope,
    view_source,
)
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.part import PartOp
from snippets_mlir.dialects.lir.ports import PortDescriptor
from snippets_mlir.dialects.snippets.gathering import GatherOp as RowsOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.editing import (
    end_of_scope,
    insert_after,
    insert_before,
    replace_operand,
    replace_with_expr,
)
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def is_computed(op: Operation) -> bool:
    """The op reads elements: it is no view, result or load."""
    kinds = LoadOp | BroadcastLoadOp | GatherOp | ResultOp | PlacesOp
    return not isinstance(op, kinds) and not is_view(op)


class LoadArrays(Pattern[Operation, tuple[int, ...]]):
    """An op reads an array through a load in its loops."""

    name = "load-arrays"
    ops = (Operation,)
    conditions = (is_computed,)

    @override
    def match(self, op: Operation) -> tuple[int, ...] | None:
        return tuple(i for i, value in enumerate(op.operands) if is_array(value)) or None

    def rewrite(self, op: Operation, match: tuple[int, ...], rewriter: PatternRewriter) -> None:
        """Read an earlier load, or a new one."""
        for index in match:
            load, port = _loaded(op, op.operands[index], input_ports(op)[index], rewriter)
            replace_operand(op, index, load, port)


def _loaded(
    op: Operation, array: SSAValue, port: PortDescriptor, rewriter: PatternRewriter
) -> tuple[SSAValue, PortDescriptor]:
    """The value of a load before `op` in its loops, and its port."""
    value_port = replace(port, layout=(), panels=0, strides=())
    if (load := _load_before(op, array, port)) is None:
        load = LoadOp(array, port.lanes)
        load.set_distance(place_in_view(array))
        insert_before(op, load, [port, value_port], loop_ids(op), rewriter)
    return load.result, value_port


class LoadAtPlaces(Pattern[PlacesOp, tuple[Dim, ...]]):
    """A gather, or a slice at dynamic places, is a load at loaded places."""

    name = "load-at-places"
    ops = (PlacesOp,)

    def match(self, op: PlacesOp) -> tuple[Dim, ...]:
        """The largest value of each place."""
        return op.limits

    def rewrite(self, op: PlacesOp, match: tuple[Dim, ...], rewriter: PatternRewriter) -> None:
        """Load the places, then their elements."""
        array, *places = input_ports(op)
        (port,) = output_ports(op)
        loaded = [
            _loaded(op, value, place, rewriter)
            for value, place in zip(op.places, places, strict=True)
        ]
        gather = GatherOp(
            op.source,
            [value for value, _ in loaded],
            match,
            [op.strides[dim] for dim in op.moved],
            port.lanes,
            op.results[0].type,
            op.from_end if isinstance(op, RowsOp) else None,
        )
        ports = [array, *(place for _, place in loaded), port]
        insert_before(op, gather, ports, loop_ids(op), rewriter)
        replace_with_expr(op, gather.result, rewriter)


def _load_before(op: Operation, array: SSAValue, port: PortDescriptor) -> LoadOp | None:
    """The load of `array` through `port` before `op` in its loops."""
    for load in (use.operation for use in array.uses):
        if isinstance(load, LoadOp) and loop_ids(load) == loop_ids(op):
            if input_ports(load)[0] == port and load.is_before_in_block(op):
                return load
    return None


class StoreResult(Pattern[ResultOp, tuple[OpResult | None, ...]]):
    """The values of a result are targets of stores."""

    name = "store-result"
    ops = (ResultOp,)

    def match(self, op: ResultOp) -> tuple[OpResult | None, ...] | None:
        """The values under their views, with None for one in memory, if there are others."""
        found: list[OpResult | None] = []
        for part in op.values:
            value = view_source(part)
            if is_array(value):
                raise CompileError(
                    "expected lir.result of a computed value, found one of an array; make a copy "
                    "with snippets.broadcast",
                    **position_of(op),
                )
            assert isinstance(value, OpResult)
            found.append(None if isinstance(value.op, StoreOp) else value)
        return tuple(found) if any(value is not None for value in found) else None

    def rewrite(
        self, op: ResultOp, match: tuple[OpResult | None, ...], rewriter: PatternRewriter
    ) -> None:
        """Store after the loops that compute a value; a dead view vanishes."""
        for place, value in enumerate(match):
            if value is not None:
                _store(op, place, value, rewriter)


def _store(op: ResultOp, place: int, value: OpResult, rewriter: PatternRewriter) -> None:
    """Store `value`, which is value `place` of a result under its views."""
    target, seen = op.values[place], input_ports(op)[place]
    port = output_ports(value.op)[value.index]
    memory = replace(port, layout=seen.layout, strides=seen.strides)
    store = StoreOp(value, port.lanes, target.type)
    if isinstance(target.owner, PartOp):
        store.set_distance(target.owner.offset)
    insert_after(end_of_scope(value), store, [port, memory], scope(value), rewriter)
    replace_operand(op, place, store.target, memory)
    while target is not value and isinstance(target, OpResult) and target.first_use is None:
        view, target = target.op, target.op.operands[0]
        rewriter.erase(view)


@dataclass(frozen=True)
class LirInsertLoadStorePass(KernelPatternPass):
    """Insert loads of inputs and stores of outputs."""

    name = "lir-insert-load-store"
    STAGES: ClassVar[Stages] = Stages(("marked",), "accessed")
    PATTERNS = (LoadArrays, LoadAtPlaces, StoreResult)
