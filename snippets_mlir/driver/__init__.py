"""`compile`: connects front ends, passes, object code and the runtime.

The compiler is loaded only if a program is not in the cache (`program_cache.py`).

m = snippets_mlir.compile("model.onnx")
y = m(x)                       # arrays in the order of m.inputs
m(x, out=y)                    # into an array of the caller's
m.run({"x": x})["y"]           # by name
for kernel in m.kernels:
    print(kernel.name, kernel.ops)
    print(kernel.ir("asm"))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from snippets_mlir.driver.compiled import Compiled, Kernel
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.reports.kernel_entry import OpaqueOp
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.support.errors import CompileError, depth_of, errors_in, in_one_message
from snippets_mlir.support.spans import span

if TYPE_CHECKING:
    from snippets_mlir.driver.cache.program_cache import Request
    from snippets_mlir.driver.settings import Settings

__all__ = [
    "CompileError",
    "Compiled",
    "Kernel",
    "OpaqueOp",
    "TensorSpec",
    "compile",
    "compile_with",
    "compile_with_options",
]

Fallback = Literal["onnxruntime", "error"]
Streaming = Literal["auto", "always", "never"]
MathForms = Literal["accurate", "fast", "strict"]
Partitioner = Literal["tokenize", "fuse-ops"]
MarkSkipped = Literal["auto", "onnxruntime", "none"]
Bounds = Literal["check", "unchecked"]
PerfCountAt = Literal["body", "loops", "expressions"]
PerfClock = Literal["monotonic", "rdtsc"]


@in_one_message
def compile(
    source: object,
    *,
    entry: str | None = None,
    pipeline: str | None = None,
    target: str | None = None,
    num_threads: int | None = None,
    fallback: Fallback = "onnxruntime",
    insert_passes: Sequence[str] = (),
    force_impl: Sequence[str] = (),
    perf_count: PerfCountAt | None = None,
    perf_clock: PerfClock = "monotonic",
    segfault_detector: bool = False,
    streaming: Streaming = "auto",
    math: MathForms = "accurate",
    partitioner: Partitioner = "tokenize",
    mark_skipped: MarkSkipped = "auto",
    plugins: list[Any] | tuple[Any, ...] = (),
    bounds: Bounds = "check",
    compile_workers: int | None = None,
) -> Compiled:
    """Compile a program into kernels, once; the result can be called any number of times.

    Args:
        source: a path of a `.mlir` or `.onnx` file, MLIR text, a `ModuleOp`, an ONNX `ModelProto`
            or its bytes.
        entry: the function to compile; `main` or the only public function unless given.
        pipeline: the passes, in the syntax of `snippets-opt -p`, in place of the default passes.
            They have to lower to the level of LLVM. The module is verified after each pass.
        target: a name of `snippets_mlir.targets.machine`; this computer unless given.
        num_threads: threads of a kernel, 1 to 1024; `OMP_NUM_THREADS` or the number of CPUs unless
            given.
        fallback: the treatment of ops that no kernel supports: `"onnxruntime"` runs them beside the
            kernels, `"error"` refuses them.
        insert_passes: passes at positions of the pipeline: `"after:lir-fuse-loops:my-pass"`,
            `"before:NAME:PASS"`, `"start:PASS"`, `"end:PASS"`; `"without:NAME"` removes a pass. The
            module is then verified after each pass.
        force_impl: the implementations of ops and nodes: pairs `"PATTERN:KIND"` of names with `*`
            and `?` and of `snippets` (a kernel), `onnxruntime` or `reference` (NumPy); the last
            match wins (docs/program.md#implementations).
        perf_count: count how often the body of each kernel runs (`"body"`), its loops (`"loops"`)
            or its ops (`"expressions"`), and for how long; `Compiled.perf_counts` has the results.
        perf_clock: the clock of `perf_count`: `"monotonic"`, in nanoseconds, or `"rdtsc"`, the
            time-stamp counter of x86, in ticks.
        segfault_detector: if a kernel accesses invalid memory, report the kernel, op and iteration
            on standard error before the process ends by the signal.
        streaming: whether kernels write outputs past the caches: `"auto"` if they are too large to
            stay there, `"always"` or `"never"`.
        math: `"fast"` uses the cheaper f32 forms of exp, sigmoid, swish and gelu if the target has
            a fused multiply-add; docs/math.md says what they give up. `"strict"` rounds 16-bit
            floats after each op; otherwise they are computed in f32 and rounded when they are
            stored.
        partitioner: the pass that decides which ops run together: `"tokenize"` (as many as fit
            in one kernel) or `"fuse-ops"` (TVM's algorithm, docs/fuse-ops.md).
        mark_skipped: for an ONNX model `"auto"` makes the kernels that pay off by a cost model; for
            a program in MLIR with `onnx.node` it leaves ops to onnxruntime that onnxruntime fuses
            with its own neighbours. `"onnxruntime"` leaves these ops to it in every program, by the
            pass `snippets-mark-skipped`. `"none"` makes every possible kernel.
        bounds: `"check"`: a call of a function on memrefs is refused if an access that is affine in
            the sizes is out of bounds; `"unchecked"`: nothing is checked.
        compile_workers: how many processes compile kernels, including this one;
            `SNIPPETS_COMPILE_WORKERS` or one for each thread, at most 4, unless given. Only this
            process compiles programs with few kernels (docs/caching.md).
        plugins: paths of files, names of modules, `@names` of entry points, or modules, with ops,
            passes, targets (docs/plugins.md).

    Raises:
        CompileError: the source is invalid or cannot be compiled, with file, line and column if
            they are known; or an argument is none of the words or numbers above.
        TypeError: an argument is of another Python type than the ones above.
    """
    from snippets_mlir.driver.arguments import checked_plugins

    options: dict[str, Any] = {
        "pipeline": pipeline,
        "target": target,
        "num_threads": num_threads,
        "fallback": fallback,
        "insert_passes": insert_passes,
        "force_impl": force_impl,
        "perf_count": perf_count,
        "perf_clock": perf_clock,
        "segfault_detector": segfault_detector,
        "streaming": streaming,
        "math": math,
        "partitioner": partitioner,
        "mark_skipped": mark_skipped,
        "bounds": bounds,
        "compile_workers": compile_workers,
    }
    if given := checked_plugins(plugins):
        return _compile_with_plugins(source, entry, options, given)
    return compile_with_options(source, entry, options)


def _compile_with_plugins(
    source: object, entry: str | None, options: Mapping[str, Any], plugins: Sequence[object]
) -> Compiled:
    """`compile` in a context of its own, which has the plugins."""
    from snippets_mlir.driver.arguments import checked
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.passmanager.context import make_context
    from snippets_mlir.passmanager.plugins import load_plugins

    with COMPILING:
        load_plugins(plugins, ctx := make_context())
    return compile_with(source, entry, Settings.filled(**checked(options), context=ctx))


def compile_with_options(source: object, entry: str | None, options: Mapping[str, Any]) -> Compiled:
    """`compile` with the arguments of `Settings.filled`, for tools without plugins."""
    from snippets_mlir.driver.arguments import checked
    from snippets_mlir.driver.cache.stored import filled_request

    checked({"entry": entry})
    options = checked(options)

    def settings() -> Settings:
        from snippets_mlir.driver.settings import Settings

        return Settings.filled(**options)

    program = _found_or_compiled(source, filled_request(entry, options), settings)
    if isinstance(source, str | PathLike):
        program.compiled_from = compile_with_options, (fspath(source), entry, options)
    return program


def compile_with(source: object, entry: str | None, settings: Settings) -> Compiled:
    """`compile` with all settings, for tools with plugins."""
    from snippets_mlir.driver.arguments import checked
    from snippets_mlir.driver.cache.stored import request_of

    checked({"entry": entry})
    return _found_or_compiled(source, request_of(entry, settings), lambda: settings)


def _found_or_compiled(
    source: object, request: Request, settings: Callable[[], Settings]
) -> Compiled:
    """The program of a request, from the cache if possible."""
    from snippets_mlir.driver.cache.program_cache import uncached_reason
    from snippets_mlir.driver.cache.stored import find_stored

    with span("program cache", "phase"):
        key, program = find_stored(source, request, settings)
    if program is not None:
        return program
    with COMPILING:
        compiled = _compiled(source, request.entry, settings(), key)
    compiled.ask_uncached = partial(uncached_reason, request, key)
    return compiled


def _compiled(source: object, entry: str | None, settings: Settings, key: str | None) -> Compiled:
    """Compile, and keep the program in the cache under the name `key` unless that is None."""
    from snippets_mlir.driver.memrefs.functions import works_on_memrefs
    from snippets_mlir.driver.memrefs.program import MemRefProgram
    from snippets_mlir.driver.onnx.model_ahead import model_ahead
    from snippets_mlir.driver.programs.kinds import program_of
    from snippets_mlir.driver.settings import default_context
    from snippets_mlir.driver.sources.load import load_source

    with depth_of("the program"):
        ctx = settings.context or default_context()
        with span("source", "phase"):
            ahead = model_ahead(source, settings)
            loaded = load_source(source, entry, ctx)
        if loaded.given is not None and works_on_memrefs(loaded.function):
            return MemRefProgram(loaded, settings, ctx)
        with errors_in(lambda: loaded.model_file):
            return program_of(loaded, settings, ctx, key, ahead)
