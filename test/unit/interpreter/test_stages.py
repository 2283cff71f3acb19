"""Every level of a kernel computes the same, and the bits of exact passes stay."""

from __future__ import annotations

import pytest
from sampled import sampled
from stage_kernels import KERNELS
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.emit.host import find_entry
from snippets_mlir.inspect.check_each import EachChecker, difference
from snippets_mlir.inspect.check_inputs import inputs_for
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.effects import APPROXIMATES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

LEVELS = {
    "linear",
    "marked",
    "accessed",
    "looped",
    "assigned",
    "expanded",
    "func.func",
    "llvm.func",
}


def levels_of(module: ModuleOp) -> set[str]:
    """The stages of the kernels, or the ops that they have become."""
    return {
        op.stage.data if isinstance(op, KernelOp) else op.name
        for op in module.ops
        if isinstance(op, KernelOp) or "snippets.kernel" in op.attributes
    }


@pytest.mark.parametrize("name", sampled(KERNELS, 16))
def test_every_level_computes_the_same(name: str) -> None:
    ctx = make_context()
    module = parse_module(KERNELS[name], ctx, "kernel.mlir")
    types = find_entry(module).function_type.inputs.data
    arrays = next(inputs_for(types, seed=1)).arrays
    expected = Interpreter(module).run("main", arrays)
    checker = EachChecker(seed=1)
    checker.start(module)
    seen: set[str] = set()
    for p in parse_pipeline("snippets-to-llvm", ctx):
        run_passes(module, ctx, [p])
        checker.after(p, module)
        seen |= levels_of(module)
    assert seen == LEVELS
    # The interpreter executes the last level, too; above it was LLVM that did.
    for now, first in zip(Interpreter(module).run("main", arrays), expected, strict=True):
        assert difference(now, first, APPROXIMATES) is None
