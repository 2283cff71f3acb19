"""The part of `snippets_call` that runs the steps of a network.

int teams = *plan->forked == 0, failed = 0;
PyThreadState *state = plan->release ? PyEval_SaveThread() : NULL;
Step *steps = (Step *)((int64_t *)plan + plan->first_step);
for (s = 0; s != plan->steps; s++) {
Step *step = &steps[s];
Args *args = (Args *)&step->data;
if (plan->times) plan->times[2 * s] = now();
if (step->team == 0) {
if (step->check && !step->check(step->data[0], step->data[2], step->domain, step->grain,
step->aligned)) continue;
if (plan->release) PyEval_RestoreThread(state);
PyObject *result = PyObject_CallNoArgs(step->kernel);
failed = result == NULL;
if (!failed) Py_DecRef(result);
if (plan->release) state = PyEval_SaveThread();
if (failed) break;
} else if (step->team > 1 && teams)
plan->launch(plan->runtime, step->kernel, step->data, step->rt, step->scratch, step->domain,
step->grain, (int32_t)step->team, step->aligned);
else if (step->aligned)
snippets_range(step->kernel, args, 0, step->domain, 0, step->grain, step->aligned);
else
step->kernel(args, 0, step->domain, 0);
if (plan->times) plan->times[2 * s + 1] = now();
}
if (plan->release) PyEval_RestoreThread(state);

`now` is the time of `CLOCK_MONOTONIC` in nanoseconds. A caller that has released the interpreter's
lock passes its `state` instead: only Python steps take the lock.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I1, I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import PLAN, STEP, TIME
from snippets_mlir.codegen.stubs.ranges import RANGE

CLOCK_MONOTONIC = 1


def declare_for_steps(module: Module) -> None:
    """Declare the functions of the C library and of Python that `run_steps` calls."""
    module.declare("PyEval_SaveThread", [], POINTER)
    module.declare("PyEval_RestoreThread", [POINTER], None)
    module.declare("PyObject_CallNoArgs", [POINTER], POINTER)
    module.declare("Py_DecRef", [POINTER], None)
    module.declare("clock_gettime", [I32, POINTER], I32)


def run_steps(body: Body, plan: SSAValue, unlocked: SSAValue | None = None) -> SSAValue:
    """Run all steps; returns whether one has raised an exception, after which no step runs.

    `unlocked` points to the `PyThreadState` of a caller without the interpreter's lock. If it is
    None, the caller has the lock, and has it again after the steps.
    """
    state = body.local(POINTER) if unlocked is None else unlocked
    failed, time = body.local(I64), body.local(llvm_type(TIME))
    body.store(body.integer(0), failed)
    teams = body.compare("eq", body.load(body.get(plan, PLAN, "forked"), I32), 0)
    if unlocked is None:
        release = body.compare("ne", body.get(plan, PLAN, "release"), 0)
    else:
        release = body.integer(1, I1)
    times = body.get(plan, PLAN, "times")
    timed = body.compare("ne", body.as_integer(times), 0)
    steps = body.place(plan, I64, body.get(plan, PLAN, "first_step"))
    if unlocked is None:
        with body.when(release):
            _unlock(body, state)
    with body.loop(body.get(plan, PLAN, "steps")) as loop:
        step = body.place(steps, llvm_type(STEP), loop.index)
        row = body.place(times, I64, body.add(loop.index, loop.index))
        with body.when(timed):
            _note(body, row, 0, time)
        team = body.get(step, STEP, "team")
        _choose(
            body,
            body.compare("eq", team, 0),
            lambda: _call_unless_checked(body, step, release, state, failed),
            lambda: _choose(
                body,
                body.both(body.compare("ugt", team, 1), teams),
                lambda: _together(body, plan, step),
                lambda: _alone(body, step),
            ),
        )
        loop.leave_if(body.compare("ne", body.load(failed, I64), 0))
        with body.when(timed):
            _note(body, row, 1, time)
    if unlocked is None:
        with body.when(release):
            body.call("PyEval_RestoreThread", body.load(state, POINTER))
    return body.compare("ne", body.load(failed, I64), 0)


def declare_to_answer(module: Module) -> None:
    """Declare the functions of CPython that the steps and the answer after them call."""
    module.declare("PyErr_BadArgument", [], I32)
    module.declare("Py_IncRef", [POINTER], None)
    declare_for_steps(module)


def answer_from_steps(body: Body, plan: SSAValue, taken: Block, wrong: Block) -> None:
    """End a function of CPython: run the steps and return None, or null if one has failed.

    `taken` returns `TAKEN` if nothing has run; `wrong` raises the error for a bad argument.
    """
    body.set(plan, PLAN, "busy", 1)
    failed = run_steps(body, plan)
    body.set(plan, PLAN, "busy", 0)
    with body.when(failed):
        body.end(body.null())
    give(body, body.get(plan, PLAN, "none"))
    body.at(taken)
    give(body, body.get(plan, PLAN, "taken"))
    body.at(wrong)
    body.call_for(I32, "PyErr_BadArgument")
    body.end(body.null())


def give(body: Body, result: SSAValue) -> None:
    """Return an object to the caller, who owns it."""
    body.call("Py_IncRef", result)
    body.end(result)


def _choose(
    body: Body, condition: SSAValue, then: Callable[[], None], other: Callable[[], None]
) -> None:
    body.choose(condition, then, other)


def _unlock(body: Body, state: SSAValue) -> None:
    body.store(body.call_for(POINTER, "PyEval_SaveThread"), state)


def _note(body: Body, row: SSAValue, place: int, time: SSAValue) -> None:
    body.call_for(I32, "clock_gettime", body.integer(CLOCK_MONOTONIC, I32), time)
    seconds, more = (body.get(time, TIME, name) for name in ("seconds", "nanoseconds"))
    body.set_item(row, place, body.add(body.multiply(seconds, 10**9), more))


def _call_unless_checked(
    body: Body, step: SSAValue, release: SSAValue, state: SSAValue, failed: SSAValue
) -> None:
    """Call the object of a step, unless the step has a check that finds no error."""
    check, data, domain, grain, aligned = (
        body.get(step, STEP, name) for name in ("check", "data", "domain", "grain", "aligned")
    )

    def checked() -> SSAValue:
        indices, result = (body.item(data, POINTER, place) for place in (0, 2))
        return body.call_at_for(I64, check, indices, result, domain, grain, aligned)

    (wrong,) = body.choose(
        body.compare("eq", body.as_integer(check), 0),
        lambda: body.integer(1),
        checked,
    )
    with body.when(body.compare("ne", wrong, 0)):
        _call_object(body, step, release, state, failed)


def _call_object(
    body: Body, step: SSAValue, release: SSAValue, state: SSAValue, failed: SSAValue
) -> None:
    """Call an object of Python, with the interpreter's lock."""
    with body.when(release):
        body.call("PyEval_RestoreThread", body.load(state, POINTER))
    result = body.call_for(POINTER, "PyObject_CallNoArgs", body.get(step, STEP, "kernel"))
    raised = body.compare("eq", body.as_integer(result), 0)
    body.store(body.widen(raised), failed)
    with body.when(body.negated(raised)):
        body.call("Py_DecRef", result)
    with body.when(release):
        _unlock(body, state)


def _together(body: Body, plan: SSAValue, step: SSAValue) -> None:
    """Run a step on several threads."""
    kernel, data, rt, scratch, domain, grain, team, aligned = (
        body.get(step, STEP, name)
        for name in ("kernel", "data", "rt", "scratch", "domain", "grain", "team", "aligned")
    )
    launch, runtime = body.get(plan, PLAN, "launch"), body.get(plan, PLAN, "runtime")
    threads = body.narrow(team, I32)
    body.call_at(launch, runtime, kernel, data, rt, scratch, domain, grain, threads, aligned)


def _alone(body: Body, step: SSAValue) -> None:
    """Run a step on the thread of the call."""
    kernel, domain, grain, aligned = (
        body.get(step, STEP, name) for name in ("kernel", "domain", "grain", "aligned")
    )
    args = body.field(step, STEP, "data")
    body.choose(
        body.compare("eq", aligned, 0),
        lambda: body.call_at(kernel, args, 0, domain, 0),
        lambda: body.call(RANGE, kernel, args, 0, domain, 0, grain, aligned),
    )
