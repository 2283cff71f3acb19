"""Running a module at every level of the pipeline: interpreted there, and compiled.

The levels are stops in the pipeline `snippets-to-llvm`; what is interpreted at each is what the
passes up to there have made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.inspect.native_kernels import native_kernels
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.arrays import Array
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

STOPS: dict[str, str] = {
    "graph": "",
    "subgraphs": "snippets-tokenize",
    "linear": "convert-snippets-to-lir",
    "accessed": "lir-insert-load-store",
    "looped": "lir-allocate-buffers",
    "expanded": "lir-insert-specific-iterations",
    "vector": "convert-lir-to-vector",
    "llvm": "convert-func-to-llvm",
}
"""Level, and the pass after which the module is there."""


def checked_levels(names: Sequence[str]) -> tuple[str, ...]:
    """The levels called `names` (`all`: every level) in pipeline order; else a CompileError."""
    wanted = set(STOPS) if "all" in names else set(names)
    if unknown := sorted(wanted - set(STOPS)):
        raise CompileError(f"unknown level '{unknown[0]}'; expected all or {', '.join(STOPS)}")
    return tuple(name for name in STOPS if name in wanted)


def run_levels(
    text: str, arrays: Sequence[Array], levels: Sequence[str]
) -> Iterator[tuple[str, list[Array]]]:
    """Each level with the outputs of `main` there.

    Raises:
        CompileError: a pass refuses the module, or the interpreter what a pass made of it.
    """
    ctx = make_context()
    module = parse_module(text, ctx)
    passes = parse_pipeline("snippets-to-llvm", ctx)
    done = 0
    for level in levels:
        stop = STOPS[level]
        names = [p.name for p in passes]
        upto = names.index(stop) + 1 if stop else 0
        run_passes(module, ctx, passes[done:upto], verify_each=False)
        done = upto
        yield level, _interpreted(module, arrays)


def _interpreted(module: ModuleOp, arrays: Sequence[Array]) -> list[Array]:
    machine = Interpreter(module, None, native_kernels(module))
    return list(machine.run("main", list(arrays)))
