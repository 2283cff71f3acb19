"""Ops that onnxruntime's CPU engine fuses into one node: two tables, and factors in products.

    %0 = snippets.sigmoid %x
    %1 = snippets.multiply %x, %0     QuickGelu: one node of the engine, not two

`JOINED` has pairs of ops of one candidate that the engine runs as one node, `CHAINS` longer chains:
no value between them is written. A factor beside a matrix product becomes an attribute of it and
takes no time; neither does the scale of an integer product (`is_folded`). Facts from onnxruntime
1.32, core/optimizer (the fusion that a rule names), as its optimized models show them. Sessions
disable SkipLayerNormFusion (`runtime/engine/opening.py`), so it has no row.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isclose, prod, sqrt

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.engine.rows import Chain, Joined
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.dialects.snippets.rules.match import dense_constant, splat_value

PRODUCTS = ("FusedMatMul", "MatMul")
"""Products that scale their result."""

INTEGER_PRODUCTS = ("MatMulInteger",)
"""Products of integers, whose results the engine converts and scales in the same node."""

DEQUANTIZES = ("DequantizeLinear",)
"""Ops that convert integers to floats."""

Ops = Collection[Operation]


def scalar_of(value: SSAValue) -> float | None:
    """The number in a constant of one element; None for all other values."""
    attr = dense_constant(value)
    is_one = attr is not None and prod(shape_of(value)) == 1
    return splat_value(attr) if attr is not None and is_one else None


def _reads(op: Operation, number: float) -> bool:
    """Whether an operand of `op` is the constant `number`, rounded to float32."""
    found = (scalar_of(value) for value in op.operands)
    return any(v is not None and isclose(v, number, rel_tol=1e-4) for v in found)


def _only_read_by(before: Operation, after: Operation) -> bool:
    return all(use.operation is after for result in before.results for use in result.uses)


def _are_private(ops: Sequence[Operation]) -> bool:
    """Whether only ops of the chain read its results, except the result of the last op."""
    return all(u.operation in ops for op in ops[:-1] for r in op.results for u in r.uses)


def _gates_its_operand(before: Operation, after: Operation) -> bool:
    """Whether `after` is `x * f(x)` for `before`, which is `f(x)`."""
    return _only_read_by(before, after) and before.operands[0] in after.operands


def _inverts(before: Operation, after: Operation) -> bool:
    """Whether `before` is 1/x, so that the product with it divides."""
    return scalar_of(before.operands[0]) == 1 and _only_read_by(before, after)


def _is_quick_gelu(ops: Sequence[Operation]) -> bool:
    """x * sigmoid(a * x) for a number a."""
    scaled, _, product = ops
    factors = [v for v in scaled.operands if scalar_of(v) is None]
    return len(factors) == 1 and factors[0] in product.operands and _are_private(ops)


def _is_gelu(ops: Sequence[Operation]) -> bool:
    """x * (1 + erf(x / sqrt 2)) * 0.5."""
    scaled, _, shifted, product, halved = ops
    numbers = _reads(scaled, sqrt(2)) and _reads(shifted, 1) and _reads(halved, 0.5)
    return numbers and scaled.operands[0] in product.operands and _are_private(ops)


JOINED = (
    Joined("QuickGeluFusion", "sigmoid", "multiply", _gates_its_operand),
    Joined("DivMulFusion", "divide", "multiply", _inverts),
)


CHAINS = (
    Chain("QuickGeluFusion", "QuickGelu", ("multiply", "sigmoid", "multiply"), _is_quick_gelu),
    Chain("GeluFusion", "Gelu", ("divide", "erf", "add", "multiply", "multiply"), _is_gelu),
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
    """The chains inside `ops`, each with its ops; no op is in two chains."""
    found: list[tuple[Chain, list[Operation]]] = []
    taken: set[Operation] = set()
    for op in ops:
        for chain in CHAINS:
            members = _path_to(op, chain.ops, ops)
            if members is None or not chain.holds(members):
                continue
            if taken.isdisjoint(members):
                found.append((chain, members))
                taken.update(members)
                break
    return found


def _path_to(op: Operation, names: tuple[str, ...], ops: Ops) -> list[Operation] | None:
    """A path of ops with these names, each read by the next, ending at `op`."""
    if op.name.removeprefix("snippets.") != names[-1] or op not in ops:
        return None
    if len(names) == 1:
        return [op]
    for value in op.operands:
        if isinstance(value.owner, Operation):
            path = _path_to(value.owner, names[:-1], ops)
            if path is not None:
                return [*path, op]
    return None


def _is_biased(op: Operation) -> bool:
    """Whether `op` adds a bias to a product: a Gemm of the engine, with reshapes if it has a batch.

    If only matrices are involved, everything that broadcasts to the product is a bias.
    """
    products = [v.owner for v in op.operands if isinstance(v.owner, MatMulOp)]
    if op.name != "snippets.add" or not products or not _only_read_by(products[0], op):
        return False
    product = products[0]
    if op.results[0].type != product.result.type or len(shape_of(product.rhs)) != 2:
        return False
    biases = [v for v in op.operands if v is not product.result]
    return len(shape_of(product.result)) == 2 or all(len(shape_of(v)) == 1 for v in biases)


def _joins_gemm(before: Operation, after: Operation) -> bool:
    """Whether a product and its bias, or the bias and the op after it, are in one Gemm."""
    if isinstance(before, MatMulOp):
        return _is_biased(after)
    if len(shape_of(before.results[0])) != 2:
        return False
    record = record_of(after.name)
    ends = record is not None and record.engine is not None and "gemm" in record.engine.joins
    return ends and _is_biased(before) and _only_read_by(before, after)


def joins(before: Operation, after: Operation) -> bool:
    """Whether the engine computes `after` in the node of `before`, whose result it reads."""
    if _joins_gemm(before, after):
        return True
    names = tuple(op.name.removeprefix("snippets.") for op in (before, after))
    return any((r.before, r.after) == names and r.holds(before, after) for r in JOINED)


def is_product(op: object) -> bool:
    """Whether `op` is a matrix product whose operands the engine can scale and transpose."""
    if isinstance(op, MatMulOp):
        return True
    return isinstance(op, NodeOp) and not op.domain.data and op.op_type.data in PRODUCTS


def _adds_next(product: Operation) -> bool:
    """Whether a sum reads a product: the engine makes a Gemm of both, which scales nothing."""
    uses = [use.operation.name for use in product.results[0].uses]
    return uses == ["snippets.add"]


def _beside_product(op: Operation, value: SSAValue) -> bool:
    """Whether `value`, an operand of `op`, is a product's result, or only products read `op`."""
    readers = [use.operation for use in op.results[0].uses]
    if readers and all(is_product(r) and not _adds_next(r) for r in readers):
        return True
    owner = value.owner
    return is_product(owner) and isinstance(owner, Operation) and _only_read_by(owner, op)


