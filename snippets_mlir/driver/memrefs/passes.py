"""The pipeline of a function on memrefs, and the settings that it does not support.

snippets-set-target{target=x86-64-avx2 threads=2},affine-to-llvm
"""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.forcing import force_implementations
from snippets_mlir.passmanager.pipeline import parse_pipeline, spell
from snippets_mlir.passmanager.positions import insert_passes
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


def refuse_debugging(settings: Settings, function: FuncOp) -> None:
    """`CompileError` if counters or the segfault detector are requested: only kernels have
    these.
    """
    if settings.debugging:
        names = " and ".join(settings.debugging)
        raise CompileError(
            f"{names}: expected a program of kernels, found @{function.sym_name.data}, a function "
            "on memrefs, which has no counters and no fault records; leave the option out, or "
            "write the function on tensors",
            **position_of(function),
        )


def memref_passes(settings: Settings, ctx: ToolContext) -> str:
    """The textual pipeline, with the passes that the target, plug-ins and the caller insert.

    Raises:
        CompileError: a position or pass that does not exist.
    """
    text = settings.pipeline
    if text is None:
        facts = [f"target={settings.target}", f"threads={settings.threads}"]
        if settings.math != "accurate":
            facts.append(f"math={settings.math}")
        text = f"snippets-set-target{{{' '.join(facts)}}},affine-to-llvm"
    if not (settings.positioned or settings.insert_passes or settings.force_impl):
        return text
    passes = parse_pipeline(text, ctx)
    passes = insert_passes(passes, settings.insert_passes, ctx, everywhere=settings.positioned)
    return spell(force_implementations(passes, settings.force_impl))
