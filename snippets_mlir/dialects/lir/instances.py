"""Instances of dynamic modules: copies in which the symbols of sizes have the values of a call.

    %0 = lir.exp %x : tensor<?x8xf32, #lir.sizes<?0>>

for `?0 = 13` has type `tensor<13x8xf32>`. An instance is an ordinary static module at the same
level: the interpreter can run it, and the checkers can check what a call does. Types, ports, loops,
buffers, domains and scratchpads are evaluated (`dialects/builtin/dims.py`, `kernel_instances.py`).
`snippets.rt` on the function of a kernel holds the numbers that the kernel reads from `rt`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    FunctionType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.integers import wrapped
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_type
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_facts import symbols_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr, is_size, size_in
from snippets_mlir.dialects.builtin.slots import runtime_slots
from snippets_mlir.dialects.lir.choices import choice_of
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernel_instances import evaluate_kernel
from snippets_mlir.support.walking import ops_inside

SLOTS = "snippets.rt"
"""On a kernel of an instance: the numbers to which `rt` points."""

_CLUSTERS = ("lir.clusters", "snippets.clusters")
_SIZES = (
    *("size", "offset", "lir.scratch", "lir.scratch_bound", "lir.slot_base"),
    *("snippets.domain", "snippets.grain", "snippets.scratch"),
)
"""The attributes that are sizes."""


def symbols_in(module: ModuleOp) -> int:
    """One more than the largest index of a symbol in the tensor types of a module; 0: static."""
    found = 0
    for op in module.walk():
        for value in (*op.results, *(a for r in op.regions for b in r.blocks for a in b.args)):
            if is_tensor(value.type):
                for size in shape_of(value.type):
                    found = max([found, *(index + 1 for index in symbols_of(size))])
    return found


def sample_dims(count: int) -> list[list[int]]:
    """Three sets of values for `count` symbols: short, of whole vectors, and long with tails."""
    return [
        [2 + index for index in range(count)],
        [16 + 16 * (index % 2) for index in range(count)],
        [(71 if index % 2 else 19) + index for index in range(count)],
    ]


def instance_of(module: ModuleOp, dims: Sequence[int]) -> ModuleOp:
    """A copy of `module` in which symbol `?i` is `dims[i]`; no dim may be 1 or negative."""
    result = module.clone()
    for top in list(result.ops):
        slots = runtime_slots(dims, _clusters_of(top), choice_of(top))
        types: dict[int, Attribute] = {}
        for op in (top, *ops_inside(top)):
            _retype(op, slots, types)
            if isinstance(op, KernelOp) and op.dynamic:
                evaluate_kernel(op, slots)
            _evaluate_sizes(op, slots)
    return result


def _clusters_of(kernel: Operation) -> list[Dim]:
    """The sizes of the clusters of a kernel, or of the function made of one."""
    for name in _CLUSTERS:
        if isinstance(attr := kernel.attributes.get(name), ArrayAttr):
            return [size_in(size) for size in cast("ArrayAttr[Attribute]", attr) if is_size(size)]
    return []


def _type(type_: Attribute, slots: Sequence[int]) -> Attribute:
    if is_tensor(type_) and any(isinstance(size, Size) for size in shape_of(type_)):
        shape = [evaluate(size, slots) for size in shape_of(type_)]
        return tensor_type(type_.element_type, shape)
    return type_


def _retype(op: Operation, slots: Sequence[int], types: dict[int, Attribute]) -> None:
    """Evaluate the types of an op; `types` has those of others, by the identity of the old one."""
    values: list[SSAValue] = [*op.results]
    for region in op.regions:
        for block in region.blocks:
            values += block.args
    for value in values:
        old = value.type
        if (type_ := types.get(id(old))) is None:
            type_ = types[id(old)] = _type(old, slots)
        if type_ is not old:
            Rewriter.replace_value_with_new_type(value, type_)
    function = op.properties.get("function_type")
    if isinstance(function, FunctionType):
        op.properties["function_type"] = FunctionType.from_lists(
            [_type(t, slots) for t in function.inputs], [_type(t, slots) for t in function.outputs]
        )


def _evaluate_sizes(op: Operation, slots: Sequence[int]) -> None:
    if isinstance(brought := op.properties.get("value"), SizeAttr):
        op.properties["value"] = _number(evaluate(brought.size, slots), brought.type)
    for table in (op.properties, op.attributes):
        if SizeAttr in map(type, table.values()):
            for name in _SIZES:
                if isinstance(attr := table.get(name), SizeAttr):
                    table[name] = IntegerAttr(evaluate(attr.size, slots), i64)
    if isinstance(op, GatherOp):
        for name in ("limits", "steps"):
            sizes = cast("ArrayAttr[IntegerAttr | SizeAttr]", op.properties[name])
            values = [evaluate(size_in(size), slots) for size in sizes]
            op.properties[name] = ArrayAttr([IntegerAttr(value, i64) for value in values])
    if "snippets.kernel" in op.attributes:
        op.attributes[SLOTS] = DenseArrayBase.from_list(i64, list(slots))


def _number(size: int, element: Attribute) -> Attribute:
    """A size as a number of an element type; integers keep the low bits."""
    if isinstance(element, AnyFloat):
        return FloatAttr(float(size), element)
    return IntegerAttr(wrapped(size, element), cast("IntegerType", element))
