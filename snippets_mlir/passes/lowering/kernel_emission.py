"""Emission of one kernel's body: loops become `scf.for` that carry pointers, ops become vector
code.

One pointer is kept for each input and output. A loop carries the pointers that it moves, an
increment is one `llvm.getelementptr`, and the finalization offset is applied after the loop. The
parallel loops run the range `begin..end` that the kernel is called with: a flat one steps through
it, a nest of several is one loop over the product of their work amounts, whose counter is taken
apart into the loops' counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import FixedBitwidthType, i1, i8, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue

from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.lir.access import input_ports, output_ports, ports
from snippets_mlir.dialects.lir.attributes import LoopInfo, LoopPort
from snippets_mlir.dialects.lir.ops import (
    BroadcastLoadOp,
    KernelOp,
    LoadOp,
    LoopBeginOp,
    LoopEndOp,
    MemoryAccessOp,
    ResultOp,
    StoreOp,
)
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.structure import ScalarOp
from snippets_mlir.errors import CompileError
from snippets_mlir.targets.emitters.table import EMITTERS
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder, lanes_of, vector_type


@dataclass(eq=False)
class Loop:
    """A loop of the kernel with what is in it."""

    info: LoopInfo
    begin: LoopBeginOp
    end: LoopEndOp | None = None
    items: list[Loop | Operation] = field(default_factory=list["Loop | Operation"])

    def accesses(self) -> Iterator[MemoryAccessOp]:
        """The memory accesses in the loop, nested ones included."""
        for item in self.items:
            if isinstance(item, Loop):
                yield from item.accesses()
            elif isinstance(item, MemoryAccessOp):
                yield item


def loop_tree(kernel: KernelOp) -> list[Loop | Operation]:
    """The kernel's ops as a tree of loops."""
    table = kernel.loop_table
    root: list[Loop | Operation] = []
    path: list[Loop] = []
    for op in kernel.block.ops:
        if isinstance(op, LoopBeginOp):
            loop = Loop(table[op.id], op)
            (path[-1].items if path else root).append(loop)
            path.append(loop)
        elif isinstance(op, LoopEndOp):
            path.pop().end = op
        else:
            (path[-1].items if path else root).append(op)
    return root


def parallel_chain(loop: Loop) -> list[Loop]:
    """`loop` and the parallel loops perfectly nested in it, outermost first; empty if
    sequential.
    """
    chain: list[Loop] = []
    while loop.info.parallel:
        chain.append(loop)
        if len(loop.items) != 1 or not isinstance(loop.items[0], Loop):
            break
        loop = loop.items[0]
    return chain


@dataclass(frozen=True)
class Domain:
    """The parallel domain of a kernel: `size` units, of which ranges start at multiples of
    `grain`.
    """

    size: int
    grain: int


def domain_of(kernel: KernelOp) -> Domain:
    """The parallel domain; a kernel without parallel loops has one unit."""
    table = kernel.loop_table
    for item in loop_tree(kernel):
        if isinstance(item, Loop) and (chain := parallel_chain(item)):
            unified = [table[loop.info.unified_id] for loop in chain]
            grain = unified[0].increment if len(chain) == 1 else 1
            return Domain(prod(loop.work_amount for loop in unified), grain)
    return Domain(1, 1)


Key = tuple[str, int]


