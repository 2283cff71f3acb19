"""The expansion of each op, derived from the records, which contain it and its error bounds.

`test/unit/targets/test_math_expansions.py` asserts the bounds, and `docs/math.md` has the measured
values.
"""

from __future__ import annotations

from collections.abc import Mapping

from snippets_mlir.dialects.snippets.base import FLOAT
from snippets_mlir.dialects.snippets.record import Attributes, Expansion, Function, OpRecord
from snippets_mlir.dialects.snippets.registry import DerivedTable, record_of, records

TWINS: Mapping[str, OpRecord] = DerivedTable(lambda: {r.math: r for r in records() if r.math})
"""Name of an op of `math` without its dialect -> the op that is the same function of floats."""

INTEGER_TWINS: Mapping[str, OpRecord] = DerivedTable(
    lambda: {r.integer_math: r for r in records() if r.integer_math}
)
"""The same for functions of integers."""


def expansion_for(name: str, kind: str, attrs: Attributes) -> Expansion | None:
    """The expansion of op `name` for elements of `kind` ("float" or another), None if primitive.

    `round` to even is primitive, `round` with halves away from zero is not.
    """
    record = record_of(name)
    if record is None:
        return None
    found = record.floats if kind == FLOAT else record.integers
    holds = found is not None and (found.holds is None or found.holds(attrs))
    return found if holds else None


def fast_function(record: OpRecord | None, attrs: Attributes) -> Function | None:
    """The cheaper form for f32 of an op with these attributes, None for none."""
    fast = None if record is None else record.fast
    if fast is None or (fast.holds is not None and not fast.holds(attrs)):
        return None
    return fast.function


def math_function(name: str) -> Function | None:
    """The function that computes `math.<name>`, for an op of `math` that we also have."""
    if (record := TWINS.get(name)) is not None and record.floats is not None:
        return record.floats.function
    if (record := INTEGER_TWINS.get(name)) is not None and record.integers is not None:
        return record.integers.function
    return None
