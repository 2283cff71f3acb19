"""Passes with an option of every kind, for tests of pipelines."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass


@dataclass(frozen=True)
class SamplePass(ModulePass):
    """Does nothing."""

    name: ClassVar[str] = "sample"
    count: int = 3
    factor: float = 1.0
    mode: Literal["fast", "exact"] = "fast"
    sizes: tuple[int, ...] = ()
    fast: bool = False
    limit: int | None = None
    label: str = "x"
    either: int | float = 0
    long_name: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Leave the module as it is."""


@dataclass(frozen=True)
class StrictPass(ModulePass):
    """Has an option without a default."""

    name: ClassVar[str] = "strict"
    need: int

    def __post_init__(self) -> None:
        if self.need <= 0:
            raise ValueError("need has to be positive")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Leave the module as it is."""
