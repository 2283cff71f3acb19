"""Passes that give a function other arguments and results, as a plugin's may, for tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    f64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.passes.effects import EXACT, RETYPES, Effect
from snippets_mlir.passmanager.context import ToolContext, make_context


@dataclass(frozen=True)
class _OnMain(ModulePass):
    """Edits @main, before it is LLVM's."""

    EFFECT: ClassVar[Effect] = RETYPES

    def edit(self, function: FuncOp) -> None:
        """Give `function` another interface."""
        raise NotImplementedError

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Edit it, and let its type say so."""
        for function in op.ops:
            if isinstance(function, FuncOp) and function.sym_name.data == "main":
                self.edit(function)
                function.update_function_type()


class WithOneMore(_OnMain):
    """Another argument, which nothing reads: the first one."""

    name = "with-one-more"

    def edit(self, function: FuncOp) -> None:
        function.body.blocks[0].insert_arg(function.body.blocks[0].args[0].type, 0)


class WithoutUnused(_OnMain):
    """No arguments that nothing reads."""

    name = "without-unused"

    def edit(self, function: FuncOp) -> None:
        for value in tuple(function.body.blocks[0].args):
            if not value.uses:
                function.body.blocks[0].erase_arg(value)


class Undeclared(WithOneMore):
    """`WithOneMore`, which says that it keeps everything."""

    name = "undeclared"
    EFFECT: ClassVar[Effect] = EXACT


class Renamed(_OnMain):
    """The arguments are called p0, p1, ..."""

    name = "renamed"

    def edit(self, function: FuncOp) -> None:
        names = [f"p{index}" for index in range(len(function.body.blocks[0].args))]
        function.arg_attrs = ArrayAttr(
            [DictionaryAttr({"snippets.name": StringAttr(name)}) for name in names]
        )


def _values(function: FuncOp) -> list[SSAValue]:
    inside = (result for op in function.walk() for result in op.results)
    return [*function.body.blocks[0].args, *inside]


def _retype(value: SSAValue, wanted: Callable[[Attribute], Attribute]) -> None:
    Rewriter.replace_value_with_new_type(value, wanted(value.type))


class Widened(_OnMain):
    """f64 in place of f32 everywhere."""

    name = "widened"

    def edit(self, function: FuncOp) -> None:
        for value in _values(function):
            _retype(value, _wide)


def _wide(type_: Attribute) -> Attribute:
    if type_ == f32:
        return f64
    if isinstance(type_, MemRefType):
        return MemRefType(f64, type_.get_shape(), type_.layout, type_.memory_space)
    return type_


class Pinned(_OnMain):
    """A dynamic first dim is 3."""

    name = "pinned"

    def edit(self, function: FuncOp) -> None:
        for value in _values(function):
            _retype(value, lambda type_: _with_first(type_, 3))


class Unpinned(_OnMain):
    """The first dim is dynamic."""

    name = "unpinned"

    def edit(self, function: FuncOp) -> None:
        for value in _values(function):
            _retype(value, lambda type_: _with_first(type_, DYNAMIC))


def _with_first(type_: Attribute, size: int) -> Attribute:
    if type_.name != TensorType.name:
        return type_
    return TensorType(element_of(type_), [size, *extents_of(type_)[1:]])


class TooLate(ModulePass):
    """The C interface has an argument less than the function was known to have."""

    name = "too-late"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if function.get_attr_or_prop("sym_name") == StringAttr("_mlir_ciface_main"):
                function.detach()
                function.erase()


PASSES: tuple[type[ModulePass], ...] = (
    WithOneMore, WithoutUnused, Undeclared, Renamed, Widened, Pinned, Unpinned, TooLate,
)  # fmt: skip


def plugin_context() -> ToolContext:
    """A context with these passes."""
    ctx = make_context()
    found = {cls.name: (lambda cls=cls: cls) for cls in PASSES}
    ctx.passes.update(found)
    ctx.plugin_passes.update(found)
    return ctx
