"""The smaller calls that a plan is tried for, and the least work of a plan in sizes of inputs.

planned for       tokens 8x12
smaller calls     tokens 4x6, 2x3, 1x1       each dynamic dim is halved, down to 1
least work        ?0*64 in the symbols of the graph, of which ?0 is b*s: 64*b*s
"""

from __future__ import annotations

from collections.abc import Sequence

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.onnx.cuts.least_work import Least
from snippets_mlir.driver.onnx.growth import is_dynamic
from snippets_mlir.driver.onnx.size_formulas import formula_of
from snippets_mlir.driver.onnx.small_calls import LeastWork
from snippets_mlir.driver.onnx.template import OnnxTemplate
from snippets_mlir.frontends.onnx.shapes.dims import Size as NamedSize
from snippets_mlir.frontends.onnx.shapes.dims import linear, product
from snippets_mlir.runtime.arguments.arrays import TensorSpec

SHOWN = 4
"""The largest number of inputs that a text has."""


def halved(shapes: Shapes, inputs: Sequence[TensorSpec]) -> list[Shapes]:
    """The shapes of smaller and smaller calls."""
    found: list[Shapes] = [shapes]
    while (next_ := _half(found[-1], inputs)) != found[-1]:
        found.append(next_)
    return found[1:]


def _half(shapes: Shapes, inputs: Sequence[TensorSpec]) -> Shapes:
    return tuple(
        tuple(
            max(1, size // 2) if size and is_dynamic(spec, dim) else size
            for dim, size in enumerate(shape)
        )
        for shape, spec in zip(shapes, inputs, strict=False)  # none without dynamic dims
    )


def named_least(
    least: Least, template: OnnxTemplate, calls: Sequence[Shapes], inputs: Sequence[TensorSpec]
) -> LeastWork | None:
    """The least work of a plan in sizes of inputs; None if the formula is too long.

    Args:
        least: in the symbols of the graph.
        template: the meaning of these symbols.
        calls: the planned call, and the smaller calls in the order of `least.place`.
        inputs: those of the model.
    """
    try:
        work = _named(least.work, template.formulas)
    except OverflowError:
        return None
    smallest = calls[least.place + 1]
    texts = [
        f"{spec.name} {'x'.join(map(str, shape))}"
        for spec, shape in zip(inputs, smallest, strict=True)
        if any(is_dynamic(spec, dim) for dim in range(len(shape)))
    ]
    more = [f"{len(texts) - SHOWN} more"] if len(texts) > SHOWN else []
    text = ", ".join((*texts[:SHOWN], *more))
    return LeastWork(template.symbols, formula_of(work), least.least, text)


def _named(work: Size, formulas: Sequence[NamedSize]) -> NamedSize:
    """A polynomial in symbols `?i`, of which each is a formula."""
    return linear(
        (product(formulas[index] for index in monomial), factor) for monomial, factor in work.terms
    )
