"""The places of queries and keys, which causal masks, windows and lengths of keys compare.

    3 places from 5 on         %p = snippets.constant dense<[5, 6, 7]>

    ?0 places from 5 on        %1 = snippets.broadcast 1 to tensor<?0xi32>
                               %n = snippets.cum_sum %1                       1, 2, .. ?0
                               %p = snippets.add %n, 4

    ?0 places from ?1 + 1 on   %n of ?0 + ?1 places
                               %p = snippets.slice %n, from ?1, of ?0

If the call decides a number, a kernel counts up to it once for all layers of a model.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.size_facts import sum_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.conversion import BroadcastOp
from snippets_mlir.dialects.snippets.cumulative import CumSumOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque


def places(
    b: NodeBuilder, count: Dim, element: IntegerType, first: Dim = 0, *, column: bool = False
) -> SSAValue:
    """first, first + 1, .. for `count` keys: [count]; or [count, 1] for queries.

    Raises:
        Opaque: nothing is known about a number.
    """
    if DYNAMIC in (count, first):
        raise Opaque(f"a mask of {b.node.op_type} by places, of sizes that are not known")
    if not isinstance(count, Size) and not isinstance(first, Size):
        dtype = np.int64 if element == i64 else np.int32
        numbers = np.arange(count, dtype=dtype) + dtype(first)
        return b.constant(numbers[:, None] if column else numbers)
    before = first - 1
    number = sum_of((before, count)) if isinstance(before, Size) else count
    counted = _counted(b, number, element)
    if column:
        counted = reshaped(b, counted, (number, 1))
    if not isinstance(before, Size):
        return _plus(b, counted, before)
    rest = (1,) if column else ()
    zeros = (0,) if column else ()
    return b.emit(SliceOp(counted, (before, *zeros), (count, *rest), (1, *rest)))


def number_of(b: NodeBuilder, count: Dim, element: IntegerType) -> SSAValue:
    """`count` as a number; raises Opaque if nothing is known about it."""
    if not isinstance(count, Size):
        if count == DYNAMIC:
            raise Opaque(f"a mask of {b.node.op_type} by places, of sizes that are not known")
        return b.scalar(count, element)
    numbers = _counted(b, count, element)
    return b.emit(SliceOp(numbers, (count - 1,), (1,), (1,)))


def _counted(b: NodeBuilder, count: Dim, element: IntegerType) -> SSAValue:
    """1, 2, .. count: [count]."""
    ones = b.emit(BroadcastOp(b.scalar(1, element), (count,)))
    return b.emit(CumSumOp(ones, 0))


def _plus(b: NodeBuilder, numbers: SSAValue, more: int) -> SSAValue:
    return b.emit(AddOp(numbers, b.like(more, numbers))) if more else numbers
