"""Find the remaining passes of a pipeline for the text that some of its passes made.

    snippets-opt model.mlir -p snippets-to-lir,lir-mark-loops,lir-fuse-loops -o kernel.mlir
    snippets-opt kernel.mlir --resume -t asm

The stage of a module is in its text: `lir.kernel @k "marked"`. Several passes run between two
stages, and some of them must not run twice (`lir-unroll` would unroll its own copies). So a tool
that stops there ends the text with a comment, which `stopped_after` reads:

    // stopped after lir-fuse-loops

Without it, the first pass of the stage counts as the last one that has run. A text without
`snippets.target` comes from passes that need none, so the pass that sets it remains, too. Passes on
a `program.graph` keep decisions that are already in it, so they all run if none of them leads to
its stage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr
from xdsl.passes import ModulePass

from snippets_mlir.passes.base import Pass, Stage, Stages
from snippets_mlir.support.diagnostics import close_match, verify_module
from snippets_mlir.support.errors import CompileError

_STOPPED = re.compile(
    r"^// (?:stopped after|-----// IR Dump After \w+) \(?([\w-]+)\)?(?: //----- //)?$", re.MULTILINE
)
_ORDER: tuple[Stage, ...] = get_args(Stage)
_SEVERAL = _ORDER[_ORDER.index("linear") : _ORDER.index("vector") + 1]
"""Stages whose text does not tell which of their passes have run."""


def stage_of(module: ModuleOp) -> Stage:
    """The stage in the text of a module: the earliest of its kernels or graphs.

    Raises:
        CompileError: a kernel or graph has a stage that does not exist.
    """
    found = (op.properties.get("stage") for op in module.ops)
    staged = {stage.data for stage in found if isinstance(stage, StringAttr)}
    if (first := next(filter(staged.__contains__, _ORDER), None)) is not None:
        return first
    if staged:
        verify_module(module)
    names = {op.name for op in module.walk()}
    if any(name.startswith(("llvm.func", "cf.")) for name in names):
        return "llvm"
    if "lir.call" in names:
        return "vector"
    if "snippets.subgraph" in names:
        return "subgraphs"
    memrefs = any(
        isinstance(arg.type, MemRefType)
        for op in module.walk()
        for r in op.regions
        for block in r.blocks
        for arg in block.args
    )
    return "loops" if memrefs else "graph"


def default_pipeline(stage: Stage) -> str:
    """The pipeline that leads from a stage to the level of LLVM."""
    if stage == "loops":
        return "affine-to-llvm"
    return "program-to-llvm" if stage in _PROGRAM else "snippets-to-llvm"


_PROGRAM = _ORDER[_ORDER.index("topology") : _ORDER.index("linear")]


def stopped_after(text: str, passes: Sequence[ModulePass]) -> str | None:
    """The pass of a pipeline in the last comment of `text`, None if there is none."""
    found = _STOPPED.findall(text)
    return found[-1] if found and any(p.name == found[-1] for p in passes) else None


def stop_comment(passes: Sequence[ModulePass]) -> str:
    """The comment for a text after `passes`; empty if its stage tells what has run."""
    last = next((p for p in reversed(passes) if getattr(p, "FORM", "") != "report"), None)
    if not isinstance(last, Pass):
        return ""
    touched = (*last.STAGES.source, last.STAGES.target)
    return f"// stopped after {last.name}\n" if any(s in _SEVERAL for s in touched) else ""


def remaining(
    passes: Sequence[ModulePass], module: ModuleOp, after: str | None
) -> list[ModulePass]:
    """The remaining passes of a whole pipeline for a module.

    Args:
        passes: the pipeline from its beginning.
        module: the result of some of its passes.
        after: the last of them; None to take the first of the module's stage.

    Raises:
        CompileError: the pipeline has no such pass, or none that leads to the module's stage.
    """
    names = [p.name for p in passes]
    if after is not None:
        if after not in names:
            raise CompileError(
                f"--resume-after: the pipeline has no pass '{after}'{close_match(after, names)}"
            )
        return _from(len(names) - names[::-1].index(after), passes, module)
    stage = stage_of(module)
    if stage in ("graph", "loops", "topology"):
        return list(passes)
    found = [i for i, p in enumerate(passes) if _stages_of(p).target == stage]
    if not found:
        if stage in _PROGRAM or (passes and stage in _stages_of(passes[0]).source):
            return list(passes)
        raise CompileError(
            f"--resume: no pass of the pipeline leads to stage '{stage}', which "
            "the module is at; name the last pass that ran, --resume-after=PASS"
        )
    return _from(found[0] + 1, passes, module)


def _from(first: int, passes: Sequence[ModulePass], module: ModuleOp) -> list[ModulePass]:
    """The passes from index `first`, after earlier ones that set the target, if none is set."""
    named = "snippets.target" in module.attributes
    setting = [] if named else [p for p in passes[:first] if p.name == "snippets-set-target"]
    return [*setting, *passes[first:]]


def _stages_of(p: ModulePass) -> Stages:
    return p.STAGES if isinstance(p, Pass) else Stages(("any",))
