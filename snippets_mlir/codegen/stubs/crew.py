"""`snippets_crew_run`: threads that take slices of a kernel; late threads never delay it.

    struct Crew { int64_t word, rest; Work *work; int64_t size, spins, patience, unused[2];
                  int64_t done, more[7], taken; };
    struct Member { Crew *crew; int64_t index, taken, asleep; sem_t semaphore; };

    static void snippets_crew_run(Crew *crew, Work *work, int64_t parts) {
      int64_t epoch = (crew->word >> 16) + 1, owned = min(crew->size + 1, parts);
      Member *members = (Member *)(crew + 1);
      crew->work = work; crew->done = 0; crew->rest = 0;
      atomic_exchange(&crew->word, epoch << 16 | parts);
      for (i = 0; i != owned - 1; i++)
        if (members[i].asleep && atomic_exchange(&members[i].asleep, 0))
          sem_post(&members[i].semaphore);
      int64_t others = owned * SLICES - snippets_crew_help(crew, epoch, parts, 0);
      for (i = owned; i != parts; i++) snippets_part(work, i, parts);
      for (i = 0; crew->done != others; i++) { pause(); if (i >= crew->patience) sched_yield(); }
    }

    void snippets_crew_end(Crew *crew) {
      atomic_exchange(&crew->word, ((crew->word >> 16) + 1) << 16);
      for (i = 0; i != crew->size; i++) ... wake member i as above ...
    }

    void *snippets_crew_member(Member *me) {
      for (int64_t seen = 0, word;; seen = word) {
        for (i = 0; (word = me->crew->word) == seen; i++) {
          if (i >= me->crew->spins || me->crew->rest) {
            atomic_exchange(&me->asleep, 1);
            if (me->crew->word == seen) sem_wait(&me->semaphore);
            atomic_exchange(&me->asleep, 0);
          }
          pause();
        }
        int64_t epoch = word >> 16, parts = word & 0xffff;
        if (parts == 0) return NULL;
        if (me->index < parts) snippets_crew_help(me->crew, epoch, parts, me->index);
      }
    }

Member `i` has part `i` of a kernel, and the caller has part 0, so that a thread finds its earlier
results in its cache. A thread whose part is done continues with slices of other parts
(`crew_slices.py`). So a kernel does not wait for a thread that comes late or has a slower core: two
processes, or two machines, may share one core. An OpenMP runtime waits at its barrier until every
thread of the team has run its part.

`work` is always valid: it is read after a slice is taken, and the call ends when all slices are
done. No member sleeps forever: a member announces its sleep before it looks once more, and the
caller publishes work before it looks for sleepers; the exchanges are sequentially consistent. A
member that is woken too late finds nothing new and sleeps again.

A call without parts ends the members. A later caller of the crew finds none, and runs all slices.

A pause of an x86-64 core takes 10 to 60 ns. So the starter of the crew measures it, and sets the
number of pauses that a member waits for the next kernel (`spins`), and that the caller waits before
it yields its core (`patience`).
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.crew_slices import (
    HELP,
    SLICES,
    add_slices,
    changed,
    first_of_call,
    owned_parts,
)
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import CREW, MEMBER, PARTS_OF_WORD

RUN, MEMBER_MAIN = "snippets_crew_run", "snippets_crew_member"
PART = "snippets_part"
PAUSE, END = "snippets_crew_pause", "snippets_crew_end"

PAUSES = {"x86_64": ("llvm.x86.sse2.pause", ()), "aarch64": ("llvm.aarch64.hint", (1,))}
"""LLVM's intrinsic that tells a core that its thread waits."""


def add_crew(module: Module, machine: str) -> None:
    """Add the functions; the module has `snippets_part` and `snippets_slice` (`launch.py`).

    `machine` is the machine that runs them, as in `platform.machine`.
    """
    module.declare("sem_post", [POINTER], I32)
    module.declare("sem_wait", [POINTER], I32)
    module.declare("sched_yield", [], I32)
    if (pause := PAUSES.get(machine)) is not None:
        module.declare(pause[0], [I32] * len(pause[1]), None)
    _add_pause(module, machine)
    add_slices(module)
    _add_run(module, machine)
    _add_end(module)
    _add_member(module, machine)


