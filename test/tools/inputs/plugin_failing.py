"""Passes that fail, each in its own way."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException


@dataclass(frozen=True)
class FailHerePass(ModulePass):
    """Refuse every module."""

    name: ClassVar[str] = "fail-here"
    why: str = "no reason"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise PassFailedException(self.why)


@dataclass(frozen=True)
class BreakDominancePass(ModulePass):
    """Move the first op of each function after the second one."""

    name: ClassVar[str] = "break-dominance"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            block = function.regions[0].block
            first = block.first_op
            assert first is not None
            assert first.next_op is not None
            second = first.next_op
            first.detach()
            block.insert_op_after(first, second)


@dataclass(frozen=True)
class BreakOpPass(ModulePass):
    """Take the type attribute from each function."""

    name: ClassVar[str] = "break-op"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            function.properties["function_type"] = UnitAttr()


@dataclass(frozen=True)
class BugPass(ModulePass):
    """Has a bug."""

    name: ClassVar[str] = "bug"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        raise KeyError("lost")
