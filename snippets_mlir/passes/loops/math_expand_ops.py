"""Expand exp, log, tanh, erf, sin, ... of `math` into arithmetic.

    %r = math.exp %x : vector<8xf32>          becomes          %0 = arith.cmpf ogt, %x, %limit
                                                               ... (the polynomial of exp) ...
                                                               %r = arith.mulf %8, %9

LLVM would call the C library for each element. The expansions are those of the kernels, from the
records of ops, and `power_integer` for `fpowi`, which no kernel has. Both state the error bound of
a result. Scalars and vectors of any rank are supported; f16 and bf16 compute in f32. Sine, cosine
and tangent read tables, which become globals of the module. If the module has `snippets.math =
"fast"`, exp of f32 has the cheaper form of `expansions/fast.py`, on machines with a fused
multiply-add.

`ops=exp,log` expands only these. Leaves ops that are one instruction (`convert-math-to-llvm`), and
tensors. The name is that of an upstream pass that expands other ops.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    ModuleOp,
    TensorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.arith import casts
from snippets_mlir.dialects.arith.types import with_element
from snippets_mlir.dialects.builtin.shaped import bit_width, element_of
from snippets_mlir.dialects.math import Math
from snippets_mlir.dialects.snippets.expansions.power import power_integer
from snippets_mlir.dialects.snippets.expansions.table import (
    INTEGER_TWINS,
    TWINS,
    fast_function,
    math_function,
)
from snippets_mlir.dialects.snippets.record import Function
from snippets_mlir.dialects.snippets.registry import DerivedTable
from snippets_mlir.passes.base import Form, Stages
from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.loops.arith_math import ArithMathBuilder
from snippets_mlir.passes.loops.arith_place import Place, Shared
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of
from snippets_mlir.targets.attributes import TARGET, machine_of, math_of

FUNCTIONS: Mapping[str, Function] = DerivedTable(
    lambda: (
        {n: f for n in (*TWINS, *INTEGER_TWINS) if (f := math_function(n)) is not None}
        | {"fpowi": power_integer}
    )
)
"""Name of an op to its expansion: those of kernels, and `fpowi`."""


def _wide(place: Place, value: SSAValue, cls: type[Operation], element: Attribute) -> SSAValue:
    """`value` in elements of another width."""
    type = with_element(value.type, element)
    return place.put(cls.create(operands=[value], result_types=[type]))


def _integer(b: ArithMathBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """An integer in the width of `element`; the low bits stay."""
    have, want = bit_width(element_of(value.type)), bit_width(element)
    if have == want:
        return value
    return _wide(b.place, value, casts.ExtSIOp if have < want else casts.TruncIOp, element)


def with_formula(op: Operation) -> bool:
    """It is `fpowi`, or the records have an expansion of it."""
    return op.name.removeprefix("math.") in FUNCTIONS


def of_scalars_or_vectors(op: Operation) -> bool:
    """Tensors are not computed here."""
    return not isinstance(op.results[0].type, TensorType)


class Formula(Pattern[Operation, Function]):
    """`exp(x)`, `log(x)`, ... are the arithmetic of their formulas, which builders write.

    Constants are made once in a function, and tables once in a module.
    """

    name = "formula"
    ops = tuple(Math.operations)
    conditions = (with_formula, of_scalars_or_vectors)

    def __init__(self, shared: Shared, only: Sequence[str], fma: bool, fast: bool) -> None:
        self._shared = shared
        self._only = only
        self._fma = fma
        self._fast = fast

    def match(self, op: Operation) -> Function | None:
        """The formula; the cheaper one for f32, if there is one and the module wants it."""
        name, element = op.name.removeprefix("math."), element_of(op.results[0].type)
        if self._only and name not in self._only:
            return None
        f32s = isinstance(element, AnyFloat) and not isinstance(element, Float64Type)
        cheaper = fast_function(TWINS.get(name), {}) if self._fast and self._fma and f32s else None
        return cheaper or FUNCTIONS[name]

    def rewrite(self, op: Operation, match: Function, rewriter: PatternRewriter) -> None:
        """Compute in f32 or f64, or i32 or i64, and replace the op by the value."""
        own = element_of(op.results[0].type)
        place = Place(self._shared, op, rewriter)
        if isinstance(own, AnyFloat):
            value = self._floats(op, match, place, own)
        else:
            compute = i64 if bit_width(own) > 32 else i32
            b = ArithMathBuilder(place, "f64" if compute == i64 else "f32", self._fma)
            values = [_integer(b, operand, compute) for operand in op.operands]
            value = _integer(b, match(b, values, {}), own)
        place.insert()
        rewriter.replace(op, [], [value])

    def _floats(self, op: Operation, formula: Function, place: Place, own: Attribute) -> SSAValue:
        compute = own if isinstance(own, Float64Type) else f32
        b = ArithMathBuilder(place, "f64" if compute == own != f32 else "f32", self._fma)
        operands: Sequence[SSAValue] = op.operands
        if op.name == "math.fpowi":
            exponent = op.operands[1]
            exact = _integer(b, exponent, i32 if compute == f32 else i64)
            operands = (op.operands[0], b.cast(casts.SIToFPOp, exponent, compute), exact)
        values = [
            _wide(place, value, casts.ExtFOp, compute)
            if element_of(value.type) == own != compute
            else value
            for value in operands
        ]
        result = formula(b, values, {})
        return result if compute == own else _wide(place, result, casts.TruncFOp, own)


@dataclass(frozen=True)
class MathExpandOpsPass(PatternPass):
    """Expand functions of math into arithmetic."""

    name = "math-expand-ops"
    FORM: ClassVar[Form] = "formulas"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (Formula,)

    ops: tuple[str, ...] = ()
    """The ops to expand, without `math.`; all if empty."""

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The functions that become machine code.

        Raises:
            CompileError: `ops` names one without an expansion.
        """
        for name in self.ops:
            if name not in FUNCTIONS:
                raise CompileError(
                    f"ops: no expansion of {name!r}{close_match(name, list(FUNCTIONS))}"
                )
        return kernel_functions(module)

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The function, the ops, whether the target fuses, and whether the module has fast math."""
        module = module_of(root)
        fma = machine_of(module).fma if TARGET in module.attributes else False
        return Shared(root), self.ops, fma, math_of(module) == "fast"
