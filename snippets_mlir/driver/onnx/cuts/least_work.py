"""The least work of a call for which the kernels of a plan pay off.

    tokens 1x128    the kernels of the plan save 245 us, their cuts cost 182: 63 us
    tokens 1x64     125 - 166 us: a loss, also before the 49 us that threads rest
    work            the elements of each kernel, weighted with what it saves per element
    least           the work at which savings and costs are equal, between these two calls

The savings of a kernel grow with its elements, and the cost of a cut hardly depends on sizes. So
one number decides about a call, and a call needs no cost model. The kernels of the plan are
estimated again for inputs of half the sizes, a quarter, and so on, until they do not pay off.

A model without such sizes has kernels in all calls, and so has a model whose kernels cut no
session. The same holds if small calls lose less than `LOSS` of the time in which the weights are
read: a session beside the kernels has a second copy of the weights, in the form that its nodes
read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.cost import Model
from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.dialects.builtin.dims import Dim, Size, product
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.builtin.size_estimates import evaluate
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.driver.onnx.cuts.candidates import beside_each_other
from snippets_mlir.driver.onnx.cuts.rows import estimate_of, estimates_beside, gain_of
from snippets_mlir.driver.onnx.python_walk import with_steps
from snippets_mlir.passes.graph.tokenize.tokens import Token

LOSS = 0.05
"""The part of a call that small calls may lose to kernels before they get a session."""

FORMULAS = 4
"""The most different numbers of elements that the work of a call adds up."""

UNIT = 1 << 40
"""The work of the planned call, about: coefficients are integers."""


@dataclass(frozen=True)
class Least:
    """The least work for the kernels of a plan.

    Attributes:
        work: the work of a call, in the symbols of the graph.
        least: the kernels pay off from this work on.
        place: the smallest sizes for which they did, by their place among those that were tried;
            -1 for the planned call.
    """

    work: Size
    least: int
    place: int


@dataclass(frozen=True)
class Kernels:
    """The kernels of a plan, for estimates of calls of other sizes.

    Attributes:
        groups: all candidates.
        chosen: the places of those that are kernels.
        together: the places of those that are weighed together with adjacent ones.
        walked: whether Python walks the program.
        of_any: nanoseconds that the first kernel costs.
    """

    groups: Sequence[Token]
    chosen: Collection[int]
    together: Collection[int]
    walked: bool
    of_any: float

    def estimates(self, model: Model) -> list[Estimate]:
        """An estimate for each kernel, in some order."""
        found: list[Estimate] = []
        for places in beside_each_other(self.groups):
            mine = [self.groups[place] for place in places if place in self.chosen]
            if any(place in self.together for place in places):
                found += estimates_beside(model, [[*g.ops, *g.trailing] for g in mine])
            else:
                found += [estimate_of(model, group.ops) for group in mine]
        return with_steps(found, model.costs) if self.walked else found

    def margin(self, model: Model, estimates: Sequence[Estimate]) -> float:
        """Nanoseconds that a call gains by the kernels, of which `model` makes these estimates."""
        ops = (self.groups[place].ops for place in self.chosen)
        rest = model.costs.rest_of(model.threads if model.shares(ops) else 1)
        saved = sum(one.gain - one.cut for one in estimates)
        return saved - self.of_any - (rest if any(one.cut for one in estimates) else 0.0)


def least_of(kernels: Kernels, model: Model, sizes: Sequence[Sequence[int]]) -> Least | None:
    """The least work of a call; None if the kernels take calls of all sizes.

    Args:
        kernels: those of a plan.
        model: the cost model, for the planned call.
        sizes: the values of the symbols in smaller and smaller calls.
    """

    def margin(place: int) -> float:
        smaller = model.at(sizes[place])
        return kernels.margin(smaller, kernels.estimates(smaller))

    estimates = kernels.estimates(model) if sizes else []
    if not any(one.cut for one in estimates):
        return None
    pays, fails = -1, len(sizes) - 1
    less, more = margin(fails), kernels.margin(model, estimates)
    if more < 0 or -less <= max(model.costs.worth, LOSS * model.reading()):
        return None
    work = work_of(kernels, model)
    if not isinstance(work, Size):
        return None
    while fails - pays > 1:
        middle = (pays + fails) // 2
        if (found := margin(middle)) < 0:
            fails, less = middle, found
        else:
            pays, more = middle, found
    low, high = (
        evaluate(work, sizes[place] if place >= 0 else model.hints) for place in (fails, pays)
    )
    least = low + int((high - low) * (-less / (more - less)))
    return Least(work, min(least, high), pays)


def work_of(kernels: Kernels, model: Model) -> Dim:
    """The elements of the kernels, weighted with what a kernel saves per element in this call."""
    saved: dict[Dim, float] = {}
    for place in kernels.chosen:
        group = kernels.groups[place]
        elements = max(_elements(group.ops), key=lambda size: evaluate(size, model.hints))
        gain = max(0.0, gain_of(model, group.ops))
        saved[elements] = saved.get(elements, 0.0) + gain
    most = sorted(saved.items(), key=lambda item: item[1], reverse=True)[:FORMULAS]
    total = sum(gain for _, gain in most)
    work: Dim = 0
    for elements, gain in most:
        if gain > 0:
            count = max(1, evaluate(elements, model.hints))
            work = elements * max(1, round(UNIT * gain / total / count)) + work
    return work


def _elements(ops: Sequence[Operation]) -> Iterator[Dim]:
    """The elements that ops read or compute; of a product, its multiplications."""
    yield 0
    for op in ops:
        if is_view(op):
            continue
        values: list[SSAValue] = [*op.operands, *op.results]
        inner = op.factors[0].inner if isinstance(op, MatMulOp) else 1
        if isinstance(op, MatMulOp):
            values = [op.result]
        yield from (product(shape_of(v)) * inner for v in values if is_tensor(v.type))
