"""One node of an FX graph as the rules see it: its arguments by name, and ways to build ops.

A rule reads the node through a `NodeBuilder` and returns its value. It raises `Unheld(reason)` if
no kernel computes the node; eager torch then runs it. `torch` is not imported: nodes are used by
their public attributes (`target._schema`, `args`, `kwargs`, `meta["val"]`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from math import isfinite
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, SSAValue

from snippets_mlir.analysis.graph.eligibility import MAX_RANK
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype, round_to
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.conversion import ConvertTruncationOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, compatible

ELEMENTS: Mapping[str, Attribute] = {
    "torch.float32": f32,
    "torch.float64": f64,
    "torch.float16": f16,
    "torch.bfloat16": bf16,
    "torch.int8": i8,
    "torch.uint8": IntegerType(8, Signedness.UNSIGNED),
    "torch.int16": i16,
    "torch.int32": i32,
    "torch.int64": i64,
    "torch.bool": i1,
}
"""The element types that kernels compute or store, by the name of torch's dtype."""

Values = SSAValue | tuple[SSAValue, ...]
"""The results of a node: a tensor, or several."""


class Unheld(Exception):
    """No kernel computes a node; the argument is the reason."""


def element_of(dtype: object) -> Attribute:
    """The element type of a torch dtype; Unheld for one that kernels lack."""
    if (element := ELEMENTS.get(str(dtype))) is None:
        known = ", ".join(name.removeprefix("torch.") for name in ELEMENTS)
        raise Unheld(f"there are no kernels for {dtype} elements, only for {known}")
    if element == bf16 and find_spec("ml_dtypes") is None:
        raise Unheld("bfloat16 needs the package ml_dtypes")
    return element


def known_size(size: Any) -> int | None:
    """A size or stride as a number; None for a SymInt that no number is known for."""
    return size if isinstance(size, int) else size.node.maybe_as_int()


def hinted_size(size: Any) -> int | None:
    """A size or stride in the traced call; None for a SymInt that depends on data."""
    return size if isinstance(size, int) else size.node.hint


def shape_of_value(val: Any) -> Shape:
    """The sizes of a fake tensor, `DYNAMIC` for unknown sizes."""
    sizes = map(known_size, val.shape)
    return tuple(DYNAMIC if size is None else size for size in sizes)


def number_of(val: Any) -> type[int | float] | None:
    """`int` for a SymInt, `float` for a SymFloat: numbers of the call. None for another value."""
    kind = None if isinstance(val, int | float) else getattr(val, "node", None)
    kind = getattr(kind, "pytype", None)
    return kind if kind in (int, float) else None


def type_of_value(val: Any) -> TensorType[Attribute]:
    """The type of the tensor that a fake tensor stands for; a number of the call has no dims.

    Raises:
        Unheld: it is not a dense CPU tensor of a supported type and rank.
    """
    if (number := number_of(val)) is not None:
        return tensor_type(i64 if number is int else f64, ())
    if not hasattr(val, "dtype") or not hasattr(val, "shape"):
        raise Unheld("it is not a tensor")
    if val.device.type != "cpu":
        raise Unheld(f"it is on the device {val.device}, and kernels are for the CPU")
    if str(val.layout) != "torch.strided":
        raise Unheld(f"its layout is {val.layout}")
    if len(val.shape) > MAX_RANK:
        raise Unheld(f"rank {len(val.shape)} is above {MAX_RANK}")
    return tensor_type(element_of(val.dtype), shape_of_value(val))


def arguments_of(node: Any) -> dict[str, Any]:
    """The arguments of a call by the names of the op's schema, defaults included."""
    schema = node.target._schema.arguments
    found = {a.name: a.default_value for a in schema if a.has_default_value()}
    found.update(zip((a.name for a in schema), node.args, strict=False))
    return found | dict(node.kwargs)


