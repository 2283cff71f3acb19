"""`snippets_crew_run`: threads that take parts of a kernel, and never hold it up by coming late.

    struct Crew { int64_t word, rest; Work *work; int64_t size, unused[4], done, more[7]; };
    struct Member { Crew *crew; int64_t index, claimed, asleep; sem_t semaphore; };

    static void snippets_crew_run(Crew *crew, Work *work, int64_t parts) {
      int64_t epoch = (crew->word >> 16) + 1, workers = min(crew->size, parts - 1), others = 0;
      Member *members = (Member *)(crew + 1);
      crew->work = work; crew->done = 0; crew->rest = 0;
      atomic_exchange(&crew->word, epoch << 16 | parts);
      for (i = 0; i != workers; i++)
        if (members[i].asleep && atomic_exchange(&members[i].asleep, 0))
          sem_post(&members[i].semaphore);
      snippets_part(work, 0, parts);
      for (i = 0; i != parts - 1; i++)
        if (i >= workers || atomic_fetch_max(&members[i].claimed, epoch) < epoch)
          snippets_part(work, i + 1, parts);
        else
          others++;
      for (i = 0; crew->done != others; i++) { pause(); if (i >= PATIENCE) sched_yield(); }
    }

    void *snippets_crew_member(Member *me) {
      for (int64_t seen = 0, word;; seen = word) {
        for (i = 0; (word = me->crew->word) == seen; i++) {
          if (i >= SPINS || me->crew->rest) {
            atomic_exchange(&me->asleep, 1);
            if (me->crew->word == seen) sem_wait(&me->semaphore);
            atomic_exchange(&me->asleep, 0);
          }
          pause();
        }
        int64_t epoch = word >> 16, parts = word & 0xffff;
        if (me->index < parts && atomic_fetch_max(&me->claimed, epoch) < epoch) {
          snippets_part(me->crew->work, me->index, parts);
          atomic_fetch_add(&me->crew->done, 1);
        }
      }
    }

Member `i` has part `i` of a kernel, so that a thread finds in its cache what it wrote there before.
The caller has part 0, and then takes each part that no member has begun: a kernel takes longer, but
does not wait, where another program has a core. An OpenMP runtime waits at its barrier until every
thread of the team has run, a time slice of the system for each kernel.

Why a part runs once: a part is claimed by raising `claimed` to the epoch of the call, which only
the first one sees below it. Why `work` is there: it is read after a claim, and the call ends when
all claimed parts are done. Why none sleeps for ever: a member says that it sleeps before it looks
once more, and the caller publishes before it asks who sleeps; the exchanges are sequentially
consistent. A member that is woken too late finds nothing new and sleeps again.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I1, I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import CREW, MEMBER, PARTS_OF_WORD
from snippets_mlir.dialects.llvm.atomics import AtomicRMWOp
from snippets_mlir.dialects.llvm.integer_intrinsics import UMinOp

RUN, PART, MEMBER_MAIN = "snippets_crew_run", "snippets_part", "snippets_crew_member"
SPINS = 1 << 13
"""Pauses for which a member looks for the next kernel: 0.2 ms on Zen 4."""

PATIENCE = 1 << 10
"""Pauses for which the caller waits before it gives the core to others."""

PAUSES = {"x86_64": ("llvm.x86.sse2.pause", ()), "aarch64": ("llvm.aarch64.hint", (1,))}
"""LLVM's intrinsic that tells a core that its thread waits."""


def add_crew(module: Module, machine: str) -> None:
    """Add the two functions; the module has `snippets_part(work, part, parts)`.

    `machine` is what runs them, as `platform.machine` says it.
    """
    module.declare("sem_post", [POINTER], I32)
    module.declare("sem_wait", [POINTER], I32)
    module.declare("sched_yield", [], I32)
    if (pause := PAUSES.get(machine)) is not None:
        module.declare(pause[0], [I32] * len(pause[1]), None)
    _add_run(module, machine)
    _add_member(module, machine)


def _pause(body: Body, machine: str) -> None:
    if (pause := PAUSES.get(machine)) is not None:
        body.call(pause[0], *(body.integer(n, I32) for n in pause[1]))


def _changed(body: Body, change: str, place: SSAValue, value: SSAValue | int) -> SSAValue:
    """What was in a 64-bit integer that is changed in one step."""
    return body.add_op(AtomicRMWOp(change, place, body.value(value), "seq_cst", 8))


