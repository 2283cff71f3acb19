"""Write the target and the thread count on the module, where every later pass reads them.

    builtin.module { ... }

becomes, with `snippets-set-target{target=x86-64-avx2 threads=4}`,

    builtin.module attributes {snippets.target = "x86-64-avx2", snippets.threads = 4 : i64} { ... }

With `math=fast`, `snippets.math` lets `lir-expand-math` take the cheaper expansions (the default is
`accurate`). With `math=strict`, `snippets-extend-to-supported-types` rounds 16-bit floats after
each op.

More facts are written if they are given, for passes that decide how memory is written.
`cache=37486592` writes the bytes of the last-level cache as `snippets.cache` (by default the
machine's size holds). `streaming=always` or `never` writes `snippets.streaming` (the default is
`auto`).

With `tune=sapphirerapids`, `snippets.tune` names the CPUs that the loops are tuned for
(`TargetMachine.tunes`); all others run the same code.

`target=host` (the default) is resolved here, once; `threads=0` (the default) leaves the number to
the run time. A module keeps a target that it already names unless the option names another one.
Refuses an unknown target, a tune that the target does not have, negative numbers, and more than
1024 threads.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from typing_extensions import override
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Attribute

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.attribute_names import MAX_THREADS, THREADS
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import CACHE, MATH, STREAMING, TARGET, TUNE
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

MAX_CACHE = 2**63 - 1
"""The largest size that the attribute, an i64, can have."""


@dataclass(frozen=True)
class Settings:
    """The attributes of a module that the pass writes: name and value of each."""

    written: tuple[tuple[str, Attribute], ...]

    def __str__(self) -> str:
        lines = [f"{name} = {value}" for name, value in self.written]
        return "\n".join(lines) or "the module says everything"


@dataclass(frozen=True)
class SnippetsSetTargetPass(PlanPass[ModuleOp, Settings]):
    """Write the target machine and the thread count on the module."""

    name = "snippets-set-target"
    STAGES: ClassVar[Stages] = Stages(("any",))
    MIXES_CLASSES: ClassVar[bool] = False

    target: str = "host"
    threads: int = 0
    cache: int = 0
    tune: str = ""
    streaming: Literal["auto", "always", "never"] = "auto"
    math: Literal["accurate", "fast", "strict"] = "accurate"

    @override
    def units(self, module: ModuleOp) -> Iterable[ModuleOp]:
        for name, value, most in (
            ("threads", self.threads, MAX_THREADS),
            ("cache", self.cache, MAX_CACHE),
        ):
            if not 0 <= value <= most:
                raise CompileError(f"expected {name} of 0 to {most}, found {value}")
        return (module,)

    def plan(self, unit: ModuleOp) -> Settings:
        """The given options, and the facts that the module lacks."""
        return Settings(tuple(self._settings(unit)))

    def _settings(self, module: ModuleOp) -> Iterator[tuple[str, Attribute]]:
        said = module.attributes.get(TARGET)
        name = said.data if isinstance(said, StringAttr) else host_target()
        if self.target != "host":
            name = machine(self.target).name
        if self.target != "host" or TARGET not in module.attributes:
            yield TARGET, StringAttr(name)
        said = module.attributes.get(TUNE)
        if tune := self.tune or (said.data if isinstance(said, StringAttr) else ""):
            machine(name).tuned(tune)
        if self.tune:
            yield TUNE, StringAttr(tune)
        if self.threads or THREADS not in module.attributes:
            yield THREADS, IntegerAttr(self.threads, i64)
        if self.cache:
            yield CACHE, IntegerAttr(self.cache, i64)
        if self.streaming != "auto":
            yield STREAMING, StringAttr(self.streaming)
        if self.math != "accurate":
            yield MATH, StringAttr(self.math)

    @override
    def carry_out(self, unit: ModuleOp, plan: Settings) -> None:
        unit.attributes.update(plan.written)
