"""Kernels of reductions, normalizations and layouts against the ops' values, each op alone.

Sizes are odd, 1, 0, and one below and above a vector; rows are ordinary or exceptional (NaN, inf,
all -inf, all -0.0). Integers, max, min and what only moves elements have to be equal bit by bit;
sums may differ by the order of their additions, but not in the sign of a zero.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from op_families import ARG_OPS, CHANNEL_NORM_OPS, LAYOUT_OPS, NORMALIZATION_OPS, REDUCTION_OPS
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp, TensorType, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.snippets.arg_reduction import ArgMaxOp
from snippets_mlir.dialects.snippets.channel_norms import (
    OUTSIDE,
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.iota import IotaOp
from snippets_mlir.dialects.snippets.layout import (
    SqueezeOp,
    TransposeOp,
    UnsqueezeOp,
)
from snippets_mlir.dialects.snippets.normalization import (
    LayerNormOp,
    LogSoftmaxOp,
    RmsNormOp,
    SoftmaxOp,
)
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMinOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.values.evaluate import evaluate

Array = NDArray[Any]
Make = Callable[[Sequence[SSAValue]], Operation]
F32, F64, I32, I64 = np.float32, np.float64, np.int32, np.int64
INF, NAN = np.inf, np.nan
EXCEPTIONAL = ([NAN], [INF], [INF, -INF], [-INF], [3e38], [-0.0], [0.0, -0.0], [1e-45], [-7.0])
REDUCED = (
    ((5, 17), (1,)),
    ((5, 17), (0,)),
    ((3, 4, 9), (0, 2)),
    ((3, 1, 33), (1, 2)),
    ((2, 3, 2, 7), (1, 2)),
    ((40,), (0,)),
    ((6, 1), (1,)),
    ((2, 0, 3), (1,)),
    ((0, 3), (1,)),
    ((1100, 2), (0,)),
)


@dataclass(frozen=True)
class Case:
    """An op on operands of the given shapes."""

    make: Make
    shapes: tuple[tuple[int, ...], ...]
    dtype: Any = F32
    exact: bool = False


def reductions() -> list[Case]:
    """Every reduction over rows, columns, several dims, no elements."""
    cases: list[Case] = []
    for index, (shape, axes) in enumerate(REDUCED):
        for cls in REDUCTION_OPS:
            floats = F64 if index % 3 == 0 else F32
            exact = cls in (ReduceMaxOp, ReduceMinOp)
            cases.append(Case(lambda v, c=cls, a=axes: c(v[0], a), (shape,), floats, exact))
            if index % 2 == 0:
                ints = I64 if index % 4 else I32
                cases.append(Case(lambda v, c=cls, a=axes: c(v[0], a, True), (shape,), ints, True))
    return cases


NORMS = [
    *(
        Case(lambda v, c=cls, a=axis: c(v[0], a), (shape,), dtype)
        for cls in (SoftmaxOp, LogSoftmaxOp)
        for shape, axis, dtype in (
            ((9, 17), 1, F32),
            ((9, 17), 0, F32),
            ((3, 9, 8), 1, F64),
            ((12, 1), 1, F32),
            ((2, 0), 1, F32),
            ((33,), 0, F32),
        )
    ),
    Case(lambda v: LayerNormOp(v[0], v[1], v[2], -1, 1e-5), ((9, 33), (33,), (33,))),
    Case(lambda v: LayerNormOp(v[0], v[1], None, 1, 1e-5), ((3, 4, 5), (4, 1)), F64),
    Case(lambda v: LayerNormOp(v[0], None, None, 0, 0.5), ((3, 7),)),
    Case(lambda v: RmsNormOp(v[0], v[1], 1, 1e-6), ((9, 16), (16,))),
    Case(lambda v: RmsNormOp(v[0], None, 1, 1e-6), ((3, 2, 5),), F64),
    Case(lambda v: GroupNormOp(v[0], v[1], v[2], 2, 1e-5), ((2, 6, 3, 5), (6,), (6,))),
    Case(lambda v: GroupNormOp(v[0], v[1], v[2], 6, 1e-5), ((2, 6, 9), (6,), (6,))),
    Case(lambda v: InstanceNormOp(v[0], v[1], v[2], 1e-5), ((2, 3, 17), (3,), (3,))),
    Case(lambda v: InstanceNormOp(v[0], v[1], v[2], 1e-5), ((2, 3), (3,), (3,))),
    Case(lambda v: BatchNormOp(*v, epsilon=1.5), ((2, 3, 5), (3,), (3,), (3,), (3,))),
    Case(lambda v: MvnOp(v[0], [0, 2], 1e-5), ((2, 3, 9),)),
    Case(lambda v: MvnOp(v[0], [1], 1e-9, eps_mode=OUTSIDE), ((5, 17),)),
    Case(lambda v: MvnOp(v[0], [-1], 0.0, normalize_variance=False), ((5, 9),), F64),
]

LAYOUTS = [
    *(
        Case(lambda v, p=permutation: TransposeOp(v[0], p), (shape,), dtype, True)
        for shape, permutation, dtype in (
            ((5, 17), (1, 0), F32),
            ((3, 9, 8), (2, 0, 1), F32),
            ((2, 3, 4, 9), (0, 2, 1, 3), I64),
            ((1, 7, 1, 5), (3, 2, 1, 0), F64),
            ((0, 4), (1, 0), F32),
            ((6, 5), (1, 0), np.bool_),
        )
    ),
    Case(lambda v: SqueezeOp(v[0], [0, 2]), ((1, 9, 1),), F32, True),
    Case(lambda v: UnsqueezeOp(v[0], [0, -1]), ((3, 3),), I32, True),
]


def arrays_of(case: Case, seed: int) -> list[Array]:
    """Ordinary numbers in all operands; every second row of the first one is exceptional."""
    rng = np.random.default_rng(seed)
    if case.dtype is np.bool_:
        return [rng.random(shape) < 0.5 for shape in case.shapes]
    if np.dtype(case.dtype).kind == "i":
        limits = np.iinfo(case.dtype)
        return [
            rng.integers(limits.min, limits.max, shape, case.dtype, endpoint=True)
            for shape in case.shapes
        ]
    arrays = [rng.standard_normal(shape).astype(case.dtype) for shape in case.shapes]
    if not arrays or not arrays[0].size:
        return arrays
    rows = arrays[0].reshape(-1, arrays[0].shape[-1])
    for index, values in enumerate(EXCEPTIONAL):
        if 2 * index + 1 < len(rows):
            rows[2 * index + 1] = np.resize(np.array(values, case.dtype), rows.shape[1])
    return arrays


def function_of(case: Case) -> tuple[FuncOp, Operation]:
    """The op alone in a function, and the op."""
    element = element_type_of(np.dtype(case.dtype))
    block = Block(arg_types=[TensorType(element, shape) for shape in case.shapes])
    op = case.make(block.args)
    block.add_ops([op, ReturnOp(op.results[0])])
    types = ([a.type for a in block.args], [op.results[0].type])
    return FuncOp("main", types, Region([block])), op


def check(case: Case, found: Array, wanted: Array) -> None:
    """Equal, or nearly: NaN and inf at the same places, zeros of the same sign."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    if case.exact:
        np.testing.assert_array_equal(found, wanted)
    else:
        relative = 2e-5 if case.dtype is F32 else 1e-12
        np.testing.assert_allclose(found, wanted, relative, relative)
    if found.dtype.kind == "f":
        zeros = (found == 0) & (wanted == 0)
        np.testing.assert_array_equal(np.signbit(found[zeros]), np.signbit(wanted[zeros]))


