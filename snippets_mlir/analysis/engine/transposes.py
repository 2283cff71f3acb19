"""How onnxruntime's CPU engine moves the elements of a Transpose.

    [128, 12, 64] to [12, 128, 64]      1536 pieces of 64 elements
    [12, 129, 64] to [12, 64, 129]      one axis moves past the last one: turned, element by element
    [24, 32, 128] to [128, 32, 24]      several axes move: scattered
    [1, 12, 1, 64] to [1, 1, 12, 64]    nothing moves

Dims of size 1 do not count, and dims that stay adjacent are merged. A piece takes as long as a
piece of broadcasting operands (`EngineCosts.span`); a turned element takes `EngineCosts.turned`, a
scattered element `EngineCosts.scattered`. Threads share only pieces: a turned transpose takes
longer on two threads than on one about half of the time. Measured with onnxruntime 1.32.

Transposes that onnxruntime reads inside a matrix product move nothing (`is_in_product`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.ir import Operation

from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.analysis.engine.nodes import is_product, scalar_of
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_facts import has_symbols
from snippets_mlir.dialects.snippets.arithmetic import DivideOp, MultiplyOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC


class Moves(NamedTuple):
    """What a Transpose moves; one of the numbers at most is not 0.

    Attributes:
        pieces: runs of elements that stay adjacent.
        turned: elements of a tensor with one axis that moves past the last one.
        scattered: elements of a tensor with several moving axes, including the last one.
    """

    pieces: int = 0
    turned: int = 0
    scattered: int = 0


def moves(shape: Sequence[int], permutation: Sequence[int]) -> Moves:
    """What a Transpose of a tensor of this static shape moves."""
    order = [dim for dim in permutation if shape[dim] != 1]
    blocks: list[list[int]] = []
    for dim in order:
        between = range(blocks[-1][-1] + 1, dim) if blocks else ()
        if blocks and dim > blocks[-1][-1] and all(shape[one] == 1 for one in between):
            blocks[-1].append(dim)
        else:
            blocks.append([dim])
    if len(blocks) < 2:
        return Moves()
    elements = prod(shape)
    if blocks[-1][-1] == max(order):
        return Moves(pieces=elements // max(1, prod(shape[dim] for dim in blocks[-1])))
    # Three blocks of which the first one stays, or two: one of them moves over the other.
    moved = blocks[1:] if blocks[0][0] == min(order) else blocks
    return Moves(turned=elements) if len(moved) == 2 else Moves(scattered=elements)


def alone(moved: Moves, costs: EngineCosts) -> float:
    """Nanoseconds of one thread for work that it does not share."""
    return costs.turned * moved.turned + costs.scattered * moved.scattered


def is_in_product(op: Operation) -> bool:
    """Whether the engine reads the operand of a transpose in the products that read its result.

    That is MatmulTransposeFusion: the last two dims change places, or the first one comes last. A
    scale or a reshape to a static shape may be between them. What else reads it does not matter.
    """
    if not isinstance(op, TransposeOp):
        return False
    order = [*op.permutation]
    count = len(order)
    swapped = order == [*range(count - 2), count - 1, count - 2]
    return (swapped or order == [*range(1, count), 0]) and _products_alone_read(op)


def _products_alone_read(op: Operation) -> bool:
    readers = [use.operation for use in op.results[0].uses]
    return bool(readers) and all(map(_passes_on_or_is_product, readers))


def _passes_on_or_is_product(op: Operation) -> bool:
    if is_product(op):
        return True
    if isinstance(op, ReshapeOp):
        shape = shape_of(op.result)
        return not has_symbols(shape) and DYNAMIC not in shape and _products_alone_read(op)
    scales = isinstance(op, MultiplyOp | DivideOp) and scalar_of(op.rhs) is not None
    return scales and _products_alone_read(op)
