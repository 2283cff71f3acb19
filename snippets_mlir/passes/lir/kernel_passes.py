"""Base classes of passes on kernels, which have to be at one of the pass's stages."""

# No annotations from __future__: xDSL reads the options of passes from these.

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import kernels_at
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.passes.plans import PlanPass

OpT = TypeVar("OpT", bound=Operation)
MatchT = TypeVar("MatchT")
PlanT = TypeVar("PlanT")

EVERY_STAGE = Stages(("linear", "marked", "accessed", "looped", "assigned", "expanded"))
"""For passes that take kernels at any stage."""


def op_text(op: Operation) -> str:
    """`op 3, snippets.exp`: an op in the text of a plan, by its place in the kernel."""
    assert op.parent is not None
    return f"op {list(op.parent.ops).index(op)}, {op.name}"


@dataclass(frozen=True)
class KernelPatternPass(PatternPass):
    """Patterns on the ops of `lir.kernel`."""

    MIXES_CLASSES: ClassVar[bool] = False
    KERNELS_APART: ClassVar[bool] = True

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The kernels; an error if one is not at a stage of `STAGES`."""
        return kernels_at(module, self.STAGES.source)

    def finish(self, root: Operation) -> None:
        """Give the kernel the stage that the pass leaves."""
        if self.STAGES.target is not None:
            assert isinstance(root, KernelOp)
            root.set_stage(self.STAGES.target)


class LoopPattern(Pattern[OpT, MatchT]):
    """A pattern that looks loops up in the table of the kernel."""

    def __init__(self, table: Mapping[int, LoopInfo]) -> None:
        self.table = table


@dataclass(frozen=True)
class LoopPatternPass(KernelPatternPass):
    """Patterns on the ops of `lir.kernel` that look loops up."""

    @override
    def facts(self, root: Operation) -> tuple[Mapping[int, LoopInfo]]:
        assert isinstance(root, KernelOp)
        return (root.loop_table,)


@dataclass(frozen=True)
class KernelPlanPass(PlanPass[KernelOp, PlanT]):
    """A pass that makes a plan for each `lir.kernel` of a module, then applies it."""

    MIXES_CLASSES: ClassVar[bool] = False
    KERNELS_APART: ClassVar[bool] = True

    def units(self, module: ModuleOp) -> Iterable[KernelOp]:
        """The kernels; an error if one is not at a stage of `STAGES`."""
        return kernels_at(module, self.STAGES.source)


@dataclass(frozen=True)
class KernelCheckPass(Pass):
    """A pass that verifies each `lir.kernel` and changes nothing."""

    FORM: ClassVar[Form] = "check"
    MIXES_CLASSES: ClassVar[bool] = False

    @abstractmethod
    def check(self, kernel: KernelOp) -> None:
        """Raise CompileError at the first finding."""

    @override
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_at(op, self.STAGES.source):
            self.check(kernel)


@dataclass(frozen=True)
class KernelReportPass(Pass):
    """A pass that prints each `lir.kernel`, or writes it to files, and changes nothing."""

    FORM: ClassVar[Form] = "report"
    SIDE_EFFECTS: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    @abstractmethod
    def report(self, kernel: KernelOp) -> None:
        """Print the report on `kernel`, or write it to files."""

    @override
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_at(op, self.STAGES.source):
            self.report(kernel)
