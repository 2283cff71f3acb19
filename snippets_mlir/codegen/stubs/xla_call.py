"""`snippets_xla`: a handler of XLA's foreign function interface, which runs a network.

    int64_t snippets_process;
    int32_t snippets_xla_minor;

    XLA_FFI_Error *snippets_xla(XLA_FFI_CallFrame *frame) {
      XLA_FFI_Metadata_Extension *extension = frame->extension_start;
      if (extension && extension->extension_base.type == XLA_FFI_Extension_Metadata) {
        extension->metadata->api_version.major_version = 0;
        extension->metadata->api_version.minor_version = snippets_xla_minor;
        extension->metadata->traits = 0;
        return NULL;
      }
      if (frame->args.struct_size != sizeof(XLA_FFI_Args)
          || frame->rets.struct_size != sizeof(XLA_FFI_Rets)
          || frame->attrs.struct_size != sizeof(XLA_FFI_Attrs))
        return error(FAILED_PRECONDITION, OTHER_STRUCTS);
      XLA_FFI_Scalar **attrs = frame->attrs.attrs;         sorted by name: process, program
      if (frame->attrs.size != 2 || *(int64_t *)attrs[0]->value != snippets_process)
        return error(FAILED_PRECONDITION, OTHER_PROCESS);
      Plan *plan = *(Plan **)attrs[1]->value;
      while (atomic_exchange_acquire(&plan->busy, 1)) sched_yield();
      XLA_FFI_Error *error = snippets_xla_run(frame, plan);
      atomic_store_release(&plan->busy, 0);
      return error;
    }

    static XLA_FFI_Error *snippets_xla_run(XLA_FFI_CallFrame *frame, Plan *plan) {
      if (frame->args.size != plan->inputs
          || frame->args.size + frame->rets.size != plan->arrays) goto miss;
      ...                                 each buffer: its sizes are those of its spec; its address
                                          goes into the spec and the steps, as in call_arrays.py
      fenv_t modes;
      fegetenv(&modes);
      fesetenv(FE_DFL_ENV);
      int gil = plan->release ? PyGILState_Ensure() : 0;
      ...                                 the steps: call_steps.py
      if (failed) error = snippets_xla_raised(frame);
      if (plan->release) PyGILState_Release(gil);
      fesetenv(&modes);
      return error;
    miss:
      return error(INVALID_ARGUMENT, OTHER_ARRAYS);
    }

XLA calls the handler from any of its threads, without the interpreter's lock. Several threads may
call it for one network: they wait for each other. `release` is set only for networks that call
Python objects. An exception of such an object becomes the text of the error.

XLA's threads flush denormal numbers to zero. Kernels run with the modes of a new thread, as they do
when Python calls them.

When XLA registers the handler, it calls it with the metadata extension. The answer is the version
of the interface, which Python knows from jaxlib's header. A struct of another size than in
`xla_interface.py` is an error, so no field is read at a wrong place.

`snippets_process` is a number that Python chooses in each process. A call that was compiled in
another process has another number, and is refused, because its plan does not exist here.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.call_arrays import check_sizes, write_start
from snippets_mlir.codegen.stubs.call_steps import declare_for_steps, run_steps
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import PLAN, SPEC
from snippets_mlir.codegen.stubs.ranges import add_range
from snippets_mlir.codegen.stubs.xla_errors import (
    OTHER_ARRAYS,
    OTHER_PROCESS,
    OTHER_STRUCTS,
    RAISED,
    add_errors,
    fail,
)
from snippets_mlir.codegen.stubs.xla_interface import (
    ATTRIBUTES,
    BUFFER,
    BUFFERS,
    EXTENSION,
    FAILED_PRECONDITION,
    FRAME,
    INVALID_ARGUMENT,
    METADATA,
    METADATA_EXTENSION,
    METADATA_TYPE,
    SCALAR,
    VERSION,
)
from snippets_mlir.dialects.llvm.atomics import AtomicRMWOp

HANDLER = "snippets_xla"
PROCESS = "snippets_process"
MINOR = "snippets_xla_minor"
_RUN = "snippets_xla_run"

FENV_WORDS = 4
"""64-bit words of a `fenv_t` of glibc or musl: 32 bytes on x86-64, 8 on AArch64."""
FE_DFL_ENV = -1


def xla_module() -> Module:
    """A module with `snippets_xla` and the variable `snippets_process`."""
    module = Module()
    declare_for_steps(module)
    module.declare("sched_yield", [], I32)
    module.declare("fegetenv", [POINTER], I32)
    module.declare("fesetenv", [POINTER], I32)
    module.declare("PyGILState_Ensure", [], I32)
    module.declare("PyGILState_Release", [I32], None)
    module.words(PROCESS, 64, 1, linkage="external")
    module.words(MINOR, 32, 1, linkage="external")
    add_range(module, "internal")
    add_errors(module)
    _add_run(module)
    _add_handler(module)
    return module


def _place(
    body: Body, plan: SSAValue, buffers: SSAValue, first: SSAValue | int, miss: Block
) -> None:
    """Write the addresses of the buffers into the steps; the first buffer has the spec `first`."""
    specs = body.place(plan, llvm_type(PLAN), 1)
    items = body.get(buffers, BUFFERS, "items")
    with body.loop(body.get(buffers, BUFFERS, "size")) as loop:
        buffer = body.item(items, POINTER, loop.index)
        spec = body.place(specs, llvm_type(SPEC), body.add(loop.index, first))
        size = body.get(buffer, BUFFER, "struct_size")
        body.require(body.compare("uge", size, BUFFER.bytes), miss)
        rank = body.get(buffer, BUFFER, "rank")
        body.require(body.compare("eq", rank, body.get(spec, SPEC, "rank")), miss)
        check_sizes(body, plan, spec, body.get(buffer, BUFFER, "dims"), miss)
        write_start(body, plan, spec, body.as_integer(body.get(buffer, BUFFER, "data")))


def _add_run(module: Module) -> None:
    body = module.function(_RUN, [POINTER, POINTER], POINTER, linkage="internal")
    frame, plan = body.arguments
    miss, modes = Block(), body.locals(I64, FENV_WORDS)
    error, gil = body.local(POINTER), body.local(I32)
    args, rets = (body.field(frame, FRAME, name) for name in ("args", "rets"))
    count = body.get(args, BUFFERS, "size")
    total = body.add(count, body.get(rets, BUFFERS, "size"))
    body.require(body.compare("eq", count, body.get(plan, PLAN, "inputs")), miss)
    body.require(body.compare("eq", total, body.get(plan, PLAN, "arrays")), miss)
    _place(body, plan, args, 0, miss)
    _place(body, plan, rets, count, miss)
    body.store(body.null(), error)
    body.call_for(I32, "fegetenv", modes)
    body.call_for(I32, "fesetenv", body.as_pointer(body.integer(FE_DFL_ENV)))
    locks = body.compare("ne", body.get(plan, PLAN, "release"), 0)
    with body.when(locks):
        body.store(body.call_for(I32, "PyGILState_Ensure"), gil)
    failed = run_steps(body, plan)
    with body.when(failed):
        body.store(body.call_for(POINTER, RAISED, frame), error)
    with body.when(locks):
        body.call("PyGILState_Release", body.load(gil, I32))
    body.call_for(I32, "fesetenv", modes)
    body.end(body.load(error, POINTER))
    body.at(miss)
    fail(body, frame, INVALID_ARGUMENT, OTHER_ARRAYS)


def _add_handler(module: Module) -> None:
    body = module.function(HANDLER, [POINTER], POINTER)
    (frame,) = body.arguments
    other, foreign = Block(), Block()
    answer_metadata(body, frame)
    for name, layout in (("args", BUFFERS), ("rets", BUFFERS), ("attrs", ATTRIBUTES)):
        size = body.get(body.field(frame, FRAME, name), layout, "struct_size")
        body.require(body.compare("eq", size, layout.bytes), other)
    attributes = body.field(frame, FRAME, "attrs")
    body.require(body.compare("eq", body.get(attributes, ATTRIBUTES, "size"), 2), foreign)
    scalars = body.get(attributes, ATTRIBUTES, "attrs")
    process, plan = (
        body.load(body.get(body.item(scalars, POINTER, index), SCALAR, "value"), I64)
        for index in (0, 1)
    )
    own = body.load(body.address(PROCESS), I64)
    body.require(body.compare("eq", process, own), foreign)
    _claim_and_run(body, frame, body.as_pointer(plan))
    body.at(other)
    fail(body, frame, FAILED_PRECONDITION, OTHER_STRUCTS)
    body.at(foreign)
    fail(body, frame, FAILED_PRECONDITION, OTHER_PROCESS)


def answer_metadata(body: Body, frame: SSAValue) -> None:
    """Return from the call that XLA makes when it registers a handler."""
    extension = body.get(frame, FRAME, "extension_start")
    with body.when(body.compare("ne", body.as_integer(extension), 0)):
        base = body.field(extension, METADATA_EXTENSION, "extension_base")
        kind = body.get(base, EXTENSION, "type")
        with body.when(body.compare("eq", kind, METADATA_TYPE)):
            _describe(body, extension)
            body.end(body.null())


def _describe(body: Body, extension: SSAValue) -> None:
    """Write the version of the interface, and that the handler has no traits."""
    metadata = body.get(extension, METADATA_EXTENSION, "metadata")
    version = body.field(metadata, METADATA, "api_version")
    body.set(version, VERSION, "major_version", 0)
    body.set(version, VERSION, "minor_version", body.load(body.address(MINOR), I32))
    body.set(metadata, METADATA, "traits", 0)


def _claim_and_run(body: Body, frame: SSAValue, plan: SSAValue) -> None:
    """Wait until no other thread runs the network, run it, and return the error."""
    busy = body.field(plan, PLAN, "busy")
    with body.loop(None) as loop:
        before = body.add_op(AtomicRMWOp("xchg", busy, body.integer(1), "acquire", 8))
        loop.leave_if(body.compare("eq", before, 0))
        body.call_for(I32, "sched_yield")
    error = body.call_for(POINTER, _RUN, frame, plan)
    body.store(body.integer(0), busy, atomic="release")
    body.end(error)
