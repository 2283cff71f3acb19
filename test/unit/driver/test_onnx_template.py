"""Symbols for the sizes of a dynamic ONNX model."""

from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET
from snippets_mlir.driver.onnx.template import Numbering, OnnxTemplate
from snippets_mlir.frontends.onnx.shapes import InferredShapes, parse_dim
from snippets_mlir.frontends.onnx.shapes import symbol as size


def test_sums_and_products_of_sizes_are_those_of_symbols():
    n, k = size("n"), size("k")
    numbering = Numbering()
    first, second = numbering.number(n), numbering.number(k)
    assert (first, second) == (symbol(0), symbol(1))
    assert numbering.number(n * k * 4) == symbol(0) * symbol(1) * 4
    assert numbering.number(7) == 7
    assert numbering.number(n + 1) == symbol(0) + 1
    assert numbering.number(n * 2 + n * k + 3) == symbol(0) * 2 + symbol(0) * symbol(1) + 3
    assert numbering.number(n - 1) == symbol(2)
    assert numbering.number((n - 1) * 1) == symbol(2)
    assert numbering.number(n // 2) == symbol(3)
    assert numbering.number((n // 2) * 6 + 1) == symbol(3) * 6 + 1


def test_there_are_only_so_many_symbols():
    numbering = Numbering()
    numbers = [numbering.number(size(f"s{i}")) for i in range(FIRST_OFFSET + 3)]
    assert numbers[FIRST_OFFSET - 1] == symbol(FIRST_OFFSET - 1)
    assert numbers[FIRST_OFFSET:] == [None] * 3


def test_the_values_of_a_call():
    numbering = Numbering()
    for text in ("n", "n + 1", "n // 2", "k"):
        assert numbering.number(parse_dim(text)) is not None
    pairs = ((size("n"), size("m")),)
    inferred = InferredShapes({}, {}, {"n": ("x", 0), "m": ("y", 1), "k": ("y", 0)}, pairs)
    template = numbering.template(inferred, ["x", "y"])
    assert template.values(((9, 3), (5, 9))) == [9, 4, 5]
    assert template.values(((9, 3), (5, 8))) is None  # n == m does not hold
    assert template.values(((1, 3), (5, 1))) is None  # a size is 0
    large = 1 << 31
    assert template.values(((large, 3), (5, large))) == [large, large // 2, 5]


def test_a_model_without_dynamic_dims():
    assert OnnxTemplate({}, (), ()).values(()) == []
