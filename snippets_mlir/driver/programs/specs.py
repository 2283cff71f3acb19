"""The inputs and outputs of a program, as its manifest describes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snippets_mlir.runtime.arguments.arrays import TensorSpec, dtype_from_name

Interface = tuple[tuple[TensorSpec, ...], tuple[TensorSpec, ...]]
"""Inputs and outputs."""


def specs_of(described_values: Sequence[Mapping[str, Any]]) -> tuple[TensorSpec, ...]:
    """The interface that a manifest describes."""
    return tuple(
        TensorSpec(
            v["name"],
            None if v["shape"] is None else tuple(v["shape"]),
            dtype_from_name(v["dtype"]),
        )
        for v in described_values
    )


def interface_of_manifest(manifest: Mapping[str, Any]) -> Interface:
    """The inputs and outputs that a manifest describes."""
    return specs_of(manifest["inputs"]), specs_of(manifest["outputs"])
