"""Functions of NumPy arrays on the chunks of Dask arrays, through kernels.

    from snippets_mlir.dask import apply_gufunc, map_blocks, reduction

    y = map_blocks(lambda x: np.tanh(x) * 2, x)
    s = apply_gufunc(softmax, "(i)->(i)", x)  # rechunks axis i where it has several chunks
    t = reduction(lambda b, axis, keepdims: (b * b).sum(axis, keepdims=keepdims), x, axis=0)

All three are lazy and make a Dask graph. The function is traced for the shapes of the chunks when
the graph is made; tasks hold the modules as text (`block_function.py`). A kernel runs on one thread
unless `num_threads` says otherwise, because Dask runs one task per thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from snippets_mlir.integrations.block_function import Shape
from snippets_mlir.integrations.block_tracing import Traced, trace_blocks
from snippets_mlir.integrations.gufunc_signatures import parse_signature
from snippets_mlir.support.errors import CompileError


def map_blocks(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """An elementwise function of arrays, chunk by chunk.

    Args:
        function: of NumPy arrays; its result has the shape to which the arguments broadcast.
        *args: arrays of Dask or NumPy, and numbers of Python, which are constants of the kernel.
            Arrays broadcast, and their chunks are unified as Dask does.
        **options: of `snippets_mlir.compile`; `num_threads` is 1 by default.

    Returns:
        An array of Dask.

    Raises:
        CompileError: what cannot be compiled, with the user's file and line.
        ValueError: a chunk size is unknown, or the result has another shape.
    """
    signature = ",".join("()" for arg in args if _is_array(arg)) + "->()"
    return apply_gufunc(function, signature, *args, **options)


def apply_gufunc(function: Callable[..., Any], signature: str, *args: Any, **options: Any) -> Any:
    """A function of the last axes of arrays, for all places of the other axes.

    Args:
        function: of NumPy arrays whose last axes are the axes of the signature.
        signature: as NumPy's, such as `(i)->(i)` or `(i,k),(k,j)->(i,j)`, for the arguments that
            are arrays. Only the axes that it names are rechunked, if they have several chunks.
        *args: as in `map_blocks`.
        **options: as in `map_blocks`.

    Returns: A Dask array, or a tuple of them if the signature has several results.

    Raises:
        CompileError: what cannot be compiled, with the user's file and line.
        ValueError: a wrong signature, an unknown chunk size, or results of other shapes.
    """
    arrays, call = _arrays(function, args)
    inputs, outputs = parse_signature(signature)
    if len(arrays) != len(inputs):
        raise ValueError(f"'{signature}' is for {len(inputs)} arrays, found {len(arrays)}")
    for array, core in zip(arrays, inputs, strict=True):
        if array.ndim < len(core):
            raise ValueError(f"'{signature}' has {len(core)} axes for an array of {array.ndim}")
    arrays = [_in_one_chunk(a, len(core)) for a, core in zip(arrays, inputs, strict=True)]
    indices = [_loop(a.ndim - len(c)) + c for a, c in zip(arrays, inputs, strict=True)]
    arrays, places = _blocks(arrays, indices)
    traced = _trace(call, places, arrays, options)
    loop = _loop(max(a.ndim - len(c) for a, c in zip(arrays, inputs, strict=True)))
    sizes = _new_sizes(signature, [loop + c for c in outputs], places, traced)
    dtypes = traced.dtypes if len(outputs) > 1 else traced.dtypes[0]
    return _dask().apply_gufunc(
        traced.function, signature, *arrays, output_dtypes=dtypes, output_sizes=sizes
    )


def reduction(
    function: Callable[..., Any],
    *args: Any,
    combine: Callable[..., Any] = np.sum,
    axis: int | Sequence[int] | None = None,
    keepdims: bool = False,
    split_every: int | None = None,
    **options: Any,
) -> Any:
    """A reduction of each chunk by a kernel, and of their results by a tree of Dask.

    Args:
        function: called with blocks, `axis` (a tuple) and `keepdims=True`; reduces these axes.
        *args: as in `map_blocks`.
        combine: `np.sum`, `np.max` or a similar function of NumPy; combines results of blocks.
        axis: the axes that are reduced; None for all.
        keepdims: keep them with size 1.
        split_every: the number of results that one task combines, as in Dask.
        **options: as in `map_blocks`.

    Returns:
        An array of Dask.

    Raises:
        CompileError: what cannot be compiled, with the user's file and line.
        ValueError: an unknown chunk size, or results of other shapes.
    """
    arrays, call = _arrays(function, args)
    rank = max(a.ndim for a in arrays)
    axes = tuple(sorted(normalize_axis_tuple(range(rank) if axis is None else axis, rank)))
    loop = _loop(rank)
    indices = [_loop(a.ndim) for a in arrays]
    arrays, places = _blocks(arrays, indices)
    traced = _trace(partial(call, axis=axes, keepdims=True), places, arrays, options)
    reduced = {loop[a]: 1 for a in axes}
    for shapes, sizes in places.items():
        expected = tuple(reduced.get(name, sizes[name]) for name in loop)
        if traced.results[shapes] != (expected,):
            raise ValueError(
                f"the function of blocks of shapes {shapes} gives shapes "
                f"{traced.results[shapes]}, a reduction of the axes {axes} gives {(expected,)}"
            )
    pairs = [item for pair in zip(arrays, indices, strict=True) for item in pair]
    (dtype,) = traced.dtypes
    parts: Any = _dask().blockwise(
        traced.function, loop, *pairs, adjust_chunks=reduced, dtype=dtype, align_arrays=False,
        meta=np.empty((0,) * rank, dtype),
    )  # fmt: skip
    last = np.asarray(combine(np.ones((1,) * rank, dtype), axis=axes, keepdims=True)).dtype
    meta = np.empty((0,) * (rank if keepdims else rank - len(axes)), last)
    return _dask().reduction(
        parts, chunk=_same, aggregate=combine, axis=axes, keepdims=keepdims, dtype=last,
        split_every=split_every, meta=meta,
    )  # fmt: skip


def _dask() -> Any:
    """The package `dask.array`.

    Raises:
        CompileError: it is not installed.
    """
    try:
        return import_module("dask.array")
    except ImportError as error:
        raise CompileError(
            f"Dask is not installed: pip install 'snippets-mlir[dask]' ({error})"
        ) from None


def _same(x: Any, axis: Any, keepdims: bool) -> Any:
    """Return a block that a kernel has already reduced."""
    return x


def _is_array(arg: Any) -> bool:
    """Whether an argument is an array, which has chunks, not a number of Python."""
    return hasattr(arg, "shape")


def _arrays(function: Any, args: Sequence[Any]) -> tuple[list[Any], Callable[..., Any]]:
    """The arguments that are arrays, as Dask's, and the function of these."""
    arrays = [_dask().asarray(arg) for arg in args if _is_array(arg)]
    if not arrays:
        raise ValueError("expected an array among the arguments")
    for array in arrays:
        if any(size != size for size in array.shape):
            raise ValueError("the chunk sizes of an array are unknown: call compute_chunk_sizes()")

    def call(*blocks: Any, **kwargs: Any) -> Any:
        left = iter(blocks)
        return function(*[next(left) if _is_array(arg) else arg for arg in args], **kwargs)

    return arrays, call


