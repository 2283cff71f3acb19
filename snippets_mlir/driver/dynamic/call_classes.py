"""The classes of a call's sizes that a template was made for; `size_classes.py` decides them.

This module does not import the compiler: a program from the cache asks for the class of a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.builtin.size_text import size_from
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET

Bounds = tuple[int, ...]
"""Where the classes of a size begin, ascending; the first one begins at 0."""

Classes = tuple[int, ...]
"""The class of each size that a template depends on, maybe none."""

SMALL = 1 << 20
"""Multiply-adds that take about 10 us."""


def class_of(number: int, bounds: Bounds) -> int:
    """How many of the bounds a number reaches."""
    return sum(number >= bound for bound in bounds)


@dataclass(frozen=True)
class CallClasses:
    """The facts about a call that a template depends on besides the symbols.

    Attributes:
        asked: formulas on whose classes the code depends, the bounds of these, and the work that
            depends on them.
        classes: the classes that the code was made for.
    """

    asked: tuple[tuple[str, Bounds, str], ...] = ()
    classes: Classes = ()

    def of(self, values: Sequence[int]) -> Classes:
        """The classes that suit a call with these values of the symbols: its own if it is small."""
        return tuple(
            own
            if evaluate(size_from(work), values) < SMALL
            else class_of(evaluate(size_from(size), values), bounds)
            for own, (size, bounds, work) in zip(self.classes, self.asked, strict=True)
        )

    def suit(self, values: Sequence[int]) -> bool:
        """Whether the code suits a call with these values of the symbols."""
        return not self.asked or self.of(values) == self.classes


def call_classes_from(asked: Any, classes: Any) -> CallClasses:
    """The classes of their JSON; some exception for other data."""
    if len(asked) != len(classes):
        raise ValueError("sizes without a class")
    texts = tuple((str(size), tuple(map(int, bounds)), str(work)) for size, bounds, work in asked)
    found = CallClasses(texts, tuple(map(int, classes)))
    found.of([2] * FIRST_OFFSET)  # its formulas give numbers
    return found
