"""The types of a program's manifest, as the runtime reads it; `emit/manifest.py` writes it."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class Value(TypedDict):
    """A tensor of the program; null is a size that is known when the value is there."""

    shape: list[int | None]
    dtype: str


class Argument(Value):
    """An input or output."""

    name: str
    value: int


class Resource(TypedDict):
    """Where the elements of a constant are."""

    file: str
    key: str
    sha256: str


class Constant(TypedDict):
    """A constant: base64 of its little-endian elements, or a reference."""

    value: int
    data: NotRequired[str]
    resource: NotRequired[Resource]


class Step(TypedDict):
    """One step: `kind` is `kernel`, `view` or `execute`.

    `rt` of a kernel are the values that it reads from the second member of its argument block.
    `clusters` is for templates. `dims` of a view: for each dim, the dim of its source that has the
    same size, or null.
    """

    kind: str
    inputs: list[int]
    outputs: list[int]
    symbol: NotRequired[str]
    domain: NotRequired[int | None]
    grain: NotRequired[int | None]
    scratch: NotRequired[int | None]
    clusters: NotRequired[list[int]]
    rt: NotRequired[list[int]]
    dims: NotRequired[list[int | None]]
    ops: NotRequired[list[str]]
    text: NotRequired[str]


class Manifest(TypedDict):
    """A program."""

    version: int
    entry: str
    target: str | None
    threads: int | None
    values: list[Value]
    inputs: list[Argument]
    outputs: list[Argument]
    constants: list[Constant]
    steps: list[Step]
