"""`snippets_op_infer`: the shape of a custom operator's output when onnxruntime opens a model.

    static OrtStatus *snippets_op_infer(const OrtCustomOp *op, OrtShapeInferContext *context) {
      const OrtApi *api = op->api;
      OrtTensorTypeAndShapeInfo *info;
      int64_t rank, dims[MOST_DIMS];
      const char *symbols[MOST_DIMS];
      return_if(api->ShapeInferContext_GetInputTypeShape(context, 0, &info));
      return_if(api->GetDimensionsCount(info, &rank));
      if (rank - 1 >= MOST_DIMS) return NULL;                          unsigned
      return_if(api->GetDimensions(info, dims, rank));
      return_if(api->GetSymbolicDimensions(info, symbols, rank));
      for (int64_t i = 0; i != rank; i++)
        if (dims[i] < 0 && !*symbols[i]) return NULL;
      return api->ShapeInferContext_SetOutputTypeShape(context, 0, info);
    }

The output has the shape of input 0. onnxruntime plans memory by shapes: an output may reuse the
memory of an input with the same shape. No shape is set if onnxruntime would misread it: an unknown
shape looks like a scalar's, and a size without a name becomes -1.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I8, I64, POINTER
from snippets_mlir.codegen.stubs.ort_inputs import pass_on, returned
from snippets_mlir.codegen.stubs.ort_interface import (
    CUSTOM_OP,
    GET_DIMS,
    GET_RANK,
    GET_SHAPE_OF_INPUT,
    GET_SYMBOLS,
    MOST_DIMS,
    SET_SHAPE_OF_OUTPUT,
)

INFER = "snippets_op_infer"


def add_infer(module: Module) -> None:
    """Add `snippets_op_infer`."""
    body = module.function(INFER, [POINTER, POINTER], POINTER, linkage="internal")
    operator, context = body.arguments
    place, count = body.local(POINTER), body.local(I64)
    dims, symbols = body.locals(I64, MOST_DIMS), body.locals(POINTER, MOST_DIMS)
    api = body.get(operator, CUSTOM_OP, "api")
    pass_on(body, returned(body, api, GET_SHAPE_OF_INPUT, context, 0, place))
    info = body.load(place, POINTER)
    pass_on(body, returned(body, api, GET_RANK, info, count))
    rank = body.load(count, I64)
    with body.when(body.compare("uge", body.subtract(rank, 1), MOST_DIMS)):
        body.end(body.null())
    pass_on(body, returned(body, api, GET_DIMS, info, dims, rank))
    pass_on(body, returned(body, api, GET_SYMBOLS, info, symbols, rank))
    with body.loop(rank) as loop:
        symbol = body.load(body.item(symbols, POINTER, loop.index), I8)
        open = body.compare("slt", body.item(dims, I64, loop.index), 0)
        with body.when(body.both(open, body.compare("eq", symbol, 0))):
            body.end(body.null())
    body.end(returned(body, api, SET_SHAPE_OF_OUTPUT, context, 0, info))
