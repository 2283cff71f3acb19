"""The header of a compiled program in the cache: its kernels, constants and template as JSON."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from snippets_mlir.driver.cache.constant_files import FileData
from snippets_mlir.driver.cache.step_executors import ExecutorData
from snippets_mlir.runtime.manifests.manifest import Manifest


class Facts(TypedDict):
    """`KernelFacts` as JSON-able data."""

    loops: int
    nest: str
    buffers: int
    scratch: int | str


class KernelData(TypedDict):
    """`KernelEntry` as JSON-able data."""

    name: str
    ops: list[str]
    names: list[str]
    reason: str
    facts: Facts | None
    domain: int | str | None
    place: NotRequired[int | None]


class ConstantPlace(TypedDict):
    """The place of a constant in the bytes after the code, or in the file of large constants."""

    value: int
    in_file: bool
    dtype: str
    shape: list[int]
    offset: int
    bytes: int


Place = tuple[int, int]


class TemplateData(TypedDict):
    """`Template` as JSON-able data."""

    shapes: list[list[int | str]]
    dims: list[list[Place]]
    fixed: list[tuple[Place, int]]
    tied: list[tuple[Place, str]]
    room: list[str]
    asked: list[tuple[str, list[int], str]]
    classes: list[int]


class Header(TypedDict):
    """The header; `template` belongs to the code for one mask of a program with dynamic dims.

    A program for the shapes of one call has the `reason` why there is no template instead.

    `file` has the large constants, `tensors` those of optimized sessions, `code` the bytes of each
    object.
    """

    manifest: Manifest
    file: FileData | None
    passes: str
    kernels: list[KernelData]
    opaque: list[tuple[str, str, str]]
    constants: list[ConstantPlace]
    code: list[int]
    executors: NotRequired[list[ExecutorData]]
    tensors: NotRequired[FileData | None]
    template: NotRequired[TemplateData]
    reason: NotRequired[str]
