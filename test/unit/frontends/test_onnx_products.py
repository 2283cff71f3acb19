"""Matrix products of ONNX against NumPy and onnxruntime, and what stays with onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, samples, single, value
from sampled import sampled

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.frontends.onnx.mapping.products import MICROSOFT
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.support.errors import CompileError

Array = NDArray[Any]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64


def interpreted(made: onnx.ModelProto, *arrays: Array) -> Array:
    """The result of the model as ops; no node stays."""
    module = import_model(made, products=True)
    assert "onnx.node" not in str(module)
    (found,) = Interpreter(module).run("main", arrays)
    return np.asarray(found)


def numbers(*shape: int, dtype: Any = F32) -> Array:
    count = int(np.prod(shape))
    return samples(dtype, count + 1, seed=len(shape))[:count].reshape(shape)


def ops(made: onnx.ModelProto) -> list[str]:
    """The ops of the imported model, without constants and the return."""
    module = import_model(made, products=True)
    names = [op.name for f in module.ops for op in f.regions[0].block.ops]
    return [n.removeprefix("snippets.") for n in names if not n.endswith((".scalar", ".return"))]


@pytest.mark.parametrize(
    ("lhs", "rhs"),
    [((3, 4), (4, 5)), ((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,)), ((2, 1, 3, 4), (6, 4, 5))],
)
def test_matmul(lhs: tuple[int, ...], rhs: tuple[int, ...]):
    for dtype in (F32, F64, I32, I64):
        a, b = numbers(*lhs, dtype=dtype), numbers(*rhs, dtype=dtype)
        made = single("MatMul", [a, b])
        assert ops(made) == ["matmul"]
        np.testing.assert_allclose(interpreted(made, a, b), run_reference(made, [a, b])[0], 1e-5)


@pytest.mark.parametrize(
    ("bias", "alpha", "beta"),
    sampled(
        [
            (bias, *scales)
            for bias in [None, (), (1,), (5,), (1, 5), (3, 1), (3, 5)]
            for scales in [(1.0, 1.0), (0.5, 1.0), (1.0, 0.25), (2.0, 0.0)]
        ],
        2,
    ),
)
def test_gemm(bias: tuple[int, ...] | None, alpha: float, beta: float):
    for trans_a, trans_b in ((1, 1), (1, 0), (0, 1), (0, 0)):
        a, b = numbers(*((4, 3) if trans_a else (3, 4))), numbers(*((5, 4) if trans_b else (4, 5)))
        arrays = [a, b, *([] if bias is None else [numbers(*bias)])]
        flags: Any = {"transA": trans_a, "transB": trans_b}
        made = single("Gemm", arrays, alpha=alpha, beta=beta, **flags)
        expected = run_reference(made, arrays)[0]
        np.testing.assert_allclose(interpreted(made, *arrays), expected, 1e-5, 1e-5)
        assert ops(single("Gemm", arrays, **flags)) == ["matmul", "add"][: len(arrays) - 1]


def test_gemm_with_beta_0_does_not_read_the_bias():
    a, b, c = numbers(3, 4), numbers(4, 5), np.full((5,), np.nan, F32)
    made = single("Gemm", [a, b, c], beta=0.0)
    assert ops(made) == ["matmul"]
    assert np.isfinite(interpreted(made, a, b, c)).all()


def test_gemm_of_integers():
    a, b, c = (numbers(*s, dtype=I32) for s in ((3, 4), (4, 5), (5,)))
    made = single("Gemm", [a, b, c], alpha=2.0)
    np.testing.assert_array_equal(interpreted(made, a, b, c), 2 * (a @ b) + c)
    made = single("Gemm", [a, b, c], alpha=0.5)
    assert "Gemm of integers times 0.5" in str(import_model(made, products=True))


def fused(operator: str, arrays: list[Array], result: tuple[int, ...], **attributes: Any) -> Any:
    """A model of one node of onnxruntime's."""
    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(operator, names, ["y"], domain=MICROSOFT, **attributes)
    inputs = [value(n, a.shape, a.dtype) for n, a in zip(names, arrays, strict=True)]
    return model([node], inputs, [value("y", result)], domains=[MICROSOFT])


@pytest.mark.parametrize("batch", [0, 1])
@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
def test_fused_matmul(batch: int, trans_a: int, trans_b: int):
    a, b = numbers(2, 6, 3, 4), numbers(2, 6, 4, 5)
    left, right = a.swapaxes(2, 3) if trans_a else a, b.swapaxes(2, 3) if trans_b else b
    if batch:
        left, right = (np.moveaxis(x, 2, 0) for x in (left, right))
    flags = {"transA": trans_a, "transB": trans_b, "transBatchA": batch, "transBatchB": batch}
    arrays = [np.ascontiguousarray(x) for x in (left, right)]
    made = fused("FusedMatMul", arrays, (2, 6, 3, 5), alpha=0.5, **flags)
    expected = 0.5 * (a.astype(F64) @ b)
    np.testing.assert_allclose(interpreted(made, *arrays), expected, 1e-5, 1e-5)
    np.testing.assert_allclose(run_reference(made, arrays)[0], expected, 1e-5, 1e-5)


