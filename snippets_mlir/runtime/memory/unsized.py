"""Values of a program that have no size before a step has run: *unsized* values.

    %n = NonZero(%x)      int64[2, ?]: the data decide how many columns there are
    %t = Transpose(%n)    int64[?, 2]

Lists from onnxruntime, strings, and views of unsized values are also unsized. They have no place in
the table of a network: the steps that make them allocate their memory, and the network holds them
as objects (`unsized_steps.py`) until the last reader has run, or for the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.size_text import size_from
from snippets_mlir.runtime.manifests.manifest import Manifest, Value
from snippets_mlir.runtime.memory.frame import roots_of


class Unsized(NamedTuple):
    """A program's description of an unsized value.

    Attributes:
        dtype: the type of its elements; any type for objects.
        shape: the numbers of its sizes, None for an unknown size; None: any rank.
    """

    dtype: np.dtype[Any]
    shape: tuple[int | None, ...] | None


def unsized_values(manifest: Manifest, described: Sequence[object]) -> frozenset[int]:
    """The unsized values of a program.

    Args:
        manifest: the program.
        described: None for each value that is not an array of a size known in a call.
    """
    pairs = enumerate(roots_of(manifest))
    return frozenset(v for v, r in pairs if described[v] is None or described[r] is None)


def unsized_of(value: Value, dtype: np.dtype[Any], number: Callable[[Dim], int]) -> Unsized:
    """The manifest's description of an unsized value; `number` numbers its sizes."""
    if value["shape"] is None:
        return Unsized(dtype, None)
    sizes = (None if size is None else number(size_from(size)) for size in value["shape"])
    return Unsized(dtype, tuple(sizes))


def is_walkable(manifest: Manifest, unsized: Collection[int]) -> bool:
    """Whether only steps that Python runs, and the caller after them, touch unsized values.

    A program without kernels gains nothing from a table: its sessions hand arrays on.
    """
    if not unsized:
        return True
    steps = manifest["steps"]
    compiled = [step for step in steps if step["kind"] in ("kernel", "check")]
    touched = {v for step in compiled for v in (*step["inputs"], *step["outputs"])}
    given = {value["value"] for value in (*manifest["inputs"], *manifest["constants"])}
    has_kernels = any(step["kind"] == "kernel" for step in steps)
    return has_kernels and not any(value in touched or value in given for value in unsized)
