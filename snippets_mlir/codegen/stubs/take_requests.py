"""`snippets_take`: a stream that runs requests without Python.

    int64_t snippets_take(Stream *me) {
      PyThreadState *state = PyEval_SaveThread();
      int64_t what;
      for (;;) {
        if (!waited(me)) { what = IDLE; break; }
        Ticket *ticket = taken(me->submitted);
        me->ticket = (int64_t)ticket;
        if (!ticket) { what = END; break; }
        what = RUN;
        if (ticket->key == 0) break;
        if (ticket->key != me->key)         another build, which may have a table
          for (int64_t i = 0; i != KNOWN; i++)
            if (me->keys[i] == ticket->key) { me->key = ticket->key; me->plan = me->plans[i]; }
        if (ticket->key != me->key) break;
        int64_t came = run_request(me->plan, ticket->inputs, ticket->outputs, &state);
        if (came) break;                  a step has raised, or the arrays do not fit
        me->ran++;
        what = TELL;
        if (snippets_end(ticket) & WANTED) break;
      }
      PyEval_RestoreThread(state);
      return what;
    }

    static int64_t waited(Stream *me) {
      if (!me->ran) { while (sem_wait(&me->submitted->semaphore)); return 1; }
      if (sem_trywait(&me->submitted->semaphore) == 0) return 1;
      struct timespec until = real time in 50 ms;
      return sem_timedwait(&me->submitted->semaphore, &until) == 0;
    }

    static Ticket *taken(Submitted *all) {
      pthread_mutex_lock(&all->mutex);
      Ticket *ticket = all->first;
      if (ticket) { all->first = ticket->next; if (!all->first) all->last = NULL; }
      pthread_mutex_unlock(&all->mutex);
      return ticket;
    }

    static int64_t run_request(Plan *plan, PyObject *in, PyObject *out, PyThreadState **state) {
      ...                                 the arrays: call_arrays.py; miss: return 1
      ...                                 the steps: call_steps.py; failed: return 1
      return 0;
    }

It is called with the interpreter's lock, which it releases while it waits and runs kernels. The
functions that submit and end requests (`request_states.py`) are also called with the lock. If it
returns to Python after a step has raised, the exception is set. The fields of a tuple and of an
array that are read without the lock never change during their lives. Only Python, in the stream
itself, changes `keys` and `plans`.

After its wait, a stream always finds a ticket or has to end: each ticket is in the list before its
post, and each stream that has to end has its own post. No thread sleeps forever: a waiter announces
itself (`WANTED`, `target`) before it looks once more, and a stream marks a request as ended before
it looks for waiters; the changes are sequentially consistent. A ticket is free for the next request
after it has ended, so a stream does not touch it after that. A counter is free after as many
streams have `left` it as requests were submitted.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.call_arrays import check_arrays
from snippets_mlir.codegen.stubs.call_steps import declare_for_steps, run_steps
from snippets_mlir.codegen.stubs.expressions import I1, I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import TIME
from snippets_mlir.codegen.stubs.ranges import add_range
from snippets_mlir.codegen.stubs.request_interface import (
    END,
    IDLE,
    KNOWN,
    RUN,
    STREAM,
    SUBMITTED,
    TELL,
    TICKET,
    WANTED,
)
from snippets_mlir.codegen.stubs.request_states import (
    END_ONE,
    add_aim,
    add_end,
    add_submit,
    add_want,
)

TAKE = "snippets_take"
RUN_ONE, WAITED, TAKEN = "run_request", "waited", "taken"
CLOCK_REALTIME, SECOND = 0, 10**9
PATIENCE = 50_000_000
"""Nanoseconds without a request after which Python processes finished requests."""


def requests_module() -> Module:
    """A module with the five functions and their callees."""
    module = Module()
    module.declare("PyTuple_GetItem", [POINTER, I64], POINTER)
    declare_for_steps(module)
    for name in ("sem_wait", "sem_trywait", "sem_post"):
        module.declare(name, [POINTER], I32)
    module.declare("sem_timedwait", [POINTER, POINTER], I32)
    for name in ("pthread_mutex_lock", "pthread_mutex_unlock"):
        module.declare(name, [POINTER], I32)
    add_range(module, "internal")
    _add_run(module)
    _add_waited(module)
    _add_taken(module)
    add_end(module)
    _add_take(module)
    add_submit(module)
    add_want(module)
    add_aim(module)
    return module


def _add_run(module: Module) -> None:
    body = module.function(RUN_ONE, [POINTER] * 4, I64, linkage="internal")
    plan, inputs, outputs, state = body.arguments
    miss = Block()
    check_arrays(body, plan, inputs, outputs, body.integer(0, I1), miss)
    body.end(body.widen(run_steps(body, plan, state)))
    body.at(miss)
    body.end(body.integer(1))


def _add_waited(module: Module) -> None:
    body = module.function(WAITED, [POINTER], I64, linkage="internal")
    (me,) = body.arguments
    time = body.local(llvm_type(TIME))
    semaphore = body.field(body.get(me, STREAM, "submitted"), SUBMITTED, "semaphore")
    with body.when(body.compare("eq", body.get(me, STREAM, "ran"), 0)):
        with body.loop(None) as loop:
            loop.leave_if(body.compare("eq", body.call_for(I32, "sem_wait", semaphore), 0))
        body.end(body.integer(1))
    with body.when(body.compare("eq", body.call_for(I32, "sem_trywait", semaphore), 0)):
        body.end(body.integer(1))
    body.call_for(I32, "clock_gettime", body.integer(CLOCK_REALTIME, I32), time)
    later = body.add(body.get(time, TIME, "nanoseconds"), PATIENCE)
    over = body.compare("uge", later, SECOND)
    seconds = body.add(body.get(time, TIME, "seconds"), body.widen(over))
    body.set(time, TIME, "seconds", seconds)
    body.set(time, TIME, "nanoseconds", body.select(over, body.subtract(later, SECOND), later))
    waited = body.call_for(I32, "sem_timedwait", semaphore, time)
    body.end(body.widen(body.compare("eq", waited, 0)))


def _add_taken(module: Module) -> None:
    body = module.function(TAKEN, [POINTER], POINTER, linkage="internal")
    (submitted,) = body.arguments
    body.call_for(I32, "pthread_mutex_lock", body.field(submitted, SUBMITTED, "mutex"))
    ticket = body.get(submitted, SUBMITTED, "first")
    with body.when(body.compare("ne", body.as_integer(ticket), 0)):
        after = body.get(ticket, TICKET, "next")
        body.set(submitted, SUBMITTED, "first", after)
        with body.when(body.compare("eq", body.as_integer(after), 0)):
            body.set(submitted, SUBMITTED, "last", body.null())
    body.call_for(I32, "pthread_mutex_unlock", body.field(submitted, SUBMITTED, "mutex"))
    body.end(ticket)


def _add_take(module: Module) -> None:
    body = module.function(TAKE, [POINTER], I64)
    (me,) = body.arguments
    state, what = body.local(POINTER), body.local(I64)
    body.store(body.call_for(POINTER, "PyEval_SaveThread"), state)
    with body.loop(None) as loop:
        body.store(body.integer(IDLE), what)
        loop.leave_if(body.compare("eq", body.call_for(I64, WAITED, me), 0))
        ticket = body.call_for(POINTER, TAKEN, body.get(me, STREAM, "submitted"))
        address = body.as_integer(ticket)
        body.set(me, STREAM, "ticket", address)
        body.store(body.integer(END), what)
        loop.leave_if(body.compare("eq", address, 0))
        body.store(body.integer(RUN), what)
        key = body.get(ticket, TICKET, "key")
        loop.leave_if(body.compare("eq", key, 0))
        with body.when(body.compare("ne", key, body.get(me, STREAM, "key"))):
            _look_for(body, me, key)
        loop.leave_if(body.compare("ne", key, body.get(me, STREAM, "key")))
        arrays = (body.get(ticket, TICKET, name) for name in ("inputs", "outputs"))
        came = body.call_for(I64, RUN_ONE, body.get(me, STREAM, "plan"), *arrays, state)
        loop.leave_if(body.compare("ne", came, 0))
        body.set(me, STREAM, "ran", body.add(body.get(me, STREAM, "ran"), 1))
        body.store(body.integer(TELL), what)
        wanted = body.both(body.call_for(I64, END_ONE, ticket), WANTED)
        loop.leave_if(body.compare("ne", wanted, 0))
    body.call("PyEval_RestoreThread", body.load(state, POINTER))
    body.end(body.load(what, I64))


def _look_for(body: Body, me: SSAValue, key: SSAValue) -> None:
    keys, plans = (body.field(me, STREAM, name) for name in ("keys", "plans"))
    with body.loop(KNOWN) as slots:
        with body.when(body.compare("eq", body.item(keys, I64, slots.index), key)):
            body.set(me, STREAM, "key", key)
            body.set(me, STREAM, "plan", body.item(plans, POINTER, slots.index))
