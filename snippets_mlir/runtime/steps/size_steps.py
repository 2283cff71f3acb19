"""The entries of a network's table that depend on a call's sizes, as steps of machine code.

    bytes = ?0*256          MULTIPLY  t, ?0, 256
    team of a kernel        CEILDIV, MIN, AT_LEAST, ...
    the values fit          NEED  size in the plan, size now

`Form.sizes` and `Network.fit` define them, and are the reference. A call with new sizes takes these
steps instead (`codegen/stubs/size_steps.py`): Python code that runs between kernels is cold, so it
takes several times longer than in a loop. If a number is too large, a size is 0, or the memory
needs another plan, the steps end early, and `Network.fit` does all of it.

The steps work on words of the network: the words of its table, followed by words of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from snippets_mlir.codegen.stubs.interface import PLAN, SizeOp
from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim, terms_of
from snippets_mlir.dialects.builtin.polynomials import Monomial, Terms
from snippets_mlir.dialects.builtin.size_estimates import CHOSEN
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET, SCRATCH, Choice, Slots, aligned
from snippets_mlir.runtime.form import Form
from snippets_mlir.runtime.manifests.formulas import Numbers
from snippets_mlir.runtime.parallel.step_teams import Work
from snippets_mlir.runtime.parallel.threads import SHARED_BYTES, SHARED_NANOSECONDS
from snippets_mlir.runtime.steps.table_words import LOCKED_BYTES

if TYPE_CHECKING:
    from snippets_mlir.runtime.steps.table import Table

SHARED_PICOSECONDS = 1000 * SHARED_NANOSECONDS


class Steps:
    """Steps while they are written, and the words that they need.

    Attributes:
        words: the words of their own, which begin as these numbers.
        steps: four numbers for each step, as in a `SizeStep`.
    """

    def __init__(self, first: int) -> None:
        """`first` is the number of the first word of their own."""
        self._first = first
        self.words: list[int] = []
        self.steps: list[tuple[int, int, int, int]] = []
        self._numbers: dict[int, int] = {}
        self._known: dict[tuple[SizeOp, int, int], int] = {}

    def room(self, count: int) -> int:
        """Add this many words; returns the number of the first one."""
        self.words += [0] * count
        return self._first + len(self.words) - count

    def number(self, value: int) -> int:
        """The word with a number."""
        if (found := self._numbers.get(value)) is None:
            found = self._numbers[value] = self.room(1)
            self.words[-1] = value
        return found

    def do(self, op: SizeOp, a: int, b: int) -> int:
        """The word with the result of a step on two words; equal steps share one."""
        if (found := self._known.get((op, a, b))) is None:
            found = self._known[op, a, b] = self.room(1)
            self.steps.append((op, found, a, b))
        return found

    def copy(self, source: int, target: int) -> None:
        """Copy one word into another."""
        self.steps.append((SizeOp.ADD, target, source, self.number(0)))

    def need(self, more: int, less: int) -> None:
        """End early if the first word is less than the second."""
        self.steps.append((SizeOp.NEED, self.number(1), more, less))

    def all_of(self, op: SizeOp, words: Sequence[int], none: int) -> int:
        """An operation on several words; the number `none` if there are no words."""
        result = words[0] if words else self.number(none)
        for word in words[1:]:
            result = self.do(op, result, word)
        return result

    def polynomial(self, terms: Terms, symbol: Callable[[int], int]) -> int:
        """The sum of products of symbols; `symbol` returns their words."""

        def product(monomial: Monomial, factor: int) -> int:
            factors = [symbol(index) for index in monomial]
            if factor != 1 or not factors:
                factors.append(self.number(factor))
            return self.all_of(SizeOp.MULTIPLY, factors, 1)

        return self.all_of(SizeOp.ADD, [product(*term) for term in terms], 0)


class SizeSteps:
    """The steps of a program with symbolic sizes, and the places of their shared words.

    Attributes:
        steps: all steps.
        words: the initial values of their own words, which follow the words of the table.
        symbols: the first of the words with the values of the symbols.
        values: the first of the words with the values of the formulas, by number.
        teams: the first of the words with the teams of the works, by number.
        plan: the first of the words that `Network.fit` leaves: see `plan_words`.
    """

    def __init__(self, form: Form, table: Table, threads: int) -> None:
        """The steps of the form of a template, with its table without these words."""
        made = Steps(len(table.words))
        self.symbols = made.room(MAX_SYMBOLS)
        sizes = form.formulas.sizes
        self.values = made.room(len(sizes))
        self.teams = made.room(len(form.works))
        self.plan = made.room(3 + len(form.slot_bytes))
        self._threads = made.number(threads)
        base, start, least, first = (self.plan + i for i in range(4))
        self._made = made
        for number, size in enumerate(sizes):
            made.copy(self._size(size), self.values + number)
        one = made.number(1)
        for number in form.positive:
            made.need(self.values + number, one)
        for number, work in enumerate(form.works):
            made.copy(self._team(work), self.teams + number)
        most = made.all_of(SizeOp.MAX, [self.teams + n for n in range(len(form.works))], 1)
        made.need(PLAN.index("runtime"), made.do(SizeOp.AT_LEAST, most, made.number(2)))
        for number, slots in enumerate(form.slots):
            self._row(table.first_row + number * MAX_SYMBOLS, slots)
        scratch = self._scratch(form, table)
        begin = self._aligned(scratch)
        bytes = [self.values + number for number in form.slot_bytes.tolist()]
        for place, word in enumerate(bytes):
            made.need(first + place, word)
        made.need(start, begin)
        made.need(made.all_of(SizeOp.ADD, [begin, *bytes], 0), least)
        self._write(table, form)
        has_scratch = made.do(SizeOp.AT_LEAST, scratch, one)
        for word in table.scratch.words.tolist():
            made.copy(made.do(SizeOp.MULTIPLY, has_scratch, base), word)
        self.words: Numbers = np.array(made.words, np.int64)
        self.steps: Numbers = np.array(made.steps, np.int64)

    def plan_words(self, base: int, start: int, least: int, limits: Numbers) -> list[int]:
        """The words from `plan` on.

        Args:
            base: the address of the arena.
            start: its bytes for scratchpads.
            least: the bytes that a call needs at least.
            limits: the most bytes of each value that has a place in it.
        """
        return [base, start, least, *limits.tolist()]

    def _size(self, size: Dim) -> int:
        return self._made.polynomial(terms_of(size), lambda index: self.symbols + index)

    def _aligned(self, size: int) -> int:
        """The word with a size that is rounded up like sizes of buffers."""
        made, unit = self._made, self._made.number(aligned(1))
        return made.do(SizeOp.MULTIPLY, made.do(SizeOp.CEILDIV, size, unit), unit)

    def _team(self, work: Work) -> int:
        """As `Work.team`."""
        made, one = self._made, self._made.number(1)
        grain = made.number(max(1, work.grain))
        pieces = made.do(SizeOp.CEILDIV, self.values + work.domain, grain)
        most = made.do(SizeOp.MIN, made.do(SizeOp.MAX, pieces, one), self._threads)
        touched = made.all_of(SizeOp.ADD, [self.values + n for n in work.touched], 0)
        cost = made.number(work.cost)
        computing = made.do(SizeOp.MULTIPLY, self.values + work.space, cost)
        is_large = made.do(SizeOp.AT_LEAST, touched, made.number(SHARED_BYTES))
        is_slow = made.do(SizeOp.AT_LEAST, computing, made.number(SHARED_PICOSECONDS))
        more = made.do(SizeOp.ADD, most, made.number(-1))
        shared = made.do(SizeOp.MULTIPLY, made.do(SizeOp.MAX, is_large, is_slow), more)
        return made.do(SizeOp.ADD, shared, one)

    def _row(self, row: int, slots: Slots) -> None:
        """As `runtime_slots`."""
        made = self._made
        for index in range(FIRST_OFFSET):
            made.copy(self.symbols + index, row + index)
        words = dict[int, int]()
        if slots.choice is not None:
            words[CHOSEN] = self._chosen(slots.choice)
            made.copy(words[CHOSEN], row + CHOSEN)
        offset = made.number(0)
        for index, size in enumerate(slots.clusters):
            made.copy(offset, row + FIRST_OFFSET + index)
            bytes_ = made.polynomial(
                terms_of(size), lambda symbol: words.get(symbol, self.symbols + symbol)
            )
            offset = made.do(SizeOp.ADD, offset, self._aligned(bytes_))
        made.copy(offset, row + SCRATCH)

    def _chosen(self, choice: Choice) -> int:
        """As `Choice.number`."""
        made, size, limit = self._made, self._size(choice.size), self._made.number(choice.limit)
        *others, last = choice.among
        words = [made.number(last)]
        for units in others:
            fits = made.do(
                SizeOp.AT_LEAST, limit, made.do(SizeOp.MULTIPLY, size, made.number(units))
            )
            words.append(made.do(SizeOp.MULTIPLY, fits, made.number(units)))
        return made.all_of(SizeOp.MAX, words, 0)

    def _scratch(self, form: Form, table: Table) -> int:
        """The bytes of the scratchpads of all threads of a kernel."""
        made, pads = self._made, list[int]()
        for size, number, team in form.scratches:
            row = table.first_row + number * MAX_SYMBOLS
            pad = made.polynomial(terms_of(size), lambda index, row=row: row + index)
            pads.append(made.do(SizeOp.MULTIPLY, pad, self.teams + team))
        return made.all_of(SizeOp.MAX, pads, 0)

    def _write(self, table: Table, form: Form) -> None:
        """The words of the table except the arena's words."""
        made = self._made
        for fields, first in ((table.sizes, self.values), (table.teams, self.teams)):
            for word, number in zip(fields.words.tolist(), fields.numbers.tolist(), strict=True):
                made.copy(first + number, word)
        rows = zip(table.aligned.words.tolist(), table.alignments.T.tolist(), strict=True)
        for word, (domain, least, alignment) in rows:
            is_long = made.do(SizeOp.AT_LEAST, self.values + domain, made.number(least))
            made.copy(made.do(SizeOp.MULTIPLY, is_long, made.number(alignment)), word)
        least = made.number(LOCKED_BYTES)
        touches_more = made.do(SizeOp.AT_LEAST, self.values + form.touched, least)
        made.copy(touches_more, PLAN.index("release"))
