"""Order the groups of a block by their dependences, and close to the order of the text."""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from snippets_mlir.analysis.fusion.acyclic_merging import ContractedGraph


def in_order(graph: ContractedGraph, last: Mapping[int, int]) -> list[int]:
    """The nodes of a graph, each after the nodes that it depends on.

    Args:
        graph: the nodes and their dependences.
        last: the place of each node's last op in the text; the ready node with the first place
            comes next.
    """
    waiting = {node: len(graph.before(node)) for node in last}
    ready = [(last[node], node) for node in last if not waiting[node]]
    heapify(ready)
    order: list[int] = []
    while ready:
        _, node = heappop(ready)
        order.append(node)
        for user in graph.after(node):
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, (last[user], user))
    assert len(order) == len(last), "merging has made a cycle"
    return order
