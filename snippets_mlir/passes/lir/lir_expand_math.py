"""Expand exp, erf, sin, power, ... into arithmetic that every target has as vector instructions.

    %1 = snippets.sigmoid %0      becomes      %1 = snippets.negative %0
                                               ... (the polynomial of exp) ...
                                               %9 = snippets.divide %c1, %8

The record of an op names its expansion. An op without one has an emitter and stays. Composite ops
(relu, swish, clamp, ...) are expanded in the same way. The pass approximates within the bounds of
the record. If the module has `snippets.math = "fast"`, f32 functions of `expansions/fast.py` get
their cheaper form.
"""

from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import bit_width, tensor_of
from snippets_mlir.dialects.builtin.sizes import SizeAttr
from snippets_mlir.dialects.lir.access import loop_ids
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.expansions.table import expansion_for, fast_function
from snippets_mlir.dialects.snippets.record import Expansion, Function
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.passes.base import Form, Stages
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.lir.editing import replace_with_expr
from snippets_mlir.passes.lir.expansion_builder import Facts
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.lir.math_builder import LirMathBuilder
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import OPS, from_plugin
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import machine_of, math_of
from snippets_mlir.targets.target_machine import TargetMachine


def _attributes(op: ComputeOp) -> dict[str, float | str]:
    """The op's properties as plain numbers and strings; integers stay in the element's range."""
    element = tensor_of(op.joined_operands[0]).element_type
    limit = 1 << (bit_width(element) - 1)
    plain: dict[str, float | str] = {}
    for name, attr in op.properties.items():
        if isinstance(attr, FloatAttr):
            plain[name] = attr.value.data
        elif isinstance(attr, IntegerAttr):
            plain[name] = max(-limit, min(attr.value.data, limit - 1))
        elif isinstance(attr, StringAttr):
            plain[name] = attr.data
    return plain


def _builder_element(element: Attribute) -> str:
    """The builder's element: 64-bit types compute with the f64 builder, narrower ones with f32."""
    return "f64" if bit_width(element) == 64 else "f32"


def expansion_of(op: Operation) -> Expansion | None:
    """The expansion of `op`, or None if it has an emitter."""
    if not isinstance(op, ComputeOp):
        return None
    element = tensor_of(op.joined_operands[0]).element_type
    kind = "float" if isinstance(element, AnyFloat) else "integer"
    return expansion_for(op.name, kind, _attributes(op))


def _fast_function(op: ComputeOp) -> Function | None:
    """The cheaper form of `op`, if it has one."""
    element = tensor_of(op.joined_operands[0]).element_type
    if not isinstance(element, AnyFloat) or element.bitwidth == 64:
        return None
    return fast_function(record_of(op.name), _attributes(op))


Scalars = dict[tuple[str, Attribute], SSAValue]


class Expand(Pattern[ComputeOp, Expansion]):
    """An op is the formula of its record.

    `scalars` has the kernel's immediates by value and type. Expansions add theirs; this affects
    only whether an equal constant is reused, never the form of an op.
    """

    name = "expand"
    ops = (ComputeOp,)

    def __init__(
        self, kernel: KernelOp, machine: TargetMachine, fast: bool, scalars: Scalars
    ) -> None:
        self.kernel = kernel
        self.machine = machine
        self.fast = fast and machine.fma
        self.scalars = scalars

    def match(self, op: ComputeOp) -> Expansion | None:
        """The expansion, if the op has no emitter."""
        return expansion_of(op)

    def rewrite(self, op: ComputeOp, match: Expansion, rewriter: PatternRewriter) -> None:
        """Write the formula, or the cheaper one if requested, before the op."""
        element = _builder_element(tensor_of(op.joined_operands[0]).element_type)
        facts = Facts(self.kernel, op, self.scalars)
        builder = LirMathBuilder(facts, element, self.machine.fma, self.machine.permutes)
        formula = (_fast_function(op) if self.fast else None) or match.function
        found: object = formula(builder, builder.operands(), _attributes(op))
        replace_with_expr(op, _checked(op, found), rewriter)


def _checked(op: ComputeOp, found: object) -> SSAValue:
    """What an expansion gives; CompileError unless it is a value of the result's."""
    wanted = tensor_of(op.results[0]).element_type
    shown = f"{found!r:.80}"
    if isinstance(found, SSAValue):
        value = cast("SSAValue", found)
        element = tensor_of(value).element_type
        if element == wanted or op.name not in OPS:
            return value
        shown = f"one of {element}"
    text = f"the expansion of {op.name}: expected a value of {wanted} from the builder"
    raise CompileError(from_plugin(f"op '{op.name}'", f"{text}, found {shown}"))


@dataclass(frozen=True)
class LirExpandMathPass(KernelPatternPass):
    """Expand math and composite ops into arithmetic."""

    name = "lir-expand-math"
    FORM: ClassVar[Form] = "formulas"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded"))
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (Expand,)

    def facts(self, root: Operation) -> tuple[KernelOp, TargetMachine, bool, Scalars]:
        """The kernel, the module's facts about its target, and the immediates in no loop."""
        assert isinstance(root, KernelOp)
        scalars: Scalars = {
            (repr(op.value.value.data), op.value.type): op.result
            for op in root.block.ops
            if isinstance(op, ScalarOp) and not isinstance(op.value, SizeAttr) and not loop_ids(op)
        }
        module = module_of(root)
        return root, machine_of(module), math_of(module) == "fast", scalars
