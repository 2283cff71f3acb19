"""The ops that onnxruntime's CPU engine fuses into its convolutions and matrix products.

A chain starts at an `onnx.node` (`STARTS`) and grows by the only reader of its value as long as a
rule of `RULES` holds. The rule determines the state of the chain afterwards. An op that joins a
chain costs nothing inside the engine. Facts from onnxruntime 1.31, core/optimizer (the fusion that
a rule names): opset 7 and later, float32.

    %0 = onnx.node "Conv"(%x, %w)        a chain: conv
    %1 = snippets.multiply %0, %s        conv-multiply: into the weights; still conv
    %2 = snippets.add %1, %b             conv-add: into the bias; still conv
    %3 = snippets.add %2, %r             conv-residual: accumulates in place; now sum
    %4 = snippets.relu %3                conv-activation: on the way to memory; the chain ends

The record of an op (`Engine.joins`) says whether it may end a chain as an activation. After a sum
the engine fuses fewer activations: no clamp and no leaky relu.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.shapes import DYNAMIC

STARTS = {"Conv": "conv", "Gemm": "gemm", "MatMul": "matmul"}


def activations(kind: str) -> frozenset[str]:
    """The ops that may end a chain of a kind, by the records."""
    return _ACTIVATIONS.get(kind, frozenset())


def _by_chain() -> Mapping[str, frozenset[str]]:
    kinds = {kind for r in records() if r.engine is not None for kind in r.engine.joins}
    return {
        kind: frozenset(
            r.name for r in records() if r.engine is not None and kind in r.engine.joins
        )
        for kind in kinds
    }


_ACTIVATIONS = DerivedTable(_by_chain)


@dataclass(frozen=True)
class Chain:
    """A value that the engine can still fuse something into.

    Attributes:
        node: the convolution or matrix product.
        kind: `conv`, `sum` (a convolution that accumulates), `gemm` or `matmul`.
    """

    node: NodeOp
    kind: str


@dataclass(frozen=True)
class Step:
    """An op that reads the value of a chain and may join it.

    Attributes:
        chain: the chain.
        value: its value, which only the op reads.
        other: the other operand of the op; None for unary ops.
        is_blocked: whether a value has the blocked layout of convolutions inside of the engine, at
            the time when the chain's value is computed.
    """

    chain: Chain
    value: SSAValue
    other: SSAValue | None
    is_blocked: Callable[[SSAValue], bool]


@dataclass(frozen=True)
class Rule:
    """A row of the table: an op of `ops` after a chain of a kind in `after` joins it.

    Attributes:
        name: the name of the rule in `snippets.skipped`.
        fusion: the class in onnxruntime that does it.
        after: kinds of chain.
        ops: names of ops, without the dialect; None for ops whose records say that they end such a
            chain.
        then: the kind of the longer chain; None if nothing more can join.
        holds: a further condition.
    """

    name: str
    fusion: str
    after: tuple[str, ...]
    ops: tuple[str, ...] | None
    then: str | None
    holds: Callable[[Step], bool]

    def applies(self, op: Operation, step: Step) -> bool:
        """Whether `op` joins the chain of `step` by this rule."""
        known = step.chain.kind in self.after and op.name in self.names
        return known and self.holds(step)

    @property
    def names(self) -> frozenset[str]:
        """The names of the ops, with their dialect's."""
        if self.ops is not None:
            return frozenset(f"snippets.{name}" for name in self.ops)
        return frozenset[str]().union(*map(activations, self.after))


def is_engine_constant(value: SSAValue | None) -> bool:
    """Whether the engine knows the value when it loads the model: constants, and nodes on
    constants.
    """
    if not isinstance(value, OpResult):
        return False
    op = value.op
    if op.has_trait(ConstantLike, value_if_unregistered=False):
        return True
    return isinstance(op, NodeOp) and not op.is_random and all(map(is_engine_constant, op.operands))


def is_f32_tensor(value: SSAValue) -> bool:
    """Whether `value` is a ranked tensor of float32, which the fused kernels are made for."""
    return isinstance(value.type, TensorType) and tensor_of(value).element_type == f32


def _shape(value: SSAValue | None) -> Shape | None:
    """The shape of a tensor of float32 without dynamic dims, else None."""
    if value is None or not is_f32_tensor(value):
        return None
    shape = shape_of(value)
    return None if DYNAMIC in shape else shape


def _always(step: Step) -> bool:
    return True


def _is_per_channel(step: Step) -> bool:
    """Constant weights and bias; a constant [C, 1, ..] or [1, C, 1, ..] for C output channels."""
    result, other = _shape(step.value), _shape(step.other)
    if result is None or len(result) < 3 or other is None or not is_engine_constant(step.other):
        return False
    wanted = (result[1], *(1 for _ in result[2:]))
    return other in (wanted, (1, *wanted)) and _knows_parameters(step)


def _is_factor(step: Step) -> bool:
    """As `_is_per_channel`, or one constant number."""
    if _shape(step.other) == () and is_engine_constant(step.other):
        return _knows_parameters(step)
    return _is_per_channel(step)


def _knows_parameters(step: Step) -> bool:
    """Whether the engine knows the weights and the bias when it loads the model."""
    return all(is_engine_constant(v) for v in step.chain.node.inputs[1:] if v is not None)


def _is_residual(step: Step) -> bool:
    """Images of one shape; a convolution also computes the other image, before the chain's."""
    result = _shape(step.value)
    if result is None or len(result) != 4 or step.other is None or _shape(step.other) != result:
        return False
    return is_engine_constant(step.chain.node.inputs[1]) and step.is_blocked(step.other)


def _is_bias(step: Step) -> bool:
    """A matrix, plus an input or a constant that broadcasts to it."""
    result, other = _shape(step.value), _shape(step.other)
    if result is None or len(result) != 2 or not _is_at_hand(step.other):
        return False
    rows, columns = result
    return other in ((columns,), (1, columns), (rows, 1), (rows, columns))


def _is_bias_of_batch(step: Step) -> bool:
    """Several matrices times one matrix, plus a row that is an input or a constant."""
    result, weights = _shape(step.value), _shape(step.chain.node.inputs[1])
    if result is None or len(result) < 3 or weights is None or len(weights) != 2:
        return False
    return _shape(step.other) == (result[-1],) and _is_at_hand(step.other)


def _is_at_hand(value: SSAValue | None) -> bool:
    return not isinstance(value, OpResult) or is_engine_constant(value)


def _is_matrix(step: Step) -> bool:
    return len(shape_of(step.value)) == 2


RULES = (
    Rule("conv-multiply", "ConvMulFusion", ("conv",), ("multiply",), "conv", _is_factor),
    Rule("conv-add", "ConvAddFusion", ("conv",), ("add",), "conv", _is_per_channel),
    Rule("conv-residual", "NchwcTransformer", ("conv",), ("add",), "sum", _is_residual),
    Rule("conv-activation", "ConvActivationFusion", ("conv",), None, None, _always),
    Rule("conv-activation", "NchwcTransformer", ("sum",), None, None, _always),
    Rule("matmul-add", "MatMulAddFusion", ("matmul",), ("add",), "gemm", _is_bias),
    Rule("matmul-add", "MatMulAddFusion", ("matmul",), ("add",), None, _is_bias_of_batch),
    Rule(
        "gemm-activation",
        "GemmActivationFusion",
        ("gemm",),
        None,
        None,
        _is_matrix,
    ),
)
