"""The worked example of memory: A = f(x), B = f(A), C = f(B), D = f(B), E = f(C), F = f(D, E).

A and B take 64 KiB, C, D and E 32 KiB, and F is the output.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

BIG, HALF = "tensor<2x8192xf32>", "tensor<8192xf32>"
AXES = "{axes = array<i64: 0>}"
NODES = [
    ("A", ["x"], [BIG], BIG, f"snippets.relu %v0 : {BIG}"),
    ("B", ["A"], [BIG], BIG, f"snippets.negative %v0 : {BIG}"),
    ("C", ["B"], [BIG], HALF, f"snippets.reduce_max %v0 {AXES} : ({BIG}) -> {HALF}"),
    ("D", ["B"], [BIG], HALF, f"snippets.reduce_sum %v0 {AXES} : ({BIG}) -> {HALF}"),
    ("E", ["C"], [HALF], HALF, f"snippets.negative %v0 : {HALF}"),
    ("F", ["D", "E"], [HALF, HALF], HALF, f"snippets.add %v0, %v1 : {HALF}"),
]
CONTEXT = make_context()


def text_of() -> str:
    """The graph at stage `selected`."""
    lines = [f'program.graph @main "selected" (%x: {BIG}) {{']
    for name, operands, types, type_, body in NODES:
        taken = ", ".join(f"%v{i} = %{o}" for i, o in enumerate(operands))
        lines += [
            f'  %{name} = program.node "{name}" ({taken}) impl<"reference"> '
            f": ({', '.join(types)}) -> {type_} {{",
            f"    %r = {body}",
            f"    program.yield %r : {type_}",
            "  }",
        ]
    return "\n".join([*lines, f'  program.output %F as "y" : {HALF}', "}"])


def after(pipeline: str) -> ModuleOp:
    """The example after the passes, which are checked one by one."""
    module = parse_module(text_of(), CONTEXT)
    run_passes(module, CONTEXT, parse_pipeline(pipeline, CONTEXT), verify_each=True)
    return module


def planned(queue: str, pool: str = "offsets") -> str:
    """The pipeline that plans the memory."""
    return f"program-memory-dependencies{{queue={queue}}},program-plan-memory{{pool={pool}}}"
