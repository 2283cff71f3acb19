"""StableHLO as a source: calls inlined, loops unrolled, then the ops of the `snippets` dialect.

The module that is compiled is the one that the passes of `PASSES` give. What they leave has a
reason, which the report of the program shows.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes

PASSES = "inline-calls,unroll-stablehlo-while,convert-stablehlo-to-snippets"


def in_stablehlo(module: ModuleOp) -> bool:
    """Whether a module has ops of StableHLO or CHLO, or calls, which are all that JAX may print.

    `jnp.round` of integers is a call of a function that returns its argument.
    """
    return any(op.name.startswith(("stablehlo.", "chlo.", "func.call")) for op in module.walk())


def from_stablehlo(module: ModuleOp) -> None:
    """Convert a verified module, in place.

    Raises:
        CompileError: the calls of a function become too many ops.
    """
    ctx = make_context()
    run_passes(module, ctx, parse_pipeline(PASSES, ctx))
