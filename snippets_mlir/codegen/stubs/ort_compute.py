"""`snippets_op_compute`: one call of an onnxruntime custom operator.

    static OrtStatus *snippets_op_compute(OrtCustomOp *op, OrtKernelContext *context) {
      const OrtApi *api = op->api;
      Tensor first, other;
      void *data[MOST_INPUTS + 1];
      int64_t rt[3] = {0, 1, 1};
      return_if(snippets_op_input(op, context, 0, &first));
      if (first.rank > MOST_DIMS) return error(MANY_DIMS);
      int64_t total = rt[0] = product(first.dims, 0, first.rank);
      if (op->form == PLANES) {
        if (first.rank < 3) return error(FEW_DIMS);
        if (first.dims[1] % op->inner) return error(CHANNELS);
        rt[1] = product(first.dims, 2, first.rank);
        rt[2] = first.dims[0] * (first.dims[1] / op->inner);
      }
      int64_t domain = 1;
      for (int64_t k = 0; k != 3; k++) domain *= op->domain >> k & 1 ? rt[k] : 1;
      data[op->places[0]] = first.data;
      for (int64_t i = 1; i != op->inputs; i++) {
        return_if(snippets_op_input(op, context, i, &other));
        if (!snippets_op_fits(op, i, &first, &other)) return error(FIRST_INPUT + i);
        data[op->places[i]] = other.data;
      }
      OrtValue *result;
      return_if(api->KernelContext_GetOutput(context, 0, first.dims, first.rank, &result));
      return_if(api->GetTensorMutableData(result, &data[op->inputs]));
      if (!total) return NULL;
      int64_t chunks = (domain + op->grain - 1) / op->grain;
      int64_t parts = min((total + LEAST_PART - 1) / LEAST_PART, op->threads, chunks);
      OperatorRun run = {op, {data, rt, NULL}, domain, (chunks + parts - 1) / parts * op->grain};
      if (parts == 1) snippets_op_part(&run, 0);
      else return_if(api->KernelContext_ParallelFor(context, snippets_op_part,
                                                    (domain + run.each - 1) / run.each, 0, &run));
      return NULL;
    }

    static void snippets_op_part(OperatorRun *run, int64_t part) {
      int64_t begin = part * run->each, end = min(begin + run->each, run->domain);
      snippets_range(run->op->kernel, &run->args, begin, end, part, run->op->grain,
                     run->op->aligned);
    }

The output has the sizes of input 0. An input whose shape does not fit the compiled kernel is an
error of onnxruntime, before anything is written (`ort_inputs.py`). The runtime slots are the values
of the sizes `?0`, `?1` and `?2` of a kernel:

    tensor<?xf32, #lir.sizes<?0>>                         any shape, as one dim
    tensor<?x?xf32, #lir.sizes<?2, ?1>>                   planes, and elements of a plane
    tensor<?x?x16xf32, #lir.sizes<?2, ?1>>                the same in blocks of 16 channels

The kernel runs in the floating-point modes of its threads. onnxruntime sets them to flush denormal
numbers to zero only if the session's option `session.set_denormal_as_zero` requests it.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I1, I32, I64, POINTER, Operand, llvm_type
from snippets_mlir.codegen.stubs.interface import ARGS
from snippets_mlir.codegen.stubs.ort_inputs import FITS, INPUT, add_inputs, pass_on, returned
from snippets_mlir.codegen.stubs.ort_interface import (
    CHANNELS,
    CREATE_STATUS,
    CUSTOM_OP,
    FEW_DIMS,
    FIRST_INPUT,
    GET_DATA,
    GET_OUTPUT,
    INVALID_ARGUMENT,
    MANY_DIMS,
    MOST_DIMS,
    MOST_INPUTS,
    PARALLEL_FOR,
    PLANES,
    RUN,
    TENSOR,
)
from snippets_mlir.codegen.stubs.ranges import RANGE, add_range
from snippets_mlir.dialects.llvm.integer_intrinsics import UMinOp

COMPUTE = "snippets_op_compute"
_PART = "snippets_op_part"
_FAIL = "snippets_op_fail"

_SLOTS = 3

LEAST_PART = 16384
"""Elements of a part that are worth another thread: 2 microseconds of a product, 7 of a tanh.