def test_fused_matmul_of_a_vector_transposes_nothing():
    a, b = numbers(4), numbers(4, 5)
    made = fused("FusedMatMul", [a, b], (5,), transA=1)
    np.testing.assert_allclose(interpreted(made, a, b), run_reference(made, [a, b])[0], 1e-5)


@pytest.mark.parametrize(
    ("activation", "numbers_of_it"),
    [
        ("Relu", ()),
        ("Sigmoid", ()),
        ("Softplus", ()),
        ("Softsign", ()),
        ("Tanh", ()),
        ("Elu", (0.75,)),
        ("HardSigmoid", (0.3, 0.1)),
        ("HardSigmoid", (1 / 6, 0.5)),
        ("LeakyRelu", (0.25,)),
    ],
)
def test_fused_gemm(activation: str, numbers_of_it: tuple[float, ...]):
    arrays = [numbers(3, 4), numbers(5, 4), numbers(5)]
    names = ("activation_alpha", "activation_beta")
    more: dict[str, float] = dict(zip(names, numbers_of_it, strict=False))
    made = fused("FusedGemm", arrays, (3, 5), transB=1, activation=activation, **more)
    expected = run_reference(made, arrays)[0]
    np.testing.assert_allclose(interpreted(made, *arrays), expected, 1e-5, 1e-5)


def test_fused_gemm_without_numbers_has_those_of_the_activation():
    arrays = [numbers(3, 4), numbers(4, 5)]
    made = fused("FusedGemm", arrays, (3, 5), activation="HardSigmoid")
    expected = np.clip(0.2 * (arrays[0] @ arrays[1]) + 0.5, 0, 1)
    np.testing.assert_allclose(interpreted(made, *arrays), expected, 1e-5, 1e-5)


@pytest.mark.parametrize("activation", ["Celu", "Mish", "Selu", "ThresholdedRelu"])
def test_fused_gemm_with_other_activations_stays(activation: str):
    made = fused("FusedGemm", [numbers(3, 4), numbers(4, 5)], (3, 5), activation=activation)
    reason = f"FusedGemm knows no activation '{activation}'"
    assert reason in str(import_model(made, products=True))


def test_attributes_that_are_not_known_stay():
    made = fused("FusedMatMul", [numbers(3, 4), numbers(4, 5)], (3, 5), beta=0.5)
    reason = "the attribute beta of FusedMatMul is unknown, the known ones are alpha, transA"
    assert reason in str(import_model(made, products=True))


EINSUMS = [
    ("ij->ji", (3, 4)),
    ("ij->i", (3, 4)),
    ("...ii ->...i", (3, 5, 5)),
    ("i,i", (5,), (5,)),
    ("bij, bjk -> bik", (5, 2, 3), (5, 3, 4)),
    ("->", ()),
    ("ij", (3, 4)),
    ("ba", (3, 4)),
    ("ii", (4, 4)),
    ("iji->j", (4, 3, 4)),
    ("bhqd,bkhd->bhqk", (2, 3, 4, 5), (2, 6, 3, 5)),
    ("bhqk,bkhd->bqhd", (2, 3, 4, 6), (2, 6, 3, 5)),
    ("ij,kj->ij", (2, 3), (4, 3)),
    ("ij,j", (2, 3), (3,)),
    ("ij,jk,kl->li", (2, 3), (3, 4), (4, 5)),
    ("ab,cd->dacb", (2, 3), (4, 5)),
    ("...ij,...jk", (2, 1, 3, 4), (5, 4, 6)),
    ("...,...", (2, 3), (3,)),
    ("i...,i...->...", (2, 3), (2, 3)),
    ("abc,cbd->ad", (2, 3, 4), (4, 3, 5)),
    ("abcd,cdef->abef", (2, 3, 4, 5), (4, 5, 2, 3)),
    ("ij,jk->ik", (2, 1), (3, 4)),
    ("bij,bjk->bik", (1, 2, 3), (5, 3, 4)),
    ("ij,jk->ik", (2, 0), (0, 4)),
    ("abmk,kn->abmn", (2, 3, 4, 5), (5, 6)),
    ("abcmk,akn->abcmn", (2, 3, 2, 4, 5), (2, 5, 6)),
    ("abcmk,akxn->nabcmx", (2, 3, 2, 4, 5), (2, 5, 6, 3)),
    ("a,b,c->abc", (2,), (3,), (4,)),
    ("ij,ij->", (2, 3), (2, 3)),
    (",ij->ij", (), (2, 3)),
]


