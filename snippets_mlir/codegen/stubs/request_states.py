"""Submitting, ending and waiting for requests of streams, without Python.

    void snippets_submit(Submitted *all, Ticket *ticket) {
      ticket->next = NULL;
      pthread_mutex_lock(&all->mutex);
      if (all->last) all->last->next = ticket; else all->first = ticket;
      all->last = ticket;
      pthread_mutex_unlock(&all->mutex);
      sem_post(&all->semaphore);
    }

    int64_t snippets_end(Ticket *ticket) {
      Counter *counter = ticket->counter;
      int64_t before = atomic_fetch_or(&ticket->state, ENDED);
      if (counter) {
        int64_t ended = atomic_fetch_add(&counter->ended, 1) + 1;
        if (ended == atomic_load(&counter->target)) sem_post(&counter->semaphore);
        atomic_fetch_add(&counter->left, 1);
      }
      return before;
    }

    int64_t snippets_want(Ticket *ticket) { return atomic_fetch_or(&ticket->state, WANTED); }

    int64_t snippets_aim(Counter *counter, int64_t target) {
      atomic_exchange(&counter->target, target);
      return atomic_load(&counter->ended);
    }

All are called with the interpreter's lock, and `snippets_end` also without it. `take_requests.py`
explains why no thread sleeps forever.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER
from snippets_mlir.codegen.stubs.layout import Layout
from snippets_mlir.codegen.stubs.request_interface import COUNTER, ENDED, SUBMITTED, TICKET, WANTED
from snippets_mlir.dialects.llvm.atomics import AtomicRMWOp

SUBMIT, END_ONE = "snippets_submit", "snippets_end"


def _changed(
    body: Body, change: str, struct: SSAValue, layout: Layout, name: str, value: SSAValue | int
) -> SSAValue:
    """The old value of a field that is changed atomically."""
    place = body.field(struct, layout, name)
    return body.add_op(AtomicRMWOp(change, place, body.value(value), "seq_cst", 8))


def add_submit(module: Module) -> None:
    """Add `snippets_submit`."""
    body = module.function(SUBMIT, [POINTER, POINTER])
    submitted, ticket = body.arguments
    body.set(ticket, TICKET, "next", body.null())
    body.call_for(I32, "pthread_mutex_lock", body.field(submitted, SUBMITTED, "mutex"))
    last = body.get(submitted, SUBMITTED, "last")
    body.choose(
        body.compare("eq", body.as_integer(last), 0),
        lambda: body.set(submitted, SUBMITTED, "first", ticket),
        lambda: body.set(last, TICKET, "next", ticket),
    )
    body.set(submitted, SUBMITTED, "last", ticket)
    body.call_for(I32, "pthread_mutex_unlock", body.field(submitted, SUBMITTED, "mutex"))
    body.call_for(I32, "sem_post", body.field(submitted, SUBMITTED, "semaphore"))
    body.end()


def add_end(module: Module) -> None:
    """Add `snippets_end`."""
    body = module.function(END_ONE, [POINTER], I64)
    (ticket,) = body.arguments
    counter = body.get(ticket, TICKET, "counter")
    before = _changed(body, "_or", ticket, TICKET, "state", ENDED)
    with body.when(body.compare("ne", body.as_integer(counter), 0)):
        ended = body.add(_changed(body, "add", counter, COUNTER, "ended", 1), 1)
        target = body.get(counter, COUNTER, "target", atomic="seq_cst")
        with body.when(body.compare("eq", ended, target)):
            body.call_for(I32, "sem_post", body.field(counter, COUNTER, "semaphore"))
        _changed(body, "add", counter, COUNTER, "left", 1)
    body.end(before)


def add_want(module: Module) -> None:
    """Add `snippets_want`."""
    body = module.function("snippets_want", [POINTER], I64)
    (ticket,) = body.arguments
    body.end(_changed(body, "_or", ticket, TICKET, "state", WANTED))


def add_aim(module: Module) -> None:
    """Add `snippets_aim`."""
    body = module.function("snippets_aim", [POINTER, I64], I64)
    counter, target = body.arguments
    _changed(body, "xchg", counter, COUNTER, "target", target)
    body.end(body.get(counter, COUNTER, "ended", atomic="seq_cst"))