class NodeBuilder:
    """Builds the ops of one node at the end of a block.

    Attributes:
        node: the FX node, a call of an ATen op.
        arguments: its arguments, by name.
    """

    def __init__(self, node: Any, values: Mapping[Any, Values], block: Block) -> None:
        self.node = node
        self.arguments = arguments_of(node)
        self._values = values
        self._block = block

    @property
    def operator(self) -> str:
        """The name of the ATen op without its overload."""
        return self.node.target._schema.name.partition("::")[2]

    @property
    def names(self) -> list[str]:
        """The names of the arguments of its schema."""
        return [argument.name for argument in self.node.target._schema.arguments]

    @property
    def tensors(self) -> list[str]:
        """The names of the arguments that are tensors, or numbers of the call."""
        return [name for name in self.names if hasattr(self.arguments.get(name), "meta")]

    def result_type(self, index: int | None = None) -> TensorType[Attribute]:
        """The type of the result, or of one of several, as torch infers it."""
        val = self.node.meta["val"]
        return type_of_value(val if index is None else val[index])

    @property
    def element(self) -> Attribute:
        """The element type of the one result."""
        return self.result_type().element_type

    def values_of(self, argument: Any) -> Values:
        """The values of an FX node; Unheld for an argument that is none."""
        if argument not in self._values:
            raise Unheld(f"{argument} is known only when it is called")
        return self._values[argument]

    def tensor(self, name: str = "self") -> SSAValue:
        """The tensor that is the argument `name`."""
        found = self.values_of(self.arguments[name])
        if isinstance(found, tuple):
            raise Unheld(f"{name} is several tensors")
        return found

    def is_number(self, name: str) -> bool:
        """Whether the argument `name` is a number of Python, or one of the call."""
        argument = self.arguments.get(name)
        meta = getattr(argument, "meta", {})
        return isinstance(argument, int | float) or number_of(meta.get("val")) is not None

    def operand(self, name: str, element: Attribute) -> SSAValue:
        """The argument `name`, a tensor or a number, with elements of another type."""
        argument = self.arguments[name]
        if isinstance(argument, bool | int | float):
            return self.scalar(argument, element)
        if not hasattr(argument, "meta"):
            raise Unheld(f"{name} is {argument}, which is neither a tensor nor a real number")
        return self.convert(self.tensor(name), element)

    def axes(self, name: str = "dim") -> list[int]:
        """The dims of an argument that is a dim, a list of dims, or nothing, which is all."""
        given, rank = self.arguments[name], len(shape_of(self.tensor()))
        dims = [given] if isinstance(given, int) else list(given or range(rank))
        if rank == 0:
            return []
        return sorted({int(dim) % rank for dim in dims})

    def emit(self, op: ComputeOp) -> SSAValue:
        """Insert `op`; returns its result. Unheld if its operands do not fit it."""
        for operand in op.joined_operands:
            element = tensor_of(operand).element_type
            if kind_of(element) not in op.ELEMENT_KINDS:
                raise Unheld(f"{op.name} is not defined for elements of type {element}")
        self._block.add_op(op)
        return op.results[0]

    def number(self, value: float, element: Attribute) -> FloatAttr | IntegerAttr[IntegerType]:
        """A number of an element type, as an attribute: infinite if it is too large for a float."""
        if kind_of(element) == FLOAT:
            exact = np.asarray(value, np.float64)
            return FloatAttr(float(round_to(exact, numpy_dtype(element))), cast("Any", element))
        type_ = cast("IntegerType", element)
        if type_ != i1 and not isfinite(value):
            raise Unheld(f"{value} is no integer")
        whole = bool(value) if type_ == i1 else int(value)
        if type_.signedness.data == Signedness.UNSIGNED:
            whole %= 1 << type_.bitwidth
        return IntegerAttr(whole, type_)

    def scalar(self, value: float, element: Attribute) -> SSAValue:
        """A constant of one element, rounded to the element type."""
        self._block.add_op(op := ScalarOp(self.number(value, element)))
        return op.result

    def convert(self, value: SSAValue, element: Attribute) -> SSAValue:
        """`value` with another element type; `value` itself if it has it."""
        if tensor_of(value).element_type == element:
            return value
        return self.emit(ConvertTruncationOp(value, element))

    def checked(self, results: Values) -> Values:
        """`results`; Unheld unless they have the types that torch infers for the node."""
        several = isinstance(results, tuple)
        for index, value in enumerate(results if several else (results,)):
            self._check(value, self.result_type(index if several else None))
        return results

    def _check(self, value: SSAValue, told: TensorType[Attribute]) -> None:
        found = tensor_of(value)
        same = found.element_type == told.element_type
        if not same or not compatible(shape_of(found), shape_of(told)):
            raise Unheld(f"the compiler infers {found}, and torch {told}")
