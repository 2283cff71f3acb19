"""The emitters of a target: the base table, and the target's own emitters.

The base table is derived from the records of the ops (`Code`).

    machine("generic").emitters.rows["snippets.add"]      the base table's
    machine("generic").emitters.rows["snippets.fma"]      its own: there is no such instruction

A machine names its own emitters in `TargetMachine.own_emitters`. Passes look emitters up in the
table of their module's target, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.emission.builder import element_of
from snippets_mlir.dialects.snippets.record import Code
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.emitter import Emit, Emitter
from snippets_mlir.targets.emitters.vector_builder import VectorBuilder
from snippets_mlir.targets.precisions import Precision, describe, precisions_of


def _emit(code: Code) -> Emit:
    """The code of an op: a function of its own, or one op or comparison for each kind."""
    if (function := code.function) is not None:
        return function

    def emit(b: VectorBuilder, op: Operation, x: Sequence[SSAValue]) -> SSAValue:
        floats = isinstance(element_of(x[0]), AnyFloat)
        name = code.floats if floats else code.integers
        if name is None:
            raise CompileError(f"{op.name} has no emitter for {element_of(x[0])}")
        if not code.compares:
            return b.op(name, x)
        return (b.compare_float if floats else b.compare_int)(name, x[0], x[1])

    return emit


def _emitter(code: Code) -> Emitter:
    return Emitter(_emit(code), code.vectors, code.masks, code.general)


EMITTERS: Mapping[str, Emitter] = DerivedTable(
    lambda: {r.name: _emitter(r.code) for r in records() if r.code is not None}
)
"""The table that all targets share."""


@dataclass(frozen=True)
class EmitterTable:
    """Op name -> emitter, for one target.

    Attributes:
        target: the target's name; empty for the base table.
        rows: the emitters.
    """

    target: str
    rows: Mapping[str, Emitter]

    def auxiliary(self, op: Operation, file: str) -> int:
        """The additional registers of a file ("vec", "mask", "gpr") for the code of `op`."""
        emitter = self.rows.get(op.name)
        return 0 if emitter is None else emitter.auxiliary(file)

    def precisions(self, op: Operation) -> tuple[Precision, ...]:
        """The precisions for computing `op`, preferred ones first; () for any."""
        emitter = self.rows.get(op.name)
        if emitter is not None and emitter.precisions is not None:
            return emitter.precisions
        return _of_class(type(op), len(op.operands))

    def emitter_for(self, op: Operation) -> Emitter:
        """The emitter of a computing op, for the element types of its operands.

        Raises:
            CompileError: there is none, or none for these types; the message has the target and the
                supported types.
        """
        emitter = self.rows.get(op.name)
        on = f" on target {self.target}" if self.target else ""
        if emitter is None:
            raise CompileError(
                f"{op.name} has no emitter{on}; run lir-expand-math before convert-lir-to-vector",
                **position_of(op),
            )
        found = tuple(tensor_of(value).element_type for value in op.operands)
        supported = self.precisions(op)
        if supported and found not in supported:
            raise CompileError(
                f"{op.name} has no emitter for {describe((found,))}{on}, "
                f"expected {describe(supported)}; run snippets-propagate-precision, "
                "insert a snippets.convert_saturation, or choose another target",
                **position_of(op),
            )
        return emitter


_of_class = cache(precisions_of)

BASE = EmitterTable("", EMITTERS)
"""For modules that name no target."""


def table_for(target: str, own: str | Mapping[str, Emitter]) -> EmitterTable:
    """The base table with the emitters in `own`: a mapping, or its place as "module:attribute"."""
    rows = _named(own) if isinstance(own, str) else own
    return EmitterTable(target, DerivedTable(lambda: {**EMITTERS, **rows}) if rows else EMITTERS)


def _named(name: str) -> Mapping[str, Emitter]:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute) if module else {}