def _loop(rank: int) -> tuple[str, ...]:
    """Names of axes that broadcast, which are counted from the last."""
    return tuple(f"{place} from the end" for place in range(rank, 0, -1))


def _in_one_chunk(array: Any, core: int) -> Any:
    """The array with its last `core` axes in one chunk each."""
    last = [axis for axis in range(array.ndim - core, array.ndim) if array.numblocks[axis] > 1]
    return array.rechunk(dict.fromkeys(last, -1)) if last else array


def _blocks(
    arrays: Sequence[Any], indices: Sequence[tuple[str, ...]]
) -> tuple[list[Any], dict[tuple[Shape, ...], Mapping[str, int]]]:
    """The arrays with unified chunks; and a map from the shapes of blocks that are computed
    together to the size of each axis.
    """
    pairs = [item for pair in zip(arrays, indices, strict=True) for item in pair]
    found: dict[str, int] = {}
    for name, size in (p for a, n in zip(arrays, indices, strict=True) for p in zip(n, a.shape)):
        if size != 1 and found.setdefault(name, size) != size:
            raise ValueError(f"arrays do not broadcast: axis {name} has {found[name]} and {size}")
    chunks, unified = import_module("dask.array.core").unify_chunks(*pairs)

    def places() -> Iterator[tuple[tuple[Shape, ...], Mapping[str, int]]]:
        for sizes in product(*(dict.fromkeys(chunks[name]) for name in chunks)):
            size = dict(zip(chunks, sizes, strict=True))
            yield (
                tuple(
                    tuple(1 if n == 1 else size[k] for n, k in zip(a.shape, names, strict=True))
                    for a, names in zip(unified, indices, strict=True)
                ),
                size,
            )

    return unified, dict(places())


def _trace(
    call: Callable[..., Any],
    places: Mapping[tuple[Shape, ...], Any],
    arrays: Sequence[Any],
    options: Mapping[str, Any],
) -> Traced:
    """The function on blocks; a kernel has one thread unless the options say more."""
    return trace_blocks(call, places, [a.dtype for a in arrays], {"num_threads": 1, **options})


def _new_sizes(
    signature: str,
    outputs: Sequence[tuple[str, ...]],
    places: Mapping[tuple[Shape, ...], Mapping[str, int]],
    traced: Traced,
) -> dict[str, int]:
    """The sizes of axes that occur only in results; checks the shapes of all results."""
    new: dict[str, int] = {}
    for shapes, sizes in places.items():
        results = traced.results[shapes]
        for result, names in zip(results, outputs, strict=False):
            for size, name in zip(result, names, strict=False):
                if name not in sizes:
                    new.setdefault(name, size)
        expected = tuple(tuple({**new, **sizes}.get(n, -1) for n in names) for names in outputs)
        if results != expected:
            raise ValueError(
                f"the function of blocks of shapes {shapes} gives shapes {results}, "
                f"'{signature}' says {expected}"
            )
    return new
