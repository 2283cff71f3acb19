"""`snippets-opt --shape NAME=2x3`: numbers for the dynamic dims of a program's inputs.

    func.func @main(%x: tensor<?x8xf32> {snippets.name = "x"})     --shape x=4x8: tensor<4x8xf32>

An ONNX model is imported with these shapes; for other programs the types are inferred again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.dialects.program.host import Entry, find_entry, interface_names
from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import CompileError

Shape = tuple[int, ...]


def read_shapes(written: Sequence[str]) -> dict[str, Shape]:
    """The shapes that `NAME=2x3` give, by name; `NAME=` is rank 0.

    Raises:
        CompileError: a text has another form, or a size is negative.
    """
    shapes: dict[str, Shape] = {}
    for text in written:
        name, separator, sizes = text.rpartition("=")
        parts = sizes.split("x") if sizes else []
        if not separator or not all(part.isdecimal() for part in parts):
            raise CompileError(f"--shape expects NAME=2x3, found '{text}'")
        shapes[name] = tuple(map(int, parts))
    return shapes


def _extents(type_: Attribute) -> Shape:
    """The sizes of a tensor's dims, negative for `?`; none for other types."""
    if not isinstance(type_, TensorType):
        return ()
    return tuple(extents_of(cast("TensorType[Attribute]", type_)))


def _listed(names: Sequence[str], function: Entry) -> str:
    """The names of inputs, with their names in the text if these differ."""
    hints = [arg.name_hint for arg in function.args] if isinstance(function, FuncOp) else names
    texts = [
        name if hint in (None, name) else f"{name} (%{hint})"
        for name, hint in zip(names, hints, strict=True)
    ]
    return ", ".join(texts) or "none"


def with_shapes(module: ModuleOp, given: Mapping[str, Shape]) -> ModuleOp:
    """A copy of a program whose inputs have these shapes.

    Raises:
        CompileError: there is no such input, its type has other sizes, an input without a shape has
            dynamic dims, or an op does not take the shapes.
    """
    function = find_entry(module, None)
    names, _ = interface_names(function)
    for name in given:
        if name not in names:
            known = close_match(name, names) or f"; the inputs are {_listed(names, function)}"
            raise CompileError(f"--shape: no input '{name}'{known}")
    shapes: list[Shape] = []
    for name, type_ in zip(names, function.function_type.inputs.data, strict=True):
        declared = _extents(type_)
        shape = given.get(name, declared)
        fits = len(shape) == len(declared) and all(
            d < 0 or d == s for s, d in zip(shape, declared, strict=True)
        )
        if not fits:
            sizes = "x".join(map(str, shape)) or "a scalar"
            raise CompileError(
                f"--shape: {sizes} does not fit input '{name}' of type {type_}",
                **position_of(function),
            )
        if min(shape, default=0) < 0:
            raise CompileError(
                f"--shape: input '{name}' of type {type_} needs a shape, too",
                **position_of(function),
            )
        shapes.append(shape)
    return specialize(module, function.sym_name.data, shapes)
