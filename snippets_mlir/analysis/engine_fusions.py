"""What onnxruntime's CPU engine makes one node of, and what a cut takes from it: three tables.

    %0 = snippets.sigmoid %x
    %1 = snippets.multiply %x, %0     QuickGelu: one node of the engine, not two

`JOINED` are pairs of ops of one candidate that the engine runs as one node, `CHAINS` longer ones:
no value between them is written. `BROKEN` are fusions of a candidate with nodes outside of it; a
rule names the values that the engine has to bring into another form, or has to compute by
themselves, when a kernel stands there. Facts from onnxruntime 1.31, core/optimizer (the fusion that
a rule names), as its optimized models show them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import is_view

PRODUCTS = ("FusedMatMul", "Gemm", "MatMul")
DEQUANTIZES = ("DequantizeLinear", "DynamicQuantizeLinear")
QUANTIZES = ("QuantizeLinear", "DynamicQuantizeLinear")
INTEGER_PRODUCTS = ("ConvInteger", "MatMulInteger")
FAR = 12
"""How many ops are looked at on the way to a product."""

Ops = Collection[Operation]


@dataclass(frozen=True)
class Joined:
    """A row of the first table.

    Attributes:
        fusion: the class in onnxruntime that does it.
        before, after: the names of the ops, without the dialect's.
        holds: what else has to be so of the two.
    """

    fusion: str
    before: str
    after: str
    holds: Callable[[Operation, Operation], bool]

    def __str__(self) -> str:
        """`add + layer_norm: SkipLayerNormFusion`."""
        return f"{self.before} + {self.after}: {self.fusion}"


@dataclass(frozen=True)
class Chain:
    """A row of the second table: ops of which each reads the one before.

    Attributes:
        fusion: the class in onnxruntime that does it.
        operator: the node that it makes.
        ops: their names, without the dialect's.
    """

    fusion: str
    operator: str
    ops: tuple[str, ...]

    def __str__(self) -> str:
        """`power, reduce_mean: SimplifiedLayerNormFusion`."""
        return f"{', '.join(self.ops)}: {self.fusion}"


@dataclass(frozen=True)
class Broken:
    """A row of the third table.

    Attributes:
        name: how the plan calls the rule.
        fusion: the class in onnxruntime.
        values: the values that cost something when the ops become a kernel; empty where the rule
            does not hold.
    """

    name: str
    fusion: str
    values: Callable[[Ops], list[SSAValue]]

    def __str__(self) -> str:
        """`quantized: QDQSelectorActionTransformer`."""
        return f"{self.name}: {self.fusion}"


def _only_read_by(before: Operation, after: Operation) -> bool:
    return all(use.operation is after for result in before.results for use in result.uses)


def _gates_its_operand(before: Operation, after: Operation) -> bool:
    """Whether `after` is `x * f(x)` for `before`, which is `f(x)`."""
    return _only_read_by(before, after) and before.operands[0] in after.operands


JOINED = (
    Joined("SkipLayerNormFusion", "add", "layer_norm", _only_read_by),
    Joined("QuickGeluFusion", "sigmoid", "multiply", _gates_its_operand),
)


CHAINS = (
    Chain(
        "LayerNormFusion",
        "LayerNormalization",
        ("reduce_mean", "subtract", "power", "reduce_mean", "add", "sqrt", "divide"),
    ),
    Chain(
        "SimplifiedLayerNormFusion",
        "LayerNormalization",
        ("power", "reduce_mean", "add", "sqrt", "divide"),
    ),
)


def chains_of(ops: Ops) -> list[tuple[Chain, list[Operation]]]:
    """The chains inside of `ops`, each with its ops; no op is in two of them."""
    found: list[tuple[Chain, list[Operation]]] = []
    taken: set[Operation] = set()
    for op in ops:
        for chain in CHAINS:
            members = _path_to(op, chain.ops, ops)
            if members is not None and taken.isdisjoint(members):
                found.append((chain, members))
                taken.update(members)
                break
    return found


def _path_to(op: Operation, names: tuple[str, ...], ops: Ops) -> list[Operation] | None:
    """Ops of these names, each of which the next one reads, the last of which is `op`."""
    if op not in ops or op.name.removeprefix("snippets.") != names[-1]:
        return None
    if len(names) == 1:
        return [op]
    for value in op.operands:
        if isinstance(value.owner, Operation):
            path = _path_to(value.owner, names[:-1], ops)
            if path is not None:
                return [*path, op]
    return None


def joins(before: Operation, after: Operation) -> bool:
    """Whether the engine computes `after` in the node of `before`, whose result it reads."""
    names = tuple(op.name.removeprefix("snippets.") for op in (before, after))
    return any((r.before, r.after) == names and r.holds(before, after) for r in JOINED)


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
    """Scaled or transposed operands of a product whose result a softmax reads."""
    found: list[SSAValue] = []
    for value in _outside(ops):
        for node in (use.operation for use in value.uses if _is(use.operation, PRODUCTS)):
            if any(reads.name == "snippets.softmax" for reads in _ops_after(node.results[0])):
                found.append(value)
    return found


def _ops_after(value: SSAValue) -> Iterator[Operation]:
    """Computing ops that `value` reaches without a node between, at most `FAR`."""
    work, seen = [use.operation for use in value.uses], set[Operation]()
    while work and len(seen) < FAR:
        if (op := work.pop(0)) not in seen and isinstance(op, ComputeOp):
            seen.add(op)
            yield op
            work += [use.operation for result in op.results for use in result.uses]


def _quantized(ops: Ops) -> list[SSAValue]:
    """Values between a node that dequantizes and the ops, and between them and one that does."""
    reads = [v for op in ops for v in op.operands if _is(v.owner, DEQUANTIZES)]
    writes = [v for v in _outside(ops) if any(_is(use.operation, QUANTIZES) for use in v.uses)]
    return list(dict.fromkeys([*reads, *writes]))


def _scaled_integers(ops: Ops) -> list[SSAValue]:
    """Results of integer products, which their node would have scaled."""
    return list(
        dict.fromkeys(
            v
            for op in ops
            if not is_view(op)
            for v in op.operands
            if any(_is(n, INTEGER_PRODUCTS) for n in (v.owner,))
        )
    )


BROKEN = (
    Broken("attention", "MatmulTransposeFusion", _around_softmax),
    Broken("attention-operand", "MatMulScaleFusion", _beside_attention),
    Broken("quantized", "QDQSelectorActionTransformer", _quantized),
    Broken("integer-product", "DynamicQuantizeMatMulFusion", _scaled_integers),
)


def broken_by(ops: Ops) -> list[tuple[Broken, list[SSAValue]]]:
    """The fusions that the engine loses when `ops` become a kernel, with the values of each."""
    found = ((rule, rule.values(ops)) for rule in BROKEN)
    return [(rule, values) for rule, values in found if values]


def _outside(ops: Ops) -> list[SSAValue]:
    return [v for op in ops for v in op.results if any(u.operation not in ops for u in v.uses)]


def _tensors(values: Collection[SSAValue]) -> list[SSAValue]:
    """Values that are computed: no weights."""
    return [v for v in values if isinstance(v, OpResult) and not v.op.has_trait(ConstantLike)]
