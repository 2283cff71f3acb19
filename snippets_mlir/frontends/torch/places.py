"""ATen ops that read a tensor at indices that are a tensor.

    embedding(weight, i)      snippets.gather along dim 0
    index_select(x, dim, i)   snippets.gather along dim
    index(x, [None, i])       snippets.gather along dim 1

Indices are checked when the program is called: one that is outside is an IndexError, as in torch.
Those of `index` may count from the end. Masks, and several tensors of indices, stay in eager torch.
Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld


def _gathered(
    b: NodeBuilder, x: SSAValue, indices: SSAValue, axis: int, *, from_end: bool = False
) -> SSAValue:
    """`x` at the indices along a dim."""
    if tensor_of(indices).element_type not in (i32, i64):
        raise Unheld(f"its indices are {tensor_of(indices).element_type}, not int32 or int64")
    checked = b.emit(CheckIndicesOp(indices, x, axis, from_end))
    return b.emit(GatherOp(x, checked, axis, from_end))


def _embedding(b: NodeBuilder) -> SSAValue:
    return _gathered(b, b.tensor("weight"), b.tensor("indices"), 0)


def _index_select(b: NodeBuilder) -> SSAValue:
    x, indices = b.tensor(), b.tensor("index")
    if not shape_of(x):
        raise Unheld("its operand has no dims")
    if not shape_of(indices):
        indices = b.emit(ReshapeOp(indices, (1,)))
    return _gathered(b, x, indices, int(b.arguments["dim"]) % len(shape_of(x)))


def _index(b: NodeBuilder) -> SSAValue:
    x = b.tensor()
    given: list[Any] = list(b.arguments["indices"])
    axes = [axis for axis, index in enumerate(given) if index is not None]
    if len(axes) != 1:
        raise Unheld("several tensors are indices")
    indices = b.values_of(given[axes[0]])
    if isinstance(indices, tuple):
        raise Unheld("an index is several tensors")
    return _gathered(b, x, indices, axes[0], from_end=True)


PLACES: dict[str, Callable[[NodeBuilder], SSAValue]] = {
    "embedding": _embedding,
    "index": _index,
    "index_select": _index_select,
}
"""Ops whose indices are tensors."""
