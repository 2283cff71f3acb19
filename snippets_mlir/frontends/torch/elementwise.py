"""Elementwise ATen ops that are one op: their rows come from the ops' records.

    aten.add.Tensor(x, y, alpha=2)     %0 = snippets.scalar 2.0
                                       %1 = snippets.multiply %y, %0
                                       %2 = snippets.add %x, %1

Operands are converted to the type of the result by torch's promotion; operands of a comparison are
converted to the type in which torch compares them. If several ops have the same ATen name
(`bitwise_and` of integers and of truth values), the first with a fitting kind of element is used.
Source: `Aten` in `dialects/snippets/record.py`; torch's rules of type promotion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from xdsl.dialects.builtin import bf16, f16, f32, f64, i1, i32
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.analysis.graph.eligibility import SUPPORTED_ELEMENTS
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.counterparts import Aten, NodeAttribute
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.frontends.torch.node import NodeBuilder, Unheld, element_of, number_of


def _rows() -> dict[str, list[tuple[OpRecord, Aten]]]:
    rows: dict[str, list[tuple[OpRecord, Aten]]] = {}
    for record in records():
        for aten in record.aten:
            rows.setdefault(aten.operator, []).append((record, aten))
    return rows


OPERATORS: Mapping[str, list[tuple[OpRecord, Aten]]] = DerivedTable(_rows)
"""Name of an ATen op without its overload -> the ops that it is for some kinds of element."""


def _promoted(b: NodeBuilder, names: list[str]) -> Attribute:
    """The type that torch compares operands in."""
    torch = import_module("torch")
    operands = [b.arguments[name] for name in names]
    values = [a.meta["val"] if hasattr(a, "meta") else a for a in operands]
    # Of a number of the call the kind counts, and torch would ask for its value.
    values = [value if (kind := number_of(value)) is None else kind(1) for value in values]
    return element_of(torch.result_type(values[0], values[-1]))


def _property(b: NodeBuilder, name: str, attribute: NodeAttribute) -> float | str:
    """The op's property for an argument of the node."""
    value = b.arguments.get(name, attribute.default)
    if hasattr(value, "meta"):
        raise Unheld(f"{name} is known only when it is called")
    if not isinstance(value, str):
        return float(value)
    if attribute.words is None:
        return value
    if value not in attribute.words:
        raise Unheld(f"{name} is '{value}'")
    return attribute.words[value]


def _operands(b: NodeBuilder, record: OpRecord, aten: Aten) -> list[str]:
    """The names of the arguments that are operands; Unheld if there are not as many."""
    parameters = {*aten.attributes, *aten.given, aten.scaled}
    names = [name for name in b.names if name not in parameters]
    if len(names) != len(record.op.get_irdl_definition().operands):
        raise Unheld(f"no op stands for its overload {b.node.target}")
    return names


def _holds(record: OpRecord, aten: Aten, element: Attribute) -> bool:
    if record.own_type and element not in SUPPORTED_ELEMENTS:
        return False
    return kind_of(element) in (aten.kinds or record.op.ELEMENT_KINDS)


def elementwise(b: NodeBuilder) -> SSAValue:
    """The value of a node whose op has a row in `OPERATORS`."""
    for record, aten in OPERATORS[b.operator]:
        names = _operands(b, record, aten)
        joined = names[record.op.CONDITIONS :]
        # The truth of numbers is what logical ops compute on.
        elements = [_promoted(b, joined), i1] if b.element == i1 else [b.element]
        for element in elements:
            if _holds(record, aten, element):
                return _emitted(b, record, aten, names, element)
    # Numbers that stand for truth values, and floats for numbers that a float op tells things of.
    for record, aten in OPERATORS[b.operator]:
        names = _operands(b, record, aten)
        if b.element != i1:
            continue
        of_bools = _promoted(b, names[record.op.CONDITIONS :]) == i1
        for element in (i32, f64) if of_bools else (f64,) * (FLOAT in record.op.ELEMENT_KINDS):
            if _holds(record, aten, element):
                return b.convert(_emitted(b, record, aten, names, element), i1)
    found = ", ".join(str(tensor_of(b.tensor(n)).element_type) for n in b.tensors)
    raise Unheld(f"no kernel computes it for {found} elements")


def _emitted(
    b: NodeBuilder, record: OpRecord, aten: Aten, names: list[str], element: Attribute
) -> SSAValue:
    for name, value in aten.given.items():
        if b.arguments.get(name, value) != value:
            raise Unheld(f"{name} is {b.arguments[name]}, and kernels have {value} only")
    conditions = record.op.CONDITIONS
    numbers = [*names[conditions:], *filter(None, [aten.scaled])]
    if element in (f16, bf16) and not record.op.PREDICATE and any(map(b.is_number, numbers)):
        element = f32  # as inductor, which rounds no numbers to 16 bits
    operands = [b.operand(name, i1) for name in names[:conditions]]
    operands += [b.operand(name, element) for name in names[conditions:]]
    if aten.scaled and b.arguments.get(aten.scaled, 1) != 1:
        factor = b.operand(aten.scaled, element)
        operands[-1] = b.emit(MultiplyOp(operands[-1], factor))
    make = cast("Callable[..., ComputeOp]", record.op)
    properties: dict[str, Any] = {
        a.property: _property(b, n, a) for n, a in aten.attributes.items()
    }
    result = b.emit(make(*operands, **properties))
    return b.convert(result, b.element) if element == f32 else result
