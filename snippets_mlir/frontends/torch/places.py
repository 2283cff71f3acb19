"""ATen ops that read a tensor at indices from a tensor.

    embedding(weight, i)      snippets.gather along dim 0
    index_select(x, dim, i)   snippets.gather along dim
    index(x, [None, i])       snippets.gather along dim 1
    index(x, [i, j])          snippets.gather of both dims as one, at i * n + j

Indices are checked when the program is called: an index outside is an IndexError, as in torch.
Indices of `index` may count from the end. Masks, and several index tensors into dims of dynamic
sizes, stay in eager torch. Source: the definitions of the ops in ATen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import static_size
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.comparison import LessOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.gathering import GatherOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.selection import SelectOp
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld


def _gathered(
    b: NodeBuilder, x: SSAValue, indices: SSAValue, axis: int, *, from_end: bool = False
) -> SSAValue:
    """`x` at the indices along a dim."""
    return b.emit(GatherOp(x, _checked(b, x, indices, axis, from_end), axis, from_end))


def _checked(b: NodeBuilder, x: SSAValue, indices: SSAValue, axis: int, from_end: bool) -> SSAValue:
    """Indices that the program checks; Unheld for those that no kernel takes."""
    if tensor_of(indices).element_type not in (i32, i64):
        raise Unheld(f"its indices are {tensor_of(indices).element_type}, not int32 or int64")
    if shape_of(x)[axis] == 0:
        raise Unheld("its indices are those of a dim without elements")
    return b.emit(CheckIndicesOp(indices, x, axis, from_end))


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
    if not axes:
        raise Unheld("nothing is an index")
    found = [b.values_of(given[axis]) for axis in axes]
    indices = [value for value in found if not isinstance(value, tuple)]
    if len(indices) != len(axes):
        raise Unheld("an index is several tensors")
    if len(axes) == 1:
        return _gathered(b, x, indices[0], axes[0], from_end=True)
    return _gathered_together(b, x, indices, axes)


def _gathered_together(
    b: NodeBuilder, x: SSAValue, indices: Sequence[SSAValue], axes: Sequence[int]
) -> SSAValue:
    """`x` at several tensors of indices, whose dims come first if a whole dim is between them."""
    shape = shape_of(x)
    if not is_static(shape):
        raise Unheld("several tensors are indices into dims of dynamic sizes")
    sizes = [static_size(shape[axis]) for axis in axes]
    together = _inside(b, x, indices[0], axes[0])
    for index, axis, size in zip(indices[1:], axes[1:], sizes[1:], strict=True):
        together = b.emit(MultiplyOp(together, b.scalar(size, i64)))
        together = b.emit(AddOp(together, _inside(b, x, index, axis)))
    front = axes[0] if axes[-1] - axes[0] == len(axes) - 1 else 0
    others = [dim for dim in range(len(shape)) if dim not in axes]
    order = [*others[:front], *axes, *others[front:]]
    if order != list(range(len(shape))):
        x = b.emit(TransposeOp(x, order))
    kept = [shape[dim] for dim in others]
    x = b.emit(ReshapeOp(x, (*kept[:front], prod(sizes), *kept[front:])))
    return b.emit(GatherOp(x, together, front))


def _inside(b: NodeBuilder, x: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """Checked indices along a dim as i64, from its start on."""
    wide = b.convert(_checked(b, x, indices, axis, from_end=True), i64)
    size = b.scalar(static_size(shape_of(x)[axis]), i64)
    below = b.emit(LessOp(wide, b.scalar(0, i64)))
    return b.emit(SelectOp(below, b.emit(AddOp(wide, size)), wide))


PLACES: dict[str, Callable[[NodeBuilder], SSAValue]] = {
    "embedding": _embedding,
    "index": _index,
    "index_select": _index_select,
}
"""Ops whose indices are tensors."""
