"""`snippets_call_addresses`: runs a network on memory given by addresses.

    PyObject *snippets_call_addresses(PyObject *self, PyObject *const *args, Py_ssize_t count) {
      Plan *plan = ((PyArrayObject_fields *)self)->data;
      if (plan->busy) { Py_IncRef(plan->taken); return plan->taken; }
      if (count != plan->arrays) { PyErr_BadArgument(); return NULL; }
      int64_t *words = (int64_t *)plan;
      ArraySpec *specs = (ArraySpec *)(plan + 1);
      for (i = 0; i != count; i++) {
        int64_t start = PyLong_AsLongLong(args[i]);
        if (start == -1 && PyErr_Occurred()) return NULL;
        specs[i].start = start;
        for (p = 0; p != specs[i].places; p++)
          words[words[specs[i].first_place + p]] = start;
      }
      plan->busy = 1;
      ...                                 the steps: call_steps.py
      plan->busy = 0;
      if (failed) return NULL;
      Py_IncRef(plan->none);
      return plan->none;
    }

It is called as `run(*addresses)` with the address of the first element of each input, then of each
output. The size of the memory is not passed: the caller has checked types, sizes, strides and
alignments, and knows that outputs overlap nothing. This is for tensors of other packages, because
getting their addresses is cheaper than making NumPy arrays. Everything else is as in `call.py`.
"""

from __future__ import annotations

from xdsl.ir import Block

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.call_arrays import write_start
from snippets_mlir.codegen.stubs.call_steps import answer_from_steps, declare_to_answer
from snippets_mlir.codegen.stubs.expressions import I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import ARRAY, PLAN, SPEC
from snippets_mlir.codegen.stubs.ranges import add_range

CALL = "snippets_call_addresses"


def addresses_module() -> Module:
    """A module with `snippets_call_addresses`, and the functions that it calls."""
    module = Module()
    module.declare("PyLong_AsLongLong", [POINTER], I64)
    module.declare("PyErr_Occurred", [], POINTER)
    declare_to_answer(module)
    add_range(module, "internal")
    body = module.function(CALL, [POINTER, POINTER, I64], POINTER)
    own, args, count = body.arguments
    plan, busy, wrong = body.get(own, ARRAY, "data"), Block(), Block()
    body.require(body.compare("eq", body.get(plan, PLAN, "busy"), 0), busy)
    body.require(body.compare("eq", count, body.get(plan, PLAN, "arrays")), wrong)
    specs = body.place(plan, llvm_type(PLAN), 1)
    with body.loop(count) as loop:
        start = body.call_for(I64, "PyLong_AsLongLong", body.item(args, POINTER, loop.index))
        with body.when(body.compare("eq", start, -1)):
            raised = body.as_integer(body.call_for(POINTER, "PyErr_Occurred"))
            with body.when(body.compare("ne", raised, 0)):
                body.end(body.null())
        write_start(body, plan, body.place(specs, llvm_type(SPEC), loop.index), start)
    answer_from_steps(body, plan, busy, wrong)
    return module
