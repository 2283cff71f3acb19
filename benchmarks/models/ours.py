"""A model compiled by this project, and its facts."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import snippets_mlir
from models.onnxruntime_session import THREADS
from models.store import folder
from snippets_mlir.driver.compiled import Compiled

Settings = Mapping[str, Any]

DEFAULT: Settings = {}
WITH_KERNELS: tuple[Settings, ...] = ({"mark_skipped": "none"},)
"""Settings of `compile` that are tried beside the default, for the best program with kernels."""


def is_known(settings: Settings) -> bool:
    """Whether `compile` has all these settings."""
    return set(settings) <= set(inspect.signature(snippets_mlir.compile).parameters)


def compiled(path: Path, settings: Settings = DEFAULT) -> Compiled:
    """The model compiled by this project for two threads."""
    return snippets_mlir.compile(str(path), num_threads=THREADS, **settings)


def facts(program: Compiled) -> dict[str, Any]:
    """Kernels, ops that no kernel holds, and steps of the program for the latest shapes."""
    kinds = Counter(kind(op, name) for op, name, _ in program.opaque)
    here = f"{folder()}/"  # a message names the file of the model
    reasons = Counter(r.partition("\n")[0].replace(here, "") for _, _, r in program.opaque)
    steps = Counter(str(step.get("kind", "other")) for step in program.manifest["steps"])
    return {
        "kernels": len(program.kernels),
        "distinct_kernels": len({kernel.name for kernel in program.kernels}),
        "ops": sum(len(kernel.ops) for kernel in program.kernels),
        "opaque": dict(kinds.most_common()),
        "reasons": dict(reasons.most_common(8)),
        "steps": dict(steps),
        "compiled_times": program.compiled_times,
        "per_shape": program.per_shape,
    }


def kind(op: str, name: str) -> str:
    """The ONNX operator of a node, or the op of this project."""
    plain = op.removeprefix("onnx.node").strip()
    return (plain or name).removeprefix("onnx.")
