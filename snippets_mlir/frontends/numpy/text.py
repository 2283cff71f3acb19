"""The text of a traced function: the output of `print_module` for its module, without the module.

    block(%x):                   builtin.module {
      %0 = snippets.tanh %x        func.func @main(%x: tensor<4xf32> {snippets.name = "x"}) -> ... {
                                     %0 = snippets.tanh %x : tensor<4xf32>
                                     func.return %0 : tensor<4xf32>

The text is the key of the program in the cache. A function with a cached program needs no module,
so none is made, and ops in the common syntax are written as one string each.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from typing_extensions import override
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.snippets.typed_op import TypedOp
from snippets_mlir.support.printing import ExactPrinter, text_of_type


def function_text(block: Block, results: Sequence[SSAValue], names: Sequence[str]) -> str:
    """The text of the module with the function `main`.

    Args:
        block: the arguments and ops of the function, without `func.return`.
        results: its results, at least one value.
        names: the names of the arguments.
    """
    return _FunctionPrinter().text(block, results, names)


class _FunctionPrinter(ExactPrinter):
    """A printer of one function; ops without regions are printed in few steps."""

    def __init__(self) -> None:
        self._out = StringIO()
        self._types: dict[int, str] = {}  # by identity: a trace has few types, made once
        super().__init__(stream=self._out)
        self._indent = 2  # of ops

    def text(self, block: Block, results: Sequence[SSAValue], names: Sequence[str]) -> str:
        """The text that `function_text` gives."""
        write = self._out.write
        write("builtin.module {\n  func.func @main(")
        for place, (argument, name) in enumerate(zip(block.args, names, strict=True)):
            write(", " if place else "")
            write(f"{self._name(argument)}: {self._typed(argument)} {{snippets.name = ")
            self.print_string_literal(name)
            write("}")
        types = ", ".join([self._typed(result) for result in results])
        write(f") -> {types} {{" if len(results) == 1 else f") -> ({types}) {{")
        for op in block.ops:
            write("\n    ")
            self.print_op(op)
        write(f"\n    func.return {', '.join(map(self._name, results))} : {types}\n  }}\n}}\n")
        return self._out.getvalue()

    @override
    def print_op(self, op: Operation) -> None:
        """Like upstream, with fewer checks for an op that has its own syntax and no regions."""
        shown = type(op).print
        if op.regions or shown is Operation.print:
            super().print_op(op)
            return
        names = ", ".join(map(self._name, op.results))
        self._out.write(f"{names} = {op.name}" if names else op.name)
        if shown is TypedOp.print and not op.properties and not op.attributes:
            self._out.write(self._typed_operands(op))
        else:
            op.print(self)

    def _typed_operands(self, op: Operation) -> str:
        """The text that `print_typed_operands` writes for an op without attributes."""
        reads = [self._typed(value) for value in op.operands]
        gives = [self._typed(result) for result in op.results]
        if len({*reads, *gives}) == 1:
            types = gives[0]
        else:
            outer = ", ".join(gives)
            types = f"({', '.join(reads)}) -> {outer if len(gives) == 1 else f'({outer})'}"
        operands = ", ".join([self._name(value) for value in op.operands])
        return f" {operands} : {types}" if operands else f" : {types}"

    def _typed(self, value: SSAValue) -> str:
        """The text of the type of a value."""
        type_ = value.type
        if (known := self._types.get(id(type_))) is None:
            known = self._types[id(type_)] = text_of_type(type_)
        return known

    def _name(self, value: SSAValue) -> str:
        """The name of a value with its mark; a new one, as in upstream, if it has none."""
        if (known := self._ssa_values.get(value)) is None:
            if hint := value.name_hint:
                count = self.ssa_names.get(hint, 0)
                self.ssa_names[hint] = count + 1
                known = f"{hint}_{count}" if count else hint
            else:
                known = self._get_new_valid_name_id()
            self._ssa_values[value] = known
        return f"%{known}"

    @override
    def print_string(self, text: str, *, indent: int | None = None) -> None:
        """As upstream, without tracking the column."""
        if "\n" in text:
            super().print_string(text, indent=indent)
        else:
            self._out.write(text)
