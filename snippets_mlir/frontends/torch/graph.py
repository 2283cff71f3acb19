"""An FX graph of ATen ops as a module at the graph level.

    def forward(x: f32[4, 8], w: f32[8])         func.func @main(%arg0: tensor<4x8xf32>,
        mul = aten.mul.Tensor(x, w)          ->      %arg1: tensor<8xf32>) -> tensor<4x8xf32> {
        return aten.silu.default(mul)              %0 = snippets.multiply %arg0, %arg1 : ...
                                                   %1 = snippets.swish %0 {beta = 1.0} : ...
                                                   func.return %1 : tensor<4x8xf32> }

SymInt sizes are dynamic dims. A tensor that is dense in another order of its dims (such as
`channels_last`) is an argument or a result in its memory order, with a `snippets.transpose` beside
it, so no copy is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_type
from snippets_mlir.dialects.snippets.layout import TransposeOp, permuted
from snippets_mlir.frontends.torch.elementwise import OPERATORS, elementwise
from snippets_mlir.frontends.torch.formulas import FORMULAS
from snippets_mlir.frontends.torch.layout import CONSTANTS, CONVERSIONS, COPIES, JOINS, SAME_MEMORY
from snippets_mlir.frontends.torch.memory_order import compute_in_memory_order
from snippets_mlir.frontends.torch.node import (
    NodeBuilder,
    Unheld,
    Values,
    hinted_size,
    number_of,
    type_of_value,
)
from snippets_mlir.frontends.torch.places import PLACES
from snippets_mlir.frontends.torch.reduction import PRODUCTS, REDUCTIONS
from snippets_mlir.frontends.torch.slices import SLICES, VIEWS

_RULES: Mapping[str, Callable[[NodeBuilder], Values]] = {
    **VIEWS,
    **CONSTANTS,
    **CONVERSIONS,
    **JOINS,
    **PLACES,
    **FORMULAS,
    **REDUCTIONS,
}


@dataclass(frozen=True)
class Order:
    """How the dims of a tensor lie in memory.

    Attributes:
        outermost: the dims from the largest stride to the smallest.
    """

    outermost: tuple[int, ...]

    @property
    def inverse(self) -> tuple[int, ...]:
        """For each dim, its place in memory."""
        return tuple(self.outermost.index(dim) for dim in range(len(self.outermost)))


def order_of(val: Any) -> Order | None:
    """The order of a dense tensor whose memory is not row-major; None for any other tensor."""
    sizes = [hinted_size(size) for size in val.shape]
    strides = [hinted_size(stride) for stride in val.stride()]
    if None in sizes or None in strides:
        return None
    dims = sorted(range(len(strides)), key=lambda dim: (-(strides[dim] or 0), dim))
    expected = 1
    for dim in reversed(dims):
        if sizes[dim] != 1 and strides[dim] != expected:
            return None
        expected *= sizes[dim] or 0
    moved = [dim for dim in dims if sizes[dim] != 1]
    if moved == sorted(moved):
        return None
    return Order(tuple(dims))


def is_getitem(node: Any) -> bool:
    """Whether a node selects one of several results of another node."""
    return node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem"


def operator_of(node: Any) -> str | None:
    """The name of the op that a node calls, without overload; None if it calls no torch op."""
    schema = getattr(node.target, "_schema", None)
    if node.op != "call_function" or schema is None:
        return None
    namespace, _, name = str(schema.name).partition("::")
    return str(name) if namespace in ("aten", "prims") else None


def computes(node: Any) -> bool:
    """Whether a node is a reason for a kernel: it is not a view, constant or part of a result.

    Rows at indices are no reason either: torch gathers them equally fast if nothing is computed
    with them.
    """
    return not is_getitem(node) and operator_of(node) not in {**VIEWS, **CONSTANTS, **PLACES}


def is_view_or_constant(node: Any) -> bool:
    """Whether torch makes the result of a node without reading elements."""
    return operator_of(node) in {**VIEWS, **CONSTANTS}


def keeps_memory(node: Any) -> bool:
    """Whether a view has the elements of its operand in the same order in memory."""
    return operator_of(node) in SAME_MEMORY


def shares_memory(node: Any) -> bool:
    """Whether the result of a node is a view of its operand for torch, or a copy that moves all."""
    return operator_of(node) in VIEWS and operator_of(node) not in COPIES


def takes_elements(node: Any) -> bool:
    """Whether a view has some of the elements of its operand, or all in another order."""
    return operator_of(node) in SLICES


def build(node: Any, values: Mapping[Any, Values], block: Block, *, products: bool) -> Values:
    """The values of `node` on those of other nodes, as ops at the end of `block`.

    Raises:
        Unheld: no kernel computes it, with the reason.
    """
    if is_getitem(node):
        found = values.get(node.args[0])
        if not isinstance(found, tuple):
            raise Unheld("it takes a part of something that is no tensor of a kernel")
        index: int = node.args[1]
        return found[index]
    if (name := operator_of(node)) is None:
        raise Unheld(f"{node.target} is not an op of ATen")
    b = NodeBuilder(node, values, block)
    rules = {**_RULES, **PRODUCTS} if products else _RULES
    try:
        if name in rules:
            return b.checked(rules[name](b))
        if name in OPERATORS:
            return b.checked(elementwise(b))
    except VerifyException as error:
        raise Unheld(str(error)) from error
    if name in PRODUCTS:
        raise Unheld('torch\'s matrix product is used; products="kernels" changes that')
    raise Unheld("no op of the compiler stands for it")


def why_not(node: Any, *, products: bool) -> str | None:
    """Why no kernel computes `node`, or None when one does."""
    block = Block()
    values: dict[Any, Values] = {}
    try:
        for source in node.all_input_nodes:
            val = source.meta.get("val")
            if isinstance(val, tuple | list):
                parts = cast("Sequence[Any]", val)
                values[source] = tuple(_argument(block, part) for part in parts)
            elif is_operand(val):
                values[source] = _argument(block, val)
        build(node, values, block, products=products)
    except Unheld as reason:
        return str(reason)
    return None


def is_operand(val: Any) -> bool:
    """Whether a program may take a value: a tensor, or a number of the call."""
    return hasattr(val, "dtype") or number_of(val) is not None


def _argument(block: Block, val: Any) -> SSAValue:
    return block.insert_arg(type_of_value(val), len(block.args))


def import_graph(
    inputs: Sequence[Any], nodes: Sequence[Any], outputs: Sequence[Any], *, products: bool
) -> tuple[ModuleOp, list[Any]]:
    """The module with one function `main` that computes `nodes`, and its inputs.

    Args:
        inputs: nodes that are tensors, and numbers of the call; of these the function takes those
            that `nodes` compute with, as tensors without dims.
        nodes: calls, each after those that it reads.
        outputs: nodes whose tensors are returned.
        products: whether matrix products may be in it.

    Raises:
        Unheld: a node that no kernel computes.
    """
    block = Block()
    values: dict[Any, Values] = {}
    arguments = [_memory_type(node) for node in inputs]
    for node, type_ in zip(inputs, arguments, strict=True):
        value = block.insert_arg(type_, len(block.args))
        if number_of(node.meta["val"]) is not None:
            values[node] = value
        elif (order := order_of(node.meta["val"])) is not None:
            values[node] = _transposed(block, value, order.inverse)
        else:
            values[node] = value
    for node in nodes:
        values[node] = build(node, values, block, products=products)
    results: list[SSAValue] = []
    for node in outputs:
        value = values[node]
        assert isinstance(value, SSAValue)
        if (order := order_of(node.meta["val"])) is not None:
            value = _transposed(block, value, order.outermost)
        results.append(value)
    block.add_op(ReturnOp(*results))
    compute_in_memory_order(block)
    results = list(block.ops.last.operands) if block.ops.last else []
    taken: list[Any] = []
    for node, value in zip(inputs, list(block.args), strict=True):
        if number_of(node.meta["val"]) is None or value.uses:
            taken.append(node)
        else:
            block.erase_arg(value)
    type_ = FunctionType.from_lists(block.arg_types, [value.type for value in results])
    return ModuleOp([FuncOp("main", type_, Region(block))]), taken


def _memory_type(node: Any) -> Attribute:
    val = node.meta["val"]
    type_ = type_of_value(val)
    if number_of(val) is not None:
        return type_
    if (order := order_of(val)) is None:
        return type_
    return tensor_type(type_.element_type, permuted(shape_of(type_), order.outermost))


def _transposed(block: Block, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
    block.add_op(op := TransposeOp(value, permutation))
    return op.result
