"""Canonical forms of reductions and layouts keep every bit, and say the right pattern kinds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from op_families import CHANNEL_NORM_OPS, LAYOUT_OPS, NORMALIZATION_OPS, REDUCTION_OPS
from sampled import sampled
from value_types import NewProgram, Same, Special
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.utils.test_value import create_ssa_value

from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.canonicalization.layouts import is_reshapable, keeps_order
from snippets_mlir.dialects.snippets.channel_norms import (
    BatchNormOp,
    GroupNormOp,
    InstanceNormOp,
    MvnOp,
)
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
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
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, PatternKind
from snippets_mlir.dialects.snippets.reduction import (
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceProdOp,
    ReduceSumOp,
)
from snippets_mlir.dialects.snippets.shapes import DYNAMIC

SIZES = (1, 1, 1, 2, 3, 0)


def random_layout(rng: random.Random, x: SSAValue) -> Operation:
    """A transpose, squeeze, unsqueeze, reshape, or a reduction of some dims, of `x`."""
    shape = shape_of(x)
    dims = list(range(len(shape)))
    kind = rng.randrange(5)
    if kind == 0:
        return TransposeOp(x, rng.sample(dims, len(dims)))
    if kind == 1:
        ones = [dim for dim in dims if shape[dim] == 1]
        return SqueezeOp(x, rng.sample(ones, rng.randint(0, len(ones))))
    if kind == 2 and len(dims) < 5:
        count = rng.randint(0, 2)
        return UnsqueezeOp(x, rng.sample(range(len(dims) + count), count))
    if kind == 3:
        return ReshapeOp(x, rng.sample(shape, len(shape)))
    axes = rng.sample(dims, rng.randint(0, min(2, len(dims))))
    return rng.choice(REDUCTION_OPS)(x, axes, keep_dims=rng.random() < 0.5)


@pytest.mark.parametrize("seed", sampled(range(60), 2))
def test_chains_keep_every_bit(
    seed: int, new_program: NewProgram, same: Same, special: Special
) -> None:
    rng = random.Random(seed)
    name = rng.choice(("float32", "float64", "float16", "int32", "int8"))
    dtype = np.dtype(name)  # with the line above in one, its type takes seconds to infer
    shape = tuple(rng.choice(SIZES) for _ in range(rng.randint(0, 4)))
    values = special(dtype)
    x = values[np.random.default_rng(seed).integers(0, len(values), shape)].reshape(shape)
    program = new_program([x])
    value = program.block.args[0]
    for _ in range(rng.randint(1, 6)):
        value = program.add(random_layout(rng, value))
    program.finish(value)
    before = program.run()
    program.canonicalize()
    assert same(before, program.run())
    left = [op for op in program.block.ops if isinstance(op, SqueezeOp | UnsqueezeOp)]
    assert not left


@pytest.mark.parametrize(
    ("shape", "permutation", "expected"),
    [
        ((), (), True),
        ((4, 5), (1, 0), False),
        ((4, 1), (1, 0), True),
        ((1, 4, 1, DYNAMIC), (1, 3, 0, 2), True),
        ((1, DYNAMIC, 4), (2, 1, 0), False),
        ((0, 1, 3), (1, 0, 2), True),
        ((0, 3), (1, 0), False),
    ],
)
def test_transposes_that_move_nothing(
    shape: Sequence[int], permutation: Sequence[int], expected: bool
) -> None:
    assert keeps_order(shape, permutation) is expected


def test_shapes_that_a_reshape_can_say() -> None:
    assert is_reshapable([2, 0])
    assert is_reshapable([DYNAMIC, 1])
    assert not is_reshapable([DYNAMIC, 0])
    assert not is_reshapable([DYNAMIC, DYNAMIC])


def value(*shape: int) -> SSAValue:
    """A value of f32 elements."""
    return create_ssa_value(TensorType(f32, shape))


X, C = value(2, 4, 3), value(4)
COMPLEX, OPAQUE = PatternKind.OUT_ELEMWISE_FUSABLE, PatternKind.OPAQUE
KINDS: list[tuple[Any, PatternKind, PatternKind]] = [
    *(
        (cls(X, [1]), PatternKind.COMM_REDUCE, PatternKind.COMM_REDUCE)
        for cls in (ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceSumOp)
    ),
    (ReduceMeanOp(X, [1]), PatternKind.COMM_REDUCE, COMPLEX),
    (SoftmaxOp(X, 1), COMPLEX, COMPLEX),
    (LogSoftmaxOp(X, 1), COMPLEX, COMPLEX),
    (LayerNormOp(X, None, None, 1, 0.1), OPAQUE, COMPLEX),
    (RmsNormOp(X, None, 1, 0.1), OPAQUE, COMPLEX),
    (GroupNormOp(X, C, C, 2, 0.1), OPAQUE, COMPLEX),
    (InstanceNormOp(X, C, C, 0.1), OPAQUE, COMPLEX),
    (MvnOp(X, [1], 0.1), OPAQUE, COMPLEX),
    (BatchNormOp(X, C, C, C, C, 0.1), PatternKind.BROADCAST, PatternKind.ELEMWISE),
    (TransposeOp(X, [1, 0, 2]), PatternKind.INJECTIVE, PatternKind.INJECTIVE),
    (SqueezeOp(value(1, 4), [0]), PatternKind.INJECTIVE, PatternKind.BROADCAST),
    (UnsqueezeOp(X, [0]), PatternKind.BROADCAST, PatternKind.BROADCAST),
]


@pytest.mark.parametrize(("op", "relay", "relax"), KINDS, ids=lambda v: getattr(v, "name", ""))
def test_pattern_kinds(op: Any, relay: PatternKind, relax: PatternKind) -> None:
    assert op.fuse_pattern(Flavor.RELAY) is relay
    assert op.fuse_pattern(Flavor.RELAX) is relax


def test_every_op_has_a_pattern_kind_here() -> None:
    ops = (*REDUCTION_OPS, *NORMALIZATION_OPS, *CHANNEL_NORM_OPS, *LAYOUT_OPS)
    assert {op.name for op, _, _ in KINDS} == {op.name for op in ops}
