"""The part of `snippets_call` that checks the arrays and writes their addresses into the steps.

int64_t *words = (int64_t *)plan;
ArraySpec *specs = (ArraySpec *)(plan + 1);
for (i = 0; i != plan->arrays; i++) {
ArraySpec *spec = &specs[i];
int input = i < plan->inputs;
PyArrayObject_fields *array = !input && alone ? out
: PyTuple_GetItem(input ? in : out, input ? i : i - plan->inputs);
if (Py_TYPE(array) != plan->array_type) goto miss;
if (array->descr != spec->dtype || array->nd != spec->rank
|| (array->flags & spec->flags) != spec->flags) goto miss;
for (d = 0; d != spec->rank; d++)
if (array->dimensions[d] != words[spec->sizes + d]) goto miss;
spec->start = (int64_t)array->data;
spec->end = spec->start + spec->bytes;
if (!input)
for (j = 0; j != i; j++)
if (spec->start < specs[j].end && specs[j].start < spec->end) goto miss;
for (p = 0; p != spec->places; p++)
words[words[spec->first_place + p]] = spec->start;
}

A call that goes to `miss` has changed words that the next call writes again.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body
from snippets_mlir.codegen.stubs.expressions import I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import ARRAY, OBJECT, PLAN, SPEC


def check_arrays(
    body: Body,
    plan: SSAValue,
    inputs: SSAValue,
    outputs: SSAValue,
    alone: SSAValue,
    miss: Block,
) -> None:
    """Go to `miss` unless all arrays fit; write the addresses of their elements into the plan."""
    count, array_type = body.get(plan, PLAN, "inputs"), body.get(plan, PLAN, "array_type")
    specs = body.place(plan, llvm_type(PLAN), 1)
    with body.loop(body.get(plan, PLAN, "arrays")) as loop:
        spec = body.place(specs, llvm_type(SPEC), loop.index)
        is_input = body.compare("ult", loop.index, count)
        index = body.select(is_input, loop.index, body.subtract(loop.index, count))
        source = body.select(is_input, inputs, outputs)
        (array,) = body.choose(
            body.both(body.negated(is_input), alone),
            lambda: outputs,
            lambda: body.call_for(POINTER, "PyTuple_GetItem", source, index),
        )
        body.require(body.same(body.get(array, OBJECT, "ob_type"), array_type), miss)
        _check_array(body, plan, array, spec, miss)
        start = body.as_integer(body.get(array, ARRAY, "data"))
        end = body.add(start, body.get(spec, SPEC, "bytes"))
        body.set(spec, SPEC, "end", end)
        with body.loop(body.select(is_input, 0, loop.index)) as others:
            other = body.place(specs, llvm_type(SPEC), others.index)
            begins = body.compare("ult", start, body.get(other, SPEC, "end"))
            reaches = body.compare("ult", body.get(other, SPEC, "start"), end)
            body.require(body.negated(body.both(begins, reaches)), miss)
        write_start(body, plan, spec, start)


def write_start(body: Body, plan: SSAValue, spec: SSAValue, start: SSAValue) -> None:
    """Write the address of an array into its spec, and into the words of the plan that need it.

    Kernels read it from the words, Python steps from the spec.
    """
    body.set(spec, SPEC, "start", start)
    places = body.place(plan, I64, body.get(spec, SPEC, "first_place"))
    with body.loop(body.get(spec, SPEC, "places")) as each:
        body.set_item(plan, body.item(places, I64, each.index), start)


def _check_array(body: Body, plan: SSAValue, array: SSAValue, spec: SSAValue, miss: Block) -> None:
    """Go to `miss` unless dtype, rank, flags and sizes fit."""
    rank, wanted = body.get(spec, SPEC, "rank"), body.get(spec, SPEC, "flags")
    dtype = body.same(body.get(array, ARRAY, "descr"), body.get(spec, SPEC, "dtype"))
    flags = body.widen(body.get(array, ARRAY, "flags"))
    flagged = body.compare("eq", body.both(flags, wanted), wanted)
    ranked = body.compare("eq", body.widen(body.get(array, ARRAY, "nd"), signed=True), rank)
    body.require(body.both(body.both(dtype, flagged), ranked), miss)
    check_sizes(body, plan, spec, body.get(array, ARRAY, "dimensions"), miss)


def check_sizes(body: Body, plan: SSAValue, spec: SSAValue, found: SSAValue, miss: Block) -> None:
    """Go to `miss` unless the sizes of an array of the required rank fit."""
    sizes = body.place(plan, I64, body.get(spec, SPEC, "sizes"))
    with body.loop(body.get(spec, SPEC, "rank")) as loop:
        size, expected = (body.item(of, I64, loop.index) for of in (found, sizes))
        body.require(body.compare("eq", size, expected), miss)
