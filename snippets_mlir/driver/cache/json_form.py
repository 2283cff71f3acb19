"""Whether data that was read from a JSON file has the form that type hints describe."""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, cast, get_args, get_origin, get_type_hints, is_typeddict


def has_form(data: object, form: Any) -> bool:
    """Whether `data` is of type `form`.

    Args:
        data: of `json.loads`.
        form: `int`, `str`, None, a `TypedDict`, or `list`, `tuple` (a list with so many items),
            `dict` with keys that are strings, and unions of such; `Any` is any data. A number has
            to be an `int`, which a bool is not; a `TypedDict` may have other keys, too.
    """
    if is_typeddict(form):
        return isinstance(data, dict) and _has_keys(cast("dict[str, object]", data), form)
    origin, inner = get_origin(form), get_args(form)
    if origin in (Union, UnionType):
        return any(has_form(data, one) for one in inner)
    if form is Any:
        return True
    if origin is dict:
        values = cast("dict[str, object]", data).values() if isinstance(data, dict) else [data]
        return isinstance(data, dict) and all(has_form(value, inner[1]) for value in values)
    if origin in (list, tuple):
        if not isinstance(data, list):
            return False
        items = cast("list[object]", data)
        forms = inner * len(items) if origin is list else inner
        return len(items) == len(forms) and all(map(has_form, items, forms))
    return type(data) is (NoneType if form is None else form)


def _has_keys(data: dict[str, object], form: Any) -> bool:
    for key, hint, optional in _keys_of(form):
        if key not in data:
            if not optional:
                return False
        elif not has_form(data[key], hint):
            return False
    return True


@cache
def _keys_of(form: Any) -> tuple[tuple[str, Any, bool], ...]:
    """The keys of a `TypedDict`, with the forms of their values and whether they may be missing."""
    found: list[tuple[str, Any, bool]] = []
    for key, hint in get_type_hints(form, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        found.append((key, get_args(hint)[0] if optional else hint, optional))
    return tuple(found)
