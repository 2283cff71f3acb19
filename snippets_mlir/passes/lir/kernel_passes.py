"""Passes on the kernels of a module, which have to be at one of the pass's stages."""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_at
from snippets_mlir.passes.patterns import PatternPass
from snippets_mlir.passes.plans import PlanPass

PlanT = TypeVar("PlanT")


@dataclass(frozen=True)
class KernelPatternPass(PatternPass):
    """Patterns on the ops of `lir.kernel`."""

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The kernels; an error when one is not at a stage of `STAGES`."""
        return kernels_at(module, self.STAGES.source)

    def finish(self, root: Operation) -> None:
        """Give the kernel the stage that the pass leaves."""
        if self.STAGES.target is not None:
            assert isinstance(root, KernelOp)
            root.set_stage(self.STAGES.target)


@dataclass(frozen=True)
class KernelPlanPass(PlanPass[KernelOp, PlanT]):
    """A plan for each `lir.kernel`."""

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels; an error when one is not at a stage of `STAGES`."""
        return kernels_at(module, self.STAGES.source)
