"""Write the target and the thread count on the module, where every later pass finds them.

    builtin.module { ... }

becomes, with `snippets-set-target{target=x86-64-avx2 threads=4}`,

    builtin.module attributes {snippets.target = "x86-64-avx2", snippets.threads = 4 : i64} { ... }

With `math=fast`, `snippets.math` says that `lir-expand-math` may take the cheaper expansions
(without, it is `accurate`).

Two more facts are written when they are given, for passes that decide how memory is written: with
`cache=37486592` the bytes of the last-level cache as `snippets.cache` (without, the machine's
default holds), and with `streaming=always` or `never`, `snippets.streaming` (without, it is
`auto`).

`target=host` (the default) is resolved here, once; `threads=0` (the default) leaves the number
to the run time. A module that names its target already keeps it unless the option names another
one. Refuses an unknown target, and negative numbers.
"""

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.passes import ModulePass

from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import CACHE, MATH, STREAMING, TARGET, THREADS
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine


@dataclass(frozen=True)
class SnippetsSetTargetPass(ModulePass):
    """Write the target machine and the thread count on the module."""

    name = "snippets-set-target"

    target: str = "host"
    threads: int = 0
    cache: int = 0
    streaming: Literal["auto", "always", "never"] = "auto"
    math: Literal["accurate", "fast"] = "accurate"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Set `snippets.target` and `snippets.threads`, and the others when they are given."""
        for name, value in (("threads", self.threads), ("cache", self.cache)):
            if value < 0:
                raise CompileError(f"expected {name} of 0 or more, found {value}")
        if self.target != "host":
            op.attributes[TARGET] = StringAttr(machine(self.target).name)
        elif TARGET not in op.attributes:
            op.attributes[TARGET] = StringAttr(host_target())
        if self.threads or THREADS not in op.attributes:
            op.attributes[THREADS] = IntegerAttr(self.threads, i64)
        if self.cache:
            op.attributes[CACHE] = IntegerAttr(self.cache, i64)
        if self.streaming != "auto":
            op.attributes[STREAMING] = StringAttr(self.streaming)
        if self.math != "accurate":
            op.attributes[MATH] = StringAttr(self.math)