def _claims(body: Body, member: SSAValue, epoch: SSAValue) -> SSAValue:
    """Whether the part of a member is the caller's from now on."""
    before = _changed(body, "umax", body.field(member, MEMBER, "claimed"), epoch)
    return body.compare("ult", before, epoch)


def _add_run(module: Module, machine: str) -> None:
    body = module.function(RUN, [POINTER, POINTER, I64], linkage="internal")
    crew, work, parts = body.arguments
    before = body.get(crew, CREW, "word")
    epoch = body.add(body.divide(before, PARTS_OF_WORD), 1)
    rest = body.subtract(parts, 1)
    workers = body.add_op(UMinOp(body.get(crew, CREW, "size"), rest))
    members = body.place(crew, llvm_type(CREW), 1)
    body.set(crew, CREW, "work", work)
    body.set(crew, CREW, "done", 0, atomic="monotonic")
    body.set(crew, CREW, "rest", 0, atomic="monotonic")
    word = body.add(body.multiply(epoch, PARTS_OF_WORD), parts)
    _changed(body, "xchg", body.field(crew, CREW, "word"), word)
    with body.loop(workers) as loop:
        _wake(body, body.place(members, llvm_type(MEMBER), loop.index))
    body.call(PART, work, 0, parts)
    with body.loop(rest, body.integer(0)) as loop:
        (others,) = loop.values
        (mine,) = body.choose(
            body.compare("uge", loop.index, workers),
            lambda: body.integer(1, I1),
            lambda: _claims(body, body.place(members, llvm_type(MEMBER), loop.index), epoch),
        )
        with body.when(mine):
            body.call(PART, work, body.add(loop.index, 1), parts)
        loop.next = [body.add(others, body.select(mine, 0, body.integer(1)))]
    with body.loop(None) as waiting:
        done = body.get(crew, CREW, "done", atomic="acquire")
        waiting.leave_if(body.compare("eq", done, others))
        _pause(body, machine)
        with body.when(body.compare("uge", waiting.index, PATIENCE)):
            body.call_for(I32, "sched_yield")
    body.end()


def _wake(body: Body, member: SSAValue) -> None:
    asleep = body.get(member, MEMBER, "asleep", atomic="seq_cst")
    with body.when(body.compare("ne", asleep, 0)):
        still = _changed(body, "xchg", body.field(member, MEMBER, "asleep"), 0)
        with body.when(body.compare("ne", still, 0)):
            body.call_for(I32, "sem_post", body.field(member, MEMBER, "semaphore"))


def _add_member(module: Module, machine: str) -> None:
    body = module.function(MEMBER_MAIN, [POINTER], POINTER)
    (me,) = body.arguments
    crew, index = body.get(me, MEMBER, "crew"), body.get(me, MEMBER, "index")
    with body.loop(None, body.integer(0)) as loop:
        (seen,) = loop.values
        with body.loop(None) as waiting:
            word = body.get(crew, CREW, "word", atomic="acquire")
            waiting.leave_if(body.compare("ne", word, seen))
            resting = body.get(crew, CREW, "rest", atomic="monotonic")
            late = body.compare("uge", waiting.index, SPINS)
            with body.when(body.either(late, body.compare("ne", resting, 0))):
                _sleep(body, me, crew, seen)
            _pause(body, machine)
        epoch, parts = body.divide(word, PARTS_OF_WORD), body.remainder(word, PARTS_OF_WORD)
        with body.when(body.compare("ult", index, parts)):
            with body.when(_claims(body, me, epoch)):
                body.call(PART, body.get(crew, CREW, "work"), index, parts)
                _changed(body, "add", body.field(crew, CREW, "done"), 1)
        loop.next = [word]
    body.end(body.null())


def _sleep(body: Body, me: SSAValue, crew: SSAValue, seen: SSAValue) -> None:
    asleep = body.field(me, MEMBER, "asleep")
    _changed(body, "xchg", asleep, 1)
    word = body.get(crew, CREW, "word", atomic="seq_cst")
    with body.when(body.compare("eq", word, seen)):
        body.call_for(I32, "sem_wait", body.field(me, MEMBER, "semaphore"))
    _changed(body, "xchg", asleep, 0)
