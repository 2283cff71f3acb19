"""Everything that a plug-in needs, in one import; these names are stable, no other ones are public.

    from snippets_mlir.extend import *

    @irdl_op_definition
    class SoftshrinkOp(FloatOp): ...
    RECORDS = [OpRecord(SoftshrinkOp, value=..., floats=Expansion(...), onnx=Onnx("Softshrink"))]

A plug-in is a Python file or module that has one or several of `RECORDS` (ops), `DIALECTS`,
`PASSES` or classes of passes, `POSITIONS`, `TARGETS` and `IMPLEMENTATIONS`; docs/plugins.md
describes them. `compile(..., plugins=[...])`, `--load-dialect-plugin=` and `--load-pass-plugin=`
load it.

* **Ops**: `UnaryOp`, `FloatOp`, `BinaryOp`, `ComputeOp` and `ReduceOp` with `irdl_op_definition`;
  `OpRecord`, `Expansion`, `FastExpansion`, `Code`, `Onnx`, `NodeAttribute`, `Variant`,
  `PatternKind`; `wide`, `once` and `plain` make values of functions of arrays, and
  `ufunc("hypot")` is the function of NumPy; `FLOAT`, `INTEGER`, `BOOL` are kinds of elements, as
  in `ELEMENT_KINDS: ClassVar = (FLOAT,)`; `Rule` with `FLOATS`, `INTEGERS`, `NUMBERS`, `ANY` are
  equations.
  `ops` has the classes of all ops, such as `ops.MaximumOp`; `scalar(value, like)` is a constant.
* **Passes**: `Pattern` and `PatternPass`, `Pass`, `Stages`, `dataclass` and the effects `EXACT`,
  `CONTRACTS`, `REASSOCIATES`; `tensor_of`, `shape_of`, `element_of` read types.
* **Targets**: `machine(name)`, `variant(name, new_name, **changes)`, and `Emitter` for
  `own_emitters`.
* **Implementations** of nodes of programs: `Implementation`.
* `CompileError` with `position_of(op)` for what is wrong.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import Commutative, Pure

from snippets_mlir.dialects.builtin.shaped import element_of, shape_of, tensor_of
from snippets_mlir.dialects.snippets import Snippets
from snippets_mlir.dialects.snippets.base import (
    BOOL,
    FLOAT,
    INTEGER,
    BinaryOp,
    ComputeOp,
    FloatOp,
    UnaryOp,
)
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.counterparts import NodeAttribute, Onnx
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.record import Code, Expansion, FastExpansion, OpRecord, Variant
from snippets_mlir.dialects.snippets.reduction import ReduceOp
from snippets_mlir.dialects.snippets.rules.rule import ANY, Rule
from snippets_mlir.dialects.snippets.rules.rule import FLOAT as FLOATS
from snippets_mlir.dialects.snippets.rules.rule import INTEGER as INTEGERS
from snippets_mlir.dialects.snippets.rules.rule import NUMBER as NUMBERS
from snippets_mlir.dialects.snippets.values.forms import once, plain, ufunc, wide
from snippets_mlir.passes.base import Pass, Stages
from snippets_mlir.passes.building.graph import number
from snippets_mlir.passes.effects import CONTRACTS, EXACT, REASSOCIATES
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.emitters.emitter import Emitter
from snippets_mlir.targets.implementations import Implementation
from snippets_mlir.targets.machine import machine
from snippets_mlir.targets.target_machine import TargetMachine


class _Ops:
    """The classes of the ops of the `snippets` dialect, as attributes."""

    def __getattr__(self, name: str) -> Any:
        """The class called `name`; AttributeError when there is none."""
        for op in Snippets.operations:
            if op.__name__ == name:
                return op
        raise AttributeError(f"the snippets dialect has no class {name!r}")

    def __dir__(self) -> list[str]:
        return sorted(op.__name__ for op in Snippets.operations)


ops = _Ops()
"""The classes of the ops of the `snippets` dialect: `ops.MaximumOp`."""


def scalar(value: float, like: SSAValue) -> ScalarOp:
    """A constant of rank 0 with the element type of `like`."""
    return ScalarOp(number(value, tensor_of(like).element_type))


def variant(name: str, new_name: str, **changes: Any) -> TargetMachine:
    """The machine `name` with other fields, under a new name, for all of its CPUs."""
    return replace(machine(name), **{"name": new_name, "tunes": {}, **changes})


__all__ = [
    "ANY",
    "BOOL",
    "CONTRACTS",
    "EXACT",
    "FLOAT",
    "FLOATS",
    "INTEGER",
    "INTEGERS",
    "NUMBERS",
    "REASSOCIATES",
    "AnyFloat",
    "BinaryOp",
    "Callable",
    "ClassVar",
    "Code",
    "Commutative",
    "CompileError",
    "ComputeOp",
    "Dialect",
    "Emitter",
    "Expansion",
    "FastExpansion",
    "FloatAttr",
    "FloatOp",
    "IRDLOperation",
    "Implementation",
    "IntegerAttr",
    "IntegerType",
    "ModuleOp",
    "NodeAttribute",
    "Onnx",
    "OpRecord",
    "Operation",
    "Pass",
    "Pattern",
    "PatternKind",
    "PatternPass",
    "PatternRewriter",
    "Pure",
    "ReduceOp",
    "Rule",
    "SSAValue",
    "Stages",
    "TargetMachine",
    "TensorType",
    "UnaryOp",
    "Variant",
    "attr_def",
    "dataclass",
    "element_of",
    "irdl_op_definition",
    "machine",
    "np",
    "once",
    "operand_def",
    "ops",
    "opt_prop_def",
    "plain",
    "position_of",
    "prop_def",
    "result_def",
    "scalar",
    "shape_of",
    "tensor_of",
    "traits_def",
    "ufunc",
    "var_operand_def",
    "variant",
    "wide",
]


def __dir__() -> list[str]:
    """The stable names, for completion."""
    return sorted(__all__)
