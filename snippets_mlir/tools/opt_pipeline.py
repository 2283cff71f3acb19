"""The passes that `snippets-opt` runs: passes of the command line, or the remaining passes."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.pipeline import parse_pipeline
from snippets_mlir.support.errors import CompileError


def read_pipeline(args: Namespace, ctx: ToolContext, texts: Sequence[str]) -> list[ModulePass]:
    """The passes that `texts` name, with passes inserted by other options and plug-ins.

    Raises:
        CompileError: a text, or a combination of options, is wrong.
    """
    if args.emit_dir is not None and args.emit_stage is None:
        raise CompileError("--emit-dir needs --emit-stage; see --help")
    if args.dump_program is not None and args.split_input_file:
        raise CompileError("--dump-program takes one module; do not split the input")
    passes: list[ModulePass] = []
    for position, text in enumerate(texts):
        source = "<pipeline>" if len(texts) == 1 else f"<pipeline {position + 1}>"
        passes += parse_pipeline(text, ctx, source=source)
    # The pipeline of a reproducer has the passes of plug-ins.
    everywhere = [] if args.run_reproducer else ctx.positioned
    if args.insert_pass or everywhere:
        from snippets_mlir.passmanager.positions import insert_passes

        passes = insert_passes(passes, args.insert_pass, ctx, everywhere=everywhere)
    if args.force_impl:
        from snippets_mlir.passmanager.forcing import force_implementations

        passes = force_implementations(passes, args.force_impl)
    return passes


def whole_pipeline(args: Namespace, ctx: ToolContext, module: ModuleOp) -> list[ModulePass]:
    """The passes that take a module to the level of LLVM; errors are those of `read_pipeline`."""
    from snippets_mlir.passmanager.resume import default_pipeline, stage_of

    return read_pipeline(args, ctx, [default_pipeline(stage_of(module))])


def rest_of_pipeline(
    args: Namespace, ctx: ToolContext, module: ModuleOp, text: str
) -> list[ModulePass]:
    """The passes of the pipeline that have not run yet on the module `text`.

    Raises:
        CompileError: the module does not state its stage, or no pipeline passes through that stage.
    """
    from snippets_mlir.passmanager.resume import remaining, stopped_after

    if args.passes:
        passes = read_pipeline(args, ctx, args.passes)
    else:
        passes = whole_pipeline(args, ctx, module)
    return remaining(passes, module, args.resume_after or stopped_after(text, passes))