class KernelEmission:
    """Appends the body of one kernel to the builder's block."""

    def __init__(
        self,
        kernel: KernelOp,
        builder: VectorBuilder,
        pointers: Sequence[SSAValue],
        bounds: tuple[SSAValue, SSAValue],
    ) -> None:
        self.kernel = kernel
        self.b = builder
        inputs = len(kernel.block.args)
        self.pointers: dict[Key, SSAValue] = {
            ("in", i) if i < inputs else ("out", i - inputs): p for i, p in enumerate(pointers)
        }
        self.begin, self.end = bounds
        self.values: dict[SSAValue, SSAValue] = {}
        self.outputs = {
            value: op.index.value.data
            for op in kernel.block.ops
            if isinstance(op, ResultOp)
            for value in op.values
        }

    def run(self) -> None:
        """Emit the whole kernel."""
        for item in loop_tree(self.kernel):
            if not isinstance(item, Loop):
                self._op(item)
            elif chain := parallel_chain(item):
                self._parallel(chain)
            else:
                self._sequential(item)

    # --- pointers

    def _key(self, access: MemoryAccessOp) -> Key:
        if isinstance(access, StoreOp):
            return "out", self.outputs[access.target]
        source = access.operands[0]
        assert isinstance(source, BlockArgument)
        return "in", source.index

    def _motions(self, loop: Loop) -> dict[Key, tuple[LoopPort, Attribute]]:
        """What `loop` does to each pointer that it moves, with the memory element type."""
        motions: dict[Key, tuple[LoopPort, Attribute]] = {}
        for access in loop.accesses():
            port = (
                output_ports(access)[0] if isinstance(access, StoreOp) else input_ports(access)[0]
            )
            for motion in port.loops:
                if motion.loop != loop.info.id:
                    continue
                key, element = self._key(access), memory_element(access)
                known = motions.setdefault(key, (motion, element))
                if known[0] != motion:
                    raise CompileError(
                        f"in @{self.kernel.sym_name.data}: accesses of one array move its pointer "
                        f"differently in loop {loop.info.id}; run lir-init-loops again",
                        **position_of(access),
                    )
        return {k: m for k, m in motions.items() if m[0].incremented}

    def _advance(self, key: Key, element: Attribute, elements: int | SSAValue) -> None:
        self.pointers[key] = self.b.pointer_offset(self.pointers[key], element, elements)

    # --- loops

    def _sequential(self, loop: Loop) -> None:
        """A loop with known bounds: one pass without a counter when it runs once."""
        motions = self._motions(loop)
        info = loop.info
        if info.evaluated_once:
            self._items(loop)
            for key, (motion, element) in motions.items():
                step = motion.pointer_increment * info.work_amount + motion.finalization_offset
                self._advance(key, element, step)
            return
        bounds = self.b.index(0), self.b.index(info.work_amount)
        self._counted(loop, motions, *bounds)
        for key, (motion, element) in motions.items():
            self._advance(key, element, motion.finalization_offset)

    def _counted(
        self,
        loop: Loop,
        motions: dict[Key, tuple[LoopPort, Attribute]],
        lower: SSAValue,
        upper: SSAValue,
    ) -> None:
        """`scf.for` from `lower` to `upper` that carries the moving pointers and the loop's
        values.
        """
        b = self.b
        carried = [self.values[v] for v in loop.begin.carried]
        initial = [*(self.pointers[k] for k in motions), *carried]
        body = Block(arg_types=[i64, *(v.type for v in initial)])
        outer, b.block = b.block, body
        arguments = list(body.args[1:])
        self.pointers.update(zip(motions, arguments, strict=False))
        self.values.update(zip(loop.begin.values, arguments[len(motions) :], strict=True))
        self._items(loop)
        for key, (motion, element) in motions.items():
            self._advance(key, element, motion.pointer_increment * loop.info.increment)
        assert loop.end is not None
        following = [self.values[v] for v in loop.end.carried]
        b.make("scf.yield", [*(self.pointers[k] for k in motions), *following], [])
        b.block = outer
        op = b.op_class("scf.for").create(
            operands=[lower, upper, b.index(loop.info.increment), *initial],
            result_types=[v.type for v in initial],
            regions=[Region(body)],
        )
        b.append(op)
        self.pointers.update(zip(motions, op.results, strict=False))
        self.values.update(zip(loop.end.values, op.results[len(motions) :], strict=True))

    def _parallel(self, chain: list[Loop]) -> None:
        start = dict(self.pointers)
        if len(chain) == 1:
            self._flat(chain[0])
        else:
            self._collapsed(chain)
        self.pointers = start

    def _flat(self, loop: Loop) -> None:
        """One parallel loop, or a part of one, over the part of `begin..end` that it covers."""
        b, info = self.b, loop.info
        motions = self._motions(loop)
        origin = self.kernel.loop_table[info.unified_id]
        if info.iteration == "last":
            first = b.index(origin.work_amount - info.work_amount)
            runs = b.compare_int("sgt", self.end, first)
            self._if(runs, lambda: self._at(loop, motions, first))
            return
        upper = self.end
        if info.work_amount != origin.work_amount:
            upper = b.op("arith.minsi", [self.end, b.index(info.work_amount)])
        self._move_to(motions, self.begin)
        self._counted(loop, motions, self.begin, upper)

    def _at(
        self, loop: Loop, motions: dict[Key, tuple[LoopPort, Attribute]], counter: SSAValue
    ) -> None:
        self._move_to(motions, counter)
        self._items(loop)

    def _move_to(self, motions: dict[Key, tuple[LoopPort, Attribute]], counter: SSAValue) -> None:
        for key, (motion, element) in motions.items():
            offset = counter
            if motion.pointer_increment != 1:
                offset = self.b.op("arith.muli", [counter, self.b.index(motion.pointer_increment)])
            self._advance(key, element, offset)

    def _if(self, condition: SSAValue, then: Callable[[], None]) -> None:
        b = self.b
        outer, b.block = b.block, Block()
        body, kept = b.block, dict(self.pointers)
        then()
        b.make("scf.yield", [], [])
        b.block, self.pointers = outer, kept
        b.append(
            b.op_class("scf.if").create(operands=[condition], regions=[Region(body), Region()])
        )

    def _collapsed(self, chain: list[Loop]) -> None:
        """Several parallel loops as one: the counter is taken apart, pointers start from their
        arrays.
        """
        b = self.b
        body = Block(arg_types=[i64])
        outer, b.block = b.block, body
        counter: SSAValue = body.args[0]
        for loop in reversed(chain):
            own = counter
            if loop is not chain[0]:
                size = b.index(loop.info.work_amount)
                own = b.op("arith.remui", [counter, size])
                counter = b.op("arith.divui", [counter, size])
            self._move_to(self._motions(loop), own)
        self._items(chain[-1])
        b.make("scf.yield", [], [])
        b.block = outer
        b.append(
            b.op_class("scf.for").create(
                operands=[self.begin, self.end, b.index(1)], regions=[Region(body)]
            )
        )

    def _items(self, loop: Loop) -> None:
        for item in loop.items:
            if isinstance(item, Loop):
                self._sequential(item)
            else:
                self._op(item)

    # --- ops

    def _op(self, op: Operation) -> None:
        if isinstance(op, ScalarOp | ResultOp):
            return
        if isinstance(op, LoadOp | BroadcastLoadOp):
            self.values[op.result] = self._load(op)
        elif isinstance(op, StoreOp):
            self._store(op)
        else:
            self.values[op.results[0]] = self._compute(op)

    def _load(self, op: LoadOp | BroadcastLoadOp) -> SSAValue:
        b, element = self.b, memory_element(op)
        lanes = output_ports(op)[0].lanes
        pointer = self.pointers[self._key(op)]
        alignment = _bytes(element)
        type_ = vector_type(element, lanes)
        if isinstance(op, BroadcastLoadOp):
            value = b.splat(b.load(pointer, element, alignment), lanes)
        elif op.elements == lanes:
            value = b.load(pointer, type_, alignment)
        else:
            value = b.masked_load(pointer, b.mask(op.elements, lanes), type_, alignment)
        if tensor_of(op.result).element_type == i1:
            return b.compare_int("ne", value, b.constant(0, type_))
        return value

    def _store(self, op: StoreOp) -> None:
        b, element = self.b, memory_element(op)
        lanes = input_ports(op)[0].lanes
        value = self._operand(op, 0, lanes)
        if tensor_of(op.value).element_type == i1:
            value = b.op("arith.extui", [value], vector_type(i8, lanes))
        pointer = self.pointers[self._key(op)]
        if op.elements == lanes:
            b.store(value, pointer, _bytes(element))
        else:
            b.masked_store(value, pointer, b.mask(op.elements, lanes), _bytes(element))

    def _compute(self, op: Operation) -> SSAValue:
        lanes = ports(op)[-1].lanes
        if isinstance(op, BroadcastLikeOp):
            return self._broadcast(op, lanes)
        emitter = EMITTERS.get(op.name)
        if emitter is None:
            raise CompileError(
                f"{op.name} has no emitter; run lir-expand-math before convert-lir-to-vector",
                **position_of(op),
            )
        operands = [self._operand(op, i, lanes) for i in range(len(op.operands))]
        return emitter.emit(self.b, op, operands)

    def _operand(self, op: Operation, index: int, lanes: int) -> SSAValue:
        value = op.operands[index]
        if isinstance(value.owner, ScalarOp):
            return self._scalar(value.owner, lanes)
        vector = self.values[value]
        if lanes_of(vector) != lanes:
            raise CompileError(
                f"operand {index} of {op.name} has {lanes_of(vector)} lanes, expected {lanes}; "
                "run lir-insert-broadcast-move before convert-lir-to-vector",
                **position_of(op),
            )
        return vector

    def _scalar(self, scalar: ScalarOp, lanes: int) -> SSAValue:
        value = scalar.value
        return self.b.constant(value.value.data, vector_type(value.type, lanes))

    def _broadcast(self, op: BroadcastLikeOp, lanes: int) -> SSAValue:
        if isinstance(op.operand.owner, ScalarOp):
            return self._scalar(op.operand.owner, lanes)
        vector = self.values[op.operand]
        if lanes_of(vector) == lanes:
            return vector
        b = self.b
        return b.splat(b.extract_first(vector), lanes)


def memory_element(access: MemoryAccessOp) -> Attribute:
    """The element type in memory: i1 takes a byte."""
    element = tensor_of(access.operands[0]).element_type
    return i8 if element == i1 else element


def _bytes(element: Attribute) -> int:
    assert isinstance(element, FixedBitwidthType)
    return element.size
