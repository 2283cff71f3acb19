"""The output of `--explain=PASS`: the plans of a pass, and the executors of a function's steps."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.passes.plans import NOTHING, PlanPass
from snippets_mlir.passes.program.convert_host_to_program import ConvertHostToProgramPass
from snippets_mlir.passes.program.program_select_implementations import (
    ProgramSelectImplementationsPass,
)
from snippets_mlir.support.errors import CompileError


def explain(p: ModulePass, module: ModuleOp) -> None:
    """Print the plans of a pass that is about to run."""
    if not isinstance(p, PlanPass):
        form = getattr(p, "FORM", "")
        why = ", since it changes nothing" if form in ("check", "report") else ""
        raise CompileError(
            f"--explain: pass '{p.name}' makes no plan{why}; docs/passes.md has its form"
        )
    plans = [*p.explained(module)] or [f"{p.name}: the module\n{NOTHING}"]
    print(*plans, sep="\n", file=sys.stderr)


def explain_choice(module: ModuleOp, weighed: Sequence[str]) -> None:
    """Print what runs each step of a function whose subgraphs become kernels.

    `weighed` is what the plan of the cuts says of the candidates that are beside sessions.
    """
    program = module.clone()
    ConvertHostToProgramPass().apply(Context(), program)
    explain(ProgramSelectImplementationsPass(), program)
    if weighed:
        print("candidates beside sessions of onnxruntime:", *weighed, sep="\n", file=sys.stderr)
