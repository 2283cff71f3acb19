"""All records by the name of their op, and tables derived from them.

    PASSES: Mapping[str, int] = DerivedTable(lambda: {r.word: r.engine.passes for r in records()})

A derived table is built when it is first read, and rebuilt after a plug-in has registered an op: it
is never older than the records. This module knows no op; `records.py` registers the ops of the
package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from xdsl.ir import Dialect

from snippets_mlir.dialects.snippets.record import OpRecord
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import DIALECTS, OPS, PARTS

K = TypeVar("K")
T = TypeVar("T")
P = ParamSpec("P")

_RECORDS: dict[str, OpRecord] = {}
_DERIVED: list[Callable[[], None]] = []


def records() -> tuple[OpRecord, ...]:
    """The records of all ops, in the order of their registration."""
    return tuple(_RECORDS.values())


def record_of(name: str) -> OpRecord | None:
    """The record of the op `name`, which includes the dialect's name; None if it has none."""
    return _RECORDS.get(name)


def register(*new: Any, built_in: bool = False) -> None:
    """Add records; records that are already registered are skipped.

    From then on, every context can parse the ops of plug-ins.

    Raises:
        CompileError: another op has this name, or an object is not a record.
    """
    for record in new:
        if not isinstance(record, OpRecord):
            raise CompileError(f"RECORDS: expected OpRecord(...), found {record!r:.80}")
        known = _RECORDS.get(record.name)
        if known is not None and known is not record:
            raise CompileError(f"there is already an op '{record.name}'")
    for record in new:
        _RECORDS[record.name] = record
        if not built_in:
            OPS[record.name] = record.op
            PARTS.setdefault(_part(record), None)
            dialect = record.name.partition(".")[0]
            DIALECTS[dialect] = partial(_dialect, dialect)
    _forget()


def _part(record: OpRecord) -> str:
    """The key of an op in the table of registrations by plug-ins."""
    return f"op '{record.name}'"


def _dialect(name: str) -> Dialect:
    """A dialect of registered ops; they fold to constants of `snippets`."""
    from snippets_mlir.dialects.snippets import SnippetsConstantMaterialization

    ops = [op for full, op in OPS.items() if full.startswith(f"{name}.")]
    return Dialect(name, ops, [], [SnippetsConstantMaterialization()])


def unregister(*old: OpRecord) -> None:
    """Remove the records of plug-ins, and dialects that have no op left."""
    for record in old:
        if OPS.pop(record.name, None) is not None:
            del _RECORDS[record.name]
            PARTS.pop(_part(record), None)
        dialect = record.name.partition(".")[0]
        if not any(name.startswith(f"{dialect}.") for name in OPS):
            DIALECTS.pop(dialect, None)
    _forget()


def _forget() -> None:
    for forget in _DERIVED:
        forget()


def derived(function: Callable[P, T]) -> Callable[P, T]:
    """`function` with a cache that is cleared when an op is registered."""
    cached = cache(function)
    _DERIVED.append(cached.cache_clear)
    return cached  # pyright: ignore[reportReturnType]


class DerivedTable(Mapping[K, T]):
    """A mapping that is made from the records when it is read."""

    def __init__(self, make: Callable[[], Mapping[K, T]]) -> None:
        self._make = make
        self._rows: Mapping[K, T] | None = None
        _DERIVED.append(self._forget)

    def _forget(self) -> None:
        self._rows = None

    @property
    def rows(self) -> Mapping[K, T]:
        """The rows for the current records."""
        if (rows := self._rows) is None:
            rows = self._rows = self._make()
        return rows

    def __getitem__(self, key: K) -> T:
        """The row of `key`; KeyError if there is none."""
        return self.rows[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, key: object) -> bool:
        """Whether there is a row for `key`."""
        return key in self.rows
