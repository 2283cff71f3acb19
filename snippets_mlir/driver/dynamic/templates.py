"""Programs for all shapes of one broadcast mask: compiled once, then filled in for each call.

    inputs (?, ?) and (?, 8), called with (3, 5) and (3, 8)      mask: none of the ? is 1
    template: (?0, ?1) and (?0, 8)                               ?0 = 3, ?1 = 5

A dynamic dim of a call is 1, 0 or anything else; the mask records which. No other fact about the
dim is needed. Code may also depend on classes of sizes, such as few or many rows of a product
(`size_classes.py`): it is correct for the other classes, but slower. Dims that are neither 0 nor 1
become symbols (`dialects/builtin/dims.py`). Dims that the program adds, compares or combines in
other ways have to be equal and share a symbol, or are a number that the program names
(`equal_sizes.py`). A template is compiled like a static program. For a call its numbers are
evaluated with the call's sizes: shapes, domains, scratchpads, and the `rt` slots that the kernels
read.

Programs with ops that onnxruntime or NumPy executes, except index checks, need a build for each
shape: `template_cache.py` detects this and keeps the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.builtin.dims import (
    Dim,
    Size,
    TooManySizesError,
    format_size,
    terms_of,
)
from snippets_mlir.dialects.builtin.polynomials import value_of
from snippets_mlir.dialects.builtin.size_text import size_data, size_from
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.driver.dynamic.call_classes import Bounds, CallClasses, Classes
from snippets_mlir.driver.dynamic.equal_sizes import Known, Place
from snippets_mlir.driver.dynamic.size_classes import NOTHING_ASKED, asked_sizes, classes_for
from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.driver.dynamic.unequal_sizes import UnequalSizes
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.manifests.manifest import Manifest

Shapes = tuple[tuple[int, ...], ...]
Mask = tuple[int | None, ...]
"""For each dynamic dim of the inputs, in order: 0, 1, or None for any other size."""


@dataclass(frozen=True)
class Template:
    """The facts about inputs that a mask determines.

    Attributes:
        shapes: the inputs' shapes, as in the manifest: formulas are text.
        dims: for each symbol, its places; a call must have the same size at all of them.
        fixed: places whose size the program names, with that size.
        tied: places whose size follows from symbols, with its formula.
        room: formulas that are 0 or more in a call; slices of known places require them.
        asked: formulas on whose classes the code depends, the bounds of these, and the work that
            depends on them.
        classes: the classes that the code was made for.
    """

    shapes: tuple[tuple[int | str, ...], ...]
    dims: tuple[tuple[Place, ...], ...]
    fixed: tuple[tuple[Place, int], ...]
    tied: tuple[tuple[Place, str], ...]
    room: tuple[str, ...]
    asked: tuple[tuple[str, Bounds, str], ...] = ()
    classes: Classes = ()

    def values(self, shapes: Shapes) -> list[int] | None:
        """The values of the symbols in a call, or None when the shapes do not fit."""
        if any(shapes[i][d] != size for (i, d), size in self.fixed):
            return None
        found = [{shapes[i][d] for i, d in places} for places in self.dims]
        if any(len(sizes) != 1 for sizes in found):
            return None
        values = [sizes.pop() for sizes in found]
        if any(shapes[i][d] != _number(text, values) for (i, d), text in self.tied):
            return None
        return values if all(_number(text, values) >= 0 for text in self.room) else None

    def classes_of(self, values: Sequence[int]) -> Classes:
        """The classes that suit a call with these values of the symbols: its own if it is small."""
        return CallClasses(self.asked, self.classes).of(values)

    def is_for(self, places: Sequence[Place], mask: Mask, manifest: Manifest) -> bool:
        """Whether it determines each place that `mask` leaves open, as `manifest` does."""
        free = [place for place, size in zip(places, mask, strict=True) if size is None]
        told = [place for members in self.dims for place in members]
        told += [place for place, _ in (*self.fixed, *self.tied)]
        inputs = tuple(tuple(described["shape"] or ()) for described in manifest["inputs"])
        return sorted(told) == sorted(free) and inputs == self.shapes


def _number(text: str, values: Sequence[int]) -> int:
    return value_of(terms_of(size_from(text)), values)


def template_from(data: Mapping[str, Any]) -> Template:
    """The template of its fields as JSON; `KeyError` and `TypeError` for other data."""
    return Template(
        tuple(map(tuple, data["shapes"])),
        tuple(tuple((i, d) for i, d in places) for places in data["dims"]),
        tuple(((i, d), size) for (i, d), size in data["fixed"]),
        tuple(((i, d), str(text)) for (i, d), text in data["tied"]),
        tuple(map(str, data["room"])),
        tuple(
            (str(size), tuple(map(int, bounds)), str(work)) for size, bounds, work in data["asked"]
        ),
        tuple(map(int, data["classes"])),
    )


def dynamic_places(inputs: Sequence[TensorSpec]) -> list[Place]:
    """The dynamic dimensions, known only at run time."""
    return [
        (i, d)
        for i, spec in enumerate(inputs)
        for d, size in enumerate(spec.shape or ())
        if size is None
    ]


def mask_of(places: Sequence[Place], shapes: Shapes) -> Mask:
    """The mask of a call with inputs of `shapes`."""
    sizes = [shapes[i][d] for i, d in places]
    return tuple(size if size in (0, 1) else None for size in sizes)


def template_for(
    module: ModuleOp,
    entry: str,
    places: Sequence[Place],
    mask: Mask,
    shapes: Shapes,
    *,
    complete: bool = False,
) -> tuple[Template, ModuleOp]:
    """The template of a mask, and the program for it.

    Args:
        module: the program with dynamic dims; it is not changed.
        entry: the function that is compiled.
        places: its dynamic dims.
        mask: which of the dims are 0 or 1.
        shapes: the shapes of a call with that mask. If a size is -1, the call is unknown, and so
            are its classes.
        complete: as in `specialize`.

    Raises:
        CompileError: the program does not fit these shapes.
        TooManySizesError: there are more symbols than `dialects/builtin/slots.py` has for dims.
    """
    free = [place for place, size in zip(places, mask, strict=True) if size is None]
    known = Known(free)
    while True:
        if len(known.classes) > FIRST_OFFSET:
            raise TooManySizesError(f"more than {FIRST_OFFSET} dynamic dims")
        sizes: list[list[Dim]] = [list(shape) for shape in shapes]
        for (i, d), size in known.sizes().items():
            sizes[i][d] = size
        template = tuple(map(tuple, sizes))
        try:
            result = specialize(module, entry, template, complete=complete)
        except UnequalSizes as unequal:
            if not known.equate(unequal.first, unequal.second):
                raise unequal.error from None
            continue
        told = tuple(tuple(map(size_data, shape)) for shape in template)
        values = [shapes[i][d] for (i, d), *_ in known.classes]
        called = min(values, default=-1) >= 0
        found = classes_for(result, asked_sizes(result) if called else NOTHING_ASKED, values)
        return Template(told, *known.told(), _room(result), found.asked, found.classes), result


def _room(module: ModuleOp) -> tuple[str, ...]:
    """The formulas that the ops of a template require of sizes known only in a call."""
    asked = (size for op in module.walk() if isinstance(op, WholeTensorOp) for size in op.room())
    return tuple(dict.fromkeys(format_size(size) for size in asked if isinstance(size, Size)))


def is_complete(manifest: Mapping[str, Any]) -> bool:
    """Whether a template can be filled in: kernels, views and checks only."""
    return all(step["kind"] != "execute" for step in manifest["steps"])
