"""`snippets_launch`: a trampoline between an OpenMP runtime and a kernel.

    struct Runtime { void *parallel, *thread_num, *num_threads; int32_t *busy; Crew *crew; };
    struct Launch { Kernel *kernel; Runtime *runtime; Args args; int64_t domain, grain, aligned; };

    void snippets_launch(const Runtime *runtime, Kernel *kernel, void **data, const int64_t *rt,
                         char *scratch, int64_t domain, int64_t grain, int32_t threads) {
      snippets_launch_aligned(runtime, kernel, data, rt, scratch, domain, grain, threads, 0);
    }

    void snippets_launch_aligned(..., int32_t threads, int64_t aligned) {
      Launch l = {kernel, runtime, {data, rt, scratch}, domain, grain, aligned};
      if (atomic_exchange_acquire(runtime->busy, 1)) {
        snippets_range(kernel, &l.args, 0, domain, 0, grain, aligned);
        return;
      }
      if (runtime->crew) snippets_crew_run(runtime->crew, &l, threads);
      else runtime->parallel(snippets_worker, &l, threads, 0);
      atomic_store_release(runtime->busy, 0);
    }

    static void snippets_worker(Launch *l) {
      snippets_part(l, l->runtime->thread_num(), l->runtime->num_threads());
    }

    static void snippets_part(Launch *l, int64_t t, int64_t n) {
      int64_t chunks = (l->domain + l->grain - 1) / l->grain, each = chunks / n, left = chunks % n;
      int64_t first = each * t + min(t, left), count = each + (t < left);
      run_chunks(l, first, first + count, t);
    }

    static void snippets_slice(Launch *l, int64_t t, int64_t n, int64_t slice, int64_t thread) {
      ... first and count as above, end = first + count ...
      int64_t left = count >> slice;
      run_chunks(l, end - left, end - (slice == SLICES - 1 ? 0 : left >> 1), thread);
    }

    run_chunks(l, first, end, thread) =
      snippets_range(l->kernel, &l->args, first * l->grain, min(end * l->grain, l->domain), thread,
                     l->grain, l->aligned)

A kernel has `threads` parts. The threads of a crew take them by slices (`crew_slices.py`), or
`GOMP_parallel` starts a team of `threads` threads for them. Part `t` of `n` has the chunks from
`c*t/n` to `c*(t+1)/n` of the `c` chunks of `grain` elements, so that each element is in one part.
The slices of a part are its first half, half of the rest, and so on. `aligned` says whether a range
begins at a cache line (`ranges.py`); for `snippets_launch` it does not.

While a team works, other Python threads that share its cores run their kernels alone: otherwise
each would get its own workers, more than there are CPUs. Streams have their own cores and their own
flag. The OpenMP functions are passed as pointers: the only undefined symbols of the object are
those of the C library.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.crew import PART, RUN, add_crew
from snippets_mlir.codegen.stubs.crew_slices import SLICE, SLICES
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import ARGS, LAUNCH, RUNTIME
from snippets_mlir.codegen.stubs.ranges import RANGE, add_range
from snippets_mlir.dialects.llvm.atomics import AtomicRMWOp
from snippets_mlir.dialects.llvm.integer_intrinsics import UMinOp

WORKER = "snippets_worker"
ALIGNED = "snippets_launch_aligned"
_PARAMETERS = (*[POINTER] * 5, I64, I64, I32)


def launch_module(machine: str = "") -> Module:
    """A module with the launchers of threads and `snippets_range`.

    Waiting threads use the pause instruction of `machine`, if it is one of `PAUSES`.
    """
    module = Module()
    add_range(module)
    _add_part(module)
    _add_slice(module)
    _add_worker(module)
    add_crew(module, machine)
    _add_aligned_launch(module)
    body = module.function("snippets_launch", _PARAMETERS)
    body.call(ALIGNED, *body.arguments, 0)
    body.end()
    return module


def _add_aligned_launch(module: Module) -> None:
    body = module.function(ALIGNED, (*_PARAMETERS, I64))
    runtime, kernel, data, rt, scratch, domain, grain, threads, aligned = body.arguments
    shared = body.local(llvm_type(LAUNCH))
    args = body.field(shared, LAUNCH, "args")
    body.set(shared, LAUNCH, "kernel", kernel)
    body.set(shared, LAUNCH, "runtime", runtime)
    body.set(args, ARGS, "data", data)
    body.set(args, ARGS, "rt", rt)
    body.set(args, ARGS, "scratch", scratch)
    body.set(shared, LAUNCH, "domain", domain)
    body.set(shared, LAUNCH, "grain", grain)
    body.set(shared, LAUNCH, "aligned", aligned)
    busy = body.get(runtime, RUNTIME, "busy")
    before = body.add_op(AtomicRMWOp("xchg", busy, body.integer(1, I32), "acquire", 4))
    with body.when(body.compare("ne", before, 0)):
        body.call(RANGE, kernel, args, 0, domain, 0, grain, aligned)
        body.end()
    crew = body.get(runtime, RUNTIME, "crew")
    body.choose(
        body.compare("ne", body.as_integer(crew), 0),
        lambda: body.call(RUN, crew, shared, body.widen(threads)),
        lambda: body.call_at(
            body.get(runtime, RUNTIME, "parallel"),
            body.address(WORKER),
            shared,
            threads,
            body.integer(0, I32),
        ),
    )
    body.store(body.integer(0, I32), busy, atomic="release")
    body.end()


def _add_worker(module: Module) -> None:
    body = module.function(WORKER, [POINTER], linkage="internal")
    (shared,) = body.arguments
    runtime = body.get(shared, LAUNCH, "runtime")
    thread, threads = (
        body.widen(body.call_at_for(I32, body.get(runtime, RUNTIME, name)), signed=True)
        for name in ("thread_num", "num_threads")
    )
    body.call(PART, shared, thread, threads)
    body.end()


def _of_part(body: Body, shared: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The number of a part's first chunk, and the number of its chunks."""
    _, part, parts = body.arguments[:3]
    domain, grain = (body.get(shared, LAUNCH, name) for name in ("domain", "grain"))
    chunks = body.divide(body.subtract(body.add(domain, grain), 1), grain)
    each, left = body.divide(chunks, parts), body.remainder(chunks, parts)
    first = body.add(body.multiply(each, part), body.add_op(UMinOp(part, left)))
    return first, body.add(each, body.widen(body.compare("ult", part, left)))


