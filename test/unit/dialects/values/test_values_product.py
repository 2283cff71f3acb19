"""The matrix product against sums of products, and its exceptional values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from value_types import INF, NAN, Array, NewProgram, Same
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, TensorType, f32
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.values.evaluate import evaluate
from snippets_mlir.support.errors import CompileError

F32, F64 = np.float32, np.float64


def op_on(a: Array, b: Array, *transposes: bool) -> MatMulOp:
    """The product of values of the types of two arrays."""
    lhs, rhs = (create_ssa_value(TensorType(element_type_of(x.dtype), x.shape)) for x in (a, b))
    op = MatMulOp(lhs, rhs, *transposes)
    op.verify()
    return op


def product(a: Array, b: Array, *transposes: bool) -> Array:
    return evaluate(op_on(a, b, *transposes), [a, b])


def numbers(shape: tuple[int, ...], dtype: Any) -> Array:
    return (4 * np.random.default_rng(0).standard_normal(shape)).astype(dtype)


SHAPES = [
    ((7,), (7,), "k,k->"),
    ((7,), (7, 3), "k,kn->n"),
    ((7,), (2, 7, 3), "k,bkn->bn"),
    ((4, 7), (7,), "mk,k->m"),
    ((2, 4, 7), (7,), "bmk,k->bm"),
    ((4, 7), (7, 3), "mk,kn->mn"),
    ((1, 1), (1, 1), "mk,kn->mn"),
    ((5, 2, 4, 7), (2, 7, 3), "cbmk,bkn->cbmn"),
    ((5, 1, 4, 7), (2, 7, 3), "cxmk,bkn->cbmn"),
    ((4, 7), (6, 7, 3), "mk,bkn->bmn"),
]


@pytest.mark.parametrize(("lhs", "rhs", "sums"), SHAPES)
def test_every_rank_is_the_sum(lhs: tuple[int, ...], rhs: tuple[int, ...], sums: str) -> None:
    for dtype in (F32, F64, np.int32, np.uint8):
        a, b = numbers(lhs, dtype), numbers(rhs, dtype)
        wide = F64 if a.dtype.kind == "f" else np.int64
        expected = np.einsum(sums, a.astype(wide), b.astype(wide)).astype(dtype)
        np.testing.assert_allclose(product(a, b), expected, 2e-6 if dtype is F32 else 1e-13)


def test_transposes() -> None:
    a, b = numbers((2, 7, 4), F64), numbers((3, 7), F64)
    expected = np.einsum("bkm,nk->bmn", a, b)
    np.testing.assert_allclose(product(a, b, True, True), expected, 1e-13)
    np.testing.assert_allclose(product(a.swapaxes(1, 2), b, False, True), expected, 1e-13)
    np.testing.assert_allclose(product(a, b.T, True, False), expected, 1e-13)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bits_are_rounded_once(dtype: str, bf16: np.dtype[Any]) -> None:
    kind = bf16 if dtype == "bfloat16" else np.dtype(dtype)
    a, b = numbers((3, 200), kind), numbers((200, 2), kind)
    found = product(a, b)
    assert found.dtype == kind
    expected = a.astype(F64) @ b.astype(F64)
    error = np.abs(found.astype(F64) - expected)
    assert np.all(error <= np.abs(expected) * (2.0**-8 if dtype == "bfloat16" else 2.0**-11))


def test_nothing_gives_zeros() -> None:
    found = product(numbers((2, 3, 0), F32), numbers((0, 4), F32))
    np.testing.assert_array_equal(found, np.zeros((2, 3, 4), F32))
    assert not np.signbit(found).any()
    assert product(numbers((0, 3), F32), numbers((3, 4), F32)).shape == (0, 4)
    assert product(numbers((0,), F32), numbers((0,), F32)) == 0


def test_nan_and_infinity_propagate() -> None:
    a = np.array([[NAN, 0, 0], [INF, 0, 1], [0, INF, 1], [INF, -INF, 1], [1, 2, 3]], F32)
    b = np.array([[1, 0], [1, 1], [1, 1]], F32)
    expected = np.array([[NAN, NAN], [INF, NAN], [INF, INF], [NAN, NAN], [6, 5]], F32)
    expected[3, 1] = NAN
    np.testing.assert_array_equal(product(a, b), expected)
    for rows in range(1, 5):
        np.testing.assert_array_equal(product(a[:rows], b[:, 0]), expected[:rows, 0])


def test_integers_wrap() -> None:
    a = np.full((1, 3), 2**30, np.int32)
    assert product(a, a.T) == 0
    assert product(np.full((2,), 200, np.uint8), np.ones((2,), np.uint8)) == 144


def test_a_product_overflows_once() -> None:
    a = np.array([3e38, 3e38, -3e38], F32)
    assert product(a, np.ones(3, F32)) == F32(3e38)
    assert product(a[:2], np.ones(2, F32)) == INF


def test_sizes_that_only_the_arrays_say() -> None:
    lhs = create_ssa_value(TensorType(f32, [DYNAMIC_INDEX, DYNAMIC_INDEX]))
    op = MatMulOp(lhs, lhs, transpose_b=True)
    a = np.ones((3, 2), F32)
    np.testing.assert_array_equal(evaluate(op, [a, a[:1]]), np.full((3, 1), 2, F32))
    with pytest.raises(CompileError, match="equal inner sizes, found 3x2 and 2x3 with transpose_b"):
        evaluate(op, [a, a.T])


def test_a_constructor_refuses_what_the_verifier_does() -> None:
    a = create_ssa_value(TensorType(f32, [2, 3]))
    with pytest.raises(
        VerifyException, match=r"C9: .* equal inner sizes, found 2x3 and 2x3: 3 and"
    ):
        MatMulOp(a, a)


def folded(a: Array, b: Array) -> Any:
    """What the product of values of the types of two arrays folds to."""
    return op_on(a, b).fold()


def test_a_product_of_nothing_folds_to_zeros() -> None:
    (zeros,) = folded(np.ones((2, 0), F32), np.ones((0, 3), F32))
    assert zeros == DenseIntOrFPElementsAttr.from_list(TensorType(f32, [2, 3]), [0.0])
    assert folded(np.ones((2, 1), F32), np.ones((1, 3), F32)) is None
    assert folded(np.ones((200, 0), F32), np.ones((0, 200), F32)) is None


@pytest.mark.parametrize("seed", range(20))
def test_canonical_forms_keep_every_bit(seed: int, new_program: NewProgram, same: Same) -> None:
    rng = random.Random(seed)
    batch = tuple(rng.choice((1, 2, 3)) for _ in range(rng.randint(0, 2)))
    rows, terms, columns = (rng.choice((0, 1, 3, 4)) for _ in range(3))
    flags = [rng.random() < 0.5 for _ in range(2)]
    values: list[Array] = []
    orders: list[list[int]] = []
    for matrix, transposed in zip(((rows, terms), (terms, columns)), flags, strict=True):
        shape = (*batch, *(matrix[::-1] if transposed else matrix))
        orders.append(rng.sample(range(len(shape)), len(shape)))
        source = tuple(shape[orders[-1].index(dim)] for dim in range(len(shape)))
        values.append(numbers(source, np.int32))
    program = new_program(values)
    a, b = (
        program.add(TransposeOp(argument, order))
        for argument, order in zip(program.block.args, orders, strict=True)
    )
    program.finish(program.add(MatMulOp(a, b, *flags)))
    before = program.run()
    program.canonicalize()
    assert same(before, program.run())
    left = [op for op in program.block.ops if isinstance(op, TransposeOp)]
    assert all(op.permutation[-2] != len(op.permutation) - 1 for op in left)
