"""An order of steps that keeps few bytes live at the same time.

    a = f(x)  16 KiB      b = f(x)  16 KiB      c = g(a)  1 KiB      d = g(b)  1 KiB

In this order 33 KiB are live at the same time, in the order a, c, b, d only 18. The next step is
always the step that adds the fewest bytes: the bytes it writes minus the bytes that nothing reads
after it. Among equal steps it is the first in the text. Greedy choices may be bad, so `best_order`
compares the result with other orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from snippets_mlir.analysis.memory.happens_before import Step, lives_of, owners_of
from snippets_mlir.analysis.placement import largest_live_sum


def live_bytes(
    steps: Sequence[Step],
    order: Sequence[int],
    sizes: Mapping[int, int],
    outputs: Sequence[int],
) -> int:
    """The most bytes of values that are live at one step, if steps run in `order`.

    `sizes` has the bytes of values; other values take none.
    """
    lives = lives_of([steps[index] for index in order], outputs)
    return largest_live_sum([sizes.get(value, 0) for value in lives], list(lives.values()))


def greedy_order(
    steps: Sequence[Step], sizes: Mapping[int, int], outputs: Sequence[int]
) -> list[int]:
    """The steps, by number, in the order of the module docstring."""
    owners = owners_of(steps)
    writer = {value: index for index, step in enumerate(steps) for value in step.results}
    reads = [{owners.get(v, v) for v in step.operands} for step in steps]
    readers: dict[int, set[int]] = {owners.get(v, v): {len(steps)} for v in outputs}
    for index, step in enumerate(steps):
        for value in () if step.view else reads[index]:
            readers.setdefault(value, set()).add(index)
    before = [{writer[v] for v in step.operands if v in writer} for step in steps]
    after: list[list[int]] = [[] for _ in steps]
    for index, needed in enumerate(before):
        for other in needed:
            after[other].append(index)

    def added(index: int) -> tuple[int, int]:
        """The bytes that a step adds, and its place in the text."""
        if steps[index].view:
            return 0, index
        written = sum(sizes.get(v, 0) for v in steps[index].results if v in readers)
        freed = sum(sizes.get(v, 0) for v in reads[index] if readers[v] == {index} and v in writer)
        return written - freed, index

    ready = {index for index, needed in enumerate(before) if not needed}
    order: list[int] = []
    while ready:
        index = min(ready, key=added)
        ready.discard(index)
        order.append(index)
        for value in () if steps[index].view else reads[index]:
            readers[value].discard(index)
        for other in after[index]:
            before[other].discard(index)
            if not before[other]:
                ready.add(other)
    return order


def best_order(
    steps: Sequence[Step],
    orders: Mapping[str, Sequence[int]],
    sizes: Mapping[int, int],
    outputs: Sequence[int],
) -> tuple[str, Sequence[int], int]:
    """The order with the fewest live bytes, its name, and these bytes; `greedy` is one order.

    On a tie it is the first of `orders`.
    """
    every = {**orders, "greedy": greedy_order(steps, sizes, outputs)}
    bytes_of = {name: live_bytes(steps, order, sizes, outputs) for name, order in every.items()}
    name = min(every, key=lambda name: bytes_of[name])
    return name, every[name], bytes_of[name]
