"""Rotary embeddings of ONNX and onnxruntime: columns rotated by rows of caches that ids select.

    RotaryEmbedding(x, cos, sin, ids)    %i = snippets.check_indices %ids, %cos {axis = 0}
                                         %c = snippets.gather %cos, %i {axis = 0}, %s of %sin
                                         slices of %x times %c and %s, joined (`rotary_columns.py`)
    RotaryEmbedding(x, cos, sin)         the same with a row of the caches for each row of x

Ids and caches may have one batch for all, as PyTorch exports them. onnxruntime refuses that; nodes
that stay with it get an Expand (`dialects/onnx/rotary_batches.py`).

An id outside of the caches is an error, as in onnxruntime. onnxruntime's own operator also accepts
the place of the first row: one number instead of the ids. `scale` has no effect there.

Opaque are ids and caches whose sizes may not fit, constant ids outside of the caches, one place
with a dynamic number of rows, and packed batches. Source: the operators' definitions in ONNX and in
docs/ContribOperators.md of onnxruntime, and what version 1.32 computes.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Shape, Size, format_size, known_less
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.index_checks import CheckIndicesOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, format_shape
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.mapping.layout import reshaped
from snippets_mlir.frontends.onnx.mapping.rotary_columns import Caches, embedded, once
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def _rotary_embedding(b: NodeBuilder) -> SSAValue:
    x = b.value(0)
    batch, rows = _batch_and_rows(b, x)
    if not b.has(3):
        return embedded(b, x, _caches(b, (1, 2), (batch, rows)))
    cos, sin, _ = _caches(b, (1, 2))
    ids = shape_of(b.value(3))
    if DYNAMIC in (*ids, rows) or ids not in ((batch, rows), (1, rows)):
        raise _misfit(b, x, b.value(3), "ids")
    return embedded(b, x, Caches(cos, sin, _ids(b, 3, cos)))


def _microsoft_rotary_embedding(b: NodeBuilder) -> SSAValue:
    if b.flag("is_packed_batching"):
        raise Opaque("RotaryEmbedding of packed batches")
    if b.flag("rotary_embedding_dim") and not b.flag("num_heads"):
        raise Opaque("RotaryEmbedding of some columns without a number of heads")
    x, ids = b.value(0), b.value(1)
    batch, rows = _batch_and_rows(b, x)
    cos, sin, _ = _caches(b, (2, 3))
    if shape_of(ids) == (batch, rows) and DYNAMIC not in (batch, rows):
        return embedded(b, x, Caches(cos, sin, _ids(b, 1, cos)))
    if shape_of(ids) not in ((), (1,)):
        raise _misfit(b, x, ids, "ids")
    return embedded(b, x, Caches(cos, sin, _ids_from(b, 1, cos, rows)))


def _misfit(b: NodeBuilder, x: SSAValue, other: SSAValue, words: str) -> Opaque:
    found, wanted = format_shape(shape_of(other)), format_shape(shape_of(x))
    return Opaque(f"{b.node.op_type} of {wanted} with {words} {found}, which may not fit")


def _batch_and_rows(b: NodeBuilder, x: SSAValue) -> tuple[Dim, Dim]:
    """The sizes of an input [batch, rows, hidden] or [batch, heads, rows, columns]."""
    shape = shape_of(x)
    if len(shape) not in (3, 4):
        raise Opaque(f"{b.node.op_type} of an input of rank {len(shape)}")
    return shape[0], shape[-2]


def _caches(b: NodeBuilder, inputs: tuple[int, int], rows: Shape = ()) -> Caches:
    """The caches: for ids, or for the `rows` [batch, rows] of the input."""
    x = b.value(0)
    cos, sin = (b.value(i) for i in inputs)
    shape = shape_of(cos)
    if shape_of(sin) != shape or DYNAMIC in shape or len(shape) != (len(rows) or 1) + 1:
        raise _misfit(b, x, cos, f"sines {format_shape(shape_of(sin))} and cosines")
    if {tensor_of(value).element_type for value in (cos, sin)} != {tensor_of(x).element_type}:
        raise Opaque(f"{b.node.op_type} with caches of other elements")
    if rows and shape[:-1] not in (rows, (1, *rows[1:])):
        raise _misfit(b, x, cos, "cosines")
    if not rows and known_less(shape[0], _batch_and_rows(b, x)[1]):
        raise Opaque(f"{b.node.op_type} of more rows than its caches have")
    return Caches(cos, sin)


def _ids(b: NodeBuilder, index: int, cos: SSAValue) -> SSAValue:
    """Input `index`, integers which are rows of the cosines."""
    ids = b.value(index)
    if tensor_of(ids).element_type != i64:
        raise Opaque(f"{b.node.op_type} with ids of {tensor_of(ids).element_type}")
    return _checked(b, ids, b.array(index), cos)


def _checked(b: NodeBuilder, ids: SSAValue, known: Array | None, cos: SSAValue) -> SSAValue:
    """Ids that are rows of the cosines; `known` ids are checked here."""
    whole = shape_of(cos)[0]
    if known is None:
        return once(b, CheckIndicesOp(ids, cos, 0))
    if not all(0 <= n and known_less(int(n), whole) for n in known.flat):
        raise Opaque(f"{b.node.op_type} with ids beyond a cache of {format_size(whole)} rows")
    return ids


def _ids_from(b: NodeBuilder, index: int, cos: SSAValue, rows: Dim) -> SSAValue:
    """As many successive ids as the input has rows, from input `index` on: i64 [] or [1]."""
    if isinstance(rows, Size) or rows < 1:
        raise Opaque(f"{b.node.op_type} with one place for rows of a number that is not known")
    first, count = b.value(index), np.arange(rows)[None]
    if tensor_of(first).element_type != i64:
        raise Opaque(f"{b.node.op_type} with ids of {tensor_of(first).element_type}")
    ids, known = reshaped(b, first, (1, 1)), b.array(index)
    if rows > 1:
        ids = b.emit(AddOp(ids, b.constant(count)))
    return _checked(b, ids, None if known is None else count + known.reshape(()), cos)


ROWS: dict[str, Row] = {"RotaryEmbedding": Row((23,), _rotary_embedding)}

MICROSOFT_ROWS: dict[tuple[str, str], Row] = {
    (MICROSOFT, "RotaryEmbedding"): Row(
        (1,),
        _microsoft_rotary_embedding,
        ("interleaved", "is_packed_batching", "num_heads", "rotary_embedding_dim", "scale"),
    )
}
"""Domain and operator -> its row."""
