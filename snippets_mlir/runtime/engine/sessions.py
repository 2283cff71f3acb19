"""onnxruntime sessions: whole models, and the regions between kernels.

A session has the dynamic dims of its model, may be run from several threads at once, and lives as
long as the program. `opening.py` makes sessions. They run inside `ENGINE`, so that no fork happens
meanwhile; `forked_sessions.py` describes what a child does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.codegen.locks import ENGINE
from snippets_mlir.runtime.engine.bf16_runs import has_bf16, run_bf16
from snippets_mlir.runtime.engine.taken_results import Wanted, taken

if TYPE_CHECKING:
    import numpy as np

    from snippets_mlir.runtime.arguments.arrays import Array
    from snippets_mlir.runtime.manifests.manifest import Value
    from snippets_mlir.runtime.memory.pool import OutputPool

BOUND_BYTES = 64 << 10
"""Results of at least this many bytes are written directly to their place; binding takes ten
microseconds.
"""

NUMBERS = "biuf"
"""Kinds of dtypes that both onnxruntime and NumPy know, without `ml_dtypes`."""


@dataclass(eq=False)
class Session:
    """One session, with arrays in the order of the model's inputs and outputs.

    Never copied: a forked child finds the sessions that it has to reopen by identity.

    Attributes:
        inputs: the names of the inputs, without tables.
        outputs: the names of the outputs.
        types: the types of the outputs, in ONNX's syntax: `tensor(float)`, `seq(tensor(int64))`.
        shapes: inferred sizes of the outputs, if known; also empty for an unknown rank.
        run_named: onnxruntime's `run(output names, {input name: array}, None)`, which checks the
            names and arrays in C++.
        bound: onnxruntime's `io_binding` and `run_with_iobinding`, None: results are copies.
        model: for a region, the serialised model without its large constants.
        weights: the constants with data outside of it, each with the key of its tensor.
        tables: constants that are inputs of the model, so that onnxruntime does not copy them.
        bytes: the size of its model, without external data.
        renew: in a child, opens its own session, to which `run_named` belongs from then on.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    types: tuple[str, ...]
    run_named: Callable[[Sequence[str], dict[str, Any], None], list[Any]]
    bound: tuple[Callable[[], Any], Callable[[Any], None]] | None = None
    model: bytes | None = None
    weights: Mapping[str, str] = field(default_factory=dict[str, str])
    tables: Mapping[str, Array] = field(default_factory=dict[str, "Array"])
    bytes: int = 0
    renew: Callable[[], None] | None = None
    shapes: tuple[tuple[int | str | None, ...], ...] = ()

    def __call__(self, arrays: Sequence[Array]) -> list[Array]:
        """Run on `arrays`; new arrays come out.

        Raises:
            ValueError: onnxruntime refuses the arrays, for their shapes for example.
        """
        feed = {n: dense(a) for n, a in zip(self.inputs, arrays, strict=True)}
        return self.run(feed)

    def run(self, feed: dict[str, Any]) -> list[Array]:
        """Run on dense arrays by name; raises as a call does, and CompileError as `renew` does."""
        if self.renew is not None:
            self.renew()
        given = {**feed, **self.tables}
        try:
            if self.bound is not None and has_bf16(self.types, given):
                return run_bf16(self.bound, given, self.outputs)
            return ENGINE.run(self.run_named, self.outputs, given, None)
        except Exception as error:  # onnxruntime has an exception class per status code
            text = re.sub(r"\s+", " ", str(error)).strip()
            raise ValueError(f"onnxruntime: {text}{_shapes(feed)}") from None

    def run_into(
        self, arrays: Sequence[Array], results: Sequence[Array | Wanted]
    ) -> list[Array] | None:
        """Run on `arrays`, and write the results directly to their place.

        A result of `run` is a copy of the session's result.

        Args:
            arrays: the inputs.
            results: dense arrays with the types and shapes of the outputs, or only types and
                shapes: then onnxruntime allocates the memory.

        Returns: The results; None if it did not run: the contents of `results` are then undefined.
        """
        if self.renew is not None:
            self.renew()
        if self.bound is None:
            return None
        if any(want.dtype.kind not in NUMBERS or 0 in want.shape for want in results):
            return None
        bind, run = self.bound
        held = [dense(array) for array in arrays]
        try:
            binding = bind()
            self.bind_tables(binding)
            for name, array in zip(self.inputs, held, strict=True):
                binding.bind_cpu_input(name, array)
            for name, want in zip(self.outputs, results, strict=True):
                if isinstance(want, Wanted):
                    binding.bind_output(name, "cpu")
                    continue
                address = want.__array_interface__["data"][0]
                binding.bind_output(name, "cpu", 0, want.dtype.type, want.shape, address)
            ENGINE.run(run, binding)
            found = binding.get_outputs() if any(isinstance(r, Wanted) for r in results) else ()
            return [
                taken(found[i], want) if isinstance(want, Wanted) else want
                for i, want in enumerate(results)
            ]
        except Exception:  # `run` reports the error
            return None

    def bind_tables(self, binding: Any) -> None:
        """Bind the tables to an `io_binding`, which reads them in place."""
        for name, array in self.tables.items():
            address = array.__array_interface__["data"][0]
            binding.bind_input(name, "cpu", 0, array.dtype.type, array.shape, address)


def results_for(
    values: Sequence[Value], dtypes: Sequence[np.dtype[Any]], pool: OutputPool
) -> list[Array] | None:
    """Memory for `run_into`, or None: it is too small to pay off, has an unknown shape, or has
    other elements than numbers.
    """
    shapes: list[tuple[int, ...]] = []
    for value, dtype in zip(values, dtypes, strict=True):
        shape = tuple(s for s in value["shape"] or () if s)  # neither unknown nor empty
        if value["shape"] is None or len(shape) != len(value["shape"]) or dtype.kind not in NUMBERS:
            return None
        shapes.append(shape)
    if sum(prod(s) * t.itemsize for s, t in zip(shapes, dtypes, strict=True)) < BOUND_BYTES:
        return None
    return [pool.empty(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]


def _shapes(feed: Mapping[str, Any]) -> str:
    """The shapes of the first arrays of a call, in words; empty for no arrays."""
    arrays = [(name, array.shape) for name, array in feed.items() if hasattr(array, "shape")]
    words = [f"{name} {'x'.join(map(str, shape)) or 'scalar'}" for name, shape in arrays[:6]]
    more = [f"{len(arrays) - 6} more"] if len(arrays) > 6 else []
    return f" (inputs {', '.join(words + more)})" if words else ""


def dense(value: Any) -> Any:
    """An array in the form for onnxruntime; other values unchanged."""
    import numpy as np

    if not isinstance(value, np.ndarray):
        return value
    return np.require(cast("Array", value), requirements=["C", "A"])
