"""Replace calls by the ops of the called functions.

    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @double(%x) : (tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }
    func.func private @double(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.add %x, %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }

becomes

    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.add %x, %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }

Private functions without calls are erased, as by MLIR's `inline` with `symbol-dce`. A call stays if
it is recursive, or if its callee has no body, has several blocks, or is no function of this module.
Exact.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside

MOST_OPS = 1 << 20
"""The most ops that calls may become; chains of calls grow exponentially."""


def calls_in(function: FuncOp) -> Iterator[CallOp]:
    """The calls in a function, at every depth."""
    return (op for op in ops_inside(function) if isinstance(op, CallOp))


def inlinable(functions: dict[str, FuncOp]) -> list[str]:
    """The functions whose calls can be inlined, each after its callees."""
    order: list[str] = []
    open_: set[str] = set()
    cyclic: set[str] = set()

    def visit(name: str) -> None:
        open_.add(name)
        for call in calls_in(functions[name]):
            callee = call.callee.string_value()
            if callee in open_:
                cyclic.add(callee)
            elif callee in functions and callee not in order:
                visit(callee)
        open_.discard(name)
        order.append(name)

    for name in functions:
        if name not in order:
            visit(name)
    return [name for name in order if name not in cyclic and len(functions[name].body.blocks) == 1]


def check_sizes(functions: dict[str, FuncOp], order: list[str]) -> None:
    """CompileError for a function of `order` that grows beyond `MOST_OPS` by inlining."""
    sizes: dict[str, int] = {}
    for name in order:
        function = functions[name]
        called = (sizes.get(call.callee.string_value(), 0) for call in calls_in(function))
        sizes[name] = sum(1 for _ in ops_inside(function)) + sum(called)
        if sizes[name] > MOST_OPS:
            raise CompileError(
                f"the calls of @{name} become more than {MOST_OPS} ops", **position_of(function)
            )


class InlineCall(Pattern[CallOp, FuncOp]):
    """A call is the ops of its callee.

    The functions whose calls can be inlined are facts; calls in them are inlined before.
    """

    name = "inline-call"
    ops = (CallOp,)

    def __init__(self, functions: dict[str, FuncOp]) -> None:
        self.functions = functions

    @override
    def match(self, op: CallOp) -> FuncOp | None:
        return self.functions.get(op.callee.string_value())

    def rewrite(self, op: CallOp, match: FuncOp, rewriter: PatternRewriter) -> None:
        """Replace the call by a copy of the function's ops."""
        body = match.body.clone().block
        end = body.last_op
        assert isinstance(end, ReturnOp)
        rewriter.inline_block(body, InsertPoint.before(op), op.operands)
        rewriter.replace(op, [], end.operands)
        rewriter.erase(end)


def is_unused(function: FuncOp, called: set[str]) -> bool:
    """Whether a function is private, has a body, and has no calls."""
    private = function.sym_visibility is not None and function.sym_visibility.data == "private"
    return private and bool(function.body.blocks) and function.sym_name.data not in called


@dataclass(frozen=True)
class InlineCallsPass(PatternPass):
    """Replace calls by the ops of their callees."""

    name = "inline-calls"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    PATTERNS: ClassVar[tuple[type[AnyPattern], ...]] = (InlineCall,)

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """A sweep through each function, callees before their callers."""
        functions = {f.sym_name.data: f for f in module.ops if isinstance(f, FuncOp)}
        order = inlinable(functions)
        check_sizes(functions, order)
        facts: tuple[Any, ...] = ({name: functions[name] for name in order},)
        for name in order:
            yield functions[name], [pattern(*facts) for pattern in self.enabled()]

    def complete(self, module: ModuleOp) -> None:
        """Erase private functions that no call names."""
        functions = [f for f in module.ops if isinstance(f, FuncOp)]
        called = {c.callee.string_value() for f in functions for c in calls_in(f)}
        for function in functions:
            if is_unused(function, called):
                Rewriter.erase_op(function)
