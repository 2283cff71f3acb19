"""The part of `snippets_call` that runs the kernels.

int64_t *at = (int64_t *)plan + plan->first_step, data[MAX_POINTERS];
Args args;
int teams = *plan->forked == 0;
for (s = 0; s != plan->steps; s++) {
Step *step = (Step *)at;
int64_t *pointers = (int64_t *)(step + 1);
for (p = 0; p != step->pointers; p++)
data[p] = pointers[p] < MAX_ARRAYS ? starts[pointers[p]] : pointers[p];
if (step->team > 1 && teams)
plan->launch(plan->openmp, step->kernel, data, step->rt, step->scratch, step->domain,
step->grain, (int32_t)step->team, step->aligned);
else {
args = (Args){data, step->rt, step->scratch};
if (step->aligned)
snippets_range(step->kernel, &args, 0, step->domain, 0, step->grain, step->aligned);
else
step->kernel(&args, 0, step->domain, 0);
}
at = pointers + step->pointers;
}
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body
from snippets_mlir.codegen.stubs.expressions import I32, I64, llvm_type
from snippets_mlir.codegen.stubs.interface import ARGS, MAX_ARRAYS, MAX_POINTERS, PLAN, STEP
from snippets_mlir.codegen.stubs.ranges import RANGE


def run_steps(body: Body, plan: SSAValue, starts: SSAValue) -> None:
    """Run all steps; `starts` has the addresses of the arrays."""
    data, args = body.locals(I64, MAX_POINTERS), body.local(llvm_type(ARGS))
    forked = body.load(body.get(plan, PLAN, "forked"), I32)
    teams = body.compare("eq", forked, 0)
    first = body.place(plan, I64, body.get(plan, PLAN, "first_step"))
    with body.loop(body.get(plan, PLAN, "steps"), first) as loop:
        (step,) = loop.values
        pointers, count = body.place(step, llvm_type(STEP), 1), body.get(step, STEP, "pointers")
        with body.loop(count) as each:
            body.set_item(data, each.index, _address(body, pointers, each.index, starts))
        many = body.compare("ugt", body.get(step, STEP, "team"), 1)
        body.choose(
            body.both(many, teams),
            lambda: _together(body, plan, step, data),
            lambda: _alone(body, step, data, args),
        )
        loop.next = [body.place(pointers, I64, count)]


def _address(body: Body, pointers: SSAValue, index: SSAValue, starts: SSAValue) -> SSAValue:
    """What a pointer of a step points to."""
    code = body.item(pointers, I64, index)
    is_number = body.compare("ult", code, MAX_ARRAYS)
    number = body.select(is_number, code, 0)
    return body.select(is_number, body.item(starts, I64, number), code)


def _together(body: Body, plan: SSAValue, step: SSAValue, data: SSAValue) -> None:
    """Run a step on several threads."""
    kernel, rt, scratch, domain, grain, team, aligned = (
        body.get(step, STEP, name)
        for name in ("kernel", "rt", "scratch", "domain", "grain", "team", "aligned")
    )
    launch, openmp = body.get(plan, PLAN, "launch"), body.get(plan, PLAN, "openmp")
    threads = body.narrow(team, I32)
    body.call_at(launch, openmp, kernel, data, rt, scratch, domain, grain, threads, aligned)


def _alone(body: Body, step: SSAValue, data: SSAValue, args: SSAValue) -> None:
    """Run a step on the thread of the call."""
    kernel, domain, grain, aligned = (
        body.get(step, STEP, name) for name in ("kernel", "domain", "grain", "aligned")
    )
    body.set(args, ARGS, "data", data)
    body.set(args, ARGS, "rt", body.get(step, STEP, "rt"))
    body.set(args, ARGS, "scratch", body.get(step, STEP, "scratch"))
    body.choose(
        body.compare("eq", aligned, 0),
        lambda: body.call_at(kernel, args, 0, domain, 0),
        lambda: body.call(RANGE, kernel, args, 0, domain, 0, grain, aligned),
    )
