"""`snippets` ops that an engine for ONNX nodes can run, and their ONNX forms.

    snippets.clamp %x {min = 0.0, max = 6.0, snippets.skipped = ".."}    becomes    Clip(x, lo, hi)

Ops marked `snippets.skipped` run in one session with the adjacent `onnx.node` ops if their record
says how (`Engine`) and they are float32. The operator versions are from opset 7 and later. A
constant operand becomes the second input, where the engine's fusions expect it.

This module does not import `onnx`, because every op of a program is checked for a form.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, TensorType, f32
from xdsl.ir import Operation
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.counterparts import Engine
from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, record_of, records
from snippets_mlir.support.attribute_names import SKIPPED

FIRST_OPSET = 7


FORMS: Mapping[str, Engine] = DerivedTable(
    lambda: {r.name: r.engine for r in records() if r.engine is not None and _is_written(r)}
)
"""Op name -> its form as a node."""


def _is_written(record: OpRecord) -> bool:
    """Whether the engine has a node for the op: an elementwise op, or an op with lists."""
    engine = record.engine
    return engine is not None and bool(engine.passes or engine.lists)


def operator_of(name: str) -> str:
    """The ONNX operator of the op called `name`, empty if there is none."""
    record = record_of(name)
    return "" if record is None or record.onnx is None else record.onnx.operator


def runs_in_engine(op: Operation) -> bool:
    """Whether a marked op of the `snippets` dialect can run among ONNX nodes."""
    return SKIPPED in op.attributes and fits_engine(op)


def fits_engine(op: Operation) -> bool:
    """Whether an op of the `snippets` dialect could run among ONNX nodes if it were marked."""
    if op.name not in FORMS:
        return False
    values = (*op.operands, *op.results)
    return all(isinstance(v.type, TensorType) and tensor_of(v).element_type == f32 for v in values)


def inputs_in_order(op: Operation) -> list[int]:
    """Positions of the operands of `op`, a constant last; all ops of two operands commute."""
    return sorted(
        range(len(op.operands)),
        key=lambda i: (
            isinstance(o := op.operands[i].owner, Operation) and o.has_trait(ConstantLike)
        ),
    )


def lists_of(op: Operation) -> dict[str, list[int]]:
    """The attributes of the node for `op` that are lists of integers."""
    found: dict[str, list[int]] = {}
    for name, source in FORMS[op.name].lists.items():
        value = op.properties[source]
        assert isinstance(value, DenseArrayBase)
        found[name] = [int(number) for number in value.get_values()]
    return found


def numbers_of(op: Operation) -> dict[str, float]:
    """The attributes of the node for `op`."""
    form = FORMS[op.name]
    found = dict(form.constants)
    for name in form.properties:
        value = op.properties[name]
        assert isinstance(value, FloatAttr | IntegerAttr)
        found[name] = float(value.value.data)
    return found
