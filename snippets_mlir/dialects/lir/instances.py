"""Instances of dynamic modules: copies in which the symbols of sizes have the values of a call.

    #lir.loop<0, work ?0, inc 8, dim 0>, #lir.loop<1, work ?0, inc 8, dim 0, main of 0>,
    #lir.loop<2, work ?0, inc 8, dim 0, last of 0>    ... lir.load %x {count = -1 : i64}

for `?0 = 13` are loops of work 13, 8 and 5, and `count = 5`. An instance is an ordinary static
module at the same level: the interpreter can run it, and the checkers can check what a call does.
Types, ports, loops, buffers, domains and scratchpads are evaluated (`dialects/builtin/dims.py`).
`snippets.rt` on the function of a kernel holds the numbers that the kernel reads from `rt`. Parts
of a dynamic loop share its work as in the generated code: each part runs the whole iterations that
earlier parts have left, and the last part runs the rest, which may be empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.integers import wrapped
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_type
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_facts import symbols_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_in
from snippets_mlir.dialects.builtin.slots import runtime_slots
from snippets_mlir.dialects.lir.access import PORTS, loop_ids, ports, set_port_attrs
from snippets_mlir.dialects.lir.choices import choice_of
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import PARTS, LoopInfo, end_of
from snippets_mlir.dialects.lir.memory import TAIL, MemoryAccessOp, StoreOp
from snippets_mlir.dialects.lir.ports import LoopPort, PortAttr, PortDescriptor
from snippets_mlir.dialects.lir.reduction import FillOp
from snippets_mlir.support.walking import ops_inside

SLOTS = "snippets.rt"
"""On a kernel of an instance: the numbers to which `rt` points."""

_CLUSTERS = ("lir.clusters", "snippets.clusters")
_SIZES = (
    *("size", "offset", "lir.scratch", "lir.scratch_bound", "lir.slot_base"),
    *("snippets.domain", "snippets.grain", "snippets.scratch"),
)
"""The attributes that are sizes."""


def symbols_in(module: ModuleOp) -> int:
    """One more than the largest index of a symbol in the tensor types of a module; 0: static."""
    found = 0
    for op in module.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            if is_tensor(value.type):
                for size in shape_of(value.type):
                    found = max([found, *(index + 1 for index in symbols_of(size))])
    return found


def sample_dims(count: int) -> list[list[int]]:
    """Three sets of values for `count` symbols: short, of whole vectors, and long with tails."""
    return [
        [2 + index for index in range(count)],
        [16 + 16 * (index % 2) for index in range(count)],
        [(71 if index % 2 else 19) + index for index in range(count)],
    ]


def instance_of(module: ModuleOp, dims: Sequence[int]) -> ModuleOp:
    """A copy of `module` in which symbol `?i` is `dims[i]`; no dim may be 1 or negative."""
    result = module.clone()
    for top in list(result.ops):
        slots = runtime_slots(dims, _clusters_of(top), choice_of(top))
        types: dict[int, Attribute] = {}
        for op in (top, *ops_inside(top)):
            _retype(op, slots, types)
            if isinstance(op, KernelOp) and op.dynamic:
                _KernelInstance(op, slots).run()
            _evaluate_sizes(op, slots)
    return result


def _clusters_of(kernel: Operation) -> list[Dim]:
    """The sizes of the clusters of a kernel, or of the function made of one."""
    for name in _CLUSTERS:
        if isinstance(attr := kernel.attributes.get(name), ArrayAttr):
            return [size_in(size) for size in cast("ArrayAttr[Attribute]", attr) if is_size(size)]
    return []


def _type(type_: Attribute, slots: Sequence[int]) -> Attribute:
    if is_tensor(type_) and any(isinstance(size, Size) for size in shape_of(type_)):
        shape = [evaluate(size, slots) for size in shape_of(type_)]
        return tensor_type(type_.element_type, shape)
    return type_


def _retype(op: Operation, slots: Sequence[int], types: dict[int, Attribute]) -> None:
    """Evaluate the types of an op; `types` has those of others, by the identity of the old one."""
    values: list[SSAValue] = [*op.results]
    for region in op.regions:
        for block in region.blocks:
            values += block.args
    for value in values:
        old = value.type
        if (type_ := types.get(id(old))) is None:
            type_ = types[id(old)] = _type(old, slots)
        if type_ is not old:
            Rewriter.replace_value_with_new_type(value, type_)
    function = op.properties.get("function_type")
    if isinstance(function, FunctionType):
        op.properties["function_type"] = FunctionType.from_lists(
            [_type(t, slots) for t in function.inputs], [_type(t, slots) for t in function.outputs]
        )


def _evaluate_sizes(op: Operation, slots: Sequence[int]) -> None:
    if isinstance(brought := op.properties.get("value"), SizeAttr):
        op.properties["value"] = _number(evaluate(brought.size, slots), brought.type)
    for table in (op.properties, op.attributes):
        if SizeAttr in map(type, table.values()):
            for name in _SIZES:
                if isinstance(attr := table.get(name), SizeAttr):
                    table[name] = IntegerAttr(evaluate(attr.size, slots), i64)
    if isinstance(op, GatherOp):
        for name in ("limits", "steps"):
            sizes = cast("ArrayAttr[IntegerAttr | SizeAttr]", op.properties[name])
            values = [evaluate(size_in(size), slots) for size in sizes]
            op.properties[name] = ArrayAttr([IntegerAttr(value, i64) for value in values])
    if "snippets.kernel" in op.attributes:
        op.attributes[SLOTS] = DenseArrayBase.from_list(i64, list(slots))


def _number(size: int, element: Attribute) -> Attribute:
    """A size as a number of an element type; integers keep the low bits."""
    if isinstance(element, AnyFloat):
        return FloatAttr(float(size), element)
    return IntegerAttr(wrapped(size, element), cast("IntegerType", element))


class _KernelInstance:
    """Evaluates the loops, ports and counts of one kernel."""

    def __init__(self, kernel: KernelOp, slots: Sequence[int]) -> None:
        self.kernel = kernel
        self.slots = slots
        self.symbolic = kernel.loop_table
        self.table = {id_: self._bounded(self._loop(it)) for id_, it in self.symbolic.items()}
        self._made: dict[int, PortAttr] = {}

    def run(self) -> None:
        """Change the kernel, whose types are already evaluated."""
        for op in self.kernel.block.ops:
            if PORTS in op.attributes:
                set_port_attrs(op, [self._port(port) for port in ports(op)])
            vector_loops = [id_ for id_ in loop_ids(op) if self.table[id_].dim == 0]
            if isinstance(op, MemoryAccessOp) and op.elements == TAIL:
                op.set_elements(self.table[vector_loops[-1]].increment)
            elif isinstance(op, FillOp) and op.first_filled == TAIL:
                op.set_first_filled(self.table[vector_loops[-1]].increment)
            if isinstance(op, StoreOp):
                op.properties.pop("nontemporal_from", None)  # an instance has known sizes
        self.kernel.set_loops(list(self.table.values()))

    def _amount(self, loop: LoopInfo) -> int:
        """The work of a whole loop: the size given by the call, or a block of a split loop."""
        whole = self.symbolic[loop.unified_id]
        if whole.inner_of is None or not (whole.dynamic or self._is_chosen(loop)):
            return evaluate(whole.work_amount, self.slots)
        outer = self.symbolic[whole.inner_of]
        if outer.step is not None or outer.iteration == "whole":
            return self._block(outer)
        return self._amount(outer) % outer.increment

    def _block(self, loop: LoopInfo) -> int:
        return evaluate(loop.block, self.slots)

    def _is_chosen(self, loop: LoopInfo) -> bool:
        """Whether a loop runs blocks whose length the call chooses."""
        outer = self.symbolic[loop.unified_id].inner_of
        return outer is not None and self.symbolic[outer].step is not None

    def _left(self, loop: LoopInfo) -> int:
        """The work of a loop in the last block of the loop around."""
        whole = self.symbolic[loop.unified_id]
        outer = None if whole.inner_of is None else self.symbolic[whole.inner_of]
        if outer is None or outer.iteration != "whole":
            return self._amount(loop)
        return self._left(outer) % self._block(outer)

    def _loop(self, loop: LoopInfo) -> LoopInfo:
        if loop.step is not None:
            work = evaluate(loop.work_amount, self.slots)
            return replace(loop, work_amount=work, increment=self._block(loop), step=None)
        if not loop.dynamic and not self._is_chosen(loop):
            return loop
        amount, before = self._amount(loop), self._parts_of(loop)
        place = before.index(loop)
        lower = end_of(place - 1, before, amount) if place else 0
        work = end_of(place, before, amount) - lower
        increment = loop.increment
        if loop.iteration == "last":
            left = self._left(loop)
            increment = max(left % before[place - 1].increment if place else left, 1)
        return replace(loop, work_amount=work, increment=increment)

    def _bounded(self, loop: LoopInfo) -> LoopInfo:
        if loop.diagonal is None:
            return loop
        distance, rows = loop.diagonal
        return replace(loop, diagonal=(evaluate(distance, self.slots), rows))

    def _parts_of(self, loop: LoopInfo) -> list[LoopInfo]:
        """The parts of the same loop in order of execution; of a whole loop itself."""
        if loop.iteration == "unified":
            return [loop]
        parts = [part for part in self.symbolic.values() if part.origin == loop.origin]
        return sorted(parts, key=lambda part: PARTS.index(part.iteration))

    def _port(self, port: PortDescriptor) -> PortAttr:
        """Of an equal port of other ops if it is the same object; the copied module keeps it."""
        if (made := self._made.get(id(port))) is None:
            made = self._made[id(port)] = PortAttr.of(self._evaluated(port))
        return made

    def _evaluated(self, port: PortDescriptor) -> PortDescriptor:
        shape = tuple(evaluate(size, self.slots) for size in port.shape)
        strides = tuple(evaluate(stride, self.slots) for stride in port.strides)
        motions = tuple(self._motion(m) for m in port.loops)
        return replace(port, shape=shape, strides=strides, loops=motions)

    def _motion(self, motion: LoopPort) -> LoopPort:
        """The motion; a block of a dynamic loop moves the pointer back by the distance it has
        walked.
        """
        loop = self.symbolic[motion.loop]
        unit = evaluate(motion.pointer_increment, self.slots)
        final = evaluate(motion.finalization_offset, self.slots)
        inner = self.symbolic[loop.unified_id].inner_of is not None
        if (loop.dynamic or self._is_chosen(loop)) and inner and final:
            final = -unit * self._amount(loop)
        return replace(motion, pointer_increment=unit, finalization_offset=final)
