"""The element types that each op supports: the emitters' tables of supported precisions.

A *precision* of an op is one element type for each operand. Kernels compute in f32, f64, i32, i64
and i1; other types are only stored: loaded, moved, converted. Source: the guide's
`get_supported_precisions`, in the order in which a type is chosen.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.snippets.base import ComputeOp, kind_of
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.targets.target_machine import TargetMachine

Precision = tuple[Attribute, ...]

COMPUTED: tuple[Attribute, ...] = (f32, f64, i32, i64, i1)
"""The element types that kernels compute in, in the order of preference."""

_FLOATS: dict[type[Attribute], tuple[type[Attribute], ...]] = {
    BFloat16Type: (BFloat16Type, Float32Type, Float64Type),
    Float16Type: (Float16Type, Float32Type, Float64Type),
    Float32Type: (Float32Type, Float64Type),
    Float64Type: (Float64Type,),
}


def supported_precisions(op: Operation, machine: TargetMachine) -> tuple[Precision, ...]:
    """The precisions of `machine` for `op`, preferred ones first; () for any."""
    return machine.emitters.precisions(op)


def precisions_of(op: type[Operation], operands: int) -> tuple[Precision, ...]:
    """The precisions of ops of a class that have `operands` operands; () for any.

    An emitter of a target may state others.
    """
    record = record_of(op.name)
    if not issubclass(op, ComputeOp) or (record is not None and record.moves):
        return ()
    elements = [element for element in COMPUTED if kind_of(element) in op.ELEMENT_KINDS]
    others = operands - op.CONDITIONS
    return tuple((i1,) * op.CONDITIONS + (element,) * others for element in elements)


def holds(wide: Attribute, narrow: Attribute) -> bool:
    """Whether `wide` has the kind of `narrow` and contains all of its values."""
    if kind_of(wide) != kind_of(narrow) or kind_of(wide) is None:
        return False
    integers, wider = integers_of(narrow), integers_of(wide)
    if integers is not None and wider is not None:
        return wider.smallest <= integers.smallest and integers.largest <= wider.largest
    return type(wide) in _FLOATS.get(type(narrow), ())


def precision_for(op: Operation, current: Precision, machine: TargetMachine) -> Precision | None:
    """The first precision of `machine` that contains the values of `current`, None for none.

    It is `current` itself if that is supported, or if the op takes any type. For an op whose record
    has `own_type`, no wider precision counts.
    """
    supported = supported_precisions(op, machine)
    if not supported or current in supported:
        return current
    record = record_of(op.name)
    if record is not None and record.own_type:
        return None
    for precision in supported:
        if all(holds(w, n) for w, n in zip(precision, current, strict=True)):
            return precision
    return None


def converts(element: Attribute) -> bool:
    """Whether kernels load and store `element` and convert it to a computed type."""
    if (integers := integers_of(element)) is not None:
        return integers.width in (1, 8, 16, 32, 64)
    return type(element) in _FLOATS


def describe(precisions: tuple[Precision, ...]) -> str:
    """`f32, f32 or f64, f64`."""
    return " or ".join(", ".join(str(e) for e in p) for p in precisions)
