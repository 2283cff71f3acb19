"""The printer's short ways give upstream's text."""

from __future__ import annotations

from io import StringIO
from math import inf, nan, prod
from typing import Any

import pytest
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    Signedness,
    StringAttr,
    TensorType,
    bf16,
    f32,
    f64,
    i1,
    i8,
)
from xdsl.ir import Attribute
from xdsl.printer import Printer

from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.builtin.shaped import tensor_type
from snippets_mlir.support.printing import ExactPrinter


def both(attribute: Attribute) -> tuple[str, str]:
    """The text by the printer of the package, and by that of xDSL."""
    streams = StringIO(), StringIO()
    ExactPrinter(stream=streams[0]).print_attribute(attribute)
    Printer(stream=streams[1]).print_attribute(attribute)
    return streams[0].getvalue(), streams[1].getvalue()


def test_every_byte_of_a_string() -> None:
    every = bytes(range(256))
    streams = StringIO(), StringIO()
    for printer in (ExactPrinter(stream=streams[0]), Printer(stream=streams[1])):
        printer.print_bytes_literal(every)
    assert streams[0].getvalue() == streams[1].getvalue()
    for text in ("", "x", 'a "word"\n\\', "\u00fc \u6587"):
        found, wanted = both(StringAttr(text))
        assert found == wanted


def test_types_of_tensors() -> None:
    types = [TensorType(f32, [2, 3]), TensorType(i8, []), tensor_type(f32, (symbol(0) - 1, 4))]
    for type_ in [*types, *types]:
        found, wanted = both(type_)
        assert found == wanted


@pytest.mark.parametrize(
    ("element", "values"),
    [
        (f32, (1.5, -0.0, nan, inf)),
        (bf16, (1.5, nan)),
        (f64, (-inf, 0.1)),
        (i1, (-1, 0)),
        (i8, (-128, 7)),
        (IntegerType(4), (-8, 7)),
        (IntegerType(32, Signedness.UNSIGNED), (2**32 - 1, 0)),
        (IndexType(), (9, -1)),
    ],
)
def test_elements_that_are_all_the_same_or_many(
    element: Any, values: tuple[int | float, ...]
) -> None:
    for shape in ([], [0], [1], [1, 7], [10, 10], [101]):
        count = prod(shape)
        for elements in [*([value] * count for value in values), [*values * count][:count]]:
            dense = DenseIntOrFPElementsAttr.from_list(TensorType(element, shape), elements)
            found, wanted = both(dense)
            assert found == wanted


@pytest.mark.parametrize("values", [[0.0, 0.0], [0.0, -0.0], [-0.0, -0.0]])
def test_an_encoding_keeps_the_sign_of_its_zeros(values: list[float]) -> None:
    """Types that are equal but for such a sign are not one text."""
    zeros = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2]), values)
    streams = StringIO(), StringIO()
    for stream, attribute in zip(streams, (TensorType(f32, [4], zeros), zeros), strict=True):
        ExactPrinter(stream=stream).print_attribute(attribute)
    assert streams[0].getvalue() == f"tensor<4xf32, {streams[1].getvalue()}>"
