"""The part of onnxruntime's C interface that `ort_operators.py` uses, and our additions to it.

The structs and the order of the functions are as in `onnxruntime_c_api.h` in version 17 of the
interface, of onnxruntime 1.17 and later. `OrtApi` is a table of pointers to functions; newer
versions only append to it. Most functions return an `OrtStatus *`: null, or an error that the
caller owns.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.interface import ARGS
from snippets_mlir.codegen.stubs.layout import Layout

VERSION = 17
"""The version of the interface, from onnxruntime 1.17."""

MOST_DIMS = 16
"""Maximal number of dims of an operator's tensor."""

MOST_INPUTS = 64
"""Inputs of an operator: each has a bit of a word."""

CREATE_STATUS = 0
"""`CreateStatus(code, text)`: it copies the text."""
CREATE_DOMAIN = 26
"""`CreateCustomOpDomain(name, &domain)`."""
ADD_OPERATOR = 27
"""`CustomOpDomain_Add(domain, operator)`."""
ADD_DOMAIN = 28
"""`AddCustomOpDomain(options, domain)`."""
GET_DATA = 51
"""`GetTensorMutableData(value, &data)`."""
GET_RANK = 61
"""`GetDimensionsCount(info, &rank)`."""
GET_DIMS = 62
"""`GetDimensions(info, dims, rank)`."""
GET_SYMBOLS = 63
"""`GetSymbolicDimensions(info, names, rank)`: empty C strings for dims without a name."""
GET_INFO = 65
"""`GetTensorTypeAndShape(value, &info)`."""
GET_INPUT = 90
"""`KernelContext_GetInput(context, index, &value)`."""
GET_OUTPUT = 91
"""`KernelContext_GetOutput(context, index, dims, rank, &value)`: it allocates the tensor."""
RELEASE_INFO = 99
"""`ReleaseTensorTypeAndShapeInfo(info)`, which returns nothing."""
GET_SHAPE_OF_INPUT = 268
"""`ShapeInferContext_GetInputTypeShape(context, index, &info)`, which the context owns."""
SET_SHAPE_OF_OUTPUT = 270
"""`ShapeInferContext_SetOutputTypeShape(context, index, info)`."""
PARALLEL_FOR = 274
"""`KernelContext_ParallelFor(context, function, total, batches, data)`."""

INVALID_ARGUMENT = 2
"""`ORT_INVALID_ARGUMENT`."""

API_BASE = Layout("OrtApiBase", GetApi="pointer", GetVersionString="pointer")

CUSTOM_OP = Layout(
    "OrtCustomOp",
    version="i32",
    CreateKernel="pointer",
    GetName="pointer",
    GetExecutionProviderType="pointer",
    GetInputType="pointer",
    GetInputTypeCount="pointer",
    GetOutputType="pointer",
    GetOutputTypeCount="pointer",
    KernelCompute="pointer",
    KernelDestroy="pointer",
    GetInputCharacteristic="pointer",
    GetOutputCharacteristic="pointer",
    GetInputMemoryType="pointer",
    GetVariadicInputMinArity="pointer",
    GetVariadicInputHomogeneity="pointer",
    GetVariadicOutputMinArity="pointer",
    GetVariadicOutputHomogeneity="pointer",
    CreateKernelV2="pointer",
    KernelComputeV2="pointer",
    InferOutputShapeFn="pointer",
    GetStartVersion="pointer",
    GetEndVersion="pointer",
    GetMayInplace="pointer",
    ReleaseMayInplace="pointer",
    GetAliasMap="pointer",
    ReleaseAliasMap="pointer",
    # Our additions:
    api="pointer",
    name="pointer",
    kernel="pointer",
    types="pointer",
    places="pointer",
    errors="pointer",
    inputs="i64",
    result="i64",
    grain="i64",
    aligned="i64",
    form="i64",
    inner="i64",
    domain="i64",
    scalars="i64",
    planes="i64",
    threads="i64",
)
"""An operator. Python writes our fields except `api`; registration writes the others.

`api`: the `OrtApi`. `name`: a C string. `types`: an `int32_t` for each of the `inputs` inputs, its
`ONNXTensorElementDataType`; `result`: that of the output. `places`: an `int64_t` for each input,
the number of its argument of the kernel. `errors`: the texts of errors, C strings, by the numbers
below; then one for each input. `form`: `FLAT` or `PLANES`. `inner`: channels of a block. `domain`:
bit k says that runtime slot k is a factor of the parallel domain. `scalars` and `planes`: bit i is
for input i. `threads`: the most ranges that run at once."""

FLAT, PLANES = 0, 1

MANY_DIMS, FEW_DIMS, CHANNELS, FIRST_INPUT = range(4)
"""Indices of `errors`: too many dims, too few, no multiple of `inner`; input 0's sizes are wrong.
The text of input i is at `FIRST_INPUT + i`."""

TABLE = Layout("OperatorTable", domain="pointer", count="i64", operators="pointer")
"""What one registration adds: the name of the domain, and an array of `CUSTOM_OP`."""

TENSOR = Layout("Tensor", data="pointer", rank="i64", dims=("i64", MOST_DIMS))
"""The facts about an input that an operator needs. The dims exist if the rank allows them."""

RUN = Layout("OperatorRun", operator="pointer", args=ARGS, domain="i64", each="i64")
"""The data that the ranges of one call share; all but the last one have `each` elements."""
