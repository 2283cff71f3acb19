"""The number of vector instructions of an op, estimated before there is a kernel.

    instructions_of(snippets.gelu of f32)      39: its expansion, run on a builder that counts
    instructions_of(snippets.softmax of f32)   those of exp, and 7 for maximum, difference, sum ...
    instructions_of(snippets.power by 2)       1: that of the static power it becomes

A division and a square root count as eight, as in `analysis/kernels/kernel_cost.py`.
"""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, StringAttr, f64
from xdsl.ir import Operation

from snippets_mlir.analysis.graph.static_powers import static_exponent
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.base import FLOAT, ComputeOp, kind_of
from snippets_mlir.dialects.snippets.elementary import ExpOp
from snippets_mlir.dialects.snippets.expansions.table import expansion_for
from snippets_mlir.dialects.snippets.powers import PowerOp, PowerStaticOp
from snippets_mlir.dialects.snippets.registry import derived, record_of
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp

SLOW = 8.0
STEPS = {"div": SLOW, "sqrt": SLOW, "lookup": 2.0}
"""Operations of a builder that count as more than one instruction."""
SOFTMAX = 7.0
NORM = 9.0


class _Counting:
    """A `MathBuilder` whose values are None; `total` counts the requested instructions."""

    permutes = True
    fma_is_fast = True
    branches = True

    def __init__(self, element: str) -> None:
        self.element = element
        self.total = 0.0

    def f64(self) -> _Counting:
        """A builder for f64 on the same lanes, which are two vectors."""
        return self

    def rare(self, *_: object) -> None:
        """A branch; rare code does not count."""
        self.total += 1.0

    def __getattr__(self, name: str) -> Any:
        free = name in ("constant", "integer")

        def count(*_: object, **__: object) -> None:
            self.total += 0.0 if free else STEPS.get(name, 1.0)

        return count


@derived
def _expanded(
    name: str, kind: str, element: str, operands: int, items: tuple[tuple[str, Any], ...]
) -> float:
    expansion = expansion_for(name, kind, dict(items))
    if expansion is None:
        record = record_of(name)
        return 1.0 if record is None else record.weight
    builder = _Counting(element)
    expansion.function(builder, [None] * operands, dict(items))
    return builder.total


def _attributes(op: Operation) -> tuple[tuple[str, Any], ...]:
    found: list[tuple[str, Any]] = []
    for name, value in op.properties.items():
        if isinstance(value, FloatAttr | IntegerAttr):
            found.append((name, value.value.data))
        elif isinstance(value, StringAttr):
            found.append((name, value.data))
    return tuple(found)


def instructions_for(name: str, operands: int, **attributes: Any) -> float:
    """`instructions_of` for an op on float32 by its name (`"gelu"`), operands and attributes."""
    return _expanded(f"snippets.{name}", "float", "f32", operands, tuple(attributes.items()))


def instructions_of(op: Operation) -> float:
    """Vector instructions for one vector of the largest operand or result of a computing op."""
    if not isinstance(op, ComputeOp):
        return 0.0
    name = op.name.removeprefix("snippets.")
    element = tensor_of(op.operands[0] if op.operands else op.results[0]).element_type
    kind = "float" if kind_of(element) == FLOAT else "integer"
    width = "f64" if element == f64 else "f32"
    if isinstance(op, WholeTensorOp):
        if name.endswith("softmax"):
            return _expanded(ExpOp.name, "float", width, 1, ()) + SOFTMAX
        return NORM if name.endswith("norm") else 1.0
    if isinstance(op, PowerOp) and (exponent := static_exponent(op)) is not None:
        return _expanded(PowerStaticOp.name, kind, width, 1, (("exponent", exponent),))
    return _expanded(op.name, kind, width, len(op.operands), _attributes(op))
