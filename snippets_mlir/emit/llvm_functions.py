"""One `llvm.func` as LLVM IR text: header, blocks in reverse post-order, phi nodes.

    llvm.func internal @f(%p: !llvm.ptr {llvm.noalias}) attributes {no_unwind} { ... }
    define internal void @f(ptr noalias %a0) nounwind { ... }

Block arguments become phi nodes. If both edges of a `cond_br` go to one block with different
operands, the second edge gets an extra block, since LLVM needs one value for each predecessor.
Unreachable blocks are omitted. Names are numbered, never taken from the IR, so that equal IR gives
equal text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import llvm as upstream
from xdsl.dialects.llvm import LLVMVoidType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from snippets_mlir.dialects.llvm import values
from snippets_mlir.emit.llvm_attributes import (
    function_attributes,
    linkage_text,
    parameter_attributes,
)
from snippets_mlir.emit.llvm_formats import Format, quoted
from snippets_mlir.emit.llvm_loops import LoopNodes
from snippets_mlir.emit.llvm_table import FORMATS
from snippets_mlir.emit.llvm_types import constant_text, spelling
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_of, post_order


def _zero(op: Operation) -> str:
    pointer = isinstance(op.results[0].type, upstream.LLVMPointerType)
    return "null" if pointer else "zeroinitializer"


def _address(op: Operation) -> str:
    assert isinstance(op, upstream.AddressOfOp)
    return f"@{quoted(op.global_name.string_value())}"


CONSTANTS: dict[type[Operation], Callable[[Operation], str]] = {
    upstream.AddressOfOp: _address,
    upstream.ConstantOp: lambda op: constant_text(op.properties["value"], op.results[0].type),
    upstream.UndefOp: lambda op: "undef",
    values.PoisonOp: lambda op: "poison",
    values.ZeroOp: _zero,
}
"""The operand text for the result of an op that is not an instruction."""


class TypeTexts:
    """Spellings of types, remembered by identity of the attribute; holds the attributes."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Attribute, str, str]] = {}

    def get(self, type: Attribute) -> tuple[Attribute, str, str]:
        """The type, its text and its form in names of intrinsics."""
        known = self.known.get(id(type))
        if known is None:
            known = self.known[id(type)] = (type, *spelling(type))
        return known


