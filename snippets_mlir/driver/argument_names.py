"""What inputs are called: `snippets.name`, else the name of the argument in the text, else `argN`.

    func.func @main(%x: tensor<4xf32>, %arg1: tensor<4xf32> {snippets.name = "y"})

has the inputs `x` and `y`. Names of values do not survive every pass, so they are written as
`snippets.name` when a source is read. `arg0`, `arg1`, ... count the inputs wherever no input has
that name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

PREFIX = "arg"


def called(name: str, names: Sequence[str]) -> str | None:
    """The input that `name` means: that of the name, or the one that `argN` counts; else None."""
    if name in names:
        return name
    number = name.removeprefix(PREFIX)
    if number == name or not number.isdecimal() or int(number) >= len(names):
        return None
    return names[int(number)]


def ordered(values: Mapping[str, object], names: Sequence[str]) -> list[object]:
    """The values by the names of inputs, in the order of the inputs.

    Raises:
        ValueError: a name that is none, an input that has two values, or none.
    """
    found: dict[str, object] = {}
    for name, value in values.items():
        wanted = called(name, names)
        if wanted is None:
            from snippets_mlir.diagnostics import close_match

            known = ", ".join(map(repr, names)) or "none"
            raise ValueError(
                f"input {name!r}: no such input{close_match(name, names)}; inputs are {known}"
            )
        if wanted in found:
            raise ValueError(f"input {wanted!r}: two values, one of them as {name!r}")
        found[wanted] = value
    for name in names:
        if name not in found:
            raise ValueError(f"input {name!r}: missing")
    return [found[name] for name in names]


def name_arguments(function: FuncOp) -> None:
    """Write names of the text as `snippets.name` on the arguments that have none.

    Nothing is written where two inputs would have one name then.
    """
    from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, StringAttr

    from snippets_mlir.emit.host import NAME, interface_names

    arguments = function.body.blocks[0].args
    given = function.arg_attrs.data if function.arg_attrs else [DictionaryAttr({})] * len(arguments)
    plain = interface_names(function)[0]
    names = [
        name if NAME in attributes.data else argument.name_hint or name
        for name, attributes, argument in zip(plain, given, arguments, strict=True)
    ]
    if names == plain or len(set(names)) < len(names):
        return
    function.arg_attrs = ArrayAttr(
        attributes if name == old else DictionaryAttr({**attributes.data, NAME: StringAttr(name)})
        for name, old, attributes in zip(names, plain, given, strict=True)
    )
