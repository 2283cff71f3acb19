"""The record of an op: everything specific to the op apart from its class, in one place.

    OpRecord(
        TanhOp,
        value=wide(ufunc("tanh")),
        floats=Expansion("hyperbolic:tanh", 2, 3, "polynomial, 1 - 2 / (e^2a + 1)"),
        math="tanh",
        onnx=Onnx("Tanh", (6, 13), rate=0.23),
        engine=Engine(joins=("conv", "sum", "gemm"), passes=5),
        formulas={FLOAT: ufunc("tanh")},
        names={"numpy": "tanh", "stablehlo": "stablehlo.tanh"},
    )

`counterparts.py` describes the counterparts of the op in other systems: ONNX and ATen, from which
it is imported, and onnxruntime, which runs it beside kernels.

Every table of ops elsewhere is derived from the records (`records.py`). A record is also the whole
interface of an op outside of the package: a plug-in lists its records in `RECORDS`.

A field holds a function itself, or its "module:name" in the package of its kind: `values` for
values, `expansions` for expansions, `emission` for code. Such a function is imported when it is
first called. Numbers that have no default in a field's description are for one vector of f32.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snippets_mlir.dialects.snippets.counterparts import Aten, Engine, Onnx
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.support.lazy import named

if TYPE_CHECKING:
    from xdsl.ir import Operation

    from snippets_mlir.dialects.snippets.base import ComputeOp
    from snippets_mlir.dialects.snippets.rules.rule import Rule

_PACKAGE = "snippets_mlir.dialects.snippets"

Attributes = Mapping[str, float | str]
"""Properties of an op as plain numbers and strings."""
Value = Callable[..., Any]
"""`(op, result dtype, *operand arrays) -> result array`."""
Formula = Callable[..., Any]
"""`(*operand arrays) -> result array`, in the type of the operands."""
Function = Callable[[Any, Any, Attributes], Any]
"""`(MathBuilder, operands, attributes) -> result`."""


def _resolved(folder: str, function: str | Callable[..., Any]) -> Callable[..., Any]:
    return named(f"{_PACKAGE}.{folder}.{function}") if isinstance(function, str) else function


def value_in(reference: str) -> Value:
    """The value "module:name" of the package `values`, imported at the first call."""
    function: Value | None = None

    def value(*arguments: Any) -> Any:
        nonlocal function
        if function is None:
            function = _resolved("values", reference)
        return function(*arguments)

    return value


@dataclass(frozen=True, eq=False, repr=False)
class Expansion:
    """How an op is computed by arithmetic that every target has; see `MathBuilder`.

    Attributes:
        source: builds the value from (builder, operands, attributes).
        bound_ulp_f32: largest error for f32 over all inputs, in units in the last place of the
            result rounded once; 0 is exact. A test asserts it for the functions of `docs/math.md`.
        bound_ulp_f64: largest error for f64.
        note: the method in a few words.
        holds: whether an op with some attributes is expanded; None for all. Other ops have an
            emitter.
    """

    source: str | Function
    bound_ulp_f32: float = 0.0
    bound_ulp_f64: float = 0.0
    note: str = ""
    holds: Callable[[Attributes], bool] | None = None

    @cached_property
    def function(self) -> Function:
        """The function of `source`, imported on first use."""
        return _resolved("expansions", self.source)

    @property
    def exact(self) -> bool:
        """Whether every result is correctly rounded."""
        return self.bound_ulp_f32 == 0 and self.bound_ulp_f64 == 0


@dataclass(frozen=True, eq=False, repr=False)
class FastExpansion:
    """The cheaper form of an expansion for f32 with `math=fast`.

    Attributes:
        source: as in `Expansion`.
        bound: largest error in units in the last place;
        least: the units are those of this number if the result is smaller.
        holds: for which attributes the form exists; None for all.
    """

    source: str | Function
    bound: float
    least: float
    holds: Callable[[Attributes], bool] | None = None

    @cached_property
    def function(self) -> Function:
        """The function of `source`, imported on first use."""
        return _resolved("expansions", self.source)


@dataclass(frozen=True, eq=False, repr=False)
class Code:
    """The vector code of an op that takes one instruction, or a few, on every target.

    Attributes:
        floats: the op of `arith` or `math` for float elements, or the predicate of a comparison.
        integers: the same for integers and i1; None for none.
        source: builds the code from (builder, op, operands) instead; see `CodeBuilder`.
        compares: whether `floats` and `integers` are predicates of `arith.cmpf` and `arith.cmpi`.
        vectors: vector registers needed besides operands and result.
        masks: additional mask registers, on machines that have them.
        general: additional general-purpose registers.
    """

    floats: str | None = None
    integers: str | None = None
    source: str | Callable[..., Any] | None = None
    compares: bool = False
    vectors: int = 0
    masks: int = 0
    general: int = 0

    @cached_property
    def function(self) -> Callable[..., Any] | None:
        """The function that builds the code, None if one op or comparison is enough."""
        return None if self.source is None else _resolved("emission", self.source)


@dataclass(frozen=True, eq=False, repr=False)
class Variant:
    """Attributes that random graphs give an op, as text, and NumPy's formula with them."""

    attributes: str
    formula: Formula


