"""Random programs of steps and views, and runs of them on memory that remembers its writers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from snippets_mlir.analysis.memory.happens_before import (
    Conflicts,
    InOrder,
    Life,
    Paths,
    Step,
    lives_of,
)
from snippets_mlir.analysis.placement import ALIGNMENT, Placement, place


@dataclass(frozen=True)
class RandomProgram:
    """Steps over values 0, 1, ...; values 0 and 1 are an input and a constant.

    Among the outputs there may be the input, a view, a value that is read later, and one value
    twice. `sizes` are those of the owners, in the order of `lives`; those of outputs are 0, since
    the caller owns their memory.
    """

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    lives: dict[int, Life]
    sizes: tuple[int, ...]

    def conflicts(self, queue: str) -> Conflicts:
        """The conflicts on an in-order or out-of-order queue."""
        lives = list(self.lives.values())
        return InOrder.of(lives) if queue == "in-order" else Paths.of(self.steps).conflicts(lives)

    def placed(self, queue: str, pool: str = "offsets") -> Placement:
        """The plan of the arena."""
        lives = list(self.lives.values())
        return place(self.sizes, lives, self.conflicts(queue), pool=pool)  # pyright: ignore[reportArgumentType]


def random_program(rng: random.Random, most: int = 9) -> RandomProgram:
    """Up to `most` steps; some have two results, no reader, or one value twice."""
    steps: list[Step] = []
    values = 2
    for _ in range(rng.randint(1, most)):
        reach = rng.choice((2, 4, values))
        pool = range(max(0, values - reach), values)
        if rng.random() < 0.2:
            steps.append(Step((rng.choice(pool),), (values,), view=True))
            values += 1
            continue
        results = tuple(range(values, values + rng.choice((1, 1, 1, 2))))
        steps.append(Step(tuple(rng.choices(pool, k=rng.randint(1, 3))), results))
        values += len(results)
    outputs = tuple(rng.choices(range(values), k=rng.randint(1, 3)))
    lives = lives_of(steps, outputs)
    sizes = tuple(
        0 if len(steps) in life.readers else rng.choice((0, 1, 64, 65, 640, 4096))
        for life in lives.values()
    )
    return RandomProgram(tuple(steps), outputs, lives, sizes)


def orders_of(steps: Sequence[Step]) -> Iterator[tuple[int, ...]]:
    """All topological orders of the steps."""
    writer = {value: index for index, step in enumerate(steps) for value in step.results}
    needs = [{writer[v] for v in step.operands if v in writer} for step in steps]

    def extend(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == len(steps):
            yield done
        for index in range(len(steps)):
            if index not in done and needs[index] <= set(done):
                yield from extend((*done, index))

    return extend(())


def overwritten(program: RandomProgram, placement: Placement, order: Sequence[int]) -> str | None:
    """What goes wrong when the steps run one after the other in this order.

    Each unit of the arena holds the name of the value written last; a step finds its operands
    whole, and the caller, at the end, the outputs.
    """
    begin = dict(zip(program.lives, placement.offsets, strict=True))
    size = dict(zip(program.lives, program.sizes, strict=True))
    memory: dict[int, int] = {}

    def units(value: int) -> range:
        return range(begin[value] // ALIGNMENT, -(-(begin[value] + size[value]) // ALIGNMENT))

    readers = {value: set(life.readers) for value, life in program.lives.items()}
    for index in order:
        step = program.steps[index]
        if step.view:
            continue
        memory |= {unit: value for value in step.results for unit in units(value)}
        for value, among in readers.items():
            if index in among and any(memory.get(unit) != value for unit in units(value)):
                return f"step {index} finds value {value} overwritten"
    return None
