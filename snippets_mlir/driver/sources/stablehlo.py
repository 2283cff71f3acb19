"""StableHLO as a source: calls inlined, loops unrolled, then the ops of the `snippets` dialect.

The passes of `passes_for` produce the module to compile. Each op that they leave has a reason; the
report of the program shows it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import CallOp

from snippets_mlir.dialects.stablehlo.control import WhileOp
from snippets_mlir.frontends.texts import read_text
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes

CALLS = "inline-calls"
PASSES = f"{CALLS},unroll-stablehlo-while,convert-stablehlo-to-snippets"

FEW = "inline-calls,unroll-stablehlo-while{max-ops=128 max-iterations=8}"
"""Passes that keep large loops: a compiler that generates loops, such as XLA, does them better.

Measured with JAX on a Zen 3: loops of up to eight iterations take 0.2 to 1.0 of XLA's time, and 1.1
of it where they are one chain of tanh; a first call takes up to 0.5 s more, with 16 iterations of
softmax 1.7 s more.
"""


def in_stablehlo(module: ModuleOp) -> bool:
    """Whether a module has ops of StableHLO or CHLO."""
    return any(op.name.startswith(("stablehlo.", "chlo.")) for op in module.walk())


def calls_on_tensors(module: ModuleOp) -> bool:
    """Whether functions on tensors call each other.

    Functions on memrefs may, too, and kernels in the text of a later stage do: these calls stay.
    """
    calls = (op for op in module.walk() if isinstance(op, CallOp))
    return any(
        all(isinstance(v.type, TensorType) for v in (*op.operands, *op.results)) for op in calls
    )


def passes_for(module: ModuleOp) -> str:
    """The passes that produce the module to compile; none for most sources."""
    if in_stablehlo(module):
        return PASSES
    return CALLS if calls_on_tensors(module) else ""


def long_loop_in(text: str) -> bool:
    """Whether a StableHLO module has a loop that is faster in a compiler with loops.

    This is a loop with many iterations, as defined by `FEW`, or with an unknown count. Unrolled
    into ops it takes long to compile, and a long chain of ops waits for its own results.
    """
    if WhileOp.name not in text:
        return False
    module = read_text("mlir", text, make_context(), "<string>")
    run_on(module, FEW)
    return any(op.name == WhileOp.name for op in module.walk())


def run_on(module: ModuleOp, passes: str) -> None:
    """Run passes on a module, in place."""
    ctx = make_context()
    run_passes(module, ctx, parse_pipeline(passes, ctx))