`KernelContext_ParallelFor` takes a quarter of a microsecond. Another thread of onnxruntime 1.32
begins about 3.5 microseconds later; until then, the calling thread runs the parts itself."""


def add_compute(module: Module) -> None:
    """Add `snippets_op_compute` and its callees."""
    add_range(module, "internal")
    add_inputs(module)
    _add_fail(module)
    _add_part(module)
    body = module.function(COMPUTE, [POINTER, POINTER], POINTER, linkage="internal")
    operator, context = body.arguments
    first, data = body.local(llvm_type(TENSOR)), body.locals(POINTER, MOST_INPUTS + 1)
    other, result = body.local(llvm_type(TENSOR)), body.local(POINTER)
    rt, run = body.locals(I64, _SLOTS), body.local(llvm_type(RUN))
    api = body.get(operator, CUSTOM_OP, "api")
    pass_on(body, body.call_for(POINTER, INPUT, operator, context, 0, first))
    total, domain = _read_shape(body, operator, first, rt)
    places = body.get(operator, CUSTOM_OP, "places")
    body.set_item(data, body.item(places, I64, 0), body.get(first, TENSOR, "data"))
    inputs = body.get(operator, CUSTOM_OP, "inputs")
    with body.loop(body.subtract(inputs, 1)) as loop:
        index = body.add(loop.index, 1)
        pass_on(body, body.call_for(POINTER, INPUT, operator, context, index, other))
        fits = body.call_for(I1, FITS, operator, index, first, other)
        _refuse(body, operator, body.negated(fits), body.add(index, FIRST_INPUT))
        body.set_item(data, body.item(places, I64, index), body.get(other, TENSOR, "data"))
    dims, rank = body.field(first, TENSOR, "dims"), body.get(first, TENSOR, "rank")
    pass_on(body, returned(body, api, GET_OUTPUT, context, 0, dims, rank, result))
    end = body.place(data, POINTER, inputs)
    pass_on(body, returned(body, api, GET_DATA, body.load(result, POINTER), end))
    with body.when(body.compare("eq", total, 0)):
        body.end(body.null())
    args = body.field(run, RUN, "args")
    body.set(run, RUN, "operator", operator)
    body.set(run, RUN, "domain", domain)
    body.set(args, ARGS, "data", data)
    body.set(args, ARGS, "rt", rt)
    body.set(args, ARGS, "scratch", body.null())
    _run(body, operator, context, run, total)


def _read_shape(
    body: Body, operator: SSAValue, first: SSAValue, rt: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """Write the runtime slots; returns the number of elements of input 0 and of the domain."""
    rank, dims = body.get(first, TENSOR, "rank"), body.field(first, TENSOR, "dims")
    _refuse(body, operator, body.compare("ugt", rank, MOST_DIMS), MANY_DIMS)
    total = _product(body, dims, 0, rank)
    for slot, size in enumerate((total, body.integer(1), body.integer(1))):
        body.set_item(rt, slot, size)
    with body.when(body.compare("eq", body.get(operator, CUSTOM_OP, "form"), PLANES)):
        _refuse(body, operator, body.compare("ult", rank, 3), FEW_DIMS)
        batch, channels = (body.item(dims, I64, index) for index in (0, 1))
        inner = body.get(operator, CUSTOM_OP, "inner")
        broken = body.compare("ne", body.remainder(channels, inner), 0)
        _refuse(body, operator, broken, CHANNELS)
        plane = _product(body, dims, 2, rank)
        count = body.multiply(batch, body.divide(channels, inner))
        body.set_item(rt, 1, plane)
        body.set_item(rt, 2, count)
    chosen = body.get(operator, CUSTOM_OP, "domain")
    domain: SSAValue = body.integer(1)
    for slot in range(_SLOTS):
        used = body.compare("ne", body.both(chosen, 1 << slot), 0)
        domain = body.multiply(domain, body.select(used, body.item(rt, I64, slot), 1))
    return total, domain


def _product(body: Body, dims: SSAValue, first: int, rank: SSAValue) -> SSAValue:
    """The product of the dims from number `first` on."""
    with body.loop(body.subtract(rank, first), body.integer(1)) as loop:
        (product,) = loop.values
        size = body.item(dims, I64, body.add(loop.index, first))
        loop.next = [body.multiply(product, size)]
    return product


def _run(body: Body, operator: SSAValue, context: SSAValue, run: SSAValue, total: SSAValue) -> None:
    """Run the ranges of the kernel, and return."""
    grain = body.get(operator, CUSTOM_OP, "grain")
    domain = body.get(run, RUN, "domain")
    chunks = _ceiling(body, domain, grain)
    threads = body.get(operator, CUSTOM_OP, "threads")
    worth = body.add_op(UMinOp(threads, _ceiling(body, total, LEAST_PART)))
    parts = body.add_op(UMinOp(worth, chunks))
    each = body.multiply(_ceiling(body, chunks, parts), grain)
    body.set(run, RUN, "each", each)
    with body.when(body.compare("eq", parts, 1)):
        body.call(_PART, run, 0)
        body.end(body.null())
    api, part = body.get(operator, CUSTOM_OP, "api"), body.address(_PART)
    count = _ceiling(body, domain, each)
    body.end(returned(body, api, PARALLEL_FOR, context, part, count, 0, run))


def _ceiling(body: Body, a: SSAValue, b: Operand) -> SSAValue:
    return body.divide(body.subtract(body.add(a, b), 1), b)


def _refuse(body: Body, operator: SSAValue, wrong: SSAValue, text: Operand) -> None:
    with body.when(wrong):
        body.end(body.call_for(POINTER, _FAIL, operator, text))


def _add_fail(module: Module) -> None:
    """`snippets_op_fail(op, text)`: a new status, with the text of that number."""
    body = module.function(_FAIL, [POINTER, I64], POINTER, linkage="internal")
    operator, number = body.arguments
    text = body.item(body.get(operator, CUSTOM_OP, "errors"), POINTER, number)
    code = body.integer(INVALID_ARGUMENT, I32)
    api = body.get(operator, CUSTOM_OP, "api")
    body.end(returned(body, api, CREATE_STATUS, code, text))


def _add_part(module: Module) -> None:
    body = module.function(_PART, [POINTER, I64], linkage="internal")
    run, part = body.arguments
    operator, each = body.get(run, RUN, "operator"), body.get(run, RUN, "each")
    kernel, grain, aligned = (
        body.get(operator, CUSTOM_OP, name) for name in ("kernel", "grain", "aligned")
    )
    begin = body.multiply(part, each)
    end = body.add_op(UMinOp(body.add(begin, each), body.get(run, RUN, "domain")))
    args = body.field(run, RUN, "args")
    body.call(RANGE, kernel, args, begin, end, part, grain, aligned)
    body.end()
