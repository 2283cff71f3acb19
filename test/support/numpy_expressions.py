"""Random NumPy expressions: the oracle for `snippets_mlir.jit` is NumPy itself.

    expression(random.Random(3))     ("np.where((x > y), np.tanh(x), (z * 2))", {"x": ..., ...})

An expression is Python text over arrays of one broadcastable shape, of floats, integers or bools.
Floats are drawn so that no result depends on rounding: comparisons and jumps get multiples of 1/4.
"""

from __future__ import annotations

from random import Random

import numpy as np

from snippets_mlir.dialects.builtin.dtypes import Array

_ONE = (
    "np.tanh({0})",
    "np.exp(-np.abs({0}))",
    "np.sqrt(np.abs({0}))",
    "np.sin({0})",
    "(-{0})",
    "np.square({0})",
    "abs({0})",
    "{0}.sum(-1, keepdims=True)",
    "{0}.max(axis=0, keepdims=True)",
    "{0}.mean(-1, keepdims=True)",
    "{0}[::-1]",
    "{0}[..., None][..., 0]",
    "np.clip({0}, -2, 3)",
    "np.swapaxes({0}, 0, -1).T.reshape({0}.shape)",
    "{0}.astype(np.float64)",
)
_TWO = (
    "({0} + {1})",
    "({0} - {1})",
    "({0} * {1})",
    "({0} / (1 + np.abs({1})))",
    "np.maximum({0}, {1})",
    "np.minimum({0}, {1})",
    "np.hypot({0}, {1})",
)
_THREE = ("np.where({0} > {1}, {1}, {2})", "np.where({2} != {2}, {0}, {1})")
_OF_INTEGERS = (
    "({0} // 3)",
    "({0} % 5)",
    "({0} & {1})",
    "({0} | {1})",
    "({0} ^ {1})",
    "({0} << 1)",
    "({0} >> 2)",
    "(~{0})",
    "({0} * {1})",
    "({0} - {1})",
    "np.where({0} < {1}, {0}, {1})",
    "({0} // ({1} * 2 + 1))",
    "{0}.sum(0, keepdims=True)",
)
_LEAVES = ("x", "y", "z", "2", "0.5", "x", "y")


def expression(rng: Random) -> tuple[str, dict[str, Array]]:
    """An expression, and the arrays that its names stand for."""
    kind = rng.choice(("floats", "floats", "floats", "integers"))
    shape = [rng.randint(1, 19) for _ in range(rng.choice((1, 2, 2, 3)))]
    arrays: dict[str, Array] = {}
    for name in "xyz":
        sizes = [1 if rng.random() < 0.2 else n for n in shape]
        numbers = np.array([rng.randint(-16, 16) for _ in range(int(np.prod(sizes)))])
        if kind == "floats":
            array = (numbers / 4).astype(rng.choice(("f4", "f4", "f4", "f8")))
        else:
            array = numbers.astype(rng.choice(("i1", "i2", "i4", "i8")))
        arrays[name] = array.reshape(sizes)
    return _term(rng, kind, rng.randint(1, 4)), arrays


def _term(rng: Random, kind: str, depth: int) -> str:
    if depth == 0:
        return rng.choice(_LEAVES[:3] if kind == "integers" else _LEAVES)
    if kind == "integers":
        form = rng.choice(_OF_INTEGERS)
    else:
        form = rng.choice((*_ONE, *_TWO, *_TWO, *_THREE))
    parts = [_term(rng, kind, depth - 1) for _ in range(3)]
    parts[0] = f"({parts[0]} + x)"
    if form.startswith("np.where({0} >"):
        parts[0], parts[1] = "x", "y"
    return form.format(*parts)
