"""Whether sessions beside kernels have work for more threads than the calling thread.

If no session has, the threads of kernels keep spinning while a session runs, and the next kernel
starts at once: waking them takes 20 to 60 us. The sizes of the planned call decide. In a larger
call a session may share work after all. Threads of kernels and of onnxruntime then share cores for
at most 0.2 ms, after which the threads of kernels sleep anyway.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from xdsl.ir import Operation

from snippets_mlir.analysis.cost import Model

PRODUCT = 1 << 16
"""Multiplications of a product from which the engine shares them among its threads."""


def may_share(model: Model, inside: Collection[Operation]) -> bool:
    """Whether a node that is in no kernel has such work.

    Args:
        model: of the graph.
        inside: the ops of all kernels.
    """
    costs = replace(model.costs, product=model.costs.parallel_from / PRODUCT)
    return replace(model, costs=costs).shares([[*inside]])
