"""Programs of products that have one left operand, and their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from snippets_mlir.passes.graph.tokenize.merge_rules import MANY_ROWS
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

Array = NDArray[Any]
ELEMENTS = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64"}


def tensor(*sizes: int | str, element: str = "f32") -> str:
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"


def drawn(*shape: int, dtype: Any = np.float32, seed: int = 0) -> Array:
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


def constant(name: str, array: Array) -> str:
    type_ = tensor(*array.shape, element=ELEMENTS[array.dtype])
    return f'%{name} = snippets.constant dense<"0x{array.tobytes().hex()}"> : {type_}'


def is_joined(rows: int, target: str | None = None) -> bool:
    """Whether products of so many rows that read one operand are in one kernel."""
    return rows < MANY_ROWS or machine(target or host_target()).side_by_side > 1


def products(program: Any) -> list[int]:
    return [kernel.ops.count("snippets.matmul") for kernel in program.kernels]
