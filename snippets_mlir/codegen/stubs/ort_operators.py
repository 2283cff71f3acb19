"""`snippets_register`: adds kernels to a session of onnxruntime as custom operators.

    OperatorTable *snippets_operators;

    OrtStatus *snippets_register(OrtSessionOptions *options, const OrtApiBase *base) {
      OperatorTable *table = snippets_operators;
      const OrtApi *api = table ? base->GetApi(17) : NULL;
      if (!api) return NULL;
      OrtCustomOpDomain *domain;
      return_if(api->CreateCustomOpDomain(table->domain, &domain));
      for (int64_t i = 0; i < table->count; i++) {
        OrtCustomOp *op = &table->operators[i];
        op->api = api;
        op->version = 17;
        ...                                             the callbacks below
        return_if(api->CustomOpDomain_Add(domain, op));
      }
      return api->AddCustomOpDomain(options, domain);
    }

`return_if` returns a status that is not null. onnxruntime calls `snippets_register` from
`register_custom_ops_library`. Python writes `snippets_operators` before, and afterwards reads from
`api` whether the version was available. The callbacks:

    OrtStatus *snippets_op_create(op, api, info, void **kernel) { *kernel = op; return NULL; }
    void snippets_op_destroy(void *kernel) {}
    const char *snippets_op_name(op) { return op->name; }
    const char *snippets_op_provider(op) { return NULL; }           null is the CPU's
    int32_t snippets_op_input_type(op, int64_t i) { return op->types[i]; }
    int64_t snippets_op_inputs(op) { return op->inputs; }
    int32_t snippets_op_result(op, int64_t i) { return op->result; }
    int64_t snippets_op_outputs(op) { return 1; }
    int32_t snippets_op_plain(op, int64_t i) { return 0; }          required, and in CPU memory

`KernelComputeV2` is `snippets_op_compute` (`ort_compute.py`), `InferOutputShapeFn` is
`snippets_op_infer` (`ort_shapes.py`). Null callbacks have defaults in onnxruntime. With the default
of `GetMayInplace` the output is never the memory of an input, since kernels are compiled for arrays
that share no byte.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.ort_compute import COMPUTE, add_compute
from snippets_mlir.codegen.stubs.ort_inputs import pass_on, returned
from snippets_mlir.codegen.stubs.ort_interface import (
    ADD_DOMAIN,
    ADD_OPERATOR,
    API_BASE,
    CREATE_DOMAIN,
    CUSTOM_OP,
    TABLE,
    VERSION,
)
from snippets_mlir.codegen.stubs.ort_shapes import INFER, add_infer

REGISTER = "snippets_register"
OPERATORS = "snippets_operators"

_CALLBACKS = {
    "CreateKernelV2": "snippets_op_create",
    "KernelDestroy": "snippets_op_destroy",
    "KernelComputeV2": COMPUTE,
    "InferOutputShapeFn": INFER,
    "GetName": "snippets_op_name",
    "GetExecutionProviderType": "snippets_op_provider",
    "GetInputType": "snippets_op_input_type",
    "GetInputTypeCount": "snippets_op_inputs",
    "GetOutputType": "snippets_op_result",
    "GetOutputTypeCount": "snippets_op_outputs",
    "GetInputCharacteristic": "snippets_op_plain",
    "GetOutputCharacteristic": "snippets_op_plain",
    "GetInputMemoryType": "snippets_op_plain",
}
"""Field of `OrtCustomOp` -> the function; the other fields stay null."""


def operators_module() -> Module:
    """A module with `snippets_register` and the variable `snippets_operators`."""
    module = Module()
    module.words(OPERATORS, 64, 1, linkage="external")
    add_compute(module)
    add_infer(module)
    _add_lifetime(module)
    _add_description(module)
    _add_register(module)
    return module


def _add_lifetime(module: Module) -> None:
    """A kernel of onnxruntime is the operator itself."""
    body = module.function("snippets_op_create", [POINTER] * 4, POINTER, linkage="internal")
    operator, _api, _info, kernel = body.arguments
    body.store(operator, kernel)
    body.end(body.null())
    body = module.function("snippets_op_destroy", [POINTER], linkage="internal")
    body.end()


def _add_description(module: Module) -> None:
    """The callbacks that describe the inputs and outputs of an operator."""
    body = module.function("snippets_op_name", [POINTER], POINTER, linkage="internal")
    body.end(body.get(body.arguments[0], CUSTOM_OP, "name"))
    body = module.function("snippets_op_provider", [POINTER], POINTER, linkage="internal")
    body.end(body.null())
    body = module.function("snippets_op_input_type", [POINTER, I64], I32, linkage="internal")
    operator, index = body.arguments
    body.end(body.item(body.get(operator, CUSTOM_OP, "types"), I32, index))
    body = module.function("snippets_op_inputs", [POINTER], I64, linkage="internal")
    body.end(body.get(body.arguments[0], CUSTOM_OP, "inputs"))
    body = module.function("snippets_op_result", [POINTER, I64], I32, linkage="internal")
    body.end(body.narrow(body.get(body.arguments[0], CUSTOM_OP, "result"), I32))
    body = module.function("snippets_op_outputs", [POINTER], I64, linkage="internal")
    body.end(body.integer(1))
    body = module.function("snippets_op_plain", [POINTER, I64], I32, linkage="internal")
    body.end(body.integer(0, I32))


def _add_register(module: Module) -> None:
    body = module.function(REGISTER, [POINTER, POINTER], POINTER)
    options, base = body.arguments
    domain = body.local(POINTER)
    table = body.load(body.address(OPERATORS), POINTER)
    with body.when(body.compare("eq", body.as_integer(table), 0)):
        body.end(body.null())
    get = body.get(base, API_BASE, "GetApi")
    api = body.call_at_for(POINTER, get, body.integer(VERSION, I32))
    with body.when(body.compare("eq", body.as_integer(api), 0)):
        body.end(body.null())
    name = body.get(table, TABLE, "domain")
    pass_on(body, returned(body, api, CREATE_DOMAIN, name, domain))
    made = body.load(domain, POINTER)
    operators = body.get(table, TABLE, "operators")
    with body.loop(body.get(table, TABLE, "count")) as loop:
        operator = body.place(operators, llvm_type(CUSTOM_OP), loop.index)
        body.set(operator, CUSTOM_OP, "api", api)
        body.set(operator, CUSTOM_OP, "version", VERSION)
        for field, function in _CALLBACKS.items():
            body.set(operator, CUSTOM_OP, field, body.address(function))
        pass_on(body, returned(body, api, ADD_OPERATOR, made, operator))
    body.end(returned(body, api, ADD_DOMAIN, options, made))
