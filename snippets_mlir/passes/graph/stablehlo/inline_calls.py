"""Calls of functions become the ops of the functions.

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

Functions that are private and not called any more go, as in MLIR's `inline` with `symbol-dce`. A
call stays that leads to itself, whose callee has no body or several blocks, or that is none of
this module's functions. Exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside

MOST_OPS = 1 << 20
"""Ops that calls may become; chains of calls grow exponentially."""


def calls_in(function: FuncOp) -> Iterator[CallOp]:
    """The calls in a function, at every depth."""
    return (op for op in ops_inside(function) if isinstance(op, CallOp))


def inlinable(functions: dict[str, FuncOp]) -> list[str]:
    """The functions whose calls may go, each after those that it calls."""
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
    """CompileError for a function of `order` that calls make larger than `MOST_OPS`."""
    sizes: dict[str, int] = {}
    for name in order:
        function = functions[name]
        called = (sizes.get(call.callee.string_value(), 0) for call in calls_in(function))
        sizes[name] = sum(1 for _ in ops_inside(function)) + sum(called)
        if sizes[name] > MOST_OPS:
            raise CompileError(
                f"the calls of @{name} become more than {MOST_OPS} ops", **position_of(function)
            )


def inline(call: CallOp, function: FuncOp) -> None:
    """Put the ops of `function` in place of `call`."""
    body = function.body.clone().block
    end = body.last_op
    assert isinstance(end, ReturnOp)
    end.detach()
    Rewriter.inline_block(body, InsertPoint.before(call), call.operands)
    Rewriter.replace_op(call, [], end.operands)
    end.erase()


@dataclass(frozen=True)
class InlineCallsPass(Pass):
    """Replace calls by the ops of the functions that they call."""

    name = "inline-calls"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("graph",))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Inline callees before their callers, then erase private functions without calls."""
        functions = {f.sym_name.data: f for f in op.ops if isinstance(f, FuncOp)}
        order = inlinable(functions)
        check_sizes(functions, order)
        for name in order:
            for call in list(calls_in(functions[name])):
                if (callee := call.callee.string_value()) in order:
                    inline(call, functions[callee])
        self._erase_unused(op)

    @staticmethod
    def _erase_unused(module: ModuleOp) -> None:
        """Erase private functions that no call names."""
        functions = [f for f in module.ops if isinstance(f, FuncOp)]
        called = {c.callee.string_value() for f in functions for c in calls_in(f)}
        for function in functions:
            private = (
                function.sym_visibility is not None and function.sym_visibility.data == "private"
            )
            if private and function.sym_name.data not in called and not _is_external(function):
                Rewriter.erase_op(function)


def _is_external(function: Operation) -> bool:
    """Whether a function is only declared."""
    return not function.regions[0].blocks
