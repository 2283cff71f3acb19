"""Errors that a handler of XLA's foreign function interface returns.

    static XLA_FFI_Error *snippets_xla_fail(frame, code, message) {
      XLA_FFI_Error_Create_Args error = {sizeof error, NULL, message, code};
      return frame->api->XLA_FFI_Error_Create(&error);
    }

    static XLA_FFI_Error *snippets_xla_raised(frame) {          the exception of this thread
      PyErr_Fetch(&type, &value, &traceback);
      PyErr_NormalizeException(&type, &value, &traceback);
      PyObject *text = PyObject_Str(value);
      const char *chars = text ? PyUnicode_AsUTF8(text) : NULL;
      PyErr_Clear();
      XLA_FFI_Error *error = snippets_xla_fail(frame, INTERNAL, chars ? chars : STEP_FAILED);
      ...                                 Py_DecRef of text, type, value and traceback
      return error;
    }

XLA copies the message, and frees the error.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I32, POINTER, llvm_type
from snippets_mlir.codegen.stubs.xla_interface import API, ERROR, FRAME, INTERNAL

FAIL, RAISED = "snippets_xla_fail", "snippets_xla_raised"
OTHER_PROCESS = "snippets_other_process"
OTHER_ARRAYS = "snippets_other_arrays"
OTHER_STRUCTS = "snippets_other_structs"
_STEP_FAILED = "snippets_step_failed"

_TEXTS = {
    OTHER_PROCESS: "snippets_mlir: this executable was compiled in another process; "
    "the kernels that it calls are not in this one",
    OTHER_ARRAYS: "snippets_mlir: the arrays are not those of the kernel's shapes",
    OTHER_STRUCTS: "snippets_mlir: XLA's foreign function interface has structs of other sizes "
    "than versions 0.1 to 0.3",
    _STEP_FAILED: "snippets_mlir: a step of the program failed",
}


def add_errors(module: Module) -> None:
    """Add the messages, `snippets_xla_fail` and `snippets_xla_raised`. The module declares
    `Py_DecRef`.
    """
    module.declare("PyErr_Fetch", [POINTER] * 3, None)
    module.declare("PyErr_NormalizeException", [POINTER] * 3, None)
    module.declare("PyErr_Clear", [], None)
    module.declare("PyObject_Str", [POINTER], POINTER)
    module.declare("PyUnicode_AsUTF8", [POINTER], POINTER)
    for name, text in _TEXTS.items():
        module.text(name, text)
    _add_fail(module)
    _add_raised(module)


def fail(body: Body, frame: SSAValue, code: int, text: str) -> None:
    """Return an error with a message to XLA, and leave the function."""
    message = body.address(text)
    body.end(body.call_for(POINTER, FAIL, frame, body.integer(code, I32), message))


def _add_fail(module: Module) -> None:
    """`snippets_xla_fail(frame, code, message)`: a new error of XLA, which copies the message."""
    body = module.function(FAIL, [POINTER, I32, POINTER], POINTER, linkage="internal")
    frame, code, message = body.arguments
    error = body.local(llvm_type(ERROR))
    body.set(error, ERROR, "struct_size", ERROR.offset("errc") + 4)
    body.set(error, ERROR, "extension_start", body.null())
    body.set(error, ERROR, "message", message)
    body.set(error, ERROR, "errc", code)
    create = body.get(body.get(frame, FRAME, "api"), API, "error_create")
    body.end(body.call_at_for(POINTER, create, error))


def _add_raised(module: Module) -> None:
    """`snippets_xla_raised(frame)`: an error of XLA for the exception of this thread."""
    body = module.function(RAISED, [POINTER], POINTER, linkage="internal")
    (frame,) = body.arguments
    parts = [body.local(POINTER) for _ in range(3)]
    body.call("PyErr_Fetch", *parts)
    body.call("PyErr_NormalizeException", *parts)
    text = body.call_for(POINTER, "PyObject_Str", body.load(parts[1], POINTER))
    chars = body.local(POINTER)
    body.store(body.address(_STEP_FAILED), chars)
    with body.when(body.compare("ne", body.as_integer(text), 0)):
        found = body.call_for(POINTER, "PyUnicode_AsUTF8", text)
        with body.when(body.compare("ne", body.as_integer(found), 0)):
            body.store(found, chars)
    body.call("PyErr_Clear")
    code, message = body.integer(INTERNAL, I32), body.load(chars, POINTER)
    error = body.call_for(POINTER, FAIL, frame, code, message)
    for part in (text, *(body.load(p, POINTER) for p in parts)):
        with body.when(body.compare("ne", body.as_integer(part), 0)):
            body.call("Py_DecRef", part)
    body.end(error)
