"""The candidates of a plan as text, named after the nodes of their model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts

MOST = 4
"""The largest number of nodes, and of ops, of a candidate that a text names."""


def _some(words: Collection[str]) -> str:
    shown = [*words][:MOST]
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(shown) + more


def candidate_texts(cuts: Cuts, names: Sequence[str]) -> list[str]:
    """A line for each candidate; `names` are the model's node names, empty for MLIR."""
    return [
        f"{cuts.kind_of(place)}: {_name_of(cuts, place, names)}: {estimate}"
        for place, estimate in enumerate(cuts.candidates)
    ]


def choice_texts(cuts: Cuts, names: Sequence[str]) -> list[str]:
    """The time of each kind for a candidate, its savings, the cost of the cut, and the choice.

    `'soft', 'gate' (snippets.elu, snippets.multiply): snippets 2100 ns, onnxruntime 5200 ns; gain
    3100 ns, cut 50000 ns: onnxruntime`
    """
    lines: list[str] = []
    for place, one in enumerate(cuts.candidates):
        row = cuts.rows.get(place, "snippets")
        chosen = row if place in cuts.kernels else "onnxruntime"
        engine = f"onnxruntime {one.engine:.0f} ns" if one.is_known else "onnxruntime lacks it"
        lost = f" (lost: {', '.join(one.lost)})" if one.lost else ""
        lines.append(
            f"{_name_of(cuts, place, names)}: {row} {one.kernel:.0f} ns, {engine}; "
            f"gain {one.gain:.0f} ns, cut {one.cut:.0f} ns{lost}: {chosen}"
        )
    return lines


def _name_of(cuts: Cuts, place: int, names: Sequence[str]) -> str:
    """The nodes of a candidate, if they have names, and its ops."""
    what = _some(cuts.candidates[place].ops)
    nodes = [repr(names[i]) for i in (cuts.nodes[place] if cuts.nodes else ()) if names[i]]
    return f"{_some(nodes)} ({what})" if nodes else what
