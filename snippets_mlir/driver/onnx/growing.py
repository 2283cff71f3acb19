"""Facts about a model that may be planned again for larger calls; see `growth.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from snippets_mlir.driver.onnx.contents import Contents
from snippets_mlir.driver.onnx.growth import Growth, grown
from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.runtime.arguments.arrays import TensorSpec


class Growing:
    """Whether the latest plan of one model counts for a call.

    Attributes:
        plan: the call that a plan without kernels was made for; None if the latest plan is final.
    """

    def __init__(self, source: Source, inputs: Sequence[TensorSpec]) -> None:
        """For a model and its inputs."""
        self.plan: Growth | None = None
        self._source, self._inputs = source, inputs
        self._latest: Growth | None = None
        self._contents: Contents | None = None

    def is_outgrown_by(self, shapes: Shapes) -> bool:
        """Whether another plan is to be made for a call with inputs of `shapes`."""
        return self.plan is not None and self.plan.is_outgrown(shapes)

    def begin(self) -> bool:
        """Whether another plan can be made: not if the model has changed.

        The plan stays valid until the next one exists, because other threads use it meanwhile.
        """
        self._latest = self.plan
        return self._contents is not None and self._contents.are_those_of(self._source)

    def add(self, shapes: Shapes, may_pay: Callable[[Shapes], bool]) -> None:
        """Note that the plan for `shapes` has no kernels.

        Args:
            shapes: of the inputs; () without dynamic dims.
            may_pay: whether a kernel may save something in a call with inputs of other shapes.
        """
        if not self._source.is_dynamic:
            return
        if self._latest is not None:
            self.plan = self._latest.after(shapes)
            return
        large = grown(shapes, self._inputs)
        if large != shapes and may_pay(large):
            self._contents = Contents.of(self._source)
            self.plan = None if self._contents is None else Growth(shapes)

    def end(self) -> None:
        """Make no other plan, unless `add` has received one."""
        if self.plan is self._latest:
            self.plan = None

    def settle(self) -> None:
        """Make no other plan."""
        self.plan = None
