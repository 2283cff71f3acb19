"""`snippets_crew_help`: a thread of a crew takes slices of the parts of a kernel.

    static int64_t snippets_crew_help(Crew *crew, int64_t epoch, int64_t parts, int64_t thread) {
      int64_t all = 0, owned = min(crew->size + 1, parts);
      for (i = 0; i != owned; i++) {
        int64_t part = (thread + i) % owned, mine = 0;
        int64_t *taken = part ? &members[part - 1].taken : &crew->taken;
        for (;;) {
          int64_t slice = *taken - (epoch << 16);
          if (slice >= SLICES) break;
          int64_t after = (epoch << 16) + max(slice, 0) + 1;
          if (atomic_fetch_max(taken, after) < after) {
            snippets_slice(crew->work, part, parts, max(slice, 0), thread);
            mine++;
          }
        }
        if (thread && mine) atomic_fetch_add(&crew->done, mine);
        all += mine;
      }
      return all;
    }

A part is taken in slices: half of it, a quarter, and so on. A thread takes the slices of its own
part first, then slices of the other parts.

A slice runs only once: a thread takes it by raising `taken` to the epoch of the call and the number
of slices taken, and only one thread sees a smaller value. A late member has an older epoch than
`taken`, and finds no slice.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import CREW, MEMBER, PARTS_OF_WORD
from snippets_mlir.dialects.llvm.atomics import AtomicRMWOp
from snippets_mlir.dialects.llvm.integer_intrinsics import UMinOp

TAKE, HELP, SLICE = "snippets_crew_take", "snippets_crew_help", "snippets_slice"
SLICES = 5
"""Slices of a part: a half, a quarter, an eighth, and two sixteenths."""


def changed(body: Body, change: str, place: SSAValue, value: SSAValue | int) -> SSAValue:
    """The old value of a 64-bit integer that is changed atomically."""
    return body.add_op(AtomicRMWOp(change, place, body.value(value), "seq_cst", 8))


def first_of_call(body: Body, epoch: SSAValue) -> SSAValue:
    """The value of a part's `taken` in the call `epoch` before any slice is taken."""
    return body.multiply(epoch, PARTS_OF_WORD)


def owned_parts(body: Body, crew: SSAValue, parts: SSAValue) -> SSAValue:
    """The number of parts that belong to the caller or to a member."""
    return body.add_op(UMinOp(body.add(body.get(crew, CREW, "size"), 1), parts))


def add_slices(module: Module) -> None:
    """Add the functions; the module has `snippets_slice` (`launch.py`)."""
    _add_take(module)
    _add_help(module)


def _add_take(module: Module) -> None:
    """`snippets_crew_take`: run slices of a part that nobody has taken; returns their number."""
    body = module.function(TAKE, [POINTER, POINTER, *[I64] * 4], I64, linkage="internal")
    crew, taken, epoch, part, parts, thread = body.arguments
    start = first_of_call(body, epoch)
    with body.loop(None, body.integer(0)) as loop:
        (mine,) = loop.values
        place = body.load(taken, I64, atomic="acquire")
        position = body.subtract(place, start)
        loop.leave_if(body.compare("sge", position, SLICES))
        number = body.select(body.compare("slt", position, 0), body.integer(0), position)
        after = body.add(body.add(start, number), 1)
        is_mine = body.compare("ult", changed(body, "umax", taken, after), after)
        with body.when(is_mine):
            body.call(SLICE, body.get(crew, CREW, "work"), part, parts, number, thread)
        loop.next = [body.add(mine, body.widen(is_mine))]
    body.end(mine)


def _add_help(module: Module) -> None:
    """`snippets_crew_help`: run slices of all parts, own ones first; returns their number."""
    body = module.function(HELP, [POINTER, *[I64] * 3], I64, linkage="internal")
    crew, epoch, parts, thread = body.arguments
    owned, members = owned_parts(body, crew, parts), body.place(crew, llvm_type(CREW), 1)
    with body.loop(owned, body.integer(0)) as loop:
        (before,) = loop.values
        number = body.add(thread, loop.index)
        beyond = body.subtract(number, owned)
        part = body.select(body.compare("uge", number, owned), beyond, number)
        member = body.place(members, llvm_type(MEMBER), body.subtract(part, 1))
        taken = body.select(
            body.compare("eq", part, 0),
            body.field(crew, CREW, "taken"),
            body.field(member, MEMBER, "taken"),
        )
        mine = body.call_for(I64, TAKE, crew, taken, epoch, part, parts, thread)
        is_member = body.compare("ne", thread, 0)
        with body.when(body.both(is_member, body.compare("ne", mine, 0))):
            changed(body, "add", body.field(crew, CREW, "done"), mine)
        loop.next = [body.add(before, mine)]
    body.end(loop.values[0])
