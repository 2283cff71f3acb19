"""Text in which the sizes of a call are symbols, as a program with dynamic dims again.

    func.func @main(%x: tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x8xf32, #lir.sizes<?0>>

becomes

    func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32>

A dynamic program prints its IR with the symbols of a template (`templates.py`). The symbols that
make its sizes equal, and the ranges of sizes that the template is for (`size_classes.py`), follow
from the ops again when a call comes.

Refuses (a `CompileError`) the text of later stages, whose code is for one template, and ops that
have formulas in their attributes, such as a slice from a place that a call decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter

from snippets_mlir.dialects.builtin.dims import Size
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_type
from snippets_mlir.dialects.builtin.size_ranges import SIZE_RANGES
from snippets_mlir.dialects.builtin.sizes import SizeAttr, SizesAttr
from snippets_mlir.dialects.lir.instances import symbols_in
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

EARLY = ("builtin.", "func.", "snippets.", "onnx.", "stablehlo.", "chlo.", "arith.constant")
"""Dialects of text that all passes take."""


def _plain(type_: Attribute) -> Attribute:
    """A type without symbols."""
    if isinstance(type_, FunctionType):
        types = ([_plain(t) for t in part] for part in (type_.inputs, type_.outputs))
        return FunctionType.from_lists(*types)
    if not is_tensor(type_):
        return type_
    shape = [DYNAMIC if isinstance(size, Size) else size for size in shape_of(type_)]
    return tensor_type(type_.element_type, shape)


def _has_formulas(attribute: Attribute) -> bool:
    if isinstance(attribute, ArrayAttr):
        inside = cast("tuple[Attribute, ...]", attribute.data)  # pyright: ignore[reportUnknownMemberType]
        return any(map(_has_formulas, inside))
    if isinstance(attribute, DictionaryAttr):
        return any(map(_has_formulas, attribute.data.values()))
    return isinstance(attribute, SizeAttr | SizesAttr)


def _values(op: Operation) -> Iterator[SSAValue]:
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args


def _refuse(op: Operation) -> None:
    """CompileError for an op that is only right for the symbols of one template."""
    if not op.name.startswith(EARLY):
        raise CompileError(
            f"expected the text of a dynamic program at the graph or subgraph stage, found "
            f"{op.name}: later stages have code for the sizes ?0, ?1, ... of one template; compile "
            "earlier text, or text for given sizes (snippets-opt --shape)",
            **position_of(op),
        )
    if any(map(_has_formulas, (*op.attributes.values(), *op.properties.values()))):
        raise CompileError(
            f"{op.name} has a formula of sizes that only a call knows, which text cannot bring "
            "back; compile the program that the text is of",
            **position_of(op),
        )


def forget_symbols(module: ModuleOp) -> None:
    """Make the symbols of a verified module dynamic dims, in place; see the module docstring."""
    if not symbols_in(module):
        return
    module.attributes.pop(SIZE_RANGES, None)
    ops = list(module.walk())
    for op in ops:
        _refuse(op)
    for op in ops:
        for value in list(_values(op)):
            if (plain := _plain(value.type)) != value.type:
                Rewriter.replace_value_with_new_type(value, plain)
        for attributes in (op.attributes, op.properties):
            for name, attribute in attributes.items():
                if isinstance(attribute, FunctionType):
                    attributes[name] = _plain(attribute)
