"""Which elements of its arguments a function on memrefs surely accesses, as formulas of a call.

    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n {
        affine.store %v, %y[%i + 1] : memref<?xf32>       elements 1 to dim(%x, 0) of %y

An access is known where its indices and the bounds of the loops around it are affine in sizes of
arguments, arguments of type index, counters of loops further out and constants, `floordiv`,
`ceildiv` and `mod` included, and nothing but loops is around it; loops may be triangular or
parallel. Others have no formula: conditions, indices that are loaded, views, transfers of vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.affine import ForOp, LoadOp, StoreOp, VectorLoadOp, VectorStoreOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.analysis.access_formulas import Affine
from snippets_mlir.analysis.index_formulas import expression_of, results_of, value_of
from snippets_mlir.dialects.affine.parallel import ParallelOp
from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.vector import memory as vector
from snippets_mlir.support.diagnostics import format_position, position_of

LOOPS = ("affine.for", "affine.parallel", "scf.for", "scf.parallel")

Value = Callable[[SSAValue], Affine | None]
"""An index as a formula, None where it is none."""


@dataclass(frozen=True)
class Loop:
    """A loop from the largest of `lower` to the smallest of `upper`, which is not in it."""

    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    step: int


@dataclass(frozen=True)
class Access:
    """Accesses of one dim of an argument.

    Attributes:
        argument: which one.
        dim: which of its dims.
        index: of an element, from the counters of `loops` and what is known in a call.
        loops: those around it, outermost first.
        where: the op, with its position in the source.
    """

    argument: int
    dim: int
    index: Affine
    loops: tuple[Loop, ...]
    where: str


def accesses_of(function: FuncOp) -> tuple[Access, ...]:
    """The accesses of a function's arguments that are known, in the order of the text."""
    if len(function.body.blocks) != 1:
        return ()
    return tuple(_accesses(function.body.block.ops, (), {}, function))


def _accesses(
    ops: Iterable[Operation],
    loops: tuple[Loop, ...],
    counters: Mapping[SSAValue, int],
    function: FuncOp,
) -> Iterator[Access]:
    """The accesses in a block; `counters` are those of `loops`, by depth."""

    def value(given: SSAValue) -> Affine | None:
        return value_of(given, counters, function)

    for op in ops:
        if op.name in LOOPS:
            made = _loops(op, value)
            if None not in made:
                body = op.regions[0].block
                ours = {body.args[i]: len(loops) + i for i in range(len(made))}
                inside = (*loops, *(loop for loop in made if loop is not None))
                yield from _accesses(body.ops, inside, {**counters, **ours}, function)
            continue
        memref, indices = _indices(op, value)
        if memref is None or memref not in function.args:
            continue
        where = f"{op.name} at {format_position(position_of(op))}"
        lanes = _lanes(op, len(indices))
        for dim, (index, count) in enumerate(zip(indices, lanes, strict=True)):
            if index is not None:
                for end in {0, count - 1}:
                    end_index = index.plus(Affine(end))
                    yield Access(function.args.index(memref), dim, end_index, loops, where)


def _indices(op: Operation, value: Value) -> tuple[SSAValue | None, Sequence[Affine | None]]:
    """The memref that an op accesses, and the indices; None for an op that accesses none."""
    match op:
        case LoadOp() | StoreOp() | VectorLoadOp() | VectorStoreOp():
            return op.memref, results_of(op.map.data, [value(index) for index in op.indices])
        case vector.LoadOp() | vector.StoreOp():
            return op.base, [value(index) for index in op.indices]
        case Operation(name="memref.load"):
            return op.operands[0], [value(index) for index in op.operands[1:]]
        case Operation(name="memref.store"):
            return op.operands[1], [value(index) for index in op.operands[2:]]
        case _:
            return None, ()


def _lanes(op: Operation, rank: int) -> Sequence[int]:
    """How many elements of each dim of a memref of `rank` an op accesses, from its indices on."""
    match op:
        case VectorLoadOp(result=moved) | vector.LoadOp(result=moved):
            kind: Attribute = moved.type
        case VectorStoreOp(value=moved) | vector.StoreOp(vector=moved):
            kind = moved.type
        case _:
            return [1] * rank
    shape = extents_of(kind)
    return [*[1] * (rank - len(shape)), *shape]


def _loops(op: Operation, value: Value) -> Sequence[Loop | None]:
    """The loops that an op is, with their bounds; None where these are not known."""
    match op:
        case ForOp():
            lower = results_of(op.lowerBoundMap.data, [value(v) for v in op.lowerBoundOperands])
            upper = results_of(op.upperBoundMap.data, [value(v) for v in op.upperBoundOperands])
            return [_loop(lower, upper, op.step.value.data)]
        case ParallelOp():
            sides = (
                (op.lower_bounds, op.lowerBoundsMap.data, op.lower_operands),
                (op.upper_bounds, op.upperBoundsMap.data, op.upper_operands),
            )
            lowers, uppers = (
                [
                    [expression_of(e, [value(v) for v in given], map.num_dims) for e in b]
                    for b in side
                ]
                for side, map, given in sides
            )
            return [_loop(*three) for three in zip(lowers, uppers, op.step_values, strict=True)]
        case _:
            count = 1 if op.name == "scf.for" else len(op.regions[0].block.args)
            given = [value(operand) for operand in op.operands[: 3 * count]]
            bounds = zip(given[:count], given[count : 2 * count], given[2 * count :], strict=True)
            return [_loop([low], [high], _constant(step)) for low, high, step in bounds]


def _constant(formula: Affine | None) -> int:
    """Its value, 0 where it is none."""
    return 0 if formula is None or formula.terms else formula.constant


def _loop(lower: Sequence[Affine | None], upper: Sequence[Affine | None], step: int) -> Loop | None:
    known = [bound for bound in (*lower, *upper) if bound is not None]
    if step < 1 or len(known) != len(lower) + len(upper):
        return None
    return Loop(tuple(known[: len(lower)]), tuple(known[len(lower) :]), step)
