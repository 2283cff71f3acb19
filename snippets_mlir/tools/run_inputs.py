"""The arrays that `snippets-run` calls a program with: files, and random numbers for the rest.

Random floats are normally distributed, bools are even odds, integers are drawn from -100 to 99 (0
to 9 for ONNX models, whose integers are mostly indices). A dynamic dim is 1 unless `--shape` or a
file says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from snippets_mlir.runtime.arrays import Array, TensorSpec
from snippets_mlir.support.errors import CompileError


def split_pairs(option: str, written: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """`NAME=VALUE` arguments as a dict; the names have to be inputs of the program."""
    pairs: dict[str, str] = {}
    for text in written:
        name, separator, value = text.rpartition("=")
        if not separator or not value:
            raise CompileError(f"{option} expects NAME=VALUE, found {text!r}")
        if name not in names:
            from snippets_mlir.support.diagnostics import close_match

            known = f"; the inputs are {', '.join(names)}" if names else "; there are none"
            raise CompileError(f"{option}: no input {name!r}{close_match(name, names) or known}")
        pairs[name] = value
    return pairs


def read_array(name: str, file: str) -> Array:
    """The array in an `.npy` file."""
    try:
        array: object = np.load(Path(file), allow_pickle=False)
    except OSError as error:
        raise CompileError(f"input {name!r}: cannot read it: {error.strerror}", file=file) from None
    except (ValueError, EOFError) as error:
        raise CompileError(f"input {name!r}: not an .npy file: {error}", file=file) from None
    if not isinstance(array, np.ndarray):
        raise CompileError(f"input {name!r}: expected one array, found an archive", file=file)
    return cast("Array", array)


def read_shape(name: str, text: str, spec: TensorSpec) -> tuple[int, ...]:
    """The shape that `--shape NAME=2x3` gives an input."""
    try:
        shape = tuple(int(size) for size in text.split("x"))
    except ValueError:
        raise CompileError(f"--shape expects NAME=2x3, found '{name}={text}'") from None
    if min(shape) < 0 or not spec.matches(shape):
        raise CompileError(f"--shape: {text} does not fit input {spec}")
    return shape


def random_array(
    rng: np.random.Generator, spec: TensorSpec, shape: Sequence[int], *, indices: bool
) -> Array:
    """A random array for an input."""
    dtype: np.dtype[Any] = spec.dtype
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low, high = (0, 10) if indices else (0 if dtype.kind == "u" else -100, 100)
        return rng.integers(low, high, shape).astype(dtype)
    if dtype.kind == "O":
        raise CompileError(f"input {spec.name!r}: give it by --input, it has no random values")
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def make_inputs(
    specs: Sequence[TensorSpec],
    files: Mapping[str, str],
    shapes: Mapping[str, str],
    seed: int,
    *,
    indices: bool,
) -> list[Array]:
    """One array for each input: from its file, or random."""
    rng = np.random.default_rng(seed)
    arrays: list[Array] = []
    for spec in specs:
        if spec.name in files:
            arrays.append(read_array(spec.name, files[spec.name]))
            continue
        shape = tuple(1 if size is None else size for size in spec.shape or ())
        if spec.name in shapes:
            shape = read_shape(spec.name, shapes[spec.name], spec)
        arrays.append(random_array(rng, spec, shape, indices=indices))
    return arrays
