"""Decisions about a whole block, function or kernel: a plan, and a pass that carries it out.

    class LirInitLiveRangesPass(PlanPass[KernelOp, LiveRanges]):
        def units(self, module): return kernels_of(module)
        def plan(self, unit): ...                       # pure
        def carry_out(self, unit, plan): ...            # edits, asks nothing

A plan is frozen and prints as text: `snippets-opt --explain=lir-init-live-ranges` prints the plans
of a pass just before it carries them out. Planning changes nothing, so a plan may be made, read and
discarded.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation

from snippets_mlir.passes.base import Form, Pass
from snippets_mlir.support.spans import span

NOTHING = "nothing"
"""The text of a plan that has no text, and of a module that has no unit to plan for."""

UnitT = TypeVar("UnitT", Operation, Block, Any)
PlanT = TypeVar("PlanT")


@dataclass(frozen=True)
class PlanPass(Pass, Generic[UnitT, PlanT]):
    """A pass that decides about one unit at a time, then edits it."""

    FORM: ClassVar[Form] = "plan"

    @abstractmethod
    def units(self, module: ModuleOp) -> Iterable[UnitT]:
        """The units with one plan each, in order.

        Raises:
            CompileError: the module is not of the stage that the pass takes.
        """

    @abstractmethod
    def plan(self, unit: UnitT) -> PlanT:
        """The decision: a frozen object with a readable `str`; changes nothing."""

    @abstractmethod
    def carry_out(self, unit: UnitT, plan: PlanT) -> None:
        """Edit the unit by the plan."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Plan and edit one unit after another."""
        for unit in self.units(op):
            with span(partial(name_of, unit), "unit"):
                self.carry_out(unit, self.plan(unit))

    def explained(self, module: ModuleOp) -> Iterator[str]:
        """The output of `--explain`: a headline and the plan of each unit; edits a copy."""
        copy = module.clone()
        for unit in self.units(copy):
            plan = self.plan(unit)
            yield f"{self.name}: {name_of(unit)}\n{str(plan) or NOTHING}"
            self.carry_out(unit, plan)


def name_of(unit: Operation | Block) -> str:
    """The symbol of a unit, or of the op around it."""
    op = unit.parent_op() if isinstance(unit, Block) else unit
    while op is not None:
        name = op.properties.get("sym_name")
        if isinstance(name, StringAttr):
            return f"@{name.data}"
        op = op.parent_op()
    return "the module"
