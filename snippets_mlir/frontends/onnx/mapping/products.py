"""ONNX operators that are matrix products: MatMul, Gemm, onnxruntime's FusedMatMul and FusedGemm.

    MatMul(a, b)                          snippets.matmul %a, %b
    Gemm(a, b, c) {transB, alpha, beta}   snippets.matmul %a, %b {transpose_b}, times alpha,
                                          plus c times beta
    FusedMatMul(a, b) {transBatchA}       its operand is a snippets.transpose

A factor of 1 is omitted, and so is `c` with `beta` = 0, as in onnxruntime. Einsum is in
`einsum.py`. Source: the operators' definitions in ONNX and docs/ContribOperators.md of onnxruntime.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.snippets.arithmetic import AddOp, MultiplyOp
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.registry import records
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT
from snippets_mlir.frontends.onnx.mapping import einsum
from snippets_mlir.frontends.onnx.mapping.activations import hard_sigmoid
from snippets_mlir.frontends.onnx.node import NodeBuilder, Opaque, Row


def _matmul(b: NodeBuilder) -> SSAValue:
    return b.product(b.value(0), b.value(1))


def _scaled(b: NodeBuilder, x: SSAValue, factor: float) -> SSAValue:
    """`x * factor`; raises Opaque for integers times a fraction."""
    if factor == 1:
        return x
    if kind_of(tensor_of(x).element_type) != FLOAT and not factor.is_integer():
        raise Opaque(f"{b.node.op_type} of integers times {factor:g}")
    return b.emit(MultiplyOp(x, b.like(factor, x)))


def _gemm(b: NodeBuilder) -> SSAValue:
    lhs, rhs = b.value(0), b.value(1)
    ranks = len(shape_of(lhs)), len(shape_of(rhs))
    if ranks != (2, 2):
        raise Opaque(f"{b.node.op_type} of operands of ranks {ranks[0]} and {ranks[1]}, not 2")
    product = b.product(lhs, rhs, bool(b.flag("transA")), bool(b.flag("transB")))
    result = _scaled(b, product, b.number("alpha", 1))
    beta = b.number("beta", 1)
    if not b.has(2) or beta == 0:
        return result
    return b.emit(AddOp(result, _scaled(b, b.value(2), beta)))


def _fused_gemm(b: NodeBuilder) -> SSAValue:
    """A Gemm and an activation that onnxruntime joins to one, by its operator's name."""
    name, result = b.text("activation", ""), _gemm(b)
    if not name:
        return result
    if name == "HardSigmoid":
        return hard_sigmoid(b, result, "activation_")
    for record in records():
        if record.onnx is None or record.onnx.operator != name or record.engine is None:
            continue
        if "gemm" in record.engine.joins:
            attributes = record.onnx.attributes.items()
            given = {
                a.property: b.number(f"activation_{n}", float(a.default)) for n, a in attributes
            }
            return b.emit(cast("Callable[..., ComputeOp]", record.op)(result, **given))
    raise Opaque(f"FusedGemm knows no activation '{name}'")


def _fused_matmul(b: NodeBuilder) -> SSAValue:
    (lhs, transpose_a), (rhs, transpose_b) = _fused_operand(b, 0, "A"), _fused_operand(b, 1, "B")
    return _scaled(b, b.product(lhs, rhs, transpose_a, transpose_b), b.number("alpha", 1))


def _fused_operand(b: NodeBuilder, index: int, letter: str) -> tuple[SSAValue, bool]:
    """An operand of FusedMatMul, and whether its matrices are transposed."""
    value = b.value(index)
    rank = len(shape_of(value))
    if b.flag(f"transBatch{letter}") and rank > 2:
        value = b.emit(TransposeOp(value, (*range(1, rank - 1), 0, rank - 1)))
    return value, bool(b.flag(f"trans{letter}")) and rank > 1


_OF_GEMM = ("alpha", "beta", "transA", "transB")
_OF_ACTIVATION = ("activation", "activation_alpha", "activation_beta", "activation_gamma")
_OF_FUSED_MATMUL = ("alpha", "transA", "transB", "transBatchA", "transBatchB")

ROWS: dict[tuple[str, str], Row] = {
    ("", "Einsum"): Row((12, 28), einsum.build),
    ("", "Gemm"): Row((7, 9, 11, 13), _gemm),
    ("", "MatMul"): Row((1, 9, 13), _matmul),
    (MICROSOFT, "FusedGemm"): Row((1,), _fused_gemm, (*_OF_GEMM, *_OF_ACTIVATION)),
    (MICROSOFT, "FusedMatMul"): Row((1,), _fused_matmul, _OF_FUSED_MATMUL),
}
"""Domain and operator -> its row."""
