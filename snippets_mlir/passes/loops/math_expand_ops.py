"""Expand exp, log, tanh, erf, sin, ... of `math` into arithmetic.

    %r = math.exp %x : vector<8xf32>          becomes          %0 = arith.cmpf ogt, %x, %limit
                                                               ... (the polynomial of exp) ...
                                                               %r = arith.mulf %8, %9

LLVM would call the C library for each element. The expansions are those of the kernels, which the
records of ops name, and of `expansions/composed.py` for functions that no kernel has; both state
how far a result may be from the exact one. Scalars and vectors of any rank; f16 and bf16 compute in
f32. Sine, cosine and tangent read tables, which become globals of the module. Where the module says
`snippets.math = "fast"`, exp of f32 has the cheaper form of `expansions/fast.py`, on machines with
a fused multiply-add.

`ops=exp,log` expands these alone. Left as they are: ops that are one instruction
(`convert-math-to-llvm`), and tensors. The name is upstream's, whose pass expands other ops.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    Float64Type,
    MemRefType,
    ModuleOp,
    TensorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.arith import casts
from snippets_mlir.dialects.arith.types import with_element
from snippets_mlir.dialects.builtin.shaped import element_of
from snippets_mlir.dialects.memref.memory import GlobalOp
from snippets_mlir.dialects.snippets.expansions import composed
from snippets_mlir.dialects.snippets.expansions.table import (
    INTEGER_TWINS,
    TWINS,
    fast_function,
    math_function,
)
from snippets_mlir.dialects.snippets.record import Function
from snippets_mlir.dialects.snippets.registry import DerivedTable
from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.loops.arith_math import ArithMathBuilder
from snippets_mlir.passes.loops.arith_place import Place, Table
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET, machine_of, math_of

_COMPOSED: dict[str, Function] = {
    "atan2": composed.atan2,
    "cbrt": composed.cbrt,
    "exp2": composed.exp2,
    "expm1": composed.expm1,
    "fpowi": composed.power_integer,
    "log10": composed.log10,
    "log1p": composed.log1p,
    "log2": composed.log2,
}

FUNCTIONS: Mapping[str, Function] = DerivedTable(
    lambda: (
        _COMPOSED | {n: f for n in (*TWINS, *INTEGER_TWINS) if (f := math_function(n)) is not None}
    )
)
"""Name of an op to its expansion: those of kernels for ops that are ours, too."""


class _Tables:
    """The globals of a module that hold the tables of expansions."""

    def __init__(self, module: ModuleOp) -> None:
        self._module = module
        self._made: dict[tuple[Table, Attribute], GlobalOp] = {}

    def __call__(self, table: Table, element: Attribute) -> GlobalOp:
        """The global of a table."""
        key = (table, element)
        if key not in self._made:
            taken = {op.sym_name.data for op in self._module.ops if isinstance(op, GlobalOp)}
            name = f"math_table{len(self._made)}"
            while name in taken:
                name += "_"
            type: Any = TensorType(element, [len(table)])
            op = GlobalOp(
                name,
                MemRefType(element, [len(table)]),
                DenseIntOrFPElementsAttr.from_list(type, list(table)),
                visibility="private",
                constant=True,
            )
            first = self._module.body.block.first_op
            assert first is not None
            self._module.body.block.insert_op_before(op, first)
            self._made[key] = op
        return self._made[key]


def _wide(place: Place, value: SSAValue, cls: type[Operation], element: Attribute) -> SSAValue:
    """`value` in elements of another width."""
    type = with_element(value.type, element)
    return place.put(cls.create(operands=[value], result_types=[type]))


def _width(element: Attribute) -> int:
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth


def _integer(b: ArithMathBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """An integer in the width of `element`; low bits are kept."""
    have, want = _width(element_of(value.type)), _width(element)
    if have == want:
        return value
    return _wide(b.place, value, casts.ExtSIOp if have < want else casts.TruncIOp, element)


def _expand(op: Operation, name: str, place: Place, fma: bool, fast: bool) -> SSAValue:
    """The value of `op`; `fast` asks for the cheaper form, if there is one."""
    own = element_of(op.results[0].type)
    if not isinstance(own, AnyFloat):
        compute: Attribute = i64 if _width(own) > 32 else i32
        b = ArithMathBuilder(place, "f64" if compute == i64 else "f32", fma)
        values = [_integer(b, value, compute) for value in op.operands]
        return _integer(b, FUNCTIONS[name](b, values, {}), own)
    b = ArithMathBuilder(place, "f64" if isinstance(own, Float64Type) else "f32", fma)
    compute = own if isinstance(own, Float64Type) else f32
    operands: Sequence[SSAValue] = op.operands
    if name == "fpowi":
        exponent = op.operands[1]
        exact = _integer(b, exponent, i32 if compute == f32 else i64)
        operands = (op.operands[0], b.cast(casts.SIToFPOp, exponent, compute), exact)
    values = [
        _wide(place, value, casts.ExtFOp, compute)
        if element_of(value.type) == own != compute
        else value
        for value in operands
    ]
    cheaper = fast_function(TWINS.get(name), {}) if fast and fma and compute == f32 else None
    result = (cheaper or FUNCTIONS[name])(b, values, {})
    return result if compute == own else _wide(place, result, casts.TruncFOp, own)


@dataclass(frozen=True)
class MathExpandOpsPass(ModulePass):
    """Expand functions of math into arithmetic."""

    name: ClassVar[str] = "math-expand-ops"
    EFFECT: ClassVar[Effect] = APPROXIMATES

    ops: tuple[str, ...] = ()
    """Which ops, without `math.`; all when empty."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace the ops one by one.

        Raises:
            CompileError: `ops` names one that there is no expansion for.
        """
        for name in self.ops:
            if name not in FUNCTIONS:
                raise CompileError(
                    f"ops: no expansion of {name!r}{close_match(name, list(FUNCTIONS))}"
                )
        wanted = {f"math.{name}": name for name in self.ops or FUNCTIONS}
        tables = _Tables(op)
        fma = machine_of(op).fma if TARGET in op.attributes else False
        fast = math_of(op) == "fast"
        for func in kernel_functions(op):
            found = [inner for inner in func.walk() if inner.name in wanted]
            shared: dict[tuple[str, Attribute], SSAValue] = {}
            for inner in found:
                type = inner.results[0].type
                if isinstance(type, TensorType):
                    continue
                place = Place(func.body.blocks[0], tables, inner, type, shared)
                value = _expand(inner, wanted[inner.name], place, fma, fast)
                value.name_hint = value.name_hint or inner.results[0].name_hint
                inner.results[0].replace_all_uses_with(value)
                inner.detach()
                inner.erase()
