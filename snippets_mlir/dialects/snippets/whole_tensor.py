"""Base class of the ops that are not elementwise.

They are `ReduceOp` (`reduction.py`), `NormalizationOp` (`normalization.py`), `LayoutOp`
(`layout.py`; `snippets.reshape` is one), `MatMulOp` (`product.py`), `ArgReduceOp`
(`arg_reduction.py`), `CumulativeOp` (`cumulative.py`), `SliceOp` (`slicing.py`), `ConcatOp`
(`concatenation.py`) and `IotaOp` (`iota.py`), which has no operand. Their syntax is the syntax of
all computing ops. Axes are attributes and count from the outermost dim:

    %1 = snippets.reduce_sum %0 {axes = array<i64: 1>, keep_dims} :
         (tensor<4x8xf32>) -> tensor<4x1xf32>

The constraints are the constraints of `base.py`, and:

* C7: axes and permutations are within the rank, each dim once, axes in rising order.
* C8: the parameters of a normalization (scale, bias, ...) fit its operand.
* C9: the operands of a product (`product.py`) or a concat fit together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import I64, DenseArrayBase, IntegerAttr, i64
from xdsl.irdl import prop_def
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.base import ComputeOp


class WholeTensorOp(ComputeOp, ABC):
    """An op that is not elementwise.

    `WITHOUT_KERNEL` is the reason why kernels do not support the op; empty for ops that kernels
    support, or that passes decompose inside subgraphs. `DECOMPOSED_BY` is such a pass.
    """

    WITHOUT_KERNEL: ClassVar[str] = ""
    DECOMPOSED_BY: ClassVar[str] = ""

    @abstractmethod
    def infer_shape(self, shapes: Sequence[Shape]) -> Shape:
        """The result's shape for operands of these shapes; the attributes are verified."""

    @override
    def verify_(self) -> None:
        self.verify_elements()
        self.verify_attributes()
        self.verify_parameters()
        self.verify_result(self.infer_shape([shape_of(v) for v in self.operands]))

    def room(self) -> Sequence[Dim]:
        """Sizes that have to be 0 or more in a call, for the op to be valid."""
        return ()

    def verify_parameters(self) -> None:
        """Check C8, or C9 for a product; ops with several operands override this."""


class AxisOp(WholeTensorOp, ABC):
    """An op whose attribute names one dim of its operand."""

    axis_attr = prop_def(IntegerAttr[I64], prop_name="axis")

    @property
    def axis(self) -> int:
        """The named dim, counted from the outermost one."""
        return self.axis_attr.value.data


class AxesOp(WholeTensorOp, ABC):
    """An op whose attribute names dims of its operand."""

    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")

    @property
    def axes(self) -> tuple[int, ...]:
        """The named dims, in rising order."""
        return tuple(self.axes_attr.get_values())


def normalized_axes(name: str, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """Axes in attribute form: not negative, rising; VerifyException (C7) for invalid axes."""
    if any(not -rank <= axis < rank for axis in axes):
        verify_axes(name, axes, rank)
    result = tuple(sorted(axis + rank if axis < 0 else axis for axis in axes))
    verify_axes(name, result, rank)
    return result


def verify_axes(name: str, axes: Sequence[int], rank: int) -> None:
    """Check C7 for axes of a tensor of `rank` dims."""
    if any(not 0 <= axis < rank for axis in axes):
        raise VerifyException(
            f"C7: {name} expects axes from 0 to {rank - 1} of a tensor of rank {rank}, "
            f"found {_listed(axes)}"
            if rank
            else f"C7: {name} expects no axes of a tensor of rank 0, found {_listed(axes)}"
        )
    if list(axes) != sorted(set(axes)):
        raise VerifyException(f"C7: {name} expects rising axes, each once, found {_listed(axes)}")


def _listed(axes: Sequence[int]) -> str:
    return ", ".join(map(str, axes)) or "none"