@pytest.mark.parametrize("case", EINSUMS, ids=lambda c: str(c[0]))
def test_einsum(case: Any):
    equation, *shapes = case
    for dtype in (F32, F64, I32):
        arrays = [numbers(*shape, dtype=dtype) for shape in shapes]
        made = single("Einsum", arrays, equation=equation)
        wide = [a.astype(F64 if dtype is not I32 else I64) for a in arrays]
        expected = np.einsum(equation, *wide)
        found = interpreted(made, *arrays)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, 1e-5, 1e-5)


def test_einsum_of_products_only():
    arrays = [numbers(2, 3, 4, 5), numbers(2, 6, 3, 5)]
    assert ops(single("Einsum", arrays, equation="bhqd,bkhd->bhqk")) == ["transpose", "matmul"]
    arrays = [numbers(5, 2, 3), numbers(5, 3, 4)]
    assert ops(single("Einsum", arrays, equation="bij,bjk->bik")) == ["matmul"]
    assert ops(single("Einsum", arrays[:1] * 2, equation="bij,bkj->bik")) == ["matmul"]
    assert ops(single("Einsum", arrays[:1] * 2, equation="bji,bjk->bik")) == ["matmul"]


def test_a_diagonal_keeps_every_value():
    x = np.array([[-0.0, np.nan], [np.inf, -np.inf]], F32)
    found = interpreted(single("Einsum", [x], equation="ii->i"), x)
    np.testing.assert_array_equal(found, np.array([-0.0, -np.inf], F32))
    assert np.signbit(found[0])


def test_sizes_of_a_call():
    node = helper.make_node("Einsum", ["x", "w"], ["y"], equation="bmk,kn->bmn")
    made = model([node], [value("x", ["b", "m", "k"]), value("w", ["k", "n"])], ["y"])
    x, w = numbers(2, 3, 4), numbers(4, 5)
    np.testing.assert_allclose(interpreted(made, x, w), x @ w, 1e-5, 1e-5)
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    made = model([node], [value("x", ["b", "m", "k"]), value("w", ["k", "n"])], ["y"])
    np.testing.assert_allclose(interpreted(made, x, w), x @ w, 1e-5, 1e-5)
    with pytest.raises(CompileError, match="equal inner sizes, found 2x3x4 and 3x4: 4 and 3"):
        interpreted(made, x, numbers(3, 4))


def test_sizes_that_do_not_fit():
    inputs = [value("x", (2, 3)), value("w", (4, 5))]
    made = model([], inputs, [value("y", None)])
    made.graph.node.append(helper.make_node("MatMul", ["x", "w"], ["y"], name="n"))
    with pytest.raises(CompileError, match=r"equal inner sizes, found 2x3 and 4x5: 3 and 4"):
        import_model(made, products=True)


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("operator", ["MatMul", "Gemm"])
def test_a_product_stays_the_node_that_it_is(operator: str):
    module = str(import_model(single(operator, [numbers(3, 4), numbers(4, 5)])))
    assert f'onnx.node "{operator}"(%x0, %x1)' in module
    assert "snippets.matmul" not in module


@pytest.mark.parametrize("operator", ["MatMul", "Gemm", "Einsum"])
def test_kernels_alone(operator: str):
    arrays = [numbers(3, 4), numbers(4, 5)]
    attributes: Any = {"equation": "ij,jk->ik"} if operator == "Einsum" else {}
    made = single(operator, arrays, **attributes)
    program = snippets_mlir.compile(made, fallback="error")
    assert [kernel.ops for kernel in program.kernels] == [("snippets.matmul",)]
    expected = arrays[0].astype(F64) @ arrays[1]
    np.testing.assert_allclose(np.asarray(program(*arrays)), expected, 1e-5, 1e-5)


def test_integers_have_no_kernel():
    made = single("MatMul", [numbers(3, 4, dtype=I32), numbers(4, 5, dtype=I32)])
    with pytest.raises(CompileError, match="P1: no kernel holds a matrix product of i32"):
        snippets_mlir.compile(made, fallback="error")


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_of_a_call_and_what_is_beside_the_result(threads: int):
    """One row is a size of a call as any other, of the program that has been compiled."""
    columns = 256
    weight = numbers(192, columns)
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["r"]),
        helper.make_node("Add", ["r", "r"], ["y"]),
    ]
    made = model(nodes, [value("x", ("n", 192))], [value("y", ("n", columns))], {"w": weight})
    program = snippets_mlir.compile(made, mark_skipped="none", num_threads=threads)
    for rows in (7, 1, 2, 3, 4, 5, 6, 9):
        x, around = numbers(rows, 192), np.full((rows + 2, columns), 7.0, F32)
        program(x, out=around[1:-1])
        np.testing.assert_allclose(around[1:-1], 2 * (x.astype(F64) @ weight), 1e-4, 1e-4)
        assert np.all(around[[0, -1]] == 7), rows
    assert [kernel.ops for kernel in program.kernels] == [("snippets.matmul", "snippets.add")]
