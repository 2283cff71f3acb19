"""The interpreter's machine: blocks, values, checks of every result against its type.

A value belongs to one execution of a block. Ops see the values of their block and, in regions that
are not isolated, of the blocks around it. Violations are a `CompileError` at the op: a value used
before its definition, a result of another type than the op's, an op without a handler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation
from xdsl.traits import IsolatedFromAbove, SymbolOpInterface

from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.interpreter.functions import check_arguments, find_function
from snippets_mlir.interpreter.memory import Memory
from snippets_mlir.interpreter.planned_programs import run_planned
from snippets_mlir.interpreter.registry import OpaqueHandler, handler_table
from snippets_mlir.interpreter.steps import Scope, Step, check_value_of, name_of
from snippets_mlir.support.diagnostics import position_of, verify_module
from snippets_mlir.support.errors import CompileError

MAX_DEPTH = 64
"""The most nested calls and regions; more is an endless recursion."""

MAX_BRANCHES = 1_000_000
"""The most branches between blocks in one execution of a region; more is an endless loop."""

NativeKernel = Callable[[Operation, Sequence[Any], Sequence[Attribute]], Sequence[Any]]
"""`(function at the llvm level, inputs, output types) -> outputs`."""


def _copied(value: Any) -> Any:
    """A copy of an array, or of the arrays of a tuple."""
    if isinstance(value, tuple):
        return tuple(map(_copied, cast("tuple[Any, ...]", value)))
    return value.copy()


class Interpreter:
    """Executes the functions of one module.

    `handlers` are functions `(op, operands) -> results` for ops of dialects that are not ours, by
    op name; `native` runs kernels that are functions of the llvm dialect, which the interpreter
    executes itself otherwise. The module is verified here, unless `verify` is False because a pass
    manager has just done so: CompileError when it is not valid, ValueError when `handlers` has an
    op that the interpreter executes itself. An interpreter is not to be shared by threads.
    """

    def __init__(
        self,
        module: ModuleOp,
        handlers: Mapping[str, OpaqueHandler] | None = None,
        native: NativeKernel | None = None,
        *,
        verify: bool = True,
    ) -> None:
        if verify:
            verify_module(module)
        self.module = module
        self.native = native
        self.handlers = dict(handlers or {})
        clash = sorted(self.handlers.keys() & handler_table().keys())
        if clash:
            raise ValueError(f"the interpreter executes {', '.join(clash)} itself")
        self._scopes: list[Scope] = []
        self._blocks: dict[Block, tuple[Step, ...]] = {}
        self.globals: dict[str, Memory] = {}
        self._symbols: dict[str, Operation] = {}
        for op in module.ops:
            symbol = op.get_trait(SymbolOpInterface)
            if symbol is not None and (name := symbol.get_sym_attr_name(op)) is not None:
                self._symbols[name.data] = op

    def symbol(self, name: str) -> Operation | None:
        """The op of the module that has the symbol `name`."""
        return self._symbols.get(name)

    def run(self, entry: str, arrays: Sequence[Any]) -> tuple[Any, ...]:
        """The results of the function `entry` for `arrays`, one for each argument.

        The arrays are not changed, and the results share no memory with them. TypeError for a wrong
        number of arrays, a value that is not an array, or a wrong dtype; ValueError for a wrong
        shape; CompileError for a violation of the IR's rules, or an op that the interpreter does
        not know.
        """
        function = find_function(self.module, entry)
        inputs = check_arguments(function, arrays)
        self._scopes.clear()
        if isinstance(function, GraphOp) and function.reached("planned"):
            results = run_planned(self, function, inputs)
        else:
            results = self.run_block(function.body.blocks[0], inputs, function)
        return tuple(_copied(value) for value in results)

    def run_block(
        self, block: Block, arguments: Sequence[Any], owner: Operation
    ) -> tuple[Any, ...]:
        """The operands of the terminator that leaves the region of `block`, its first block."""
        if len(self._scopes) >= MAX_DEPTH:
            raise CompileError(
                f"more than {MAX_DEPTH} calls inside each other", **position_of(owner)
            )
        isolated = owner.has_trait(IsolatedFromAbove, value_if_unregistered=False)
        scope: Scope = {} if isolated or not self._scopes else dict(self._scopes[-1])
        self._scopes.append(scope)
        try:
            for _ in range(MAX_BRANCHES):
                terminator, operands = self._run_ops(block, arguments, owner, scope)
                if terminator.branch is None:
                    return operands
                block, arguments = terminator.branch(terminator.op, operands)
        finally:
            self._scopes.pop()
        raise CompileError(f"more than {MAX_BRANCHES} branches", **position_of(owner))

    def _run_ops(
        self, block: Block, arguments: Sequence[Any], owner: Operation, scope: Scope
    ) -> tuple[Step, tuple[Any, ...]]:
        """The terminator of one block, and its operands."""
        if (steps := self._blocks.get(block)) is None:
            steps = self._blocks[block] = tuple(Step.of(op, self.handlers) for op in block.ops)
        for argument, value in zip(block.args, arguments, strict=True):
            check_value_of(value, argument.type, owner, "an argument")
            scope[argument] = value
        for step in steps:
            try:
                operands = tuple([scope[operand] for operand in step.operands])
            except KeyError as missing:
                number = step.operands.index(missing.args[0])
                raise CompileError(
                    f"{name_of(step.op)} uses operand {number} before it has a value",
                    **position_of(step.op),
                ) from None
            if step.is_terminator:
                return step, operands
            for result, value in zip(step.results, self._take(step, operands), strict=True):
                scope[result] = value
        raise CompileError(f"a block of {owner.name} has no terminator", **position_of(owner))

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Sequence[Any]:
        """The results of an op that is not a terminator, each of its type."""
        return self._take(Step.of(op, self.handlers), operands)

    def _take(self, step: Step, operands: Sequence[Any]) -> Sequence[Any]:
        """The results of one step, checked."""
        op = step.op
        try:
            if step.handler is not None:
                results = step.handler(self, op, operands)
            elif step.opaque is not None:
                results = step.opaque(op, operands)
            else:
                raise CompileError(f"the interpreter has no handler for {name_of(op)}")
        except CompileError as error:
            if error.line is not None:
                raise
            raise CompileError(error.message, **position_of(op)) from error
        if len(results) != len(step.results):
            raise CompileError(
                f"{name_of(op)} has {len(op.results)} results, its handler gave {len(results)}",
                **position_of(op),
            )
        for value, expected, result in zip(results, step.layouts, step.results, strict=True):
            if (
                expected is None
                or type(value) is not expected.array
                or value.dtype != expected.dtype
                or value.shape != expected.shape
            ):
                check_value_of(value, result.type, op, "a result")
        return results
