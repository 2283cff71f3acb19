"""The inputs of an onnxruntime custom operator: their addresses, and whether they fit.

    static OrtStatus *snippets_op_input(OrtCustomOp *op, OrtKernelContext *context, int64_t i,
                                        Tensor *tensor) {
      const OrtApi *api = op->api;
      const OrtValue *value;
      OrtTensorTypeAndShapeInfo *info;
      return_if(api->KernelContext_GetInput(context, i, &value));
      return_if(api->GetTensorMutableData(value, &tensor->data));
      return_if(api->GetTensorTypeAndShape(value, &info));
      OrtStatus *status = api->GetDimensionsCount(info, &tensor->rank);
      if (!status && tensor->rank <= MOST_DIMS)
        status = api->GetDimensions(info, tensor->dims, tensor->rank);
      api->ReleaseTensorTypeAndShapeInfo(info);
      return status;
    }

    static bool snippets_op_fits(OrtCustomOp *op, int64_t i, const Tensor *first,
                                 const Tensor *other) {
      if (other->rank > first->rank) return false;
      int64_t missing = first->rank - other->rank;
      int64_t kept = op->scalars >> i & 1 ? 0 : op->planes >> i & 1 ? 2 : first->rank;
      for (int64_t j = 0; j != first->rank; j++)
        if ((j < missing ? 1 : other->dims[j - missing]) != (j < kept ? first->dims[j] : 1))
          return false;
      return true;
    }

An input fits if ONNX's broadcasting gives the form that the kernel reads: all sizes of input 0, the
first two of them and ones, or only ones. Ones at the front may be missing. Other inputs are refused
even if the number of elements is the same: `[1, 4] + [4, 1]` has 16 elements.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I1, I64, POINTER, Operand
from snippets_mlir.codegen.stubs.ort_interface import (
    CUSTOM_OP,
    GET_DATA,
    GET_DIMS,
    GET_INFO,
    GET_INPUT,
    GET_RANK,
    MOST_DIMS,
    RELEASE_INFO,
    TENSOR,
)

INPUT = "snippets_op_input"
FITS = "snippets_op_fits"


def returned(body: Body, api: SSAValue, index: int, *arguments: Operand) -> SSAValue:
    """A call of a function of `OrtApi`; gives the pointer to its status."""
    return body.call_at_for(POINTER, body.item(api, POINTER, index), *arguments)


def pass_on(body: Body, status: SSAValue) -> None:
    """`if (status) return status;`."""
    with body.when(body.compare("ne", body.as_integer(status), 0)):
        body.end(status)


def add_inputs(module: Module) -> None:
    """Add `snippets_op_input` and `snippets_op_fits`."""
    _add_input(module)
    _add_fits(module)


def _add_input(module: Module) -> None:
    body = module.function(INPUT, [POINTER, POINTER, I64, POINTER], POINTER, linkage="internal")
    operator, context, index, tensor = body.arguments
    value, info, status = (body.local(POINTER) for _ in range(3))
    api = body.get(operator, CUSTOM_OP, "api")
    pass_on(body, returned(body, api, GET_INPUT, context, index, value))
    given = body.load(value, POINTER)
    pass_on(body, returned(body, api, GET_DATA, given, body.field(tensor, TENSOR, "data")))
    pass_on(body, returned(body, api, GET_INFO, given, info))
    shape = body.load(info, POINTER)
    body.store(returned(body, api, GET_RANK, shape, body.field(tensor, TENSOR, "rank")), status)
    failed = body.compare("ne", body.as_integer(body.load(status, POINTER)), 0)
    with body.when(body.negated(failed)):
        rank, dims = body.get(tensor, TENSOR, "rank"), body.field(tensor, TENSOR, "dims")
        with body.when(body.compare("ule", rank, MOST_DIMS)):
            body.store(returned(body, api, GET_DIMS, shape, dims, rank), status)
    body.call_at(body.item(api, POINTER, RELEASE_INFO), shape)
    body.end(body.load(status, POINTER))


def _add_fits(module: Module) -> None:
    body = module.function(FITS, [POINTER, I64, POINTER, POINTER], I1, linkage="internal")
    operator, index, first, other = body.arguments
    misfit = Block()
    rank, short = (body.get(tensor, TENSOR, "rank") for tensor in (first, other))
    body.require(body.compare("ule", short, rank), misfit)
    missing = body.subtract(rank, short)
    scalar, plane = (
        body.both(body.shift_right(body.get(operator, CUSTOM_OP, name), index), 1)
        for name in ("scalars", "planes")
    )
    all_or_two = body.select(body.compare("ne", plane, 0), 2, rank)
    kept = body.select(body.compare("ne", scalar, 0), 0, all_or_two)
    wanted, given = (body.field(tensor, TENSOR, "dims") for tensor in (first, other))
    with body.loop(rank) as loop:
        (size,) = body.choose(
            body.compare("ult", loop.index, missing),
            lambda: body.integer(1),
            lambda: body.item(given, I64, body.subtract(loop.index, missing)),
        )
        want = body.select(
            body.compare("ult", loop.index, kept), body.item(wanted, I64, loop.index), 1
        )
        body.require(body.compare("eq", size, want), misfit)
    body.end(body.integer(1, I1))
    body.at(misfit)
    body.end(body.integer(0, I1))
