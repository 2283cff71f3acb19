# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""`np.einsum` in functions of NumPy arrays, beside NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError

SIZES = dict(zip("bdhijklq", (2, 6, 3, 3, 4, 5, 1, 4), strict=True))

SUBSCRIPTS = (
    "ij,jk->ik",
    "ij,jk",
    "bhqd,bhkd->bhqk",
    "ij,j,kj->ik",
    "bij,bjk,bkd->bid",
    "jki , jil -> kl",
    "ii->i",
    "ii",
    "iii->",
    "iij,j->i",
    "ij->j",
    "ij->ji",
    "i,j->ij",
    "i,i->",
    "ij,ij->ij",
    "ji,ij->j",
    "ij,kl->",
    "...ij,...jk->...ik",
    "...ij->...ji",
    "...ij,jk->...k",
    "i...->...",
    "->",
    ",i->i",
    "li,ij->j",
    "ik,li->k",
    "ll,li->i",
)


def arrays(subscripts: str, dtype: str = "float32") -> list[Any]:
    rng = np.random.default_rng(0)
    terms = subscripts.replace(" ", "").partition("->")[0].replace("...", "bh").split(",")
    shapes = [[SIZES[label] for label in term] for term in terms]
    return [np.asarray(rng.normal(size=shape) * 3).astype(dtype) for shape in shapes]


@pytest.mark.parametrize("subscripts", sampled(SUBSCRIPTS, 2))
def test_subscripts(subscripts: str):
    given = arrays(subscripts)
    found = snippets_mlir.jit(lambda *some: np.einsum(subscripts, *some))(*given)
    expected = np.einsum(subscripts, *given)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("dtype", "subscripts"),
    sampled(
        product(
            ["float64", "int32", "int8", "uint8", "bool"],
            ["ij,jk->ik", "ij->i", "i,i->", "i,j->ij"],
        ),
        2,
    ),
)
def test_types(subscripts: str, dtype: str):
    given = arrays(subscripts, dtype)
    found = snippets_mlir.jit(lambda *some: np.einsum(subscripts, *some))(*given)
    expected = np.einsum(subscripts, *given)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_sizes_of_0_and_special_numbers():
    f = snippets_mlir.jit(lambda x, y: np.einsum("ij,kj->ik", x, y))
    for rows, terms in ((3, 0), (0, 3)):
        x = np.zeros((rows, terms), np.float32)
        np.testing.assert_array_equal(f(x, x), np.einsum("ij,kj->ik", x, x))
    x = np.array([[np.nan, 1], [np.inf, -0.0], [-np.inf, 2]], np.float32)
    y = np.ones((2, 2), np.float32)
    np.testing.assert_array_equal(f(x, y), np.einsum("ij,kj->ik", x, y))


def test_operands_that_are_not_traced():
    x, table = np.ones((3, 4), np.float32), np.arange(8.0).reshape(4, 2)
    found = snippets_mlir.jit(lambda x: np.einsum("ij,jk,->ik", x, table, 2))(x)
    np.testing.assert_array_equal(found, np.einsum("ij,jk,->ik", x, table, 2))
    assert found.dtype == np.float64


def test_a_product_is_one_kernel():
    x = np.ones((3, 4), np.float32)
    text = snippets_mlir.jit(lambda x: np.einsum("ij,kj->ik", x, x)).lower(x).ir("graph")
    assert text.count("snippets.matmul") == 1
    assert "reduce" not in text


REFUSED = {
    "ij,jk": "2 subscripts for 1 arrays",
    "ijk->i": "'ijk' for an array of 2 dims",
    "i->i": "'i' for an array of 2 dims",
    "ij->k": "the result has 'k'",
    "ij->ii": "the result has 'i'",
    "i1->i": "'i1' is no list of letters",
    "ii->i": "the dims 'i' have the sizes 3 and 4",
    "...->": "for an array of 2 dims",
}


@pytest.mark.parametrize("subscripts", REFUSED)
def test_what_is_refused(subscripts: str):
    f = snippets_mlir.jit(lambda x: np.einsum(subscripts, x))
    with pytest.raises(
        CompileError, match=rf"test_numpy_einsum.*: np\.einsum: .*{REFUSED[subscripts]}"
    ):
        f(np.ones((3, 4), np.float32))


def test_lists_of_places_are_refused():
    f = snippets_mlir.jit(lambda x: np.einsum(x, [0, 1], [1, 0]))
    with pytest.raises(CompileError, match="write the subscripts as a text"):
        f(np.ones((3, 4), np.float32))
