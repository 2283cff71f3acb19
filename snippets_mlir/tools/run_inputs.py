"""The arguments of `snippets-run`: arrays from files, and random numbers for the rest.

Random floats are normally distributed, bools have even odds, and integers are from -100 to 99 (0 to
9 for ONNX models, whose integers are mostly indices). A dynamic dim is 1 unless `--shape` or a file
says otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from zipfile import BadZipFile

import numpy as np

from snippets_mlir.runtime.arguments.arrays import Array, TensorSpec
from snippets_mlir.support.errors import CompileError

STDIN = "<stdin>"
"""The name of standard input in messages."""


def source_of(model: str) -> Path | str:
    """The model that the command line names: a file, or the MLIR text of standard input for `-`.

    Raises:
        CompileError: standard input is not UTF-8 text, for example an ONNX model.
    """
    if model != "-":
        return Path(model)
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        hint = f"expected MLIR text: {error.reason}; an ONNX model has to be a file"
        raise CompileError(hint, file=STDIN) from None
    return text + "\n"  # a string with a line break is not a path


def named_input(file: str | None, model: str | None) -> tuple[str | None, str | None]:
    """The file of an error and the model, with standard input by its name."""
    if model != "-":
        return file, model
    return STDIN if file == "<string>" else file, STDIN


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


def read_archives(
    written: Sequence[str], names: Sequence[str]
) -> tuple[list[str], dict[str, Array]]:
    """The arguments of `--input` that are not archives, and the arrays in the archives.

    An archive is a file `.npz` with inputs by name. If several archives have a name, the last one
    counts.

    Raises:
        CompileError: a file cannot be read, or a name in it is not an input of the program.
    """
    pairs: list[str] = []
    arrays: dict[str, Array] = {}
    for text in written:
        if "=" in text or not text.endswith(".npz"):
            pairs.append(text)
            continue
        try:
            with np.load(Path(text), allow_pickle=False) as archive:
                found: dict[str, Array] = dict(archive)
        except OSError as error:
            raise CompileError(f"cannot read it: {error.strerror}", file=text) from None
        except (ValueError, EOFError, BadZipFile) as error:
            raise CompileError(f"not an .npz file: {error}", file=text) from None
        for name in found:
            split_pairs(f"--input {text}", [f"{name}={text}"], names)
        arrays |= found
    return pairs, arrays


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
    """A random array for an input; CompileError if it has no random values, or no memory."""
    if spec.dtype.kind == "O":
        raise CompileError(f"input {spec.name!r}: give it by --input, it has no random values")
    try:
        return _drawn(rng, spec.dtype, shape, indices=indices)
    except (MemoryError, ValueError) as error:  # ValueError: more bytes than the address space
        sizes = "x".join(map(str, shape))
        raise CompileError(
            f"input {spec.name!r}: no memory for {sizes} random values of {spec.dtype}: {error}"
        ) from None


def _drawn(
    rng: np.random.Generator, dtype: np.dtype[Any], shape: Sequence[int], *, indices: bool
) -> Array:
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low, high = (0, 10) if indices else (0 if dtype.kind == "u" else -100, 100)
        return rng.integers(low, high, shape).astype(dtype)
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def _typed(array: Array, spec: TensorSpec) -> Array:
    """An array from a file; its format has no name for bfloat16, only its number of bytes."""
    if array.dtype.kind == "V" and array.dtype.itemsize == spec.dtype.itemsize:
        return array.view(spec.dtype)
    return array


def make_inputs(
    specs: Sequence[TensorSpec],
    files: Mapping[str, str],
    shapes: Mapping[str, str],
    seed: int,
    *,
    indices: bool,
    archived: Mapping[str, Array] | None = None,
) -> list[Array]:
    """One array for each input: from its file, else from an archive, else random."""
    rng = np.random.default_rng(seed)
    arrays: list[Array] = []
    for spec in specs:
        if spec.name in files:
            arrays.append(_typed(read_array(spec.name, files[spec.name]), spec))
            continue
        if archived is not None and spec.name in archived:
            arrays.append(_typed(archived[spec.name], spec))
            continue
        shape = tuple(1 if size is None else size for size in spec.shape or ())
        if spec.name in shapes:
            shape = read_shape(spec.name, shapes[spec.name], spec)
        arrays.append(random_array(rng, spec, shape, indices=indices))
    return arrays
