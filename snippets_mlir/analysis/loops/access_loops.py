"""The loops of an op: one for each of its counters, with bounds as forms of a call.

affine.parallel (%i, %j) = (0, max(%a, 3)) to (%n, 8) step (1, 2)
                                              0 <= i < n;  a <= j, 3 <= j < 8, in steps of 2
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, scf
from xdsl.ir.affine import AffineExpr, AffineMap

from snippets_mlir.analysis.loops.access_domains import Loop
from snippets_mlir.analysis.loops.call_forms import Atom
from snippets_mlir.analysis.loops.index_formulas import Form, forms_of_map
from snippets_mlir.dialects.affine.parallel import ParallelOp

LoopOp = affine.ForOp | ParallelOp | scf.ForOp | scf.ParallelOp


def loops_of(op: LoopOp, form: Form, fresh: Callable[[], Atom]) -> list[Loop]:
    """The loops of an op; `fresh` makes an atom for a counter."""
    match op:
        case affine.ForOp():
            lower = forms_of_map(op.lowerBoundMap.data, op.lowerBoundOperands, form)
            upper = forms_of_map(op.upperBoundMap.data, op.upperBoundOperands, form)
            return [Loop.of(fresh(), lower, upper, op.step.value.data)]
        case ParallelOp():
            low_maps = _maps(op.lower_bounds, op.lowerBoundsMap.data)
            high_maps = _maps(op.upper_bounds, op.upperBoundsMap.data)
            lowers = [forms_of_map(map, op.lower_operands, form) for map in low_maps]
            uppers = [forms_of_map(map, op.upper_operands, form) for map in high_maps]
            bounds = zip(lowers, uppers, op.step_values, strict=True)
            return [Loop.of(fresh(), *bound) for bound in bounds]
        case scf.ForOp():
            return [Loop.of(fresh(), [form(op.lb)], [form(op.ub)], form(op.step))]
        case _:
            pairs = zip(op.lowerBound, op.upperBound, op.step, strict=True)
            return [
                Loop.of(fresh(), [form(low)], [form(high)], form(step)) for low, high, step in pairs
            ]


def _maps(groups: Sequence[Sequence[AffineExpr]], map: AffineMap) -> list[AffineMap]:
    """A map for the bounds of each loop."""
    return [AffineMap(map.num_dims, map.num_symbols, tuple(group)) for group in groups]
