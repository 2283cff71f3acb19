"""`stablehlo.gather` of random dimension numbers, and its result slice by slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


class RandomGather(NamedTuple):
    """A gather as text, its operands, and its result as the specification says."""

    text: str
    x: Array
    indices: Array
    wanted: Array


def _tensor(sizes: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


def _text(x: Array, indices: Array, out: Sequence[int], sizes: str, numbers: str) -> str:
    """The op in a function."""
    element = {"i": "i32", "u": "ui8"}[indices.dtype.kind]
    types = _tensor(x.shape, "f32"), _tensor(indices.shape, element), _tensor(out, "f32")
    return f"""
    func.func @main(%x: {types[0]}, %i: {types[1]}) -> {types[2]} {{
      %0 = "stablehlo.gather"(%x, %i) <{{dimension_numbers = #stablehlo.gather<{numbers}>,
          slice_sizes = array<i64: {sizes}>}}> : ({types[0]}, {types[1]}) -> {types[2]}
      func.return %0 : {types[2]}
    }}
    """


def random_gather(seed: int) -> RandomGather:
    """Any slices at any places, with a batching dim or none."""
    rng = np.random.default_rng(seed)
    rank, batch_rank = int(rng.integers(1, 4)), int(rng.integers(0, 3))
    batch = [int(size) for size in rng.integers(1, 4, batch_rank)]
    batched = bool(batch and rng.random() < 0.5)
    first = int(batched)
    shape = [*batch[:first], *(int(size) for size in rng.integers(1, 5, rank))]
    x = rng.standard_normal(shape).astype(np.float32)
    indexed = [first + int(d) for d in rng.permutation(rank)[: rng.integers(1, rank + 1)]]
    sizes = [1] * first + [int(rng.integers(1, n + 1)) for n in shape[first:]]
    collapsed = sorted(d for d in range(first, x.ndim) if sizes[d] == 1 and rng.random() < 0.7)
    kept = [d for d in range(x.ndim) if d not in collapsed and d >= first]
    # The vectors stand at some place among the dims of the indices.
    last = int(rng.integers(0, batch_rank + 1))
    indices: Any = rng.integers(-2, 7, [*batch[:last], len(indexed), *batch[last:]])
    indices = indices.astype(np.int32) if seed % 3 else np.abs(indices).astype(np.uint8)
    places = rng.permutation(batch_rank + len(kept))[: len(kept)]
    offsets = sorted(int(place) for place in places)
    out = np.zeros(batch_rank + len(kept), int)
    out[offsets] = [sizes[d] for d in kept]
    outer = [d for d in range(len(out)) if d not in offsets]
    out[outer] = batch
    numbers = (
        f"offset_dims = {offsets}, collapsed_slice_dims = {collapsed}, start_index_map = {indexed},"
        f" index_vector_dim = {last}"
    )
    if batched:
        at = 0 if last else 1
        numbers += f", operand_batching_dims = [0], start_indices_batching_dims = [{at}]"
    text = _text(x, indices, out.tolist(), ", ".join(map(str, sizes)), numbers)
    wanted = np.zeros(out, np.float32)
    vectors = np.moveaxis(indices, last, -1)
    for place in np.ndindex(*out):
        start = [0] * x.ndim
        vector = vectors[tuple(place[d] for d in outer)]
        for dim, index in zip(indexed, vector.tolist(), strict=True):
            start[dim] = min(max(index, 0), x.shape[dim] - sizes[dim])
        if batched:
            start[0] = place[outer[0]]
        for dim, offset in zip(kept, offsets, strict=True):
            start[dim] += place[offset]
        wanted[place] = x[tuple(start)]
    return RandomGather(text, x, indices, wanted)
