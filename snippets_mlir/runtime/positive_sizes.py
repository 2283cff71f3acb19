"""Which sizes of a call have to be above 0 in a network: all except those of inputs alone.

    past [4, ?0, 32], new [4, ?1, 32]  ->  keys [4, ?0 + ?1, 32]      ?1 and ?0 + ?1

An input may have no elements (`driver/onnx/empty_inputs.py` decides for which symbols). A value
that a step writes has some, and so does the domain of a kernel; other calls run in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from snippets_mlir.runtime.form import Described, Form


def positive_sizes(form: Form) -> list[int]:
    """The numbers of these sizes, of those that depend on the call."""
    inputs = {value["value"] for value in form.manifest["inputs"]}
    others = (described for v, described in enumerate(form.values) if v not in inputs)
    written = _numbers([*others, *form.outputs]) | {work.domain for work in form.works}
    read = _numbers(form.inputs) | {work.space for work in form.works}
    return [n for n in form.formulas.symbolic if n in written or n not in read]


def _numbers(arrays: Iterable[Described | None]) -> set[int]:
    return {n for array in arrays if array is not None for n in (*array.shape, array.bytes)}
