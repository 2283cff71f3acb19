"""Lists of plain numbers in a text, read at once.

    [[0.5, -1], [2.0e-3, 4]]      the numbers 0.5, -1, 0.002, 4, and the shape [2, 2]

xDSL's parser reads such a literal token by token, which takes 30 us per number. It still reads
everything that is not a rectangular list of decimal numbers (hexadecimal numbers, `true`, comments,
a list that is too short), and produces the messages.
"""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Any, NamedTuple, cast

_NUMBER = re.compile(r"-?[0-9]{1,40}(?:\.[0-9]{1,400}(?:[eE][-+]?[0-9]{1,6})?)?")
_LIST = re.compile(
    rf"\[(?:[\s\[]*+{_NUMBER.pattern}[\s\]]*+,)*+[\s\[]*+{_NUMBER.pattern}[\s\]]*+(?=>)", re.ASCII
)
"""From a bracket to the `>` that ends a literal; the brackets need not match."""


class NumberList(NamedTuple):
    """The numbers of a list.

    Attributes:
        values: integers and floats, as in the text.
        shape: the lengths of the nested lists, outermost first.
        spans: where each number begins and ends in the text.
        end: the end of the list.
    """

    values: list[int | float]
    shape: list[int]
    spans: list[tuple[int, int]]
    end: int


def number_list(text: str, start: int) -> NumberList | None:
    """The list of a dense literal that begins with a bracket; None if it may be something else."""
    if (match := _LIST.match(text, start)) is None:
        return None
    try:
        nested = json.loads(match[0])
    except (ValueError, RecursionError):  # leading zeros, brackets that do not match
        return None
    items: list[Any] = [nested]
    shape: list[int] = []
    while isinstance(items[0], list):
        shape.append(len(cast("list[Any]", items[0])))
        if any(not isinstance(item, list) for item in items):
            return None
        if any(len(item) != shape[-1] for item in items):
            return None
        items = [item for inner in items for item in inner]
    if any(isinstance(item, list) or isinf(item) for item in items):
        return None
    spans = [found.span() for found in _NUMBER.finditer(text, start, match.end())]
    return NumberList(items, shape, spans, match.end())
