"""The elements that a function on memrefs surely accesses, as formulas of a call.

    func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
      %n = memref.dim %x, %c0 : memref<?xf32>
      affine.for %i = 0 to %n {
        affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%i) {
          affine.store %v, %y[%i + 1] : memref<?xf32>     i + 1 for 2 <= i < dim(%x, 0)

An access is known if its indices and the bounds and conditions of the surrounding loops are affine
in sizes, integer arguments, loop counters and constants. `floordiv`, `ceildiv`, `mod`, minima and
maxima, and products with values known in a call are also allowed. Loops may be triangular or
parallel. Memory may be an argument, an allocation or a view of one (`memref_views.py`). Called
functions are analyzed, too. Other accesses have no formula: indices and conditions that are loaded
or computed in other ways, masked accesses, gathers, bodies of `scf.while`, recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, i8, i16, i32, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import SymbolTable

from snippets_mlir.analysis.loops.access_domains import Extreme, Loop, Part, needed_parts
from snippets_mlir.analysis.loops.access_loops import loops_of
from snippets_mlir.analysis.loops.accessed_elements import Elements, elements_of
from snippets_mlir.analysis.loops.call_forms import Atom, is_known, of_call
from snippets_mlir.analysis.loops.index_formulas import (
    MAXIMA,
    form_of_result,
    forms_of_extreme,
    guard_of_set,
    guard_of_value,
)
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.analysis.loops.memref_views import View, sizes_of, view_of_result, whole
from snippets_mlir.dialects.affine.parallel import ParallelOp
from snippets_mlir.dialects.memref.memory import CopyOp
from snippets_mlir.support.diagnostics import format_position, position_of

MAX_CASES = 64
"""Systems that the conditions and minima around one access may make; with more it is unknown."""
MAX_CALLS = 1000
"""Calls that are looked into."""


@dataclass(frozen=True)
class Access:
    """Accesses of one dim of some memory.

    Attributes:
        memory: an argument by its number, or the name and position of its defining op.
        dim: which of its dims.
        size: of the dim; None if only indices below 0 are outside.
        index: of an element.
        domain: when it happens, outermost part first.
        where: the op, with its position in the source.
    """

    memory: int | str
    dim: int
    size: Linear | None
    index: Linear
    domain: tuple[Part, ...]
    where: str


class Domain:
    """The parts around some ops, outermost first."""

    def __init__(self, parts: tuple[Part, ...] = ()) -> None:
        self.parts = parts
        self.known = all(map(_is_part_known, parts))
        self._used = not any(isinstance(part, Extreme) for part in parts)
        self._few = prod(len(part.cases()) for part in parts) <= MAX_CASES

    def inside(self, *parts: Part) -> Domain:
        """The domain inside `parts`."""
        return Domain((*self.parts, *parts))

    def of(self, *forms: Linear) -> tuple[Part, ...] | None:
        """The parts that an access with these forms needs; None for too many cases."""
        if self._used:
            return self.parts if self._few else None
        parts = needed_parts(self.parts, forms)
        return parts if prod(len(part.cases()) for part in parts) <= MAX_CASES else None


def accesses_of(function: FuncOp) -> tuple[Access, ...]:
    """The accesses of a function that are known, each once, in the order of the text."""
    walk = _Walk(function)
    return tuple(dict.fromkeys(walk.accesses(function.body.blocks, Domain())))


class _Walk:
    """A walk through a function and its callees, with facts about values."""

    def __init__(self, function: FuncOp) -> None:
        self._forms: dict[SSAValue, Linear] = {}
        self._views: dict[SSAValue, View] = {}
        self._atoms = 0
        self._calls = 0
        self._within = [function]
        for place, given in enumerate(function.args):
            if _is_index(given.type):
                self._forms[given] = Linear.variable((place, -1))
            elif given.type.name == MemRefType.name:
                sizes = sizes_of(given.type, partial(_dim_of_argument, place))
                self._views[given] = whole(place, sizes)

    def form(self, value: SSAValue) -> Linear:
        """The form of an index; an unknown index is a variable."""
        return self._forms.get(value) or Linear.variable(value)

    def accesses(self, blocks: Sequence[Block], domain: Domain) -> Iterator[Access]:
        """The accesses in a region of one block."""
        if len(blocks) != 1:
            return
        for op in blocks[0].ops:
            domain = self._define(op, domain)
            yield from self._inside(op, domain)
            yield from self._own(op, domain)

    def _fresh(self) -> Atom:
        self._atoms += 1
        return (-1, self._atoms)

    def _define(self, op: Operation, domain: Domain) -> Domain:
        """Record the results of an op; returns the domain of the following ops."""
        for result in op.results:
            self._forms.pop(result, None)
            self._views.pop(result, None)
        if (view := view_of_result(op, self._views.get, self.form)) is not None:
            self._views[op.results[0]] = view
        elif isinstance(op, memref.DimOp):
            source, dim = self._views.get(op.source), self.form(op.index)
            if source and dim.is_constant() and 0 <= dim.constant < len(source.shape):
                self._forms[op.result] = source.shape[dim.constant]
        elif (forms := forms_of_extreme(op, self.form)) is not None:
            if all(is_known(form) for form in forms):
                atom = self._fresh()
                self._forms[op.results[0]] = Linear.variable(atom)
                return domain.inside(Extreme(atom, tuple(forms), op.name in MAXIMA))
        elif len(op.results) == 1 and _is_index(op.results[0].type):
            if (form := form_of_result(op, self.form)) is not None:
                self._forms[op.results[0]] = form
        return domain

    def _inside(self, op: Operation, domain: Domain) -> Iterator[Access]:
        """The accesses in the regions and callees of an op."""
        match op:
            case affine.ForOp() | ParallelOp() | scf.ForOp() | scf.ParallelOp():
                loops = loops_of(op, self.form, self._fresh)
                block = op.body.block
                for counter, loop in zip(block.args, loops, strict=False):
                    self._forms[counter] = Linear.variable(loop.atom)
                yield from self.accesses((block,), domain.inside(*loops))
            case affine.IfOp():
                for region, holds in ((op.then_region, True), (op.else_region, False)):
                    guard = guard_of_set(op.condition.data, op.args, holds, self.form)
                    yield from self.accesses(region.blocks, domain.inside(guard))
            case scf.IfOp():
                for region, holds in ((op.true_region, True), (op.false_region, False)):
                    guard = guard_of_value(op.cond, holds, self.form)
                    if guard is not None:
                        yield from self.accesses(region.blocks, domain.inside(guard))
            case scf.ExecuteRegionOp():
                yield from self.accesses(op.region.blocks, domain)
            case CallOp():
                yield from self._called(op, domain)
            case _:
                pass

    def _called(self, op: CallOp, domain: Domain) -> Iterator[Access]:
        """The accesses of a function that is called, on the arguments of the call."""
        function = SymbolTable.lookup_symbol(op, op.callee)
        self._calls += 1
        if not isinstance(function, FuncOp) or function in self._within or self._calls > MAX_CALLS:
            return
        for inner, given in zip(function.args, op.operands, strict=True):
            self._forms[inner] = self.form(given)
            self._views.pop(inner, None)
            if (view := self._views.get(given)) is not None:
                self._views[inner] = view
        self._within.append(function)
        yield from self.accesses(function.body.blocks, domain)
        self._within.pop()

    def _own(self, op: Operation, domain: Domain) -> Iterator[Access]:
        """The accesses that an op makes itself."""
        if isinstance(op, CopyOp):
            if (source := self._views.get(op.source)) is not None:
                bounds = [([Linear()], [size], 1) for size in source.shape]
                loops = [Loop.of(self._fresh(), *bound) for bound in bounds]
                first = [Linear.variable(loop.atom) for loop in loops]
                inside = domain.inside(*loops)
                for side in (op.source, op.target):
                    box = Elements(side, first, [1] * len(first))
                    yield from self._of_elements(op, box, inside)
        elif (elements := elements_of(op, self.form)) is not None:
            yield from self._of_elements(op, elements, domain)

    def _of_elements(self, op: Operation, elements: Elements, domain: Domain) -> Iterator[Access]:
        """The known accesses of each dim of the memory of some elements."""
        view = self._views.get(elements.memref)
        if view is None or not domain.known:
            return
        where = _named(op)
        pairs = zip(elements.first, elements.counts, strict=True)
        ends = [[first + (count - 1) for first, count in pairs], elements.first]
        memory = view.memory if isinstance(view.memory, int) else _named(view.memory)
        for dim, (axis, size) in enumerate(zip(view.axes, view.sizes, strict=True)):
            clipped = axis.dim in elements.clipped
            for end in ends[clipped:]:
                index = axis.at(end)
                if not is_known(index) or not is_known(size):
                    continue
                if (parts := domain.of(index, size)) is not None:
                    yield Access(memory, dim, None if clipped else size, index, parts, where)


def _named(op: Operation) -> str:
    return f"{op.name} at {format_position(position_of(op))}"


def _is_index(type: Attribute) -> bool:
    """Whether a value is an integer whose value is known in a call, if it is an argument."""
    return isinstance(type, IndexType) or type in (i8, i16, i32, i64)


def _is_part_known(part: Part) -> bool:
    """Whether the forms of a part are known, and a call knows the step of a loop."""
    if isinstance(part, Loop) and not of_call(part.step):
        return False
    return all(is_known(form) for case in part.cases() for form in case.forms())


def _dim_of_argument(argument: int, dim: int) -> Linear:
    return Linear.variable((argument, dim))
