"""The loops of a kernel before they have markers, as a tree for the decisions of lir-fuse-loops.

The tree holds the ops and changes none of them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from xdsl.ir import Operation

from snippets_mlir.dialects.lir.access import input_ports, is_array, loop_ids, view_source
from snippets_mlir.dialects.lir.brgemm import BrgemmOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.dialects.lir.part import is_part
from snippets_mlir.dialects.lir.reduction import AccumulateOp
from snippets_mlir.dialects.lir.scan import ScanOp
from snippets_mlir.passes.lir.epilogue_weights import EXPANDED, weight_of


@dataclass(eq=False)
class Nest:
    """A loop with its ops and loops, in order of execution."""

    loop: LoopInfo
    items: list["Item"] = field(default_factory=list["Item"])

    @cached_property
    def defined(self) -> frozenset[int]:
        """The ops in the nest, by identity; the nest is complete at the first access."""
        return frozenset(id(op) for op in ops_in(self))

    @cached_property
    def read(self) -> frozenset[int]:
        """The ops that define the operands of the nest's ops, under views, by identity."""
        return frozenset(id(view_source(v).owner) for op in ops_in(self) for v in op.operands)

    @cached_property
    def turned(self) -> Mapping[int, frozenset[int]]:
        """For each op whose value the nest reads in another order, the dims that move.

        Ops by identity, dims counted from the last.
        """
        moved: dict[int, frozenset[int]] = {}
        for op in ops_in(self):
            for value, port in zip(op.operands, input_ports(op), strict=True):
                rank = len(port.shape)
                dims = (rank - 1 - dim for place, dim in enumerate(port.layout) if place != dim)
                if not is_array(value) and port.layout:
                    owner = id(view_source(value).owner)
                    moved[owner] = moved.get(owner, frozenset()).union(dims)
        return moved

    @cached_property
    def accumulates(self) -> bool:
        """Whether some accumulator or scan is in the nest."""
        return any(isinstance(op, AccumulateOp | BrgemmOp | ScanOp) for op in ops_in(self))

    @cached_property
    def multiplies(self) -> bool:
        """Whether some product is in the nest."""
        return any(isinstance(op, BrgemmOp) for op in ops_in(self))

    @cached_property
    def has_parts(self) -> bool:
        """Whether some op in the nest is a part of an output."""
        return any(map(is_part, ops_in(self)))

    @cached_property
    def own_sums(self) -> bool:
        """Whether the loop itself accumulates."""
        return any(isinstance(item, AccumulateOp) for item in self.items)

    @cached_property
    def own_scans(self) -> bool:
        """Whether the loop itself carries a scan."""
        return any(isinstance(item, ScanOp) for item in self.items)


Item = Operation | Nest


def ops_in(item: Item) -> Iterator[Operation]:
    """The ops of `item`, in order."""
    if isinstance(item, Nest):
        for inner in item.items:
            yield from ops_in(inner)
    else:
        yield item


def build_tree(ops: Sequence[Operation], table: dict[int, LoopInfo]) -> list[Item]:
    """The ops as a tree of loops; neighbours with one loop id share its nest."""
    root: list[Item] = []
    path: list[Nest] = []
    for op in ops:
        ids = loop_ids(op)
        common = 0
        while common < min(len(path), len(ids)) and path[common].loop.id == ids[common]:
            common += 1
        del path[common:]
        for id_ in ids[common:]:
            nest = Nest(table[id_])
            (path[-1].items if path else root).append(nest)
            path.append(nest)
        (path[-1].items if path else root).append(op)
    return root


def feeds(producer: Item, consumer: Item) -> bool:
    """Whether `consumer` reads values of `producer`."""
    if isinstance(consumer, Nest):
        read = consumer.read
    else:
        read = {id(view_source(v).owner) for v in consumer.operands}
    if isinstance(producer, Nest):
        return not producer.defined.isdisjoint(read)
    return id(producer) in read


def products_first(items: Sequence[Item]) -> list[Item]:
    """The ops before the first product that it does not need go directly before their readers.

    There they are part of its epilogue, and no register holds them while it runs.
    """
    products = [i for i, it in enumerate(items) if isinstance(it, Nest) and it.multiplies]
    place = products[0] if products else 0
    found, needed = [*items[place:]], 0  # `needed`: the place of the product
    for item in reversed(items[:place]):
        readers = (i for i, later in enumerate(found) if feeds(item, later))
        first = next(readers, len(found))
        if first <= needed or isinstance(item, Nest):
            first, needed = 0, needed + 1
        found.insert(first, item)
    return found


def may_repeat(upper: Nest, lower: Nest) -> bool:
    """Whether the loop with work 1 may run in each iteration of the other one (F6)."""
    small, large = (upper, lower) if upper.loop.work_amount == 1 else (lower, upper)
    if not (small.accumulates or large.accumulates):
        return True
    both = small.loop.parallel and large.loop.parallel
    return both and not small.accumulates and all(weight_of(op) < EXPANDED for op in ops_in(small))


def numbered(
    items: Sequence[Item], outer: tuple[int, ...], loops: list[LoopInfo]
) -> Iterator[tuple[Operation, tuple[int, ...]]]:
    """New ids in order of execution; yields each op with the ids of its loops."""
    for item in items:
        if isinstance(item, Nest):
            loop = replace(item.loop, id=len(loops))
            loops.append(loop)
            yield from numbered(item.items, (*outer, loop.id), loops)
        else:
            yield item, outer


def keep_domain(items: Sequence[Item]) -> None:
    """Keep only loops that hold just the next one as the domain that threads share.

    Independent nests are shared one after another.
    """
    nests = [item for item in items if isinstance(item, Nest)]
    if len(nests) > 1 and all(map(_is_shareable, nests)) and _are_apart(nests):
        for nest in nests:
            keep_domain([nest])
        return
    if len(nests) == 1 and nests[0].loop.parallel:
        inner = nests[0].items
        if len(inner) == 1:
            keep_domain(inner)
            return
        nests = [item for item in inner if isinstance(item, Nest)]
    for nest in nests:
        _make_sequential(nest)


def _is_shareable(nest: Nest) -> bool:
    """Whether threads may share a nest beside others: the begins of its ranges are known."""
    loop = nest.loop
    return loop.parallel and not (loop.dynamic and loop.increment > 1)


def _are_apart(nests: Sequence[Nest]) -> bool:
    """Whether no nest reads values of another one."""
    return all(
        one.defined.isdisjoint(other.read) for one in nests for other in nests if one is not other
    )


def _make_sequential(nest: Nest) -> None:
    nest.loop = replace(nest.loop, parallel=False)
    for item in nest.items:
        if isinstance(item, Nest):
            _make_sequential(item)
