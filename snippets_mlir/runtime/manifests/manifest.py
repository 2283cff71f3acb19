"""The types of a program's manifest, as the runtime reads it; `emit/manifest.py` writes it."""

from __future__ import annotations

from itertools import chain
from typing import NotRequired, TypedDict


class Value(TypedDict):
    """A value of the program; null is a size that is unknown until the value exists.

    A shape of null has a rank that is unknown until then. Such a value comes from an executor or
    from the caller, and only executors and the caller use it: a tensor of `dtype`, or any value if
    that is `object`. `mem` of a planned program is the place of a step's result: the pool (`arena`,
    `output` or `own`), the offset in the arena or the number of the output, and the size.
    """

    shape: list[int | None] | None
    dtype: str
    mem: NotRequired[list[str | int | None]]


class Argument(Value):
    """An input or output of the program: its name and the index of its value."""

    name: str
    value: int


class Resource(TypedDict):
    """The location of a constant's elements, and the type that they are converted to, if any."""

    file: str
    key: str
    sha256: str
    element: NotRequired[str]


class Constant(TypedDict):
    """A constant: base64 of its little-endian elements, or a reference."""

    value: int
    data: NotRequired[str]
    resource: NotRequired[Resource]


class Counter(TypedDict):
    """A counter of a kernel: its label, its clock (`monotonic`, `rdtsc`), and its position."""

    label: str
    clock: str
    position: str


class Step(TypedDict):
    """One step: `kind` is `kernel`, `view`, `check` or `execute`.

    `rt` of a kernel are the values that it reads from the second member of its argument block.
    `aligned` of a kernel, `[array, bytes]`, says that its ranges may begin anywhere, and should
    begin where that array, with elements of this many bytes, is on a cache line:
    `codegen/stubs/ranges.py`. `impl` is the kind of implementation that runs it, in `queue`, after
    the steps of other queues that it `waits` for. `node` is the name of the step's node, if the
    program has nodes, and `fused` are the other nodes that it computes. `clusters` and
    `choice` (a size, a limit, and numbers among which a call chooses) are for templates. `dims` of
    a view: for each dim, the dim of its source that has the same size, or
    null. A `check` checks indices, its first input, into the dim `axis` of its second input; with
    `from_end` indices below 0 count from the end. A kernel with `counters` has an additional array
    after its outputs, with `counter_words` 64-bit integers for each thread. A kernel with `sites`
    has an array for its records.
    """

    kind: str
    inputs: list[int]
    outputs: list[int]
    symbol: NotRequired[str]
    domain: NotRequired[int | None]
    grain: NotRequired[int | None]
    scratch: NotRequired[int | None]
    cost: NotRequired[int | None]
    space: NotRequired[int | None]
    aligned: NotRequired[list[int]]
    clusters: NotRequired[list[int]]
    choice: NotRequired[list[int | str]]
    rt: NotRequired[list[int]]
    counters: NotRequired[list[Counter]]
    counter_words: NotRequired[int]
    sites: NotRequired[list[list[str]]]
    dims: NotRequired[list[int | None]]
    axis: NotRequired[int]
    from_end: NotRequired[bool]
    ops: NotRequired[list[str]]
    text: NotRequired[str]
    impl: NotRequired[str]
    queue: NotRequired[int]
    waits: NotRequired[list[int]]
    node: NotRequired[str]
    fused: NotRequired[list[str]]


class Manifest(TypedDict):
    """A program.

    In the manifest of a template sizes may be formulas, as text: shapes, and the domain, scratchpad
    and clusters of a kernel. `filling.py` inserts the numbers of a call. `arena` has the bytes of a
    planned program, without scratchpads; `queue` is `in-order` or `out-of-order`. `sessions_alone`
    is True if no session has work for other threads than the calling one.
    """

    version: int
    entry: str
    target: str | None
    threads: int | None
    values: list[Value]
    inputs: list[Argument]
    outputs: list[Argument]
    constants: list[Constant]
    steps: list[Step]
    arena: NotRequired[int]
    queue: NotRequired[str]
    sessions_alone: NotRequired[bool]


def is_template(manifest: Manifest) -> bool:
    """Whether some size is a formula."""
    shapes = (value["shape"] or () for value in manifest["values"])
    facts = (step.get(fact) for step in manifest["steps"] for fact in ("domain", "scratch"))
    return any(isinstance(size, str) for size in (*chain.from_iterable(shapes), *facts))
