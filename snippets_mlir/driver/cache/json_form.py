"""Whether data that was read from a JSON file has the form that type hints describe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, NotRequired, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

Check = Callable[[object], bool]


def has_form(data: object, form: Any) -> bool:
    """Whether `data` is of type `form`.

    Args:
        data: of `json.loads`.
        form: `int`, `str`, None, a `TypedDict`, or `list`, `tuple` (a list with so many items),
            `dict` with keys that are strings, and unions of such; `Any` is any data. A number has
            to be an `int`, not a bool; a `TypedDict` may also have other keys.
    """
    return _check_of(form)(data)


@cache
def _check_of(form: Any) -> Check:
    """The checker for a form: types are inspected once, not for each item."""
    if is_typeddict(form):
        return _check_of_keys(form)
    origin, inner = get_origin(form), get_args(form)
    if origin in (Union, UnionType):
        plain = frozenset(NoneType if one is None else one for one in inner)
        if all(type(one) is type for one in plain):
            return lambda data: type(data) in plain
        ways = [_check_of(one) for one in inner]
        return lambda data: any(check(data) for check in ways)
    if form is Any:
        return lambda _: True
    if origin is dict:
        check = _check_of(inner[1])
        return lambda data: (
            isinstance(data, dict) and all(map(check, cast("dict[str, object]", data).values()))
        )
    if origin is list:
        check = _check_of(inner[0])
        return lambda data: isinstance(data, list) and all(map(check, cast("list[object]", data)))
    if origin is tuple:
        return _check_of_items([_check_of(one) for one in inner])
    type_ = NoneType if form is None else form
    return lambda data: type(data) is type_


def _check_of_items(checks: Sequence[Check]) -> Check:
    def check(data: object) -> bool:
        """Whether the data is a list with an item for each check."""
        items = cast("list[object]", data)
        return (
            isinstance(data, list)
            and len(items) == len(checks)
            and all(one(item) for one, item in zip(checks, items, strict=True))
        )

    return check


def _check_of_keys(form: Any) -> Check:
    keys: list[tuple[str, Check, bool]] = []
    for key, hint in get_type_hints(form, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        keys.append((key, _check_of(get_args(hint)[0] if optional else hint), optional))

    def check(data: object) -> bool:
        """Whether the data has the keys of a `TypedDict`, some of which are optional."""
        if not isinstance(data, dict):
            return False
        known = cast("dict[str, object]", data)
        for key, one, optional in keys:
            if key in known:
                if not one(known[key]):
                    return False
            elif not optional:
                return False
        return True

    return check
