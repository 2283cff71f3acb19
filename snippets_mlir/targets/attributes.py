"""Module attributes that describe the target machine; `snippets-set-target` writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from snippets_mlir.analysis.graph.products import SIDE_BY_SIDE
from snippets_mlir.support.attribute_names import THREADS
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.machine import machine
from snippets_mlir.targets.target_machine import TargetMachine

if TYPE_CHECKING:
    from snippets_mlir.targets.emitters.table import EmitterTable

TARGET = "snippets.target"
CACHE = "snippets.cache"
STREAMING = "snippets.streaming"
TUNE = "snippets.tune"
MATH = "snippets.math"


def machine_of(module: ModuleOp) -> TargetMachine:
    """The machine that the module names, for its tune; CompileError if it names none."""
    attr = module.attributes.get(TARGET)
    if not isinstance(attr, StringAttr):
        raise CompileError(
            f"expected the module to have a string attribute `{TARGET}`; "
            "run snippets-set-target before this pass"
        )
    tune = module.attributes.get(TUNE)
    try:
        named = machine(attr.data)
        return named.tuned(tune.data) if isinstance(tune, StringAttr) else named
    except CompileError as error:
        raise CompileError(error.message, **position_of(module)) from error


def emitters_around(op: Operation) -> EmitterTable:
    """The emitters for the target of the module around `op`; the base table if it has no target."""
    from snippets_mlir.targets.emitters.table import BASE

    module: Operation | None = op
    while module is not None and not isinstance(module, ModuleOp):
        module = module.parent_op()
    if module is None or TARGET not in module.attributes:
        return BASE
    return machine_of(module).emitters


def given_threads(module: ModuleOp) -> int:
    """The thread count that the module names; 0 if it names none (chosen at run time)."""
    attr = module.attributes.get(THREADS)
    return attr.value.data if isinstance(attr, IntegerAttr) else 0


def threads_of(module: ModuleOp) -> int:
    """The thread count that the module names; 1 if it names none, or 0 (chosen at run time)."""
    return max(1, given_threads(module))


def side_by_side_of(module: ModuleOp) -> int:
    """The number of products of one left operand in a kernel; `SIDE_BY_SIDE` without a target."""
    return machine_of(module).side_by_side if TARGET in module.attributes else SIDE_BY_SIDE


def cache_of(module: ModuleOp) -> int:
    """Bytes of the last-level cache: from the module, else the default of its machine."""
    attr = module.attributes.get(CACHE)
    return attr.value.data if isinstance(attr, IntegerAttr) else machine_of(module).cache


def streaming_of(module: ModuleOp) -> str:
    """The user's setting for non-temporal stores: `auto`, `always` or `never`."""
    attr = module.attributes.get(STREAMING)
    return attr.data if isinstance(attr, StringAttr) else "auto"


def math_of(module: ModuleOp) -> str:
    """The requested forms of functions: `accurate`, `fast`, or `strict`."""
    attr = module.attributes.get(MATH)
    return attr.data if isinstance(attr, StringAttr) else "accurate"