def _pause(body: Body, machine: str) -> None:
    if (pause := PAUSES.get(machine)) is not None:
        body.call(pause[0], *(body.integer(n, I32) for n in pause[1]))


def _add_pause(module: Module, machine: str) -> None:
    """`snippets_crew_pause`: wait for a number of pauses."""
    body = module.function(PAUSE, [I64])
    (pauses,) = body.arguments
    with body.loop(pauses):
        _pause(body, machine)
    body.end()


def _add_run(module: Module, machine: str) -> None:
    body = module.function(RUN, [POINTER, POINTER, I64], linkage="internal")
    crew, work, parts = body.arguments
    owned = owned_parts(body, crew, parts)
    body.set(crew, CREW, "work", work)
    body.set(crew, CREW, "done", 0, atomic="monotonic")
    body.set(crew, CREW, "rest", 0, atomic="monotonic")
    epoch = _call(body, crew, parts, body.subtract(owned, 1))
    mine = body.call_for(I64, HELP, crew, epoch, parts, 0)
    with body.loop(body.subtract(parts, owned)) as loop:
        body.call(PART, work, body.add(owned, loop.index), parts)
    others = body.subtract(body.multiply(owned, SLICES), mine)
    with body.loop(None) as waiting:
        done = body.get(crew, CREW, "done", atomic="acquire")
        waiting.leave_if(body.compare("eq", done, others))
        _pause(body, machine)
        with body.when(body.compare("uge", waiting.index, body.get(crew, CREW, "patience"))):
            body.call_for(I32, "sched_yield")
    body.end()


def _add_end(module: Module) -> None:
    """`snippets_crew_end`: have all members return."""
    body = module.function(END, [POINTER])
    (crew,) = body.arguments
    _call(body, crew, body.integer(0), body.get(crew, CREW, "size"))
    body.end()


def _call(body: Body, crew: SSAValue, parts: SSAValue, members: SSAValue) -> SSAValue:
    """Publish the next call, and wake the first `members` members; returns the call's number."""
    before = body.get(crew, CREW, "word")
    epoch = body.add(body.divide(before, PARTS_OF_WORD), 1)
    word = body.add(first_of_call(body, epoch), parts)
    changed(body, "xchg", body.field(crew, CREW, "word"), word)
    first = body.place(crew, llvm_type(CREW), 1)
    with body.loop(members) as loop:
        _wake(body, body.place(first, llvm_type(MEMBER), loop.index))
    return epoch


def _wake(body: Body, member: SSAValue) -> None:
    asleep = body.get(member, MEMBER, "asleep", atomic="seq_cst")
    with body.when(body.compare("ne", asleep, 0)):
        still = changed(body, "xchg", body.field(member, MEMBER, "asleep"), 0)
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
            late = body.compare("uge", waiting.index, body.get(crew, CREW, "spins"))
            with body.when(body.either(late, body.compare("ne", resting, 0))):
                _sleep(body, me, crew, seen)
            _pause(body, machine)
        epoch, parts = body.divide(word, PARTS_OF_WORD), body.remainder(word, PARTS_OF_WORD)
        loop.leave_if(body.compare("eq", parts, 0))
        with body.when(body.compare("ult", index, parts)):
            body.call_for(I64, HELP, crew, epoch, parts, index)
        loop.next = [word]
    body.end(body.null())


def _sleep(body: Body, me: SSAValue, crew: SSAValue, seen: SSAValue) -> None:
    asleep = body.field(me, MEMBER, "asleep")
    changed(body, "xchg", asleep, 1)
    word = body.get(crew, CREW, "word", atomic="seq_cst")
    with body.when(body.compare("eq", word, seen)):
        body.call_for(I32, "sem_wait", body.field(me, MEMBER, "semaphore"))
    changed(body, "xchg", asleep, 0)
