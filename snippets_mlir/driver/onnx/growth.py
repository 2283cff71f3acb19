"""When a model that is one session is planned again: for much larger calls.

    first call     tokens 1x3      no kernel saves what the cut of a session costs: one session
    later          tokens 1x9      one session
                   tokens 1x128    more than four times as large: planned again, 16 kernels

The sizes of the first call determine the plan of a dynamic model. They are small if a program is
warmed up, or gets a short sentence first. So a plan without kernels is valid for calls whose inputs
have at most `FACTOR` times as many elements as the planned call, and a model is planned again at
most `TIMES` times. If no kernel could save anything in a call with dims of `LARGE`
(`bound/cut_bound.py`), the first plan is final. A model whose file has changed meanwhile keeps its
plan, because kernels would have other weights than the session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.runtime.arguments.arrays import TensorSpec

FACTOR = 4
TIMES = 4
LARGE = 512


@dataclass(frozen=True)
class Growth:
    """The call that a plan without kernels was made for, and how often it may be planned again.

    Attributes:
        shapes: the input shapes of the call that it was made for.
        left: how many more plans may be made.
    """

    shapes: Shapes
    left: int = TIMES

    def is_outgrown(self, shapes: Shapes) -> bool:
        """Whether an input of a call is so much larger that another plan may have kernels."""
        pairs = zip(shapes, self.shapes, strict=True)
        return any(prod(new) > FACTOR * max(1, prod(old)) for new, old in pairs)

    def after(self, shapes: Shapes) -> Growth | None:
        """The state after one more plan without kernels; None after the last one."""
        return Growth(shapes, self.left - 1) if self.left > 1 else None


def grown(shapes: Shapes, inputs: Sequence[TensorSpec]) -> Shapes:
    """The shapes of a large call: each dynamic dim is at least `LARGE`."""
    return tuple(
        tuple(max(size, LARGE) if is_dynamic(spec, dim) else size for dim, size in enumerate(shape))
        for shape, spec in zip(shapes, inputs, strict=True)
    )


def is_dynamic(spec: TensorSpec, dim: int) -> bool:
    """Whether only a call knows a dim of an input."""
    return spec.shape is None or spec.shape[dim] is None
