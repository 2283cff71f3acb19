"""Two kinds of implementations: one for small nodes, before all others, and one of last resort."""

from math import prod

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.targets.implementations import Implementation


def _is_small(node: NodeOp) -> str | None:
    elements = sum(prod(tensor_of(v).get_shape()) for v in node.outputs)
    return None if elements < 8 else f"{elements} elements are too many, expected at most 7"


IMPLEMENTATIONS = [
    Implementation("mine-small", _is_small, cost=lambda node: 10),
    (Implementation("mine-any", lambda node: None), "reference"),
]
