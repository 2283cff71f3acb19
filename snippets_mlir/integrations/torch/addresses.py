"""Calls of a program on the memory of tensors, by its addresses.

    call = call_at_addresses(program, inputs, outputs, otherwise)
    call(x, y)                    as otherwise(x, y), with less work for small tensors

Making NumPy arrays on the memory of tensors takes longer than a small kernel. So if a program has
known sizes and a table of steps, tensors are compared with the compiled properties (sizes, strides,
type, alignment), and machine code gets their addresses (`codegen/stubs/call_addresses.py`). Results
of less than 8 MiB are in torch's memory. Larger results take the other path, to use the memory that
the program keeps for them (`runtime/memory/pool.py`).

If torch has a C function that describes a tensor (`descriptions.py`), machine code compares, and
only this remains in Python:

    def call(x0, x1):
        y0 = empty(y0_shape, y0_stride, y0_dtype)
        if run(x0, x1, y0) is TAKEN:
            return slower(x0, x1)
        return y0

Tensors that do not fit, and calls while another call runs, go to a function that distinguishes the
two cases, as do all calls with other versions of torch. Both functions are generated as text for
the number of tensors, since a loop over them takes as long as the kernel:

    def call(x0, x1):
        x0_at = x0.data_ptr()
        x1_at = x1.data_ptr()
        if not (
            x0_at and x0.shape == x0_shape and x0.stride() == x0_stride and x0.dtype is x0_dtype
            and x1_at and x1.shape == ...
            and not (x0_at | x1_at) & misaligned
        ):
            return otherwise(x0, x1)
        y0 = empty(y0_shape, y0_stride, y0_dtype)
        y0_at = y0.data_ptr()
        if run(x0_at, x1_at, y0_at) is TAKEN:
            again(x0_at, x1_at, y0_at)
        return y0

`call.in_tuple` is the same function with its results in a tuple, as a graph gives them, and has
their number as `results`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import prod
from typing import Any, NamedTuple

from snippets_mlir.driver import Compiled
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.integrations.torch.descriptions import describe_function, description
from snippets_mlir.integrations.torch.load import load_torch
from snippets_mlir.runtime.arguments.c_function import TAKEN, Plan, run_on_tensors
from snippets_mlir.runtime.memory.pool import SMALL

Function = Callable[..., Any]


class Wanted(NamedTuple):
    """The compiled properties of a tensor: the sizes and strides of its dims, and its element
    type.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: Any

    @staticmethod
    def of(value: Any) -> Wanted | None:
        """The properties of a fake tensor; None if its memory cannot be passed by address.

        This is the case if a size is unknown, there are no elements, or the memory is not dense, is
        on another device, or has the negated elements.
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
    """A function that calls `program` by addresses if possible.

    Args:
        program: the called program.
        inputs: for each input the fake tensor that it was compiled for.
        outputs: the same for results.
        otherwise: calls it with other tensors; returned if no tensors can be passed by address.

    Returns:
        A function that returns a tensor if there is one result, else a tuple.
    """
    known = [one for value in inputs if (one := Wanted.of(value))]
    made = [one for value in outputs if (one := Wanted.of(value))]
    if len(known) < len(inputs) or len(made) < len(outputs):
        return otherwise
    if (
        not isinstance(program, StaticProgram)
        or not (of := program.build_for(()).program).fills_outputs
    ):
        return otherwise
    if max(prod(one.shape) * one.dtype.itemsize for one in made) >= SMALL:
        return otherwise
    misaligned = max(one.dtype.itemsize for one in (*known, *made)) - 1
    network = of.first_network()
    parts: dict[str, Any] = {
        "__name__": __name__,
        "empty": _empty(),
        "misaligned": misaligned,
        "otherwise": otherwise,
        "run": network.run_at,
        "again": of.call_at,
        "TAKEN": TAKEN,
    }
    for kind, some in (("x", known), ("y", made)):
        for index, one in enumerate(some):
            parts |= {f"{kind}{index}_{field}": value for field, value in one._asdict().items()}
    counts = len(known), len(made)
    call = _made(_text_of_addresses, *counts, parts)
    if (run := _run_on_tensors(network.words, [*known, *made], misaligned)) is not None:
        call = _made(_text_of_tensors, *counts, {**parts, "run": run, "slower": call})
    return call


def _made(
    text: Callable[[int, int, str], str], inputs: int, outputs: int, parts: Mapping[str, Any]
) -> Function:
    """The function `call` in a text; its attribute `in_tuple` returns the results in a tuple."""
    plain, in_tuple = {**parts}, {**parts}
    exec(text(inputs, outputs, ""), plain)
    exec(text(inputs, outputs, "," if outputs == 1 else ""), in_tuple)
    in_tuple["call"].results = outputs
    plain["call"].in_tuple = in_tuple["call"]
    return plain["call"]


def _run_on_tensors(words: Plan, tensors: Sequence[Wanted], misaligned: int) -> Function | None:
    """The function that runs a network on tensors; None if torch has no function to describe
    them.
    """
    torch, found = load_torch(), [description(one.dtype, len(one.shape)) for one in tensors]
    told = [one for one in found if one is not None]
    if len(told) < len(tensors) or len({one.device for one in told}) != 1:
        return None
    if (describe := describe_function()) is None:
        return None
    pairs = zip(told, tensors, strict=True)
    wanted = [word for one, of in pairs for word in (one.kind, *of.shape, *of.stride)]
    classes = torch.Tensor, torch.nn.Parameter
    return run_on_tensors(words, describe, classes, told[0].device, misaligned, wanted)


def _names(inputs: int, outputs: int) -> tuple[list[str], list[str]]:
    return [f"x{i}" for i in range(inputs)], [f"y{i}" for i in range(outputs)]


def _text_of_tensors(inputs: int, outputs: int, mark: str) -> str:
    """The text of `call` for a number of tensors and results that machine code checks.

    A `mark` of `,` makes a tuple of one result.
    """
    xs, ys = _names(inputs, outputs)
    lines = [
        f"def call({', '.join(xs)}):",
        *(f" {y} = empty({y}_shape, {y}_stride, {y}_dtype)" for y in ys),
        f" if run({', '.join((*xs, *ys))}) is TAKEN:",
        f"  return (slower({', '.join(xs)}){mark})",
        f" return ({', '.join(ys)}{mark})",
    ]
    return "\n".join(lines)


def _text_of_addresses(inputs: int, outputs: int, mark: str) -> str:
    """As `_text_of_tensors`, for tensors that Python checks."""
    xs, ys = _names(inputs, outputs)
    given, results = ", ".join(xs), ", ".join(ys)
    addresses = ", ".join(f"{name}_at" for name in (*xs, *ys))
    checks = [
        f"{x}_at and {x}.shape == {x}_shape and {x}.stride() == {x}_stride"
        f" and {x}.dtype is {x}_dtype"
        for x in xs
    ]
    bits = " | ".join(f"{x}_at" for x in xs) or "0"
    lines = [
        f"def call({given}):",
        *(f" {x}_at = {x}.data_ptr()" for x in xs),
        f" if not ({' and '.join((*checks, f'not ({bits}) & misaligned'))}):",
        f"  return (otherwise({given}){mark})",
        *(f" {y} = empty({y}_shape, {y}_stride, {y}_dtype)" for y in ys),
        *(f" {y}_at = {y}.data_ptr()" for y in ys),
        f" if run({addresses}) is TAKEN:",
        f"  again({addresses})",
        f" return ({results}{mark})",
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
