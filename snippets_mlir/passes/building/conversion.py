"""Conversions to the `llvm` dialect: a pattern for each op, and a pass of such patterns.

    class ConvertUBToLLVMPass(ConversionPass):
        PATTERNS = (converts(PoisonOp, poison),)

A pattern is a *row*: a function that makes the ops for an op and returns the values that replace
its results. It fires if LLVM has all types of the op and its conditions hold. Its operands have
LLVM types (`lowering.py`).

The pass runs the rows in one walk that replaces all uses at the end, in about half the time of a
rewriter that works op by op. The result is that of `sweep` on the same patterns.

Host functions (with a tensor in the signature or a `lir.call` in the body) stay.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from xdsl.dialects.builtin import (
    DenseArrayBase,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrealizedConversionCastOp,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import FastMathAttr, LLVMPointerType
from xdsl.dialects.llvm import FuncOp as LLVMFuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.lowering import Lowering, casts_in, drop_casts
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass, sweep
from snippets_mlir.passes.plans import name_of
from snippets_mlir.support.spans import span
from snippets_mlir.support.walking import module_of, ops_inside

GRAIN = "snippets.grain"
"""On a call of one range of a parallel loop: the least iterations that threads share."""
PREFETCH: Mapping[str, Attribute] = {
    "fastmathFlags": FastMathAttr(None),
    "intrin": StringAttr("llvm.prefetch.p0"),
    "op_bundle_sizes": DenseArrayBase.from_list(i32, ()),
    "operandSegmentSizes": DenseArrayBase.from_list(i32, (4, 0)),
}
"""The properties of a call of `llvm.prefetch`, which takes an address and three numbers: whether to
write, how long to keep the line (3 for in all caches), and whether it holds data."""


def kernel_functions(module: ModuleOp) -> Iterator[FuncOp | LLVMFuncOp]:
    """The functions that become machine code."""
    for op in module.ops:
        if isinstance(op, LLVMFuncOp) or (isinstance(op, FuncOp) and not is_host_function(op)):
            yield op


def is_host_function(func: FuncOp) -> bool:
    """Whether `func` belongs to the host program, which no lowering touches; it has no pointers."""
    signature = func.function_type
    types = (*signature.inputs, *signature.outputs)
    if any(isinstance(t, TensorType) for t in types):
        return True
    if any(isinstance(t, LLVMPointerType) for t in types):
        return False
    return any(op.name == "lir.call" for op in ops_inside(func))


def is_kernel_function(func: FuncOp) -> bool:
    """It becomes machine code: it has no tensors and calls no kernels."""
    return not is_host_function(func)


Row = Callable[[Operation, Lowering], Sequence[SSAValue]]
"""Lowers one op: makes others and returns what replaces its results. Its docstring says how."""
Condition = Callable[[Any], bool]


class ConversionPattern(Pattern[Operation, Operation]):
    """An op with only LLVM types becomes the result of its row."""

    row: ClassVar[Row]

    def __init__(self, low: Lowering) -> None:
        self.low = low

    def match(self, op: Operation) -> Operation | None:
        """The op itself, if LLVM has all its types."""
        return op if self.low.has_types(op) else None

    def rewrite(self, op: Operation, match: Operation, rewriter: PatternRewriter) -> None:
        """Make the replacements of the results before the op, then replace it."""
        low = self.low
        low.start(op)
        values = type(self).row(op, low)
        typed = zip(values, op.result_types, strict=True)
        rewriter.replace(op, (), [low.typed(value, type) for value, type in typed])


def converts(op: type[Operation], row: Row, *conditions: Condition) -> type[ConversionPattern]:
    """The pattern that lowers `op` by `row`, if all `conditions` hold."""
    members: dict[str, Any] = {
        "name": op.name.replace(".", "-").replace("_", "-"),
        "ops": (op,),
        "row": staticmethod(row),
        "conditions": conditions,
        "__doc__": row.__doc__,
    }
    return type("ConversionPattern", (ConversionPattern,), members)


@cache
def _table(
    patterns: tuple[type[AnyPattern], ...],
) -> Mapping[type[Operation], tuple[tuple[Condition, ...], Row]]:
    return {
        pattern.ops[0]: (pattern.conditions, pattern.row)
        for pattern in patterns
        if issubclass(pattern, ConversionPattern)
    }


@dataclass(frozen=True)
class ConversionPass(PatternPass):
    """Patterns that lower ops of kernel functions to the `llvm` dialect."""

    STAGES: ClassVar[Stages] = Stages(("llvm",))
    KERNELS_APART: ClassVar[bool] = True

    def lowering(self, module: ModuleOp) -> Lowering:
        """The builder of the ops of this pass."""
        return Lowering()

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The functions that become machine code."""
        return kernel_functions(module)

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The builder, which knows the existing casts."""
        low = self.lowering(module_of(root))
        low.given = frozenset(casts_in(root))
        return (low,)

    def finish(self, root: Operation) -> None:
        """Drop dead casts."""
        drop_casts(casts_in(root))

    def earlier(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Sweeps of other patterns before the conversion."""
        return iter(())

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """The earlier ones, then one in each function."""
        yield from self.earlier(module)
        for func in self.roots(module):
            facts = self.facts(func)
            chosen = (p for p in self.enabled() if issubclass(p, ConversionPattern))
            yield func, [pattern(*facts) for pattern in chosen]
            self.finish(func)

    def run(self, module: ModuleOp) -> None:
        """The sweeps, with one walk for the conversions."""
        for root, patterns in self.earlier(module):
            sweep(root, patterns)
        table = _table(tuple(self.enabled()))
        low = self.lowering(module)
        for func in self.roots(module):
            with span(partial(name_of, func), "unit"):
                _convert(func, table, low)
        low.finish()
        drop_casts(low.casts)


def _convert(
    func: Operation,
    table: Mapping[type[Operation], tuple[tuple[Condition, ...], Row]],
    low: Lowering,
) -> None:
    ops = tuple(ops_inside(func))
    low.given = {op for op in ops if op.__class__ is UnrealizedConversionCastOp}
    for op in ops:
        found = table.get(op.__class__)
        if found is None:
            if op.__class__ is UnrealizedConversionCastOp:
                low.casts.append(op)
            continue
        conditions, row = found
        for condition in conditions:
            if not condition(op):
                break
        else:
            if low.start(op):
                low.replace(op, row(op, low))
