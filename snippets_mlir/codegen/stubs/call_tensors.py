"""`snippets_call_tensors`: runs a network on PyTorch tensors that have the expected form.

    PyObject *snippets_call_tensors(PyObject *self, PyObject *const *args, Py_ssize_t count) {
      Tensors *own = ((PyArrayObject_fields *)self)->data;
      Plan *plan = own->plan;
      if (count != plan->arrays) { PyErr_BadArgument(); return NULL; }
      if (plan->busy) goto miss;
      int64_t *wanted = (int64_t *)(own + 1);
      ArraySpec *specs = (ArraySpec *)(plan + 1);
      DLTensor found;
      for (i = 0; i != count; i++) {
        if (Py_TYPE(args[i]) != own->tensor && Py_TYPE(args[i]) != own->parameter) goto miss;
        if (own->describe(args[i], &found)) { PyErr_Clear(); goto miss; }
        if (found.device != own->device || found.kind != wanted[0]) goto miss;
        int64_t start = (int64_t)found.data + found.byte_offset;
        if (start & own->misaligned) goto miss;
        int64_t rank = (uint32_t)wanted[0], *strides = wanted + rank;
        for (d = 0; d != rank; d++)
          if (found.shape[d] != wanted[1 + d] || found.strides[d] != strides[1 + d]) goto miss;
        wanted = strides + rank + 1;
        ...                                 `start` into the words of the plan, as in call_arrays.py
      }
      plan->busy = 1;
      ...                                   the steps: call_steps.py
      plan->busy = 0;
      if (failed) return NULL;
      Py_IncRef(plan->none);
      return plan->none;
    miss:
      Py_IncRef(plan->taken);
      return plan->taken;
    }

It is called as `run(*tensors)` with the inputs, then the outputs. `describe` is a function of
DLPack's table for C callers (`dltensor_from_py_object_no_sync`). It writes the properties of a
tensor into a struct; reading them takes four Python calls, each slower than this whole function. A
call that goes to `miss` has run nothing; the next call overwrites the words that it has changed.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.call_arrays import write_start
from snippets_mlir.codegen.stubs.call_steps import answer_from_steps, declare_to_answer
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import ARRAY, OBJECT, PLAN, SPEC
from snippets_mlir.codegen.stubs.ranges import add_range
from snippets_mlir.codegen.stubs.tensor_interface import DL_TENSOR, TENSORS

CALL = "snippets_call_tensors"


def tensors_module() -> Module:
    """A module with `snippets_call_tensors`, and the functions that it calls."""
    module = Module()
    module.declare("PyErr_Clear", [], None)
    declare_to_answer(module)
    add_range(module, "internal")
    body = module.function(CALL, [POINTER, POINTER, I64], POINTER)
    this, args, count = body.arguments
    own, miss, wrong = body.get(this, ARRAY, "data"), Block(), Block()
    plan = body.get(own, TENSORS, "plan")
    found = body.local(llvm_type(DL_TENSOR))
    body.require(body.compare("eq", count, body.get(plan, PLAN, "arrays")), wrong)
    body.require(body.compare("eq", body.get(plan, PLAN, "busy"), 0), miss)
    specs = body.place(plan, llvm_type(PLAN), 1)
    with body.loop(count, body.place(own, llvm_type(TENSORS), 1)) as loop:
        tensor = body.item(args, POINTER, loop.index)
        start, after = _checked(body, own, tensor, found, loop.values[0], miss)
        write_start(body, plan, body.place(specs, llvm_type(SPEC), loop.index), start)
        loop.next = [after]
    answer_from_steps(body, plan, miss, wrong)
    return module


def _checked(
    body: Body, own: SSAValue, tensor: SSAValue, found: SSAValue, wanted: SSAValue, miss: Block
) -> tuple[SSAValue, SSAValue]:
    """Go to `miss` unless a tensor matches `wanted`.

    Returns: The address of its first element, and the requirements for the next tensor.
    """
    kind_of = body.get(tensor, OBJECT, "ob_type")
    plain, parameter = (
        body.same(kind_of, body.get(own, TENSORS, name)) for name in ("tensor", "parameter")
    )
    body.require(body.either(plain, parameter), miss)
    describe = body.get(own, TENSORS, "describe")
    with body.when(body.compare("ne", body.call_at_for(I32, describe, tensor, found), 0)):
        body.call("PyErr_Clear")
        body.go(miss)
    kind, device = (body.get(found, DL_TENSOR, name) for name in ("kind", "device"))
    same_kind = body.compare("eq", kind, body.item(wanted, I64, 0))
    same_device = body.compare("eq", device, body.get(own, TENSORS, "device"))
    data = body.as_integer(body.get(found, DL_TENSOR, "data"))
    start = body.add(data, body.get(found, DL_TENSOR, "byte_offset"))
    wrong_bits = body.both(start, body.get(own, TENSORS, "misaligned"))
    aligned = body.compare("eq", wrong_bits, 0)
    body.require(body.both(body.both(same_kind, same_device), aligned), miss)
    rank = body.both(kind, 0xFFFF_FFFF)
    sizes = body.place(wanted, I64, 1)
    strides = body.place(sizes, I64, rank)
    with body.loop(rank) as loop:
        for name, expected in (("shape", sizes), ("strides", strides)):
            told = body.item(body.get(found, DL_TENSOR, name), I64, loop.index)
            same = body.compare("eq", told, body.item(expected, I64, loop.index))
            body.require(same, miss)
    return start, body.place(strides, I64, rank)
