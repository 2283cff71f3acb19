"""`snippets_call`: checks arrays and runs a network, in the form of a C function of CPython.

    PyObject *snippets_call(PyObject *self, PyObject *const *args, Py_ssize_t count) {
      Plan *plan = ((PyArrayObject_fields *)self)->data;
      PyObject *other = plan->taken;
      if (plan->busy) goto miss;
      other = plan->none;
      if (count != 2) goto miss;
      PyObject *in = args[0], *out = args[1];
      if (Py_TYPE(in) != plan->tuple_type || PyTuple_Size(in) != plan->inputs) goto miss;
      int alone = Py_TYPE(out) == plan->array_type;
      if (!alone && Py_TYPE(out) != plan->tuple_type) goto miss;
      if (plan->inputs + (alone ? 1 : PyTuple_Size(out)) != plan->arrays) goto miss;
      ...                                 the arrays: call_arrays.py
      plan->busy = 1;
      ...                                 the steps: call_steps.py
      plan->busy = 0;
      if (failed) return NULL;
      Py_IncRef(out);
      return out;
    miss:
      Py_IncRef(other);
      return other;
    }

    void snippets_copy(const Args *args, int64_t begin, int64_t end, int64_t thread) {
      memcpy((char *)args->data[1] + begin, (char *)args->data[0] + begin, end - begin);
    }

It is called as `run(inputs, outputs)` with a tuple of the inputs, and the output or a tuple of the
outputs. It checks that every array is exactly what the plan expects (of class `numpy.ndarray`, the
same dtype object, rank, shape, C-contiguous, aligned, outputs writeable and sharing no byte with
another array), runs the steps, and returns its second argument. If anything differs, it does
nothing and returns None. While another thread's call runs, it returns `taken`: the caller takes
another network.

`self` is the array of the network's 64-bit words (`runtime/network.py` writes it). Functions of
CPython's stable ABI read tuples. Classes and arrays are read through structs that are checked in
each process (`runtime/arguments/c_function.py`): calls of `PyObject_Type` and `Py_DecRef` for each
object would cost too much (docs/caching.md). The interpreter's lock makes test and set of `busy`
atomic.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.call_arrays import check_arrays
from snippets_mlir.codegen.stubs.call_steps import declare_for_steps, give, run_steps
from snippets_mlir.codegen.stubs.expressions import I64, POINTER
from snippets_mlir.codegen.stubs.interface import ARGS, ARRAY, OBJECT, PLAN
from snippets_mlir.codegen.stubs.ranges import add_range

CALL = "snippets_call"
COPY = "snippets_copy"


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
    """A module with `snippets_call`, `snippets_copy`, and the functions that they call."""
    module = Module()
    module.declare("PyTuple_Size", [POINTER], I64)
    module.declare("PyTuple_GetItem", [POINTER, I64], POINTER)
    module.declare("Py_IncRef", [POINTER], None)
    declare_for_steps(module)
    add_range(module, "internal")
    _add_copy(module)
    body = module.function(CALL, [POINTER, POINTER, I64], POINTER)
    own, args, count = body.arguments
    plan, busy, miss = body.get(own, ARRAY, "data"), Block(), Block()
    body.require(body.compare("eq", body.get(plan, PLAN, "busy"), 0), busy)
    given = _arguments(body, plan, args, count, miss)
    check_arrays(body, plan, given.inputs, given.outputs, given.alone, miss)
    body.set(plan, PLAN, "busy", 1)
    failed = run_steps(body, plan)
    body.set(plan, PLAN, "busy", 0)
    with body.when(failed):
        body.end(body.null())
    give(body, given.outputs)
    for block, name in ((busy, "taken"), (miss, "none")):
        body.at(block)
        give(body, body.get(plan, PLAN, name))
    return module


def _add_copy(module: Module) -> None:
    module.declare("memcpy", [POINTER, POINTER, I64], POINTER)
    body = module.function(COPY, [POINTER, I64, I64, I64])
    args, begin, end, _ = body.arguments
    data = body.get(args, ARGS, "data")
    source, target = (
        body.as_pointer(body.add(body.item(data, I64, index), begin)) for index in (0, 1)
    )
    body.call_for(POINTER, "memcpy", target, source, body.subtract(end, begin))
    body.end()


def has_type(body: Body, object: SSAValue, plan: SSAValue, name: str) -> SSAValue:
    """Whether an object's class is the one in the field `name` of the plan."""
    found = body.get(object, OBJECT, "ob_type")
    return body.same(found, body.get(plan, PLAN, name))


def _arguments(body: Body, plan: SSAValue, args: SSAValue, count: SSAValue, miss: Block) -> Given:
    """The arguments; go to `miss` unless they are a tuple, and an array or tuple, of the right
    length.
    """
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
