"""Facts about a model that may be planned again for larger calls; see `growth.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from snippets_mlir.driver.onnx.contents import Contents
from snippets_mlir.driver.onnx.growth import Growth, grown
from snippets_mlir.driver.onnx.weight_places import FileFacts
from snippets_mlir.driver.programs.maker import Shapes
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.runtime.arguments.arrays import TensorSpec


class Growing:
    """Whether the latest plan of one model counts for a call.

    `settle_bound`, or the first call that outgrows the first plan, decides whether that plan is
    final.

    Attributes:
        plan: the call that a plan without kernels was made for; None if the latest plan is final.
    """

    def __init__(self, source: Source, inputs: Sequence[TensorSpec]) -> None:
        """For a model and its inputs."""
        self.plan: Growth | None = None
        self._source, self._inputs = source, inputs
        self._latest: Growth | None = None
        self._contents: Contents | None = None
        self._may_pay: Callable[[], bool] | None = None  # in large calls, until it is known

    @property
    def files(self) -> Sequence[FileFacts] | None:
        """Other files with data of the model; None if no other plan may be made."""
        return None if self._contents is None else self._contents.files

    def is_outgrown_by(self, shapes: Shapes) -> bool:
        """Whether another plan is to be made for a call with inputs of `shapes`."""
        if self.plan is None or not self.plan.is_outgrown(shapes):
            return False
        self.settle_bound()
        return self.plan is not None  # pyright: ignore[reportUnnecessaryComparison]

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
            may_pay: whether a kernel may save something in a call with inputs of other shapes; it
                is called later.
        """
        if not self._source.is_dynamic:
            return
        if self._latest is not None:
            self.plan = self._latest.after(shapes)
            return
        large = grown(shapes, self._inputs)
        if large != shapes:
            self._contents = Contents.of(self._source)
            if self._contents is not None:
                self._may_pay, self.plan = partial(may_pay, large), Growth(shapes)

    def settle_bound(self) -> None:
        """Make no other plan if no kernel can save anything in a large call.

        Threads that do this at the same time find the same.
        """
        ask, plan = self._may_pay, self.plan
        if ask is not None and plan is not None and not ask():
            self.plan = None
        self._may_pay = None

    def end(self) -> None:
        """Make no other plan, unless `add` has received one."""
        if self.plan is self._latest:
            self.plan = None

    def settle(self) -> None:
        """Make no other plan."""
        self.plan = None
