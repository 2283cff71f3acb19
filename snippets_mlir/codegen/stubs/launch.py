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
      int64_t begin = (each * t + min(t, left)) * l->grain;
      int64_t length = (each + (t < left)) * l->grain;
      snippets_range(l->kernel, &l->args, begin, min(begin + length, l->domain), t, l->grain,
                     l->aligned);
    }

A kernel has `threads` parts, which the threads of a crew take (`crew.py`), or a team of `threads`
threads, started by `GOMP_parallel`. Part `t` of `n` are the chunks from `c*t/n` to `c*(t+1)/n` of
the `c` chunks of `grain` elements, so that each element is in one part. `aligned` says whether a
range is begun at a cache line (`ranges.py`); for `snippets_launch` it is not.

While a team is at work, other Python threads that share its cores run their kernels alone: each
would get workers of its own, more than there are CPUs. Streams have cores, and a flag, of their
own. The OpenMP functions come by pointer: the object has no undefined symbols but those of the C
library.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.crew import PART, RUN, add_crew
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

    Threads that wait say so to a core of `machine`, if that is one of `PAUSES`.
    """
    module = Module()
    add_range(module)
    _add_part(module)
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


def _add_part(module: Module) -> None:
    body = module.function(PART, [POINTER, I64, I64], linkage="internal")
    shared, part, parts = body.arguments
    kernel, domain, grain, aligned = (
        body.get(shared, LAUNCH, name) for name in ("kernel", "domain", "grain", "aligned")
    )
    chunks = body.divide(body.subtract(body.add(domain, grain), 1), grain)
    each, left = body.divide(chunks, parts), body.remainder(chunks, parts)
    first = body.add(body.multiply(each, part), body.add_op(UMinOp(part, left)))
    begin = body.multiply(first, grain)
    count = body.add(each, body.widen(body.compare("ult", part, left)))
    stop = body.add(begin, body.multiply(count, grain))
    end = body.add_op(UMinOp(stop, domain))
    args = body.field(shared, LAUNCH, "args")
    body.call(RANGE, kernel, args, begin, end, part, grain, aligned)
    body.end()
