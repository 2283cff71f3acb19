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
from typing import TYPE_CHECKING, Literal

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from snippets_mlir.errors import CompileError
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TargetMachine, machine

if TYPE_CHECKING:
    from snippets_mlir.targets.emitters.table import EmitterTable

TARGET = "snippets.target"
THREADS = "snippets.threads"
CACHE = "snippets.cache"
STREAMING = "snippets.streaming"
MATH = "snippets.math"


def machine_of(module: ModuleOp) -> TargetMachine:
    """The machine that the module names; CompileError when it names none."""
    attr = module.attributes.get(TARGET)
    if not isinstance(attr, StringAttr):
        raise CompileError(
            f"expected the module to have a string attribute `{TARGET}`; "
            "run snippets-set-target before this pass"
        )
    return machine(attr.data)


def emitters_around(op: Operation) -> "EmitterTable":
    """The emitters of the target of the module that `op` is in; the base table if it has none."""
    from snippets_mlir.targets.emitters.table import BASE

    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is None or TARGET not in module.attributes:
        return BASE
    return machine_of(module).emitters


def threads_of(module: ModuleOp) -> int:
    """The thread count that the module names; 1 when it names none, or 0 (chosen at run time)."""
    attr = module.attributes.get(THREADS)
    return max(1, attr.value.data) if isinstance(attr, IntegerAttr) else 1


def cache_of(module: ModuleOp) -> int:
    """Bytes of the last-level cache: what the module says, else the default of its machine."""
    attr = module.attributes.get(CACHE)
    return attr.value.data if isinstance(attr, IntegerAttr) else machine_of(module).cache


def streaming_of(module: ModuleOp) -> str:
    """What the user wants of non-temporal stores: `auto`, `always` or `never`."""
    attr = module.attributes.get(STREAMING)
    return attr.data if isinstance(attr, StringAttr) else "auto"


def math_of(module: ModuleOp) -> str:
    """Which expansions of functions are wanted: `accurate` or `fast`."""
    attr = module.attributes.get(MATH)
    return attr.data if isinstance(attr, StringAttr) else "accurate"


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
