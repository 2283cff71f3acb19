"""The part of `snippets_call` that checks the arrays.

int64_t *at = (int64_t *)(plan + 1), starts[MAX_ARRAYS], ends[MAX_ARRAYS];
for (i = 0; i != plan->arrays; i++) {
int input = i < plan->inputs;
PyArrayObject_fields *array = !input && alone ? out
: PyTuple_GetItem(input ? in : out, input ? i : i - plan->inputs);
if (Py_TYPE(array) != plan->array_type) goto miss;
ArraySpec *spec = (ArraySpec *)at;
if (array->descr != spec->dtype || array->nd != spec->rank
|| (array->flags & spec->flags) != spec->flags) goto miss;
for (d = 0; d != spec->rank; d++)
if (array->dimensions[d] != ((int64_t *)(spec + 1))[d]) goto miss;
starts[i] = (int64_t)array->data;
ends[i] = starts[i] + spec->bytes;
if (!input)
for (j = 0; j != i; j++)
if (starts[i] < ends[j] && starts[j] < ends[i]) goto miss;
at = (int64_t *)(spec + 1) + spec->rank;
}
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body
from snippets_mlir.codegen.stubs.expressions import I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import ARRAY, MAX_ARRAYS, OBJECT, PLAN, SPEC


def check_arrays(
    body: Body,
    plan: SSAValue,
    inputs: SSAValue,
    outputs: SSAValue,
    alone: SSAValue,
    miss: Block,
) -> SSAValue:
    """Go to `miss` unless all arrays fit; the addresses of their first elements, in memory."""
    starts, ends = body.locals(I64, MAX_ARRAYS), body.locals(I64, MAX_ARRAYS)
    count, array_type = body.get(plan, PLAN, "inputs"), body.get(plan, PLAN, "array_type")
    with body.loop(body.get(plan, PLAN, "arrays"), _after(body, plan)) as loop:
        (spec,) = loop.values
        is_input = body.compare("ult", loop.index, count)
        index = body.select(is_input, loop.index, body.subtract(loop.index, count))
        source = body.select(is_input, inputs, outputs)
        (array,) = body.choose(
            body.both(body.negated(is_input), alone),
            lambda: outputs,
            lambda: body.call_for(POINTER, "PyTuple_GetItem", source, index),
        )
        body.require(body.same(body.get(array, OBJECT, "ob_type"), array_type), miss)
        sizes = _check_array(body, array, spec, miss)
        start = body.as_integer(body.get(array, ARRAY, "data"))
        end = body.add(start, body.get(spec, SPEC, "bytes"))
        body.set_item(starts, loop.index, start)
        body.set_item(ends, loop.index, end)
        before = body.select(is_input, 0, loop.index)
        with body.loop(before) as others:
            other_start, other_end = (body.item(of, I64, others.index) for of in (starts, ends))
            begins = body.compare("ult", start, other_end)
            reaches = body.compare("ult", other_start, end)
            body.require(body.negated(body.both(begins, reaches)), miss)
        loop.next = [body.place(sizes, I64, body.get(spec, SPEC, "rank"))]
    return starts


def _after(body: Body, plan: SSAValue) -> SSAValue:
    """What follows the head of the plan."""
    return body.place(plan, llvm_type(PLAN), 1)


def _check_array(body: Body, array: SSAValue, spec: SSAValue, miss: Block) -> SSAValue:
    """Go to `miss` unless dtype, rank, flags and sizes fit; the address of the wanted sizes."""
    rank, wanted = body.get(spec, SPEC, "rank"), body.get(spec, SPEC, "flags")
    dtype = body.same(body.get(array, ARRAY, "descr"), body.get(spec, SPEC, "dtype"))
    flags = body.widen(body.get(array, ARRAY, "flags"))
    flagged = body.compare("eq", body.both(flags, wanted), wanted)
    ranked = body.compare("eq", body.widen(body.get(array, ARRAY, "nd"), signed=True), rank)
    body.require(body.both(body.both(dtype, flagged), ranked), miss)
    sizes, found = body.place(spec, llvm_type(SPEC), 1), body.get(array, ARRAY, "dimensions")
    with body.loop(rank) as loop:
        size, expected = (body.item(of, I64, loop.index) for of in (found, sizes))
        body.require(body.compare("eq", size, expected), miss)
    return sizes
