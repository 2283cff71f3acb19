"""Names of fused subgraphs: one for each structure.

A name is `fused_` and the names of the ops in the order of the body, without dialects, in snake
case, with at most 80 characters. Subgraphs of equal structure have equal names. If another
structure has taken the name already, `_1`, `_2`, ... is appended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.ir import Attribute, Operation

from snippets_mlir.analysis.fusion.graph_of import short_name
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp

MAX_NAME = 80


def snake_case(name: str) -> str:
    """`BatchNormalization` -> `batch_normalization`; other characters become `_`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W", "_", spaced).lower()


def stem_of(ops: Iterable[Operation]) -> str:
    """The name for a body that computes with `ops`."""
    return "_".join(["fused", *(snake_case(short_name(op)) for op in ops)])[:MAX_NAME]


class FusedNames:
    """Assigns names; `taken` are names of other symbols."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._known: dict[tuple[object, ...], list[tuple[SubgraphOp, str]]] = {}
        self._next: dict[str, int] = {}

    def name(self, subgraph: SubgraphOp, ops: Sequence[Operation]) -> str:
        """The name of a finished, unnamed subgraph that computes with `ops`."""
        stem = stem_of(ops)
        types = tuple(v.type for v in (*subgraph.inputs, *subgraph.outputs))
        attributes = tuple(_attributes(op) for op in subgraph.block.ops)
        alike = self._known.setdefault((stem, types, attributes), [])
        for other, name in alike:
            if other.body.is_structurally_equivalent(subgraph.body):
                return name
        name = self._fresh(stem)
        alike.append((subgraph, name))
        return name

    def _fresh(self, stem: str) -> str:
        if stem not in self._taken:
            self._taken.add(stem)
            return stem
        number = self._next.get(stem, 1)
        while True:
            end = f"_{number}"
            name = stem[: MAX_NAME - len(end)] + end
            number += 1
            if name not in self._taken:
                self._taken.add(name)
                self._next[stem] = number
                return name


def _attributes(op: Operation) -> tuple[str, frozenset[tuple[str, Attribute]]]:
    return op.name, frozenset({**op.properties, **op.attributes}.items())
