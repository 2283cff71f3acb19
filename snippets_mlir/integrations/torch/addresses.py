"""Calls of a program on the memory of tensors, by its addresses.

    call = call_at_addresses(program, inputs, outputs, otherwise)
    call(x, y)                    as otherwise(x, y), with less work for small tensors

Arrays of NumPy on the memory of tensors cost more to make than a small kernel takes. So where a
program has known sizes and a table of steps, tensors are compared with what the program was
compiled for (sizes, strides, type, alignment), and machine code gets their addresses
(`codegen/stubs/call_addresses.py`). Results of less than 8 MiB are torch's; larger ones go the
other way, for the memory that the program keeps for them (`runtime/pool.py`).

The function is written as text for the number of tensors, since a loop over them takes as long as
the kernel. For `silu(x) * y` of 64 elements it is

    def call(x0, x1):
        x0_at = x0.data_ptr()
        x1_at = x1.data_ptr()
        if not (
            x0.shape == x0_shape and x0.stride() == x0_stride and x0.dtype is x0_dtype
            and x1.shape == ...
            and not (x0_at | x1_at) & misaligned
        ):
            return otherwise(x0, x1)
        y0 = empty(y0_shape, y0_stride, y0_dtype)
        y0_at = y0.data_ptr()
        if run(x0_at, x1_at, y0_at) is TAKEN:
            again(x0_at, x1_at, y0_at)
        return y0
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

from snippets_mlir.driver import Compiled
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.runtime.c_function import TAKEN
from snippets_mlir.runtime.pool import SMALL

Function = Callable[..., Any]


class Wanted(NamedTuple):
    """What a tensor was compiled for: the sizes and strides of its dims, and its element type."""

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any

    @staticmethod
    def of(value: Any) -> Wanted | None:
        """Of a fake tensor; None for one whose memory cannot go by its address.

        That is if a size is not known, there are no elements, or the memory is not dense, of
        another device, or has the negatives of the elements.
        """
        shape, stride = tuple(value.shape), tuple(value.stride())
        if not all(type(size) is int for size in (*shape, *stride)):
            return None
        if value.device.type != "cpu" or value.is_neg():
            return None
        dense = 1
        for step, size in sorted(zip(stride, shape, strict=True)):
            if size != 1 and step != dense:
                return None
            dense *= size
        return Wanted(shape, stride, value.dtype) if prod(shape) else None


def call_at_addresses(
    program: Compiled, inputs: Sequence[Any], outputs: Sequence[Any], otherwise: Function
) -> Function:
    """A function that calls `program` by addresses where it can.

    Args:
        program: what is called.
        inputs: for each input the fake tensor that it was compiled for.
        outputs: the same for results.
        otherwise: calls it with other tensors; returned where no tensors can go by addresses.

    Returns:
        A function that returns a tensor if there is one result, else a tuple.
    """
    known = [one for value in inputs if (one := Wanted.of(value))]
    made = [one for value in outputs if (one := Wanted.of(value))]
    if len(known) < len(inputs) or len(made) < len(outputs):
        return otherwise
    if (
        not isinstance(program, StaticProgram)
        or not (of := program.build_for(()).program).has_table
    ):
        return otherwise
    if max(prod(one.shape) * one.dtype.itemsize for one in made) >= SMALL:
        return otherwise
    parts: dict[str, Any] = {
        "__name__": __name__,
        "empty": _empty(),
        "misaligned": max(one.dtype.itemsize for one in (*known, *made)) - 1,
        "otherwise": otherwise,
        "run": of.first_network().run_at,
        "again": of.call_at,
        "TAKEN": TAKEN,
    }
    for kind, some in (("x", known), ("y", made)):
        for index, one in enumerate(some):
            parts |= {f"{kind}{index}_{field}": value for field, value in one._asdict().items()}
    exec(_text(len(known), len(made)), parts)
    return parts["call"]


def _text(inputs: int, outputs: int) -> str:
    """The function `call` for a number of tensors and results."""
    xs, ys = ([f"{kind}{i}" for i in range(n)] for kind, n in (("x", inputs), ("y", outputs)))
    given, results = ", ".join(xs), ", ".join(ys)
    addresses = ", ".join(f"{name}_at" for name in (*xs, *ys))
    checks = [
        f"{x}.shape == {x}_shape and {x}.stride() == {x}_stride and {x}.dtype is {x}_dtype"
        for x in xs
    ]
    bits = " | ".join(f"{x}_at" for x in xs) or "0"
    lines = [
        f"def call({given}):",
        *(f" {x}_at = {x}.data_ptr()" for x in xs),
        f" if not ({' and '.join((*checks, f'not ({bits}) & misaligned'))}):",
        f"  return otherwise({given})",
        *(f" {y} = empty({y}_shape, {y}_stride, {y}_dtype)" for y in ys),
        *(f" {y}_at = {y}.data_ptr()" for y in ys),
        f" if run({addresses}) is TAKEN:",
        f"  again({addresses})",
        f" return {results}",
    ]
    return "\n".join(lines)


def _empty() -> Function:
    """A new tensor of sizes, strides and an element type, on the CPU."""
    quick = getattr(import_module("torch._C._dynamo.guards"), "_empty_strided_cpu", None)
    if quick is not None:
        return quick
    empty = load_torch().empty_strided

    def make(shape: Any, stride: Any, dtype: Any) -> Any:
        return empty(shape, stride, dtype=dtype, device="cpu")

    return make
