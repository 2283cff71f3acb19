"""The options of a pass: the fields of its dataclass, and their values from text.

More lenient than xDSL's own conversion: a bare word sets a `bool`, and a `float` may be an integer.
Each error names the pass, the option, its type and the given value.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from xdsl.passes import ModulePass

from snippets_mlir.passmanager.syntax import PassText, Value
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

_BOOLS = {"true": True, "1": True, "false": False, "0": False}


@cache
def option_types(cls: type[ModulePass]) -> dict[str, Any]:
    """Option name, with dashes, to its type."""
    fields = [f for f in dataclasses.fields(cls) if f.init]
    hints = get_type_hints(cls) if fields else {}  # it is slow for the parts of a class
    return {f.name.replace("_", "-"): hints[f.name] for f in fields}


def flag_names(cls: type[ModulePass]) -> tuple[str, ...]:
    """The options that may be written without a value."""
    return tuple(name for name, kind in option_types(cls).items() if bool in _members(kind))


def describe_options(cls: type[ModulePass]) -> str:
    """`a=int (default 3), b=bool (required)`, or `none`."""
    parts: list[str] = []
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        name = field.name.replace("_", "-")
        default = _default(field, option_types(cls)[name])
        tail = "required" if default is dataclasses.MISSING else f"default {_spell(default)}"
        parts.append(f"{name}={describe_type(option_types(cls)[name])} ({tail})")
    return ", ".join(parts) or "none"


def describe_type(kind: Any) -> str:
    """A type in the user's notation: `int`, `a|b`, `int,int,...`."""
    if get_origin(kind) is Literal:
        return "|".join(str(value) for value in get_args(kind))
    if get_origin(kind) is tuple:
        return f"{describe_type(get_args(kind)[0])},..."
    members = [member for member in _members(kind) if member is not NoneType]
    if members == [kind]:
        return getattr(kind, "__name__", str(kind))
    return "|".join(describe_type(member) for member in members)


def make_pass(cls: type[ModulePass], written: PassText, source: str) -> ModulePass:
    """An instance of a pass with the written options.

    Raises:
        CompileError: an option is unknown, missing, or has a value of the wrong kind.
    """

    def fail(message: str) -> CompileError:
        return CompileError(message, file=source, line=1, column=written.column)

    # Most passes of a pipeline have no options there, so their types, which are slow, are not
    # needed.
    types = option_types(cls) if written.options or not _has_defaults(cls) else {}
    for name in written.options:
        if name not in types:
            hint = close_match(name, tuple(types))
            raise fail(
                f"pass '{cls.name}' has no option '{name}'{hint}; options: {describe_options(cls)}"
            )
    arguments: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        name = field.name.replace("_", "-")
        if not field.init or not types:
            continue
        if name in written.options:
            try:
                arguments[field.name] = convert(written.options[name], types[name])
            except ValueError as error:
                raise fail(f"option '{name}' of pass '{cls.name}': {error}") from error
        elif (default := _default(field, types[name])) is dataclasses.MISSING:
            raise fail(f"pass '{cls.name}' needs option '{name}'; options: {describe_options(cls)}")
        else:
            arguments[field.name] = default
    try:
        return cls(**arguments)
    except ValueError as error:
        raise fail(f"pass '{cls.name}': {error}") from error


def _has_defaults(cls: type[ModulePass]) -> bool:
    """Whether each option of a pass has a default."""
    unset = dataclasses.MISSING
    return all(
        field.default is not unset or field.default_factory is not unset
        for field in dataclasses.fields(cls)
        if field.init
    )


def convert(values: Sequence[Value], kind: Any) -> Any:
    """The value of an option of type `kind`.

    Raises:
        ValueError: the values do not fit; the message says what is expected.
    """
    members = _members(kind)
    if not values:
        if bool in members:
            return True
        if NoneType in members:
            return None
        raise ValueError(f"expected {describe_type(kind)}, but no value is given")
    for member in members:
        found = _convert_member(values, member)
        if found is not _NO:
            return found
    given = ",".join(value.text for value in values)
    choices = [str(v) for m in members if get_origin(m) is Literal for v in get_args(m)]
    raise ValueError(f"expected {describe_type(kind)}, got '{given}'{close_match(given, choices)}")


_NO = object()


def _convert_member(values: Sequence[Value], member: Any) -> Any:
    if get_origin(member) is tuple:
        inner = get_args(member)[0]
        found = tuple(_convert_first(value, _members(inner)) for value in values)
        return _NO if any(item is _NO for item in found) else found
    return _convert_first(values[0], (member,)) if len(values) == 1 else _NO


def _convert_first(value: Value, members: Sequence[Any]) -> Any:
    for member in members:
        if (found := _convert_one(value, member)) is not _NO:
            return found
    return _NO


def _convert_one(value: Value, member: Any) -> Any:
    text = value.text
    if get_origin(member) is Literal:
        return next((choice for choice in get_args(member) if str(choice) == text), _NO)
    if member is str:
        return text
    if value.quoted:
        return _NO
    try:
        if member is bool:
            return _BOOLS.get(text, _NO)
        if member is int:
            return int(text, 0)
        if member is float:
            return float(text)
    except ValueError:
        return _NO
    return _NO


def _members(kind: Any) -> tuple[Any, ...]:
    """The alternatives of a union, most specific first; another type is its own alternative."""
    if get_origin(kind) not in (Union, UnionType):
        return (kind,)
    order = (int, float, bool, NoneType)
    members = [m for m in get_args(kind) if m is not str]
    members.sort(key=lambda m: order.index(m) if m in order else -1)
    return (*members, *(m for m in get_args(kind) if m is str))


def _default(field: dataclasses.Field[Any], kind: Any) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None if NoneType in _members(kind) else dataclasses.MISSING


def _spell(value: Any) -> str:
    if value is None:
        return "unset"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        items = cast("tuple[Any, ...]", value)
        return ",".join(_spell(item) for item in items) or "empty"
    return str(value) or '""'