@dataclass(frozen=True, eq=False, repr=False)
class OpRecord:
    """Everything specific to an op apart from its class.

    Attributes:
        op: the class: operands, types, verifier; its docstring states the value for every input.
        value: its NumPy semantics, for the interpreter, the folder, and ops outside of kernels.
        code: its vector code; None for an op that is expanded.
        floats: its expansion for floats, None for an op with code.
        integers: its expansion for integers.
        fast: the cheaper form for f32.
        math: the op of `math` that is the same function of floats; `integer_math` of integers.
        rules: exact rewrites of only this op; see `rules/` for equations between ops.
        patterns: patterns of `canonicalization` whose root it is, as "module:class".
        gives_back: whether the op returns its operand if the result has the operand's type.
        moves: whether it takes every element type, as loads, moves and conversions do.
        own_type: whether its value depends on the element type, so that computing in a wider type
            with one rounding at the end gives another value.
        relay: its kind for Relay's fusion; None: by the number of operands.
        relax: its kind for Relax's fusion; None: by the shapes of the operands.
        weight: its number of vector instructions.
        cheap: whether it takes one or two instructions on every target, and may be computed again.
        onnx: its operator of ONNX; `names` has those of other front ends: "numpy", "stablehlo";
            "numpy of bools" are the functions of numbers that it is for bools.
        aten: its operators of PyTorch; one operator may be several ops, for operands of different
            kinds.
        engine: how onnxruntime runs it.
        formulas: the reference in random graphs: the kind of the first operand's element -> NumPy's
            formula in any type of that kind, written from the definition independently of `value`.
            An op without a formula is in no random graph.
        variants: the same for ops whose attributes have no default.
        jumps: whether the formula for floats is discontinuous, so that operands have to be exact.
        keeps_exact: whether values representable in f32 stay representable.
        samples: the range of floats that tests draw operands from.
    """

    op: type[ComputeOp]
    value: Value
    code: Code | None = None
    floats: Expansion | None = None
    integers: Expansion | None = None
    fast: FastExpansion | None = None
    math: str = ""
    integer_math: str = ""
    rules: tuple[Rule, ...] = ()
    patterns: tuple[str, ...] = ()
    gives_back: Callable[[Operation], bool] | None = None
    moves: bool = False
    own_type: bool = False
    relay: PatternKind | None = None
    relax: PatternKind | None = None
    weight: float = 1.0
    cheap: bool = False
    onnx: Onnx | None = None
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    aten: tuple[Aten, ...] = ()
    engine: Engine | None = None
    formulas: Mapping[str, Formula] = field(default_factory=dict[str, Formula])
    variants: tuple[Variant, ...] = ()
    jumps: bool = False
    keeps_exact: bool = False
    samples: tuple[float, float] = (-8.0, 8.0)

    @property
    def name(self) -> str:
        """The op's name, with its dialect's."""
        return self.op.name

    @property
    def word(self) -> str:
        """The op's name without its dialect's."""
        return self.name.partition(".")[2]
