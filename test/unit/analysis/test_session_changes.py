"""Changes between sessions and kernels, against every order of small graphs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import Float32Type
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.engine.session_changes import Turns

KERNEL, ENGINE, NONE = "KEV"


def graph(kinds: str, reads: Sequence[Sequence[int]]) -> tuple[Block, dict[Operation, str]]:
    """A block of ops of these kinds, each of which reads the results of others, by place."""
    values: list[SSAValue] = []
    found: dict[Operation, str] = {}
    for kind, places in zip(kinds, reads, strict=True):
        op = test.TestOp([values[place] for place in places], [Float32Type()])
        values.append(op.results[0])
        found[op] = kind
    return Block(list(found)), found


def counted(block: Block, kinds: dict[Operation, str]) -> int:
    kernels = [op for op, kind in kinds.items() if kind == KERNEL]
    return Turns.of(block, lambda op: kinds[op] == NONE).changes(kernels)


def fewest(kinds: str, reads: Sequence[Sequence[int]]) -> int:
    """The fewest changes over all orders of kernels and of what has to be before or after one."""
    total = len(kinds)
    above = [1 << i for i in range(total)]
    for i in range(total):
        for place in reads[i]:
            above[i] |= above[place]
    kernels = [i for i, kind in enumerate(kinds) if kind == KERNEL]
    needed = 0
    for i, kind in enumerate(kinds):
        if kind != NONE and any(above[k] >> i & 1 or above[i] >> k & 1 for k in kernels):
            needed |= above[i]

    @cache
    def rest(done: int, latest: str) -> int:
        """The changes that are still to come; `latest` is what ran."""
        costs: list[int] = []
        for i, kind in enumerate(kinds):
            if needed & ~done & 1 << i and not above[i] & ~done & ~(1 << i):
                runs = latest if kind == NONE else kind
                costs.append((latest not in ("", runs)) + rest(done | 1 << i, runs))
        return min(costs, default=0)

    return rest(0, "")


GRAPHS: list[tuple[str, list[list[int]], int]] = [
    ("", [], 0),
    ("E", [[]], 0),
    ("KE", [[], []], 0),  # neither reads the other
    ("KE", [[], [0]], 1),
    ("EK", [[], [0]], 1),
    ("EKE", [[], [0], [1]], 2),
    ("KEK", [[], [0], [1]], 2),  # the example of the module
    ("KEK", [[], [], [1]], 1),  # the session may be before both
    ("KVK", [[], [0], [1]], 0),  # a view is in no session
    ("KVEVK", [[], [0], [1], [2], [3]], 2),
    ("EKEKE", [[], [0], [1], [2], [3]], 4),
    ("KEKEKEK", [[], [0], [1], [2], [3], [4], [5]], 6),
    ("KKEEKK", [[], [], [0], [1], [2], [3]], 2),  # one session for both
    ("EKKEK", [[], [0], [], [2], [3]], 2),  # the first kernel is with the last one
]


@pytest.mark.parametrize(("kinds", "reads", "expected"), GRAPHS)
def test_changes_between_kernels_and_sessions(
    kinds: str, reads: list[list[int]], expected: int
) -> None:
    assert counted(*graph(kinds, reads)) == expected
    assert fewest(kinds, reads) == expected


@pytest.mark.parametrize("seed", range(60))
def test_no_order_has_fewer(seed: int) -> None:
    random = Random(seed)
    size = random.randint(3, 9)
    kinds = "".join(random.choices([KERNEL, ENGINE, NONE], [4, 4, 1], k=size))
    reads = [random.sample(range(i), min(i, random.randint(0, 2))) for i in range(size)]
    assert counted(*graph(kinds, reads)) == fewest(kinds, reads)
