"""The limit on the arguments of a fused function, and the fusions that it postpones.

Devices limit the number of arguments of a function. Arguments are counted per node: variables and
tuple fields that it reads, plus one for each dynamic dim and each stride of a tensor with a dynamic
dim. A consumer that reads a group without arguments so far may get some later. A fusion into it is
postponed until the consumer itself is visited. Source: TVM's FuseOps.

Fusions postponed to one node are retried in the order of their postponement.
"""

from __future__ import annotations

from snippets_mlir.analysis.fusion.graph import FusionGraph, Role
from snippets_mlir.analysis.fusion.groups import FusionGroups


class ArgumentLimit:
    """Counting under a limit; `limit` 0 means there is none."""

    def __init__(self, graph: FusionGraph, groups: FusionGroups, limit: int) -> None:
        self.graph, self.groups, self.limit = graph, groups, limit
        self.postponed: dict[int, list[int]] = {}
        self.visits = 0

    def spare(self, index: int) -> int:
        """The number of arguments that the outputs of a node leave; may be 0."""
        outputs = 0
        for edge in self.graph.nodes[index].outputs:
            self.visits += 1
            consumer = self.graph.nodes[edge.consumer]
            outputs += 1 + (consumer.dynamic_dims if consumer.role is Role.CALL else 0)
        return max(0, self.limit - outputs)

    def count(self, index: int) -> int:
        """The arguments of a node, including those that come from its inputs."""
        found: dict[int, int] = {}
        stack = [index]
        while stack:
            node = stack[-1]
            waiting = [i for i in self._unknown(node) if i not in found]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if node not in found:
                self.visits += 1
                known = self.groups.records[node].argument_count + self._known(node)
                found[node] = known + sum(found[i] for i in self._unknown(node))
        return found[index]

    def count_fused(self, index: int) -> tuple[int, int | None]:
        """The largest number of arguments of a consumer, and the consumer with a preliminary count,
        or None.
        """
        most, open_node = 0, None
        for edge in self.graph.nodes[index].outputs:
            self.visits += 1
            consumer = edge.consumer
            own = self.groups.records[consumer].argument_count
            most = max(most, own + self._known(consumer))
            if self._unknown(consumer):
                open_node = consumer
        return most, open_node

    def _groups_read(self, index: int) -> list[tuple[int, int]]:
        """A node input for each other group that a node reads, with that group's arguments."""
        node = self.graph.nodes[index]
        if node.role not in (Role.CALL, Role.TUPLE):
            return []
        seen = {self.groups.find(index)}
        found: list[tuple[int, int]] = []
        for used in node.inputs:
            root = self.groups.find(used)
            if self.graph.nodes[used].role is Role.VAR or root in seen:
                continue
            seen.add(root)
            found.append((used, self.groups.records[root].argument_count))
        return found

    def _known(self, index: int) -> int:
        return sum(count for _, count in self._groups_read(index))

    def _unknown(self, index: int) -> list[int]:
        return [used for used, count in self._groups_read(index) if count == 0]

    def may_fuse(self, index: int) -> tuple[bool, int | None]:
        """Whether a node may be fused now, and the node to postpone it to, if any."""
        if self.limit <= 0 or (spare := self.spare(index)) == 0:
            return True, None
        count, open_node = self.count_fused(index)
        return count <= spare, open_node

    def postpone(self, source: int, to: int) -> None:
        """Fuse `source` when `to` is visited, if then possible."""
        self.postponed.setdefault(to, []).append(source)

    def due(self, index: int) -> list[int]:
        """Return and forget the sources whose fusion was postponed to a node."""
        return self.postponed.pop(index, [])
