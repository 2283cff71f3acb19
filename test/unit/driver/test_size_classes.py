"""Classes of sizes: which sizes a program asks of, and the templates that calls of a class take."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from guard_pages import PLACES, results_at_pages
from numpy.typing import NDArray
from sampled import ends, sampled

import snippets_mlir
from snippets_mlir.dialects.builtin.size_ranges import SizeRange, size_ranges_of
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.driver.dynamic.size_classes import asked_sizes, class_of, range_in
from snippets_mlir.driver.dynamic.templates import mask_of, template_for
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

Array = NDArray[np.float32]
Sizes = tuple[int, int, int]


def product(rows: int | str, terms: int | str, columns: int | str, flags: str = "") -> str:
    right = f"{columns}x{terms}" if flags else f"{terms}x{columns}"
    types = f"tensor<{rows}x{terms}xf32>, tensor<{right}xf32>"
    return f"""func.func @main(%x: tensor<{rows}x{terms}xf32>, %w: tensor<{right}xf32>)
    -> tensor<{rows}x{columns}xf32> {{
  %0 = snippets.matmul %x, %w {flags} : ({types}) -> tensor<{rows}x{columns}xf32>
  func.return %0 : tensor<{rows}x{columns}xf32>
}}"""


def asked(text: str, *shapes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    """The sizes that a program asks of, and the bounds of their classes."""
    module = parse_module(text, make_context(), "test.mlir")
    open_places = [(i, d) for i, shape in enumerate(shapes) for d, n in enumerate(shape) if n < 0]
    called = tuple(tuple(abs(n) for n in shape) for shape in shapes)
    template, _ = template_for(module, "main", open_places, mask_of(open_places, called), called)
    return {size: bounds for size, bounds, _ in template.asked}


@pytest.mark.parametrize(
    ("text", "shapes", "expected"),
    [
        (product("?", 8, 500), [(-9, 8), (8, 500)], {"?0": (32,)}),
        (product("?", 8, 1024), [(-9, 8), (8, 1024)], {"?0": (12,)}),
        (product("?", 8, "?"), [(-9, 8), (8, -300)], {"?0": (12,)}),
        (product(9, "?", 500), [(9, -8), (-8, 500)], {"?0": (2049, 16385)}),
        (product("?", "?", 500), [(-9, -8), (-8, 500)], {"?0": (32,), "?1": (2049, 16385)}),
        # a transposed operand is copied whatever the number of rows is
        (product("?", 8, 500, "{transpose_b}"), [(-9, 8), (500, 8)], {}),
        (product("?", "?", 500, "{transpose_b}"), [(-9, -8), (500, -8)], {"?1": (2049, 16385)}),
        # no more than a panel or two
        (product("?", 8, 128), [(-9, 8), (8, 128)], {}),
        (product(9, 8, "?"), [(9, 8), (8, -300)], {}),
        (product("?", "?", 500), [(-1, -8), (-8, 500)], {}),  # one row
    ],
)
def test_the_sizes_that_a_product_asks_of(
    text: str, shapes: Sequence[tuple[int, ...]], expected: dict[str, tuple[int, ...]]
) -> None:
    assert asked(text, *shapes) == expected


def test_a_size_of_two_products_has_the_bounds_of_both() -> None:
    text = """func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = snippets.matmul %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      func.return %0 : tensor<?x?xf32>
    }"""
    assert asked(text, (-9, -9)) == {"?0": (12, 2049, 16385)}


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (9, 64, {"?0": (2049,)}),
        (9, 16, {"?0": (4097,)}),
        (1, 64, {}),  # a row that is a block needs no copy for others
    ],
)
def test_the_keys_of_an_attention(rows: int, columns: int, expected: dict[str, tuple[int, ...]]):
    q, k, s = f"tensor<2x{rows}x{columns}xf32>", f"tensor<2x?x{columns}xf32>", f"2x{rows}x?xf32"
    text = f"""func.func @main(%q: {q}, %k: {k}, %v: {k}, %m: tensor<?xf32>) -> {q} {{
      %0 = snippets.matmul %q, %k {{transpose_b}} : ({q}, {k}) -> tensor<{s}>
      %1 = snippets.add %0, %m : (tensor<{s}>, tensor<?xf32>) -> tensor<{s}>
      %2 = snippets.softmax %1 {{axis = 2 : i64}} : tensor<{s}>
      %3 = snippets.matmul %2, %v : (tensor<{s}>, {k}) -> {q}
      func.return %3 : {q}
    }}"""
    assert asked(text, (2, rows, columns), *[(2, -300, columns)] * 2, (-300,)) == expected


def test_a_program_asks_of_few_sizes_or_of_none() -> None:
    def products(count: int) -> dict[str, tuple[int, ...]]:
        names = [f"%x{i}" for i in range(count)]
        inputs = ", ".join(f"{name}: tensor<?x8xf32>" for name in names)
        body = "".join(
            f"%r{i} = snippets.matmul {name}, %w : (tensor<?x8xf32>, tensor<8x500xf32>) "
            "-> tensor<?x500xf32>\n"
            for i, name in enumerate(names)
        )
        results = ", ".join(f"%r{i}" for i in range(count))
        types = ", ".join(["tensor<?x500xf32>"] * count)
        text = f"""func.func @main({inputs}, %w: tensor<8x500xf32>) -> ({types}) {{
          {body} func.return {results} : {types}
        }}"""
        return asked(text, *[(-9, 8)] * count, (8, 500))

    assert products(3) == dict.fromkeys(("?0", "?1", "?2"), (32,))
    assert products(4) == {}


def test_constants_are_packed_however_many_rows_there_are() -> None:
    weights = "dense<1.5> : tensor<8x500xf32>"
    text = f"""func.func @main(%x: tensor<?x8xf32>) -> tensor<?x500xf32> {{
      %w = snippets.constant {weights}
      %0 = snippets.matmul %x, %w : (tensor<?x8xf32>, tensor<8x500xf32>) -> tensor<?x500xf32>
      func.return %0 : tensor<?x500xf32>
    }}"""
    assert asked(text, (-9, 8)) == {}


def test_classes_are_ranges() -> None:
    bounds = (32, 2049)
    for number, index in [(0, 0), (31, 0), (32, 1), (2048, 1), (2049, 2), (1 << 40, 2)]:
        assert class_of(number, bounds) == index
        least, below = range_in(bounds, index)
        assert least <= number
        assert below is None or number < below


def test_a_template_says_in_which_ranges_its_sizes_are() -> None:
    module = parse_module(product("?", "?", 500), make_context(), "test.mlir")
    places = [(0, 0), (0, 1), (1, 0)]
    called = (40, 3000), (3000, 500)
    template, result = template_for(module, "main", places, (None,) * 3, called)
    assert template.classes == (1, 1)
    found = {str(size): limits for size, limits in size_ranges_of(result).items()}
    assert found == {"?0": SizeRange(32, None), "?1": SizeRange(2049, 16385)}
    unknown = (-1, -1), (-1, 500)
    template, result = template_for(module, "main", places, (None,) * 3, unknown)
    assert (template.asked, size_ranges_of(result)) == ((), {})
    assert asked_sizes(result)  # of what a call decides


def arrays_of(sizes: Sizes, flags: str = "") -> tuple[Array, Array]:
    rows, terms, columns = sizes
    random = np.random.default_rng(sum(sizes))
    x = random.standard_normal((rows, terms), np.float32)
    return x, random.standard_normal((columns, terms) if flags else (terms, columns), np.float32)


def checked(program: Compiled, sizes: Sizes, flags: str = "") -> Array:
    """The product of a call, which is right within the law of errors."""
    x, given = arrays_of(sizes, flags)
    w = given.T if flags else given
    found = program(x, given)
    exact, size = x.astype(float) @ w, np.abs(x.astype(float)) @ np.abs(w)
    assert np.all(np.abs(found - exact) <= (2 * np.sqrt(sizes[1]) + 4) * 2**-24 * size)
    return found


FEW, MANY = (11, 301, 400), (12, 301, 400)
LONG, LONGER, SMALL = (12, 2049, 61), (12, 16385, 17), (40, 30, 50)


@pytest.mark.parametrize("threads", sampled((1, 2), 2))
def test_calls_take_the_template_of_their_class(threads: int) -> None:
    program = snippets_mlir.compile(product("?", "?", "?"), num_threads=threads)
    for sizes, compiled in [
        (FEW, 1),
        (SMALL, 1),  # whatever there is
        (MANY, 2),
        (FEW, 2),
        (LONG, 3),
        (LONGER, 4),
        (MANY, 4),
        ((31, 2048, 33), 4),
        (LONG, 4),
        ((2, 100_000, 2), 5),  # few multiply-adds; a panel would be long
    ]:
        checked(program, sizes)
        assert program.compile_count == compiled


OF_ANY = (37, 100, 130), (2, 3000, 20), (13, 5, 1000), (40, 0, 40), (40, 2, 40)


@cache
def results_alone() -> tuple[Array, ...]:
    """The products of `OF_ANY`, of a program that no other call came to first."""
    program = snippets_mlir.compile(product("?", "?", "?"), num_threads=1)
    return tuple([checked(program, sizes) for sizes in OF_ANY])


@pytest.mark.parametrize("first", ends((FEW, MANY, LONG, LONGER)))
def test_the_bits_do_not_depend_on_the_class(first: Sizes) -> None:
    """A template is right for all sizes, and adds in the same order."""
    program = snippets_mlir.compile(product("?", "?", "?"), num_threads=1)
    checked(program, first)
    for sizes, wanted in zip(OF_ANY, results_alone(), strict=True):
        np.testing.assert_array_equal(checked(program, sizes), wanted)
    assert program.compile_count == 2  # 0 terms are another mask


def test_templates_of_all_classes_come_from_the_cache(cache_directory: Path) -> None:
    first = snippets_mlir.compile(product("?", "?", 400), num_threads=1)
    calls = (40, 301, 400), (11, 301, 400), (40, 2049, 400), (11, 2049, 400)
    results = [checked(first, sizes) for sizes in calls]
    assert first.compile_count == 4
    second = snippets_mlir.compile(product("?", "?", 400), num_threads=1)
    for sizes, result in zip(reversed(calls), reversed(results), strict=True):
        np.testing.assert_array_equal(checked(second, sizes), result)
    assert second.compile_count == 0


def test_the_code_of_a_class_copies_or_does_not() -> None:
    """What is printed for the latest call is what it ran."""
    program = snippets_mlir.compile(product("?", 301, "?"), num_threads=1)
    for sizes, copies in [(FEW, False), (MANY, True), (FEW, False)]:
        checked(program, sizes)
        assert ("lir.brgemm_copy_b" in program.kernels[0].ir("lir-brgemm-copy-b")) is copies


@pytest.mark.parametrize("flags", sampled(["", "{transpose_b}"], 2))
def test_copies_of_dynamic_terms_touch_nothing_beyond_the_arrays(flags: str) -> None:
    """Tiles of a transposed operand are four terms, whose last ones are fewer."""
    program = snippets_mlir.compile(product("?", "?", "?", flags), num_threads=2)
    checked(program, MANY, flags)
    assert "lir.brgemm_copy_b" in program.kernels[0].ir("lir-brgemm-copy-b")
    for terms in (3, 301, 1):
        for sizes in [(33, terms, 61), (5, terms, 65)]:
            arrays = arrays_of(sizes, flags)
            wanted = checked(program, sizes, flags)
            for place in PLACES:
                found = results_at_pages(program, arrays, [wanted], place)
                np.testing.assert_array_equal(found[0], wanted)
        assert program.compile_count == 1 + (terms == 1)
