"""The header of a model that kernels and onnxruntime share, in the cache, as JSON."""

from __future__ import annotations

from typing import Any, TypedDict

from snippets_mlir.driver.cache.constant_files import FileData
from snippets_mlir.driver.cache.engine_model import PartData
from snippets_mlir.driver.cache.program_header import Header
from snippets_mlir.driver.cache.session_entry import SpecData
from snippets_mlir.driver.onnx.small_calls import LeastWorkData
from snippets_mlir.driver.onnx.weight_places import FileFacts


class WeightData(TypedDict):
    """A constant that a region reads from the files of the model."""

    name: str
    file: str
    offset: int
    dtype: str
    shape: list[int]


class TableData(TypedDict):
    """A constant that is an input of a region, and its offset in the file of all tables."""

    name: str
    offset: int
    dtype: str
    shape: list[int]


class RegionData(PartData):
    """A region: its model, and the constants that are not in it."""

    weights: list[WeightData]
    tables: list[TableData]


class SizeFormulasData(TypedDict):
    """`SizeFormulas`; the form of formulas is checked by evaluating them."""

    symbols: dict[str, Any]
    formulas: list[Any]
    equalities: list[Any]
    may_be_zero: list[int]


class SharedData(TypedDict):
    """The data of a program that are kept beside its kernels.

    Attributes:
        entry: the name of the function that the model is imported as.
        inputs, outputs: the interface, with dynamic dims.
        regions: the sessions, in the order of the steps.
        tables: the file of their tables.
        tensors: the file of the large tensors of optimized models.
        template: the formulas that a call evaluates; without a template all sizes are numbers.
        asked: sizes on whose classes the code depends, as in `CallClasses`.
        classes: the classes that it was made for.
        kept: nodes that could be in a kernel, by position, and why they are not.
        cuts: a line for each candidate.
        whole: the report of the model as one session, as which some calls run.
        needs_kernels: whether onnxruntime lacks an operator: no call can run as one session.
        least: the least work of a call for the kernels (`driver/onnx/small_calls.py`).
        is_changed: whether one session does not run the model of the caller; see `PreparedModel`.
        files: other files with data.
    """

    entry: str
    inputs: list[SpecData]
    outputs: list[SpecData]
    regions: list[RegionData]
    tables: FileData | None
    tensors: FileData | None
    template: SizeFormulasData
    asked: list[tuple[str, list[int], str]]
    classes: list[int]
    kept: list[tuple[int, str]]
    cuts: list[str]
    whole: list[tuple[str, str, str]]
    needs_kernels: bool
    least: LeastWorkData | None
    is_changed: bool
    files: list[FileFacts]


class SharedHeader(Header):
    """The header of an entry for a model that kernels and onnxruntime share."""

    shared: SharedData
