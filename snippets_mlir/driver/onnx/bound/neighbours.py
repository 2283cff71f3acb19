"""Nodes that may share a kernel because one reads the other, and nodes weighed together.

    MatMul  Add  MatMul               two kernels: what a product reads comes from outside
    Add  LpNormalization  Add         two, also if the last one reads the first: the engine's node
                                      between them would have to run before and after the kernel
    MatMul  MatMul  MatMul            of one value: one kernel, side by side

`passes/graph/tokenize/plan.py` defines the rules T1, T6 and T8 that apply here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from snippets_mlir.driver.onnx.bound.graph import NodeGraph, components
from snippets_mlir.driver.onnx.bound.operators import is_single
from snippets_mlir.driver.onnx.bound.products import is_product_node

APART = ("FusedGemm", "FusedMatMul", "Gemm", "MatMul")
"""Operators that are one product of their first two inputs."""

READ_OUTSIDE = (*APART, "Transpose")
"""Operators that may only read values from outside of a kernel."""


def neighbours(graph: NodeGraph, mapped: set[int]) -> dict[int, set[int]]:
    """The mapped nodes that can be in one kernel with each, because one reads the other.

    They cannot if something outside also runs between them, as between two residual additions: a
    node of the engine, or a kernel that contains neither.
    """
    before: list[int] = []
    through: list[int] = []
    found: dict[int, set[int]] = {i: set() for i in mapped}
    for place, node in enumerate(graph.nodes):
        names = [n for n in graph.elements_read(place) if n in graph.makers]
        makers, apart = {graph.makers[n] for n in names}, set[int]()
        if node.op_type in READ_OUTSIDE:
            apart = {graph.makers[n] for n in names if not reads_inside(graph, place, n)}
        real = {*graph.real_makers(place)}
        all_before, all_through = 0, 0
        for maker in real:
            those = before[maker] | 1 << maker
            all_before |= those
            all_through |= through[maker]
            if maker in apart:  # no kernel has both
                all_through |= those
            elif maker in graph.engine:
                all_through |= before[maker]
        before.append(all_before)
        through.append(all_through)
        for maker in makers & mapped - apart if place in mapped else ():
            if not (is_single(node.op_type) and all_through >> maker & 1):
                found[place].add(maker)
                found[maker].add(place)
    for place, other in side_by_side(graph, mapped):
        found[place].add(other)
        found[other].add(place)
    return found


def reads_inside(graph: NodeGraph, place: int, name: str) -> bool:
    """Whether a node may be in one kernel with the producer of a value that it reads.

    The operands of a product come from outside (rule T8), except transposes and in attentions; the
    operand of a transpose comes from outside (rule T6), except the result of an attention.
    """
    node, maker = graph.nodes[place], graph.makers.get(name, -1)
    if node.op_type == "Transpose":
        return maker in graph.after_softmax and is_product_node(graph.nodes[maker])
    if node.op_type not in APART or not is_product_node(node) or name in node.input[2:]:
        return True
    return place in graph.after_softmax or graph.nodes[maker].op_type == "Transpose"


def beside_products(graph: NodeGraph, mapped: Collection[int]) -> list[set[int]]:
    """The connected nodes of `mapped` with a product among them, which are weighed together."""
    beside: dict[int, set[int]] = {i: set() for i in mapped}
    for i in mapped:
        for name in graph.elements_read(i):
            if (maker := graph.makers.get(name)) in beside:
                beside[i].add(maker)
                beside[maker].add(i)
    for i, other in side_by_side(graph, mapped):
        beside[i].add(other)
        beside[other].add(i)
    found = components(beside, beside)
    return [nodes for nodes in found if any(is_product_node(graph.nodes[i]) for i in nodes)]


def side_by_side(graph: NodeGraph, nodes: Collection[int]) -> Iterator[tuple[int, int]]:
    """Pairs of products that read one value: they may be in one kernel (rule T8)."""
    first: dict[str, int] = {}
    for i in nodes:
        if is_product_node(graph.nodes[i]):
            for name in set(graph.nodes[i].input) - graph.constants:
                if (other := first.setdefault(name, i)) != i:
                    yield other, i
