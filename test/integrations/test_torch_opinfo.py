"""Torch's own samples (OpInfo) of every op that the front end maps, beside eager torch.

All samples of an op and a type are one graph; a sample that torch refuses is left out. At the end
the numbers are printed: samples that kernels computed, and samples whose op torch ran.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import pytest

from snippets_mlir.frontends.torch.elementwise import OPERATORS
from snippets_mlir.frontends.torch.formulas import FORMULAS
from snippets_mlir.frontends.torch.graph import computes
from snippets_mlir.frontends.torch.layout import CONVERSIONS, JOINS
from snippets_mlir.frontends.torch.places import PLACES
from snippets_mlir.frontends.torch.reduction import PRODUCTS, REDUCTIONS
from snippets_mlir.integrations.torch.backend import decompositions
from snippets_mlir.integrations.torch.graphs import compile_graph, plan_parts
from snippets_mlir.integrations.torch.options import Options

MAPPED = {*OPERATORS, *FORMULAS, *REDUCTIONS, *CONVERSIONS, *JOINS, *PLACES, *PRODUCTS}
TYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int8", "uint8", "bool")
MOST = 6
"""Samples of an op and a type."""

LOOSE = {
    "prod": 1e-4,
    "cumprod": 1e-4,
    "cumsum": 1e-4,
    "pow": 1e-4,
    "softmax": 1e-4,
    "log_softmax": 1e-4,
}
"""Where float32 needs more than the usual tolerance: sums and products in another order."""

TOLERANCES = {"float32": 2e-5, "float16": 2e-3, "bfloat16": 1.6e-2}
"""Two units in the last place of 16-bit floats: torch rounds between the ops that an op is."""


@dataclass
class Counts:
    kernels: int = 0
    torch: int = 0


COUNTS = Counts()


def ops() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        database = import_module("torch.testing._internal.common_methods_invocations").op_db
    return [op for op in database if (op.aten_name or op.name) in MAPPED]


def samples_of(torch: Any, op: Any, dtype: Any) -> Iterator[Any]:
    taken = 0
    for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
        tensor = isinstance(sample.input, torch.Tensor) and sample.input.numel() < 4096
        if tensor and taken < MOST:
            taken += 1
            yield sample


def flat(torch: Any, result: Any) -> list[Any]:
    leaves = torch.utils._pytree.tree_leaves(result)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def results_of(torch: Any, op: Any, specs: list[Any], *inputs: Any) -> list[Any]:
    """The results of all samples, whose tensors are `inputs` in order."""
    results: list[Any] = []
    left = list(inputs)
    for leaves, spec in specs:
        filled = [left.pop(0) if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        args, kwargs = torch.utils._pytree.tree_unflatten(filled, spec)
        found = flat(torch, op(*args, **kwargs))
        if (op.aten_name or op.name) in PLACES:  # alone they are no reason for a kernel
            found = [torch.maximum(result, result) for result in found]
        results += found
    return results


@pytest.mark.filterwarnings("ignore:.*degrees of freedom is <= 0:UserWarning")
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", ops(), ids=lambda op: op.formatted_name)
def test_samples(torch: Any, op: Any, dtype: str):
    if getattr(torch, dtype) not in op.supported_dtypes("cpu"):
        return
    samples = list(samples_of(torch, op, getattr(torch, dtype)))
    pytree = torch.utils._pytree
    specs = [pytree.tree_flatten(((s.input, *s.args), s.kwargs)) for s in samples]
    inputs = [leaf for leaves, _ in specs for leaf in flat(torch, leaves)]
    function = partial(results_of, torch, op, specs)
    expected = function(*inputs)
    make_fx = import_module("torch.fx.experimental.proxy_tensor").make_fx
    functional = import_module("torch.func").functionalize
    table = decompositions(torch, products=True)
    gm = make_fx(functional(function), decomposition_table=table, tracing_mode="fake")(*inputs)
    parts = plan_parts(gm, products=True).parts
    held = sum(computes(node) for part in parts for node in part)
    COUNTS.kernels += len(samples) if held else 0
    COUNTS.torch += 0 if held else len(samples)
    found = compile_graph(gm, Options(products="kernels"))(inputs)
    assert len(found) == len(expected)
    for result, wanted in zip(found, expected, strict=True):
        kind = str(wanted.dtype).removeprefix("torch.")
        loose = max(TOLERANCES.get(kind, 1e-10), LOOSE.get(op.name, 0) * (kind == "float32"))
        strides = wanted.numel() > 0
        torch.testing.assert_close(
            result, wanted, rtol=loose, atol=loose, equal_nan=True, check_stride=strides
        )


def test_most_samples_are_computed_by_kernels():
    print(f"\nOpInfo: {COUNTS.kernels} samples by kernels, {COUNTS.torch} by torch")
    assert COUNTS.kernels > COUNTS.torch