def _scales(op: Operation) -> bool:
    """A product or quotient of a tensor and a number, beside a matrix product."""
    first, second = op.operands
    if scalar_of(second) is not None:
        return _beside_product(op, first)
    scales = op.name == "snippets.multiply" and scalar_of(first) is not None
    return scales and _beside_product(op, second)


def converts_integers(op: object) -> bool:
    """Whether `op` converts an integer product to floats that only multiplications read."""
    if not isinstance(op, Operation) or not op.name.startswith("snippets.convert_"):
        return False
    made = op.operands[0].owner
    readers = {use.operation.name for use in op.results[0].uses}
    integers = isinstance(made, NodeOp) and made.op_type.data in INTEGER_PRODUCTS
    return integers and readers == {"snippets.multiply"}


def is_on_integers(op: MatMulOp) -> bool:
    """Whether the engine multiplies integers: nodes dequantize both operands (QLinearMatMul, QGemm,
    MatMulIntegerToFloat), which a kernel would read as floats.
    """
    return all(
        isinstance(v.owner, NodeOp) and v.owner.op_type.data in DEQUANTIZES
        for v in (op.operands[0], op.operands[1])
    )


def is_folded(op: Operation) -> bool:
    """Whether the node of an adjacent matrix product computes `op`: a factor of a float product
    (MatMulScaleFusion), or the conversion and the scale of an integer product
    (MatMulIntegerToFloatFusion).
    """
    if op.name in ("snippets.multiply", "snippets.divide") and _scales(op):
        return True
    if op.name == "snippets.multiply":
        return any(converts_integers(value.owner) for value in op.operands)
    return converts_integers(op)
