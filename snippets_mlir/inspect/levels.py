"""Runs a module at every level of the pipeline: interpreted at each level, and compiled.

The levels are stops in the pipeline `snippets-to-llvm`; at each level the interpreter runs the
result of the passes so far. A module with dynamic dims goes through the passes with symbols, as for
a call with these arrays, and the interpreter runs an instance for their sizes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp

from snippets_mlir.dialects.builtin.dims import TooManySizesError
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.instances import instance_of
from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.driver.dynamic.templates import mask_of, template_for
from snippets_mlir.inspect.native_kernels import native_kernels
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.support.attribute_names import THREADS
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
"""Each level, and the pass after which the module reaches it."""


def checked_levels(names: Sequence[str]) -> tuple[str, ...]:
    """The levels `names` (`all`: every level) in pipeline order; CompileError for an unknown
    level.
    """
    wanted = set(STOPS) if "all" in names else set(names)
    if unknown := sorted(wanted - set(STOPS)):
        raise CompileError(f"unknown level '{unknown[0]}'; expected all or {', '.join(STOPS)}")
    return tuple(name for name in STOPS if name in wanted)


def run_levels(
    text: str, arrays: Sequence[Array], levels: Sequence[str], threads: int = 0
) -> Iterator[tuple[str, list[Array]]]:
    """Each level with the outputs of `main` there, compiled for `threads` threads if not 0.

    Raises:
        CompileError: a pass refuses the module, or the interpreter refuses the result of a pass.
    """
    ctx = make_context()
    source = parse_module(text, ctx)
    if threads:
        source.attributes[THREADS] = IntegerAttr(threads, i64)
    module, sizes = _with_symbols(source, [array.shape for array in arrays])
    passes = parse_pipeline("snippets-to-llvm", ctx)
    done = 0
    for level in levels:
        stop = STOPS[level]
        names = [p.name for p in passes]
        upto = names.index(stop) + 1 if stop else 0
        run_passes(module, ctx, passes[done:upto], verify_each=False)
        done = upto
        yield level, _interpreted(instance_of(module, sizes) if sizes else module, arrays)


def _with_symbols(
    module: ModuleOp, shapes: Sequence[tuple[int, ...]]
) -> tuple[ModuleOp, Sequence[int]]:
    """`module` with symbols for its dynamic dims, and their values for these shapes.

    If a call would be compiled for its shapes because it cannot use symbols, the module gets static
    shapes.
    """
    main = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "main")
    types = [shape_of(type_) for type_ in main.function_type.inputs]
    places = [
        (i, d)
        for i, dims in enumerate(types)
        for d, size in enumerate(dims)
        if size == DYNAMIC_INDEX
    ]
    if not places:
        return module, ()
    called = tuple(shapes)
    try:
        template, result = template_for(module, "main", places, mask_of(places, called), called)
    except (CompileError, TooManySizesError):
        return specialize(module, "main", called), ()
    sizes = template.values(called)
    return (specialize(module, "main", called), ()) if sizes is None else (result, sizes)


def _interpreted(module: ModuleOp, arrays: Sequence[Array]) -> list[Array]:
    machine = Interpreter(module, None, native_kernels(module))
    return list(machine.run("main", list(arrays)))
