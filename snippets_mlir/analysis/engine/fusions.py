"""Fusions of a candidate with other nodes in onnxruntime's CPU engine that a cut prevents.

    %0 = onnx.node "DequantizeLinear"(%q)
    %1 = snippets.sigmoid %0                   QLinearSigmoid: one node of the engine on integers
    %2 = onnx.node "QuantizeLinear"(%1)

A rule of `BROKEN` names the values that the engine has to convert to another form, or has to
compute separately, if the candidate becomes a kernel. Facts from onnxruntime 1.32, core/optimizer
(the fusion that a rule names), as its optimized models show them. `attention` is not a fusion: with
a kernel, the matrices around a softmax are inputs and outputs of sessions and need their own
memory, which `benchmarks/engine_rates.py` measures.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.analysis.engine.nodes import (
    DEQUANTIZES,
    converts_integers,
    is_folded,
    is_on_integers,
)
from snippets_mlir.dialects.builtin.shaped import is_tensor
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.support.walking import used_outside

PRODUCTS = ("FusedMatMul", "Gemm", "MatMul")
QUANTIZES = ("QuantizeLinear",)
FAR = 12
"""The largest number of ops between a value and a product."""

Ops = Collection[Operation]


@dataclass(frozen=True)
class Broken:
    """A row of `BROKEN`.

    Attributes:
        name: the name of the rule in the plan.
        fusion: the class in onnxruntime, or another loss.
        values: the values that cost something if the ops become a kernel; empty if the rule does
            not apply.
        reforms: whether the engine has to convert them to another form; otherwise it writes and
            reads them once more.
    """

    name: str
    fusion: str
    values: Callable[[Ops], list[SSAValue]]
    reforms: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.fusion}"


def _is(op: object, kinds: Collection[str]) -> bool:
    return isinstance(op, NodeOp) and op.op_type.data in kinds


def _nodes_before(value: SSAValue) -> Iterator[Operation]:
    """Nodes that `value` comes from, through computing ops; nearest first, at most `FAR` ops."""
    work, seen = [value], set[Operation]()
    while work and len(seen) < FAR:
        owner = work.pop(0).owner
        if not isinstance(owner, Operation) or owner in seen:
            continue
        seen.add(owner)
        if isinstance(owner, NodeOp):
            yield owner
        elif isinstance(owner, ComputeOp):
            work += owner.operands


def _nodes_after(value: SSAValue) -> Iterator[Operation]:
    """Nodes that read `value`, through computing ops; nearest first, at most `FAR` ops."""
    work, seen = [use.operation for use in value.uses], set[Operation]()
    while work and len(seen) < FAR:
        if (op := work.pop(0)) in seen:
            continue
        seen.add(op)
        if isinstance(op, NodeOp):
            yield op
        elif isinstance(op, ComputeOp):
            work += [use.operation for result in op.results for use in result.uses]


def _around_softmax(ops: Ops) -> list[SSAValue]:
    """The matrices of the two products around a softmax, and the result of the second one."""
    for op in ops:
        if op.name != "snippets.softmax":
            continue
        before = [n for n in _nodes_before(op.operands[0]) if _is(n, PRODUCTS)]
        after = [n for n in _nodes_after(op.results[0]) if _is(n, PRODUCTS)]
        if before and after:
            return _tensors((*before[0].operands, *after[0].operands[1:], *after[0].results))
    return []


def _beside_attention(ops: Ops) -> list[SSAValue]:
    """Scaled operands of a product whose result a softmax reads."""
    found: list[SSAValue] = []
    for value in used_outside(ops, set(ops)):
        if not isinstance(value.owner, Operation) or not is_folded(value.owner):
            continue
        for node in (use.operation for use in value.uses if _is(use.operation, PRODUCTS)):
            if any(reads.name == "snippets.softmax" for reads in _ops_after(node.results[0])):
                found.append(value)
    return list(dict.fromkeys(found))


def _ops_after(value: SSAValue) -> Iterator[Operation]:
    """Computing ops that `value` reaches without a node between, at most `FAR`."""
    work, seen = [use.operation for use in value.uses], set[Operation]()
    while work and len(seen) < FAR:
        if (op := work.pop(0)) not in seen and isinstance(op, ComputeOp):
            seen.add(op)
            yield op
            work += [use.operation for result in op.results for use in result.uses]


def _quantized(ops: Ops) -> list[SSAValue]:
    """Operands and results of ops that the engine computes on integers: between nodes that
    dequantize and one that quantizes. A product needs none after it.
    """
    found: list[SSAValue] = []
    for op in ops:
        if isinstance(op, MatMulOp):
            found += _tensors(op.operands) if is_on_integers(op) else []
            continue
        record = record_of(op.name)
        if record is None or record.engine is None or not record.engine.quantized:
            continue
        readers = [use.operation for result in op.results for use in result.uses]
        tensors = _tensors(op.operands)
        if tensors and all(_is(v.owner, DEQUANTIZES) for v in tensors):
            if readers and all(_is(reader, QUANTIZES) for reader in readers):
                found += [*tensors, *op.results]
    return list(dict.fromkeys(found))


def _scaled_integers(ops: Ops) -> list[SSAValue]:
    """Results of integer products whose node in the engine would also convert and scale them."""
    return [op.operands[0] for op in ops if converts_integers(op)]


BROKEN = (
    Broken("attention", "memory of the session", _around_softmax),
    Broken("attention-operand", "MatMulScaleFusion", _beside_attention),
    Broken("quantized", "QDQSelectorActionTransformer", _quantized),
    Broken("integer-product", "MatMulIntegerToFloatFusion", _scaled_integers, reforms=False),
)


def broken_by(ops: Ops) -> list[tuple[Broken, list[SSAValue]]]:
    """The fusions that the engine loses when `ops` become a kernel, with the values of each."""
    found = ((rule, rule.values(ops)) for rule in BROKEN)
    return [(rule, values) for rule, values in found if values]


def _tensors(values: Collection[SSAValue]) -> list[SSAValue]:
    """The computed tensors among some values: no constants, and no values of unknown type."""
    found = (v for v in values if isinstance(v, OpResult) and is_tensor(v.type))
    return [v for v in found if not v.op.has_trait(ConstantLike)]
