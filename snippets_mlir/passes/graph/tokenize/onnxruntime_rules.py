"""What onnxruntime's CPU engine fuses into a convolution or a matrix product of its own.

A chain starts at an `onnx.node` (`STARTS`) and grows by the only reader of its value as long as a
rule of `RULES` holds; the rule says what the chain is afterwards. An op that joins a chain costs
nothing inside of the engine. Facts from onnxruntime 1.31, core/optimizer (the fusion that a rule
names): opset 7 and later, float32.

    %0 = onnx.node "Conv"(%x, %w)        a chain: conv
    %1 = snippets.multiply %0, %s        conv-multiply: into the weights; still conv
    %2 = snippets.add %1, %b             conv-add: into the bias; still conv
    %3 = snippets.add %2, %r             conv-residual: accumulates in place; now sum
    %4 = snippets.relu %3                conv-activation: on the way to memory; the chain ends

Behind a sum the engine fuses fewer activations (`SUM_ACTIVATIONS`): no clamp and no leaky relu.
Hard swish is not in the table: the engine computes it as two nodes behind the convolution.
"""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC

STARTS = {"Conv": "conv", "Gemm": "gemm", "MatMul": "matmul"}
CONV_ACTIVATIONS = ("clamp", "hsigmoid", "leaky_relu", "relu", "sigmoid", "tanh")
SUM_ACTIVATIONS = ("hsigmoid", "relu", "sigmoid", "tanh")
GEMM_ACTIVATIONS = (
    "elu",
    "hsigmoid",
    "leaky_relu",
    "relu",
    "sigmoid",
    "softplus",
    "softsign",
    "tanh",
)


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
    """A row of the table: an op of `ops` behind a chain of a kind in `after` joins it.

    Attributes:
        name: how `snippets.skipped` calls the rule.
        fusion: the class in onnxruntime that does it.
        after: kinds of chain.
        ops: names of ops, without the dialect's.
        then: the kind of the longer chain; None where nothing more can join.
        holds: what else has to be so.
    """

    name: str
    fusion: str
    after: tuple[str, ...]
    ops: tuple[str, ...]
    then: str | None
    holds: Callable[[Step], bool]

    def applies(self, op: Operation, step: Step) -> bool:
        """Whether `op` joins the chain of `step` by this rule."""
        known = step.chain.kind in self.after and op.name.removeprefix("snippets.") in self.ops
        return known and self.holds(step)


def is_engine_constant(value: SSAValue | None) -> bool:
    """Whether the engine knows the value when it loads the model: constants, and nodes of them."""
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
    """Images of one shape, the other one from a convolution too, ready before the chain's."""
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
    """Several matrices times one, plus a row that is an input or a constant."""
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
    Rule("conv-activation", "ConvActivationFusion", ("conv",), CONV_ACTIVATIONS, None, _always),
    Rule("conv-activation", "NchwcTransformer", ("sum",), SUM_ACTIVATIONS, None, _always),
    Rule("matmul-add", "MatMulAddFusion", ("matmul",), ("add",), "gemm", _is_bias),
    Rule("matmul-add", "MatMulAddFusion", ("matmul",), ("add",), None, _is_bias_of_batch),
    Rule(
        "gemm-activation",
        "GemmActivationFusion",
        ("gemm",),
        GEMM_ACTIVATIONS,
        None,
        _is_matrix,
    ),
)