class FunctionText:
    """Writes one function; also what format functions ask for names."""

    def __init__(self, func: upstream.FuncOp, types: TypeTexts, loops: LoopNodes) -> None:
        """`types` and `loops` are shared by the functions of a module."""
        self.func = func
        self._types = types
        self.loop = loops.add
        self._values: dict[SSAValue, str] = {}
        self._labels: dict[Block, str] = {}
        self._incoming: dict[Block, list[tuple[str, tuple[SSAValue, ...]]]] = {}

    # What format functions ask for

    def type(self, type: Attribute) -> str:
        """The text of a type in LLVM IR, such as `<8 x float>`."""
        return self._types.get(type)[1]

    def suffix(self, type: Attribute) -> str:
        """The type in the name of an intrinsic."""
        return self._types.get(type)[2]

    def value(self, value: SSAValue) -> str:
        """A value as an operand: its name or its constant."""
        return self._values[value]

    def typed(self, value: SSAValue) -> str:
        """Type and operand text of a value."""
        type_ = value._type  # pyright: ignore[reportPrivateUsage]
        known = self._types.known.get(id(type_)) or self._types.get(type_)
        return f"{known[1]} {self._values[value]}"

    def label(self, block: Block) -> str:
        """The name of a block, as branches write it."""
        return self._labels[block]

    # Writing

    def text(self) -> str:
        """The function: a `define`, or a `declare` when it has no body."""
        func = self.func
        if not func.body.blocks:
            return f"declare {self._header([])}\n"
        blocks = post_order(func.body.blocks[0])[::-1]
        arguments = blocks[0].args
        for i, argument in enumerate(arguments):
            self._values[argument] = f"%a{i}"
        self._name(blocks)
        lines = [f"define {self._header([self._values[a] for a in arguments])} {{"]
        for block in blocks:
            lines.extend(self._block(block))
        lines.append("}\n")
        return "\n".join(lines)

    def _name(self, blocks: list[Block]) -> None:
        """Name all blocks and values before writing: phi nodes refer to later ones."""
        number = 0
        for i, block in enumerate(blocks):
            self._labels[block] = f"b{i}"
            self._incoming[block] = []
            if i:
                for argument in block.args:
                    self._values[argument] = f"%v{number}"
                    number += 1
            for op in ops_of(block):
                if op.results:
                    text = self._constant(op)
                    self._values[op.results[0]] = text or f"%v{number}"
                    number += text is None
        for block in blocks:
            self._edges(block)

    def _edges(self, block: Block) -> None:
        last = block.last_op
        label = self._labels[block]
        if isinstance(last, upstream.BrOp):
            self._incoming[last.successors[0]].append((label, tuple(last.operands)))
        elif isinstance(last, upstream.CondBrOp):
            then, other = tuple(last.then_arguments), tuple(last.else_arguments)
            self._incoming[last.successors[0]].append((label, then))
            source = f"{label}.else" if needs_edge_block(last) else label
            self._incoming[last.successors[1]].append((source, other))

    def _constant(self, op: Operation) -> str | None:
        """Operand text for the result of `op`, None when it is an instruction."""
        write = CONSTANTS.get(op.__class__)
        if write is None:
            return None
        try:
            return write(op)
        except ValueError as error:
            raise CompileError(str(error), **position_of(op)) from error

    def _block(self, block: Block) -> Iterator[str]:
        label = self._labels[block]
        incoming = self._incoming[block]
        yield f"{label}:"
        if incoming:
            for i, argument in enumerate(block.args):
                entries = ", ".join(
                    f"[ {self._values[passed[i]]}, %{source} ]" for source, passed in incoming
                )
                yield f"  {self._values[argument]} = phi {self.type(argument.type)} {entries}"
        last = block.last_op
        for op in ops_of(block):
            write = FORMATS.get(op.__class__)
            if write is None:
                if op.__class__ not in CONSTANTS:
                    raise CompileError(
                        f"op {op.name!r} has no form in LLVM IR; was it lowered?",
                        **position_of(op),
                    )
            elif op is last and needs_edge_block(op):
                yield from self._doubled_edge(op, label)
            elif op.results:
                yield f"  {self._values[op.results[0]]} = {self._written(write, op)}"
            else:
                yield f"  {self._written(write, op)}"

    def _written(self, write: Format, op: Operation) -> str:
        try:
            return write(op, self)
        except ValueError as error:
            raise CompileError(str(error), **position_of(op)) from error

    def _doubled_edge(self, op: Operation, label: str) -> Iterator[str]:
        target = self._labels[op.successors[0]]
        yield f"  br {self.typed(op.operands[0])}, label %{target}, label %{label}.else"
        yield f"{label}.else:"
        yield f"  br label %{target}"

    def _header(self, names: list[str]) -> str:
        func = self.func
        signature = func.function_type
        parameters: list[str] = []
        for i, type in enumerate(signature.inputs):
            parts = [self.type(type), *parameter_attributes(func, func.arg_attrs, i)]
            parameters.append(" ".join((*parts, names[i]) if names else parts))
        if signature.is_variadic:
            parameters.append("...")
        results = parameter_attributes(func, func.res_attrs, 0)
        output = (
            "void" if isinstance(signature.output, LLVMVoidType) else self.type(signature.output)
        )
        convention = func.CConv.cconv_name
        head = linkage_text(func) + ("" if convention == "ccc" else f"{convention} ")
        head += " ".join((*results, output))
        tail = "".join(f" {a}" for a in function_attributes(func))
        return f"{head} @{quoted(func.sym_name.data)}({', '.join(parameters)}){tail}"


def needs_edge_block(op: Operation) -> bool:
    """Whether `op` is a branch with two edges to one block and different operands."""
    if not isinstance(op, upstream.CondBrOp):
        return False
    then, other = op.successors
    return then is other and tuple(op.then_arguments) != tuple(op.else_arguments)
