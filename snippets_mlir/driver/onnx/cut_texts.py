"""The candidates of a plan as text, called after the nodes of their model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from snippets_mlir.driver.onnx.engine_cuts import Cuts

MOST = 4
"""The largest number of nodes, and of ops, of a candidate that a text names."""


def _some(words: Collection[str]) -> str:
    shown = [*words][:MOST]
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(shown) + more


def candidate_texts(cuts: Cuts, names: Sequence[str]) -> list[str]:
    """A line for each candidate; `names` are those of the model's nodes, empty for MLIR."""
    lines: list[str] = []
    for place, estimate in enumerate(cuts.candidates):
        what = _some(estimate.ops)
        nodes = [repr(names[i]) for i in (cuts.nodes[place] if cuts.nodes else ()) if names[i]]
        if nodes:
            what = f"{_some(nodes)} ({what})"
        lines.append(f"{cuts.kind_of(place)}: {what}: {estimate}")
    return lines
