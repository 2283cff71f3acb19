"""`snippets_call`: checks arrays and runs kernels, in the form of a C function of CPython.

    PyObject *snippets_call(PyObject *self, PyObject *const *args, Py_ssize_t count) {
      Plan *plan = ((PyArrayObject_fields *)self)->data;
      if (count != 2) goto miss;
      PyObject *in = args[0], *out = args[1];
      if (Py_TYPE(in) != plan->tuple_type || PyTuple_Size(in) != plan->inputs) goto miss;
      int alone = Py_TYPE(out) == plan->array_type;
      if (!alone && Py_TYPE(out) != plan->tuple_type) goto miss;
      if (plan->inputs + (alone ? 1 : PyTuple_Size(out)) != plan->arrays) goto miss;
      ...                                 the arrays: call_arrays.py
      if (plan->busy) goto miss;
      plan->busy = plan->memory;
      PyThreadState *state = plan->release ? PyEval_SaveThread() : NULL;
      ...                                 the kernels: call_steps.py
      if (plan->release) PyEval_RestoreThread(state);
      plan->busy = 0;
      Py_IncRef(out);
      return out;
    miss:
      Py_IncRef(plan->none);
      return plan->none;
    }

It is called as `run(inputs, outputs)` with a tuple of the inputs, and the output or a tuple of the
outputs. It checks that every array is exactly what the plan expects (of class `numpy.ndarray`, the
dtype's very object, rank, shape, C-contiguous, aligned, outputs writeable and sharing no byte with
another array), runs the kernels, and returns its second argument. When anything is different it has
done nothing, and returns None.

`self` is the array of the plan's 64-bit words (`runtime/direct.py` writes it): a `Plan`, then an
`ArraySpec` and sizes for each array, then a `Step` and pointers for each step. Tuples are read by
functions of CPython's stable ABI, classes and arrays through structs that are checked in each
process (`runtime/c_function.py`): a call of `PyObject_Type` and of `Py_DecRef` for each object
would cost more than it is worth (docs/caching.md). While a word says that the memory is in use,
another thread's call is refused; the interpreter's lock makes test and set one step.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.call_arrays import check_arrays
from snippets_mlir.codegen.stubs.call_steps import run_steps
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.interface import ARRAY, OBJECT, PLAN
from snippets_mlir.codegen.stubs.ranges import add_range

CALL = "snippets_call"


class Given(NamedTuple):
    """The two arguments of a call.

    Attributes:
        inputs: a tuple.
        outputs: a tuple, or one array.
        alone: whether it is one array.
    """

    inputs: SSAValue
    outputs: SSAValue
    alone: SSAValue


def call_module() -> Module:
    """A module with `snippets_call` and the functions that it calls."""
    module = Module()
    module.declare("PyTuple_Size", [POINTER], I64)
    module.declare("PyTuple_GetItem", [POINTER, I64], POINTER)
    module.declare("PyEval_SaveThread", [], POINTER)
    module.declare("PyEval_RestoreThread", [POINTER], None)
    module.declare("Py_IncRef", [POINTER], None)
    add_range(module, "internal")
    body = module.function(CALL, [POINTER, POINTER, I64], POINTER)
    own, args, count = body.arguments
    plan, miss = body.get(own, ARRAY, "data"), Block()
    given = _arguments(body, plan, args, count, miss)
    starts = check_arrays(body, plan, given.inputs, given.outputs, given.alone, miss)
    _run(body, plan, starts, miss)
    body.call("Py_IncRef", given.outputs)
    body.end(given.outputs)
    body.at(miss)
    none = body.get(plan, PLAN, "none")
    body.call("Py_IncRef", none)
    body.end(none)
    return module


def has_type(body: Body, object: SSAValue, plan: SSAValue, name: str) -> SSAValue:
    """Whether the class of an object is the one in a field of the plan."""
    found = body.get(object, OBJECT, "ob_type")
    return body.same(found, body.get(plan, PLAN, name))


def _arguments(body: Body, plan: SSAValue, args: SSAValue, count: SSAValue, miss: Block) -> Given:
    """The arguments, if they are a tuple and an array or a tuple, with as many arrays as wanted."""
    body.require(body.compare("eq", count, 2), miss)
    inputs, outputs = (body.item(args, POINTER, place) for place in (0, 1))
    body.require(has_type(body, inputs, plan, "tuple_type"), miss)
    wanted = body.get(plan, PLAN, "inputs")
    size = body.call_for(I64, "PyTuple_Size", inputs)
    body.require(body.compare("eq", size, wanted), miss)
    alone = has_type(body, outputs, plan, "array_type")
    known = body.either(alone, has_type(body, outputs, plan, "tuple_type"))
    body.require(known, miss)
    (results,) = body.choose(
        alone,
        lambda: body.integer(1),
        lambda: body.call_for(I64, "PyTuple_Size", outputs),
    )
    total = body.add(wanted, results)
    body.require(body.compare("eq", total, body.get(plan, PLAN, "arrays")), miss)
    return Given(inputs, outputs, alone)


def _run(body: Body, plan: SSAValue, starts: SSAValue, miss: Block) -> None:
    """Take the plan's memory and, if it says so, give up the interpreter's lock meanwhile."""
    body.require(body.compare("eq", body.get(plan, PLAN, "busy"), 0), miss)
    body.set(plan, PLAN, "busy", body.get(plan, PLAN, "memory"))
    release = body.compare("ne", body.get(plan, PLAN, "release"), 0)
    (state,) = body.choose(
        release, lambda: body.call_for(POINTER, "PyEval_SaveThread"), lambda: body.null()
    )
    run_steps(body, plan, starts)
    with body.when(release):
        body.call("PyEval_RestoreThread", state)
    body.set(plan, PLAN, "busy", 0)
