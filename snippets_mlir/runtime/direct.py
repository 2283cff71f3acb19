"""The short way through a call: one kernel, and arrays that need no copy.

A program that is one kernel on its inputs needs no storage plan. When every array of the call is
exactly what the kernel reads (right type and shape, dense, aligned, nothing overlapping), its
addresses go straight to the kernel; anything else is left to the checked way, which copies or
says what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import addressof, c_char, c_void_p
from typing import Any, cast

import numpy as np

from snippets_mlir.runtime.arrays import Array, TensorSpec
from snippets_mlir.runtime.pool import OutputPool
from snippets_mlir.runtime.program import Program, address_of
from snippets_mlir.runtime.scratch import ScratchPool
from snippets_mlir.runtime.threads import launch


class DirectCall:
    """Calls the one kernel of a program; made by `direct_call`."""

    def __init__(
        self,
        specs: Sequence[TensorSpec],
        inputs: int,
        kernel: int,
        facts: tuple[int, int, int],
        pool: OutputPool,
        scratch: int,
    ) -> None:
        """`specs` in the order of the kernel's arrays; `facts` are domain, grain and team.

        `scratch` is how many bytes the whole team needs.
        """
        self._pool = pool
        self._expected = [
            (s.dtype, s.static_shape, int(np.prod(s.static_shape)) * s.dtype.itemsize)
            for s in specs
        ]
        self._inputs = inputs
        self._kernel = kernel
        self._facts = facts
        self._block = c_void_p * len(specs)
        self._scratch = ScratchPool(scratch) if scratch else None

    def fresh(self) -> list[Array]:
        """New arrays for the outputs."""
        expected = self._expected[self._inputs :]
        return [self._pool.empty(shape, dtype) for dtype, shape, _ in expected]

    def __call__(self, arrays: Sequence[object], out: object) -> bool:
        """Run into `out` and return True, or do nothing and return False."""
        if type(out) is np.ndarray:
            every = (*arrays, cast("object", out))
        elif isinstance(out, tuple | list):
            every = (*arrays, *cast("Sequence[object]", out))
        else:
            return False
        if len(every) != len(self._expected):
            return False
        spans: list[tuple[int, int]] = []
        for array, (dtype, shape, size) in zip(every, self._expected, strict=True):
            if type(array) is not np.ndarray:
                return False
            given = cast("Array", array)
            if given.dtype != dtype or given.shape != shape:
                return False
            flags = given.flags
            if not flags.carray and (len(spans) >= self._inputs or not flags.c_contiguous):
                return False
            if not flags.aligned:
                return False
            # Through the buffer protocol an address costs a quarter; it needs a writable array of
            # at least one byte.
            buffer: Any = given
            is_plain = flags.carray and size
            start = addressof(c_char.from_buffer(buffer)) if is_plain else address_of(given)
            spans.append((start, start + size))
        if self._overlap(spans):
            return False
        data = self._block(*[start for start, _ in spans])
        if self._scratch is None:
            launch(self._kernel, addressof(data), 0, 0, *self._facts)
            return True
        block = self._scratch.borrow()
        try:
            launch(self._kernel, addressof(data), 0, block[0], *self._facts)
        finally:
            self._scratch.give_back(block)
        return True

    def _overlap(self, spans: Sequence[tuple[int, int]]) -> bool:
        """Whether an output shares a byte with another array."""
        for i in range(self._inputs, len(spans)):
            start, end = spans[i]
            for other_start, other_end in spans[:i]:
                if start < other_end and other_start < end:
                    return True
        return False


def direct_call(
    program: Program, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> DirectCall | None:
    """The short way for `program`, or None when it is more than one kernel on its inputs."""
    manifest: Any = program.manifest
    steps = manifest["steps"]
    if len(steps) != 1 or steps[0]["kind"] != "kernel" or not steps[0]["domain"]:
        return None
    step = steps[0]
    by_value = {d["value"]: spec for d, spec in zip(manifest["inputs"], inputs, strict=True)}
    if list(by_value) != step["inputs"] or program.storage.slots:
        return None
    if [d["value"] for d in manifest["outputs"]] != step["outputs"]:
        return None
    facts = (step["domain"], step["grain"], program.teams[0])
    kernel = program.addresses[step["symbol"]]
    scratch = program.storage.scratch
    return DirectCall([*inputs, *outputs], len(inputs), kernel, facts, program.pool, scratch)
