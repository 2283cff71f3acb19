"""Random kernels with loops for the assignment of registers: 1 to 64 values live at one time.

A kernel has one to five loops over rows of one vector each, nested or in sequence, that
carry accumulators and read values from outside. Values are whole: integers that wrap, so that every
order of work has equal bits. The ops are built, not parsed: that is most of the time of a program.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from xdsl.dialects.builtin import (
    ArrayAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.lir.access import PORTS, set_loop_ids
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.ports import LoopPort, PortAttr, PortDescriptor
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp, SubtractOp
from snippets_mlir.dialects.snippets.bitwise import BitwiseAndOp, BitwiseOrOp, BitwiseXorOp
from snippets_mlir.dialects.snippets.comparison import LessOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.selection import SelectOp

T = TensorType(i32, [2, 8])
MASK = TensorType(i1, [2, 8])
VALUE = PortAttr(PortDescriptor((2, 8), (), (8,)))
SCALAR = PortAttr(PortDescriptor((1, 1), (), (1,)))
BINARY = (AddOp, SubtractOp, BitwiseXorOp, MultiplyOp, BitwiseOrOp, BitwiseAndOp)
EIGHT = IntegerAttr(8, i64)


@cache
def _ports(*ports: PortAttr) -> ArrayAttr[PortAttr]:
    return ArrayAttr(ports)


@cache
def _memory(path: tuple[int, ...]) -> PortAttr:
    """The port of an access in the loops of `path`: the outermost one goes from row to row."""
    moves = tuple(LoopPort(i, 1, 8, -16) if i == 0 else LoopPort(i, 1) for i in path)
    return PortAttr(PortDescriptor((2, 8), (), (8,), None, moves))


class RegisterKernel:
    """A random kernel and the function that calls it.

    Attributes:
        live: how many values a block makes before it uses them.
        module: the kernel at stage `looped`, and `@main`, which calls it.
    """

    def __init__(self, seed: int, live: int = 0) -> None:
        """Build the kernel.

        Args:
            seed: of the choices.
            live: how many values a block makes; 0 for a random number.
        """
        self.rng = rng = random.Random(seed)
        self.block = Block(arg_types=[T, T])
        self.table: list[LoopInfo] = []
        self.scalars = [self._scalar() for _ in range(rng.randint(1, 3))]
        self.live = live or min(64, int(2 ** rng.uniform(0, 6.2)))
        self.table.append(LoopInfo(0, 2, 1, 1, parallel=True))
        self.block.add_op(LoopBeginOp(0))
        values = [self._load((0,))]
        self._block((0,), values, depth=0)
        stored = self._store(values[-1], (0,))
        self.block.add_op(LoopEndOp(0))
        result = ResultOp([stored], 0)
        result.attributes[PORTS] = _ports(VALUE)
        self.block.add_op(result)
        self.module = self._module()

    def _module(self) -> ModuleOp:
        kind = FunctionType.from_lists([T, T], [T])
        kernel = KernelOp("k", kind, "looped", Region(self.block), self.table)
        main = FuncOp("main", kind)
        call = CallOp("k", main.body.block.args, [T])
        main.body.block.add_ops([call, ReturnOp(call.results[0])])
        return ModuleOp([main, kernel])

    def _add(self, op: Operation, ports: ArrayAttr[PortAttr], path: tuple[int, ...]) -> SSAValue:
        set_loop_ids(op, path)
        op.attributes[PORTS] = ports
        self.block.add_op(op)
        return op.results[0]

    def _scalar(self) -> SSAValue:
        return self._add(ScalarOp(IntegerAttr(self.rng.randint(-9, 9), i32)), _ports(SCALAR), ())

    def _load(self, path: tuple[int, ...]) -> SSAValue:
        source = self.block.args[self.rng.choice((0, 1))]
        broadcast = self.rng.random() < 0.25
        op = BroadcastLoadOp(source, T) if broadcast else LoadOp(source, 8)
        return self._add(op, _ports(_memory(path), VALUE), path)

    def _store(self, value: SSAValue, path: tuple[int, ...]) -> SSAValue:
        return self._add(StoreOp(value, 8), _ports(VALUE, _memory(path)), path)

    def _op(
        self,
        kind: type[Operation],
        operands: Sequence[SSAValue],
        path: tuple[int, ...],
        result: Attribute = T,
    ) -> SSAValue:
        op = kind.create(operands=operands, result_types=[result])
        ports = [SCALAR if isinstance(v.owner, ScalarOp) else VALUE for v in operands]
        return self._add(op, _ports(*ports, VALUE), path)

    def _compute(self, path: tuple[int, ...], values: list[SSAValue]) -> SSAValue:
        rng = self.rng
        kind = rng.random()
        if kind < 0.1:
            return self._op(BroadcastOp, [rng.choice(self.scalars)], path)
        a, b = rng.choice(values), rng.choice(values)
        if kind < 0.2:
            scalar = rng.choice(self.scalars)
            return self._op(rng.choice(BINARY), [a, scalar], path)
        if kind < 0.3:
            c = rng.choice(values)
            mask = self._op(LessOp, [a, b], path, MASK)
            return self._op(SelectOp, [mask, c, b], path)
        return self._op(rng.choice(BINARY), [a, b], path)

    def _block(self, path: tuple[int, ...], values: list[SSAValue], depth: int) -> None:
        """Make values until many live, loops in between, and then use them all up."""
        rng = self.rng
        own: list[SSAValue] = []
        for _ in range(max(1, self.live // (1 + 3 * depth))):
            make = self._load(path) if rng.random() < 0.3 else self._compute(path, values + own)
            own.append(make)
            if depth < 2 and rng.random() < 0.6 / self.live and len(self.table) < 5:
                own += self._loop(path, values + own, depth + 1)
        if depth < 2 and len(self.table) < 4 and rng.random() < 0.7:
            own += self._loop(path, values + own, depth + 1)
        rng.shuffle(own)
        total = own[0]
        for value in own[1:]:
            total = self._op(rng.choice(BINARY[:3]), [total, value], path)
        values.append(total)

    def _loop(self, path: tuple[int, ...], values: list[SSAValue], depth: int) -> list[SSAValue]:
        """A loop that carries up to 5 values; what it ends with may be any value around."""
        rng, number = self.rng, len(self.table)
        self.table.append(LoopInfo(number, rng.randint(1, 3), 1, 1))
        begin = LoopBeginOp(
            number, [rng.choice(values) for _ in range(rng.choice((0, 1, 1, 2, 5)))]
        )
        self.block.add_op(begin)
        body = [*values, *begin.results]
        self._block((*path, number), body, depth)
        end = LoopEndOp(
            number,
            [rng.choice(body[-6:] if rng.random() < 0.8 else body) for _ in begin.results],
        )
        self.block.add_op(end)
        return list(end.results)
