"""`snippets-run` for a function on memrefs.

The outputs are the results, followed by every memref argument that the function may write, under
the argument's name. `--verify` and `--bench` compare with the interpreter. The interpreter runs the
source or, if a pass gave the function other arguments or results, the output of that pass.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.memrefs.program import MemRefProgram
    from snippets_mlir.inspect.compare import Difference
    from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec
    from snippets_mlir.runtime.memref_calls.specs import MemRefSpec
    from snippets_mlir.tools.run_bench import Bench

TOLERANCE = 1e-5
"""The tolerance: sums may have another order than in the interpreter."""

Output = tuple["TensorSpec", "Array", "Difference | None"]


def strided_copy(given: MemRefSpec, array: Array) -> Any:
    """`array` with the strides of its type; a scalar as a number."""
    if given.scalar:
        return array[()]
    strides = [
        dense // array.itemsize if wanted is None else wanted
        for wanted, dense in zip(given.strides, array.strides, strict=True)
    ]
    if given.dense or 0 in array.shape or any(stride < 0 for stride in strides):
        return array.copy()
    reach = sum((n - 1) * s for n, s in zip(array.shape, strides, strict=True))
    memory = np.zeros(reach + 1, array.dtype)
    copy = np.lib.stride_tricks.as_strided(
        memory, array.shape, [s * array.itemsize for s in strides]
    )
    copy[...] = array
    return copy


def reference(program: MemRefProgram, values: Sequence[Any]) -> list[Array]:
    """The interpreter's values: the results, then the written arguments."""
    results = program.interpreted(values)
    return [np.asarray(result) for result in results] + written(program, values)


def written(program: MemRefProgram, values: Sequence[Any]) -> list[Array]:
    """The arguments that the function may have changed."""
    specs = cast("Sequence[MemRefSpec]", program.inputs)
    return [v for given, v in zip(specs, values, strict=True) if given.written]


def tell_reference(entry: str, last: str | None) -> None:
    """Print a remark on standard error: the reference is not the source but the IR after pass
    `last`.
    """
    if last is not None:
        print(
            f"remark: results are compared with those of the IR after pass '{last}', which gave "
            f"@{entry} other arguments or results",
            file=sys.stderr,
        )


def run_memrefs(
    args: Namespace, program: MemRefProgram, arrays: Sequence[Array]
) -> tuple[list[Output], Bench | None]:
    """Call the function once; returns its outputs, each with its difference if requested."""
    from snippets_mlir.inspect.compare import compare
    from snippets_mlir.tools.run_bench import measure

    specs = cast("Sequence[MemRefSpec]", program.inputs)

    def fresh() -> list[Any]:
        return [strided_copy(given, a) for given, a in zip(specs, arrays, strict=True)]

    values = fresh()
    try:
        results = program(*values)
    except (TypeError, ValueError) as error:  # of the arguments, or of an access out of bounds
        raise CompileError(str(error)) from error
    several = () if results is None else results if isinstance(results, tuple) else (results,)  # pyright: ignore[reportUnknownVariableType]
    found = [np.asarray(result) for result in cast("tuple[Any, ...]", several)]
    found += written(program, values)
    names = [*program.outputs, *(given for given in specs if given.written)]
    differences: list[Difference | None] = [None] * len(found)
    if args.verify or args.bench:
        tell_reference(program.source.entry, program.reference()[1])
    if args.verify:
        expected = reference(program, fresh())
        differences = [
            compare(a, b, TOLERANCE if a.dtype.kind == "f" else None)
            for a, b in zip(found, expected, strict=True)
        ]
    bench = None
    if args.bench:
        own, peer = fresh(), fresh()
        bench = measure(lambda: program(*own), lambda: reference(program, peer), "the interpreter")
    return list(zip(names, found, differences, strict=True)), bench
