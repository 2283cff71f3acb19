"""The manifest of a program with symbolic sizes, filled in for a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_text import size_from
from snippets_mlir.dialects.builtin.slots import choice_from, runtime_slots
from snippets_mlir.runtime.manifests.manifest import Argument, Manifest


def filled_in(manifest: Manifest, values: Sequence[int]) -> Manifest:
    """The manifest of a template for a call in which the symbols have `values`.

    It shares all data that do not depend on them with the template's manifest.
    """
    result: dict[str, Any] = {**manifest}
    for part in ("values", "inputs", "outputs"):
        result[part] = arguments_in(result[part], values)
    result["steps"] = [{**step} for step in result["steps"]]
    for step in result["steps"]:
        if step["kind"] != "kernel":
            continue
        clusters = [*map(size_from, step.pop("clusters", ()))]
        slots = runtime_slots(values, clusters, choice_from(step.pop("choice", None)))
        step["domain"] = evaluate(size_from(step["domain"]), slots)
        step["scratch"] = evaluate(size_from(step["scratch"]), slots)
        space = step.get("space")
        step["space"] = evaluate(size_from(0 if space is None else space), slots)
        step["rt"] = slots
    return cast("Manifest", result)


def arguments_in(arguments: Sequence[Argument], values: Sequence[int]) -> list[Argument]:
    """Values or arguments of a template's manifest for that call."""
    result: list[Any] = [{**argument} for argument in arguments]
    for described in result:
        if (sizes := described["shape"]) is not None:
            described["shape"] = [
                evaluate(size_from(s), values) if isinstance(s, str) else s for s in sizes
            ]
    return result
