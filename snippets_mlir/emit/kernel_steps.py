"""The manifest entries of a kernel step: sizes, alignment, counters, sites of accesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    TensorType,
)
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.size_text import size_data
from snippets_mlir.dialects.builtin.sizes import is_size, size_in
from snippets_mlir.dialects.lir.aligned import aligned_of
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.choices import choice_of
from snippets_mlir.dialects.lir.function_facts import problem_of
from snippets_mlir.dialects.lir.perf_count import named_counters, row_words
from snippets_mlir.dialects.lir.sites import named_sites
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

FACTS = ("domain", "grain", "scratch", "cost", "space")


def kernel_facts(op: CallOp, symbols: Mapping[str, Operation]) -> dict[str, Any]:
    """The fields of a step for the kernel that `op` calls, without its inputs and outputs."""
    symbol = op.callee.string_value()
    kernel = symbols.get(symbol)
    if kernel is None:
        raise CompileError(f"lir.call of @{symbol}: no such kernel", **position_of(op))
    facts = {fact: _size(kernel.attributes.get(f"snippets.{fact}")) for fact in FACTS}
    if (problem := problem_of(kernel)) is not None:
        raise CompileError(f"kernel @{symbol}: {problem}", **position_of(kernel))
    grain = facts["grain"]
    try:
        aligned = aligned_of(
            kernel,
            [_element_bytes(v.type) for v in op.inputs],
            grain if isinstance(grain, int) else None,
        )
    except ValueError as error:
        raise CompileError(f"kernel @{symbol}: {error}", **position_of(kernel)) from error
    clusters = kernel.attributes.get("snippets.clusters")
    sizes: dict[str, Any] = {"clusters": _sizes(clusters)} if clusters is not None else {}
    try:
        choice = choice_of(kernel)
    except ValueError as error:
        raise CompileError(f"kernel @{symbol}: {error}", **position_of(kernel)) from error
    if choice is not None:
        sizes["choice"] = [size_data(choice.size), choice.limit, *choice.among]
    counters = [asdict(counter) for counter in named_counters(kernel)]
    words = row_words(len(counters))
    counted = {"counters": counters, "counter_words": words} if counters else {}
    sites = named_sites(kernel)
    return {
        "kind": "kernel",
        "symbol": symbol,
        **facts,
        **({} if aligned is None else {"aligned": aligned}),
        **sizes,
        **counted,
        **({"sites": sites} if sites else {}),
    }


def _element_bytes(type_: Attribute) -> int:
    """Bytes of an element of a tensor type in memory."""
    return numpy_dtype(cast("TensorType[Attribute]", type_).element_type).itemsize


def _size(attribute: Attribute | None) -> int | str | None:
    """A size in the form of the manifest: a number, or the text of a formula."""
    return size_data(size_in(attribute)) if is_size(attribute) else None


def _sizes(attribute: Attribute) -> list[int | str]:
    assert isinstance(attribute, ArrayAttr)
    items = cast("ArrayAttr[Attribute]", attribute)
    return [size for item in items if (size := _size(item)) is not None]
