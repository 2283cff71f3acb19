"""A small, strict evaluator for `affine`, `arith`, `memref` and vector transfers, on NumPy arrays.

It shares nothing with the interpreter of the package and is what the vectorizer is tested against.
Every value is a pair of arrays: data, and which lanes are poison; scalars have shape `()`. It
raises `Wrong` where the IR's result would not be defined: a subscript outside of its memref, a
transfer that breaks its `in_bounds`, poison that is stored, divides, or indexes, division by zero.
"""

# pyright: basic

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from loop_oracle_values import (
    BINARY,
    ORDERED,
    PREDICATES,
    REDUCE,
    Lanes,
    Wrong,
    check_inside,
    constant,
    dtype_of,
    shape_of,
    whole,
)
from xdsl.dialects.builtin import AffineMapAttr, VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr


class Oracle:
    """Runs one function; `steps` counts the ops."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, Any] = {}
        self.steps = 0

    def call(self, function: Operation, arguments: Sequence[Any]) -> list[Any]:
        """Run a function. Arrays are memrefs, changed in place; numbers are scalars."""
        block = function.regions[0].blocks[0]
        for formal, actual in zip(block.args, arguments, strict=True):
            is_memory = isinstance(actual, np.ndarray)
            dtype = dtype_of(formal.type)
            self.values[formal] = actual if is_memory else Lanes.of(np.asarray(actual, dtype))
        with np.errstate(all="ignore"):
            return [getattr(v, "data", v) for v in self.run(block)]

    def run(self, block: Block) -> list[Any]:
        for op in block.ops:
            self.steps += 1
            if op.name in ("affine.yield", "func.return"):
                return [self.values[v] for v in op.operands]
            results = self.execute(op)
            for result, value in zip(op.results, results, strict=True):
                self.values[result] = value
        return []

    def index(self, value: SSAValue) -> int:
        lanes = self.values[value]
        if lanes.poison.any():
            raise Wrong("poison as an index")
        return int(lanes.data)

    def map(self, op: Operation, operands: Sequence[SSAValue], key: str = "map") -> tuple[int, ...]:
        map = op.properties[key]
        assert isinstance(map, AffineMapAttr)
        numbers = [self.index(v) for v in operands]
        return map.data.eval(numbers[: map.data.num_dims], numbers[map.data.num_dims :])

    def execute(self, op: Any) -> list[Any]:
        match op.name:
            case "affine.for":
                return self.loop(op)
            case "affine.load" | "affine.store":
                memory = self.values[op.memref]
                place = self.map(op, op.indices)
                check_inside(memory, place)
                if op.name == "affine.load":
                    return [Lanes.of(memory[place])]
                memory[place] = whole(self.values[op.value])
                return []
            case "affine.apply":
                return [Lanes.of(np.int64(self.map(op, op.mapOperands)[0]))]
            case "affine.max":
                return [Lanes.of(np.int64(max(self.map(op, op.operands))))]
            case "affine.min":
                return [Lanes.of(np.int64(min(self.map(op, op.operands))))]
            case "vector.transfer_read":
                return [self.transfer_read(op)]
            case "vector.transfer_write":
                self.transfer_write(op)
                return []
            case "memref.load":
                place = tuple(self.index(v) for v in op.indices)
                check_inside(self.values[op.memref], place)
                return [Lanes.of(self.values[op.memref][place])]
            case "memref.dim":
                return [Lanes.of(np.int64(self.values[op.source].shape[self.index(op.index)]))]
            case "memref.alloc":
                dynamic = iter([self.index(v) for v in op.dynamic_sizes])
                shape = [n if n >= 0 else next(dynamic) for n in op.memref.type.get_shape()]
                return [np.full(shape, 77, dtype_of(op.memref.type.element_type))]
            case "memref.dealloc":
                return []
            case "memref.cast":
                return [self.values[op.source]]
            case _:
                return [self.compute(op)]

    def loop(self, op: Any) -> list[Any]:
        lower = max(self.map(op, op.lowerBoundOperands, "lowerBoundMap"))
        upper = min(self.map(op, op.upperBoundOperands, "upperBoundMap"))
        block: Block = op.body.block
        carried = [self.values[v] for v in op.inits]
        for number in range(lower, upper, op.step.value.data):
            self.values[block.args[0]] = Lanes.of(np.int64(number))
            self.values.update(zip(block.args[1:], carried, strict=True))
            carried = self.run(block)
        return carried

    def compute(self, op: Any) -> Lanes:
        type_ = op.results[0].type
        dtype, shape = dtype_of(type_), shape_of(type_)
        operands = [self.values[v] for v in op.operands]
        poison: Any = np.zeros(shape, np.bool_)
        for operand in operands:
            poison = poison | operand.poison if operand.data.shape == shape else poison
        data = [o.data for o in operands]
        match op.name:
            case "arith.constant":
                return Lanes.of(constant(op.value, dtype, shape))
            case "ub.poison":
                return Lanes(np.zeros(shape, dtype), np.ones(shape, np.bool_))
            case "vector.broadcast":
                filled = np.broadcast_to(operands[0].poison, shape)
                return Lanes(np.broadcast_to(data[0], shape), filled)
            case "vector.create_mask":
                sizes = [self.index(v) for v in op.operands]
                inside = np.indices(shape) < np.reshape(sizes, (-1, *([1] * len(shape))))
                return Lanes.of(inside.all(axis=0))
            case "vector.reduction":
                whole(operands[0])
                total = data[0][0]
                for element in data[0][1:]:
                    total = REDUCE[op.kind.data.value](np.asarray(total), np.asarray(element))
                return Lanes.of(np.asarray(total, dtype))
            case "arith.select":
                chosen = np.where(data[0], operands[1].poison, operands[2].poison)
                return Lanes(np.where(data[0], data[1], data[2]), chosen | operands[0].poison)
            case "arith.cmpi":
                return Lanes(PREDICATES[op.predicate.value.data](*data), poison)
            case "arith.cmpf":
                return Lanes(ORDERED[op.predicate.value.data](*data), poison)
            case "arith.negf":
                return Lanes(-data[0], poison)
            case "arith.index_cast" | "arith.sitofp" | "arith.extsi" | "arith.trunci":
                return Lanes(data[0].astype(dtype), poison)
            case _:
                if op.name in ("arith.divsi", "arith.remsi"):
                    whole(operands[1])
                    if (data[1] == 0).any():
                        raise Wrong("division by zero")
                return Lanes(np.asarray(BINARY[op.name](*data), dtype), poison)

    def lanes(self, op: Any, vector: VectorType[Any]) -> Any:
        """Each lane of a transfer with its cell: None where it is outside or masked."""
        memory, start = self.values[op.source], [self.index(v) for v in op.indices]
        dims = [
            e.position if isinstance(e, AffineDimExpr) else None
            for e in op.permutation_map.data.results
        ]
        assert all(
            isinstance(e, AffineDimExpr | AffineConstantExpr)
            for e in op.permutation_map.data.results
        )
        mask = None if op.mask is None else whole(self.values[op.mask])
        used = sorted(d for d in dims if d is not None)
        in_bounds = [bool(b.value.data) for b in op.in_bounds]
        for lane in product(*map(range, vector.get_shape())):
            cell = list(start)
            for place, dim in enumerate(dims):
                if dim is not None:
                    cell[dim] += lane[place]
            if mask is not None and not mask[tuple(lane[dims.index(dim)] for dim in used)]:
                yield lane, None
                continue
            outside = [d for d, c in enumerate(cell) if not 0 <= c < memory.shape[d]]
            for dim in outside:
                if dim not in dims or in_bounds[dims.index(dim)]:
                    raise Wrong(f"dim {dim} of {cell} is outside of {memory.shape}")
            yield lane, None if outside else tuple(cell)

    def transfer_read(self, op: Any) -> Lanes:
        type_ = op.result.type
        memory, padding = self.values[op.source], self.values[op.padding]
        data = np.full(shape_of(type_), padding.data, dtype_of(type_))
        poison = np.full(shape_of(type_), padding.poison)
        for lane, cell in self.lanes(op, type_):
            if cell is not None:
                data[lane], poison[lane] = memory[cell], False
        return Lanes(data, poison)

    def transfer_write(self, op: Any) -> None:
        memory, value = self.values[op.source], self.values[op.vector]
        for lane, cell in self.lanes(op, op.vector.type):
            if cell is not None:
                if value.poison[lane]:
                    raise Wrong(f"poison is stored in {cell}")
                memory[cell] = value.data[lane]