PLACES = [
    *(
        Case(lambda v, c=cls, a=axis: c(v[0], a), (shape,), dtype, True)
        for cls in ARG_OPS
        for shape, axis, dtype in (
            ((21, 17), 1, F32),
            ((9, 16), 0, F64),
            ((3, 4, 9), 1, I32),
            ((5, 8), 1, I64),
            ((6, 15), 1, np.bool_),
            ((40,), 0, F32),
            ((6, 1), 1, F32),
            ((0, 3), 1, F32),
        )
    ),
    Case(lambda v: ArgMaxOp(v[0], 1, True, i32), ((7, 33),), F32, True),
    Case(lambda v: IotaOp(TensorType(i64, [3, 5]), 1), (), F32, True),
]

CASES = [*reductions(), *NORMS, *LAYOUTS, *PLACES]


@pytest.mark.parametrize("case", sampled(CASES, 2), ids=lambda c: str(c.shapes))
def test_kernel_computes_the_value(case: Case):
    function, op = function_of(case)
    program = snippets_mlir.compile(ModuleOp([function]), fallback="error", num_threads=2)
    for seed in (0, 1):
        arrays = arrays_of(case, seed)
        check(case, np.asarray(program(*arrays)), evaluate(op, arrays))


def test_every_op_has_a_case():
    tried = {type(function_of(case)[1]) for case in CASES}
    known = {*REDUCTION_OPS, *NORMALIZATION_OPS, *CHANNEL_NORM_OPS, *LAYOUT_OPS, *ARG_OPS}
    assert tried == known | {IotaOp}


def test_a_wrong_result_is_noticed():
    case = Case(lambda v: ReduceSumOp(v[0], [0]), ((2,),))
    wanted = np.array([0.0, 1.0, NAN], F32)
    check(case, wanted.copy(), wanted)
    for place, number in ((0, -0.0), (0, 1e-3), (1, 1.001), (2, 1.0), (0, NAN)):
        found = wanted.copy()
        found[place] = number
        with pytest.raises(AssertionError):
            check(case, found, wanted)