def _run_chunks(
    body: Body, shared: SSAValue, first: SSAValue, end: SSAValue, thread: SSAValue
) -> None:
    """Run the chunks from `first` to `end`; the last one of all may be shorter."""
    kernel, domain, grain, aligned = (
        body.get(shared, LAUNCH, name) for name in ("kernel", "domain", "grain", "aligned")
    )
    stop = body.add_op(UMinOp(body.multiply(end, grain), domain))
    args = body.field(shared, LAUNCH, "args")
    body.call(RANGE, kernel, args, body.multiply(first, grain), stop, thread, grain, aligned)
    body.end()


def _add_part(module: Module) -> None:
    body = module.function(PART, [POINTER, I64, I64], linkage="internal")
    shared, part, _ = body.arguments
    first, count = _of_part(body, shared)
    _run_chunks(body, shared, first, body.add(first, count), part)


def _add_slice(module: Module) -> None:
    body = module.function(SLICE, [POINTER, *[I64] * 4], linkage="internal")
    shared, _, _, number, thread = body.arguments
    first, count = _of_part(body, shared)
    left = body.shift_right(count, number)
    then = body.shift_right(left, 1)
    after = body.select(body.compare("eq", number, SLICES - 1), 0, then)
    end = body.add(first, count)
    _run_chunks(body, shared, body.subtract(end, left), body.subtract(end, after), thread)
