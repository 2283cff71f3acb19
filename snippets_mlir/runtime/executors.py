"""Executors: what runs the parts of a program that are not kernels.

An executor is a callable from a sequence of arrays to a list of arrays. There are two sources:

* Regions of opaque ops. `analysis.opaque_regions.program_steps(func)` cuts the body of the entry
  function, after `convert-snippets-to-lir`, into steps in an order in which they can run: an op
  (`lir.call`, `snippets.constant`, `snippets.reshape`, ...), or a `Region` of `onnx.node` ops with
  the constants they read. `emit.onnx_model.emit_onnx(region)` gives the bytes of an ONNX model whose
  inputs and outputs are the region's, in order, and `make_session(bytes, threads)` gives its executor:

      for step in program_steps(func):
          if isinstance(step, Region):
              run = make_session(emit_onnx(step), threads)      # at compile time
              outputs = run([array_of[v] for v in step.inputs]) # at run time; step.outputs get them
          elif step.name == "lir.call": ...
          else:
              run = executor_of(step)                           # CompileError when there is none

* Single ops of a program that no kernel holds: `EXECUTORS` maps the op's name to a function from the
  op to its executor, and `executor_of(op)` looks it up.

An op without an executor is a `CompileError`, raised at compile time: `executor_of` and
`make_session` are both called by the driver before anything runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from snippets_mlir.errors import CompileError

if TYPE_CHECKING:
    import numpy as np
    from xdsl.ir import Operation

    Executor = Callable[[Sequence["np.ndarray[Any, Any]"]], list["np.ndarray[Any, Any]"]]

INSTALL_HINT = "install it with `pip install snippets-mlir[onnx]`"


def _reshape(op: Operation) -> Executor:
    """`snippets.reshape`: a view of its operand under the shape of the result's type."""
    shape = tuple(op.results[0].type.get_shape())  # pyright: ignore

    def run(arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        return [arrays[0].reshape(shape)]

    return run


def _evaluate(op: Operation) -> Executor:
    """A computing op, by its one definition in `dialects.values`."""
    from snippets_mlir.dialects.values import evaluate

    def run(arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        return [evaluate(op, arrays)]

    return run


EXECUTORS: dict[str, Callable[[Operation], Executor]] = {"snippets.reshape": _reshape}


def executor_of(op: Operation) -> Executor:
    """The executor of one op; a CompileError when there is none.

    Computing ops of the `snippets` dialect without a row of their own are evaluated by NumPy.
    """
    if (make := EXECUTORS.get(op.name)) is not None:
        return make(op)
    from snippets_mlir.dialects.snippets.base import ComputeOp

    if isinstance(op, ComputeOp):
        return _evaluate(op)
    raise CompileError(
        f"no executor for '{op.name}': it can neither be compiled into a kernel nor run beside one"
    )


def make_session(model: bytes, threads: int = 1) -> Executor:
    """An onnxruntime session for a serialised ONNX model, with `threads` threads.

    Arrays go in and come out in the order of the graph's inputs and outputs. It may be called from
    several threads at once. Raises CompileError when onnxruntime is missing or rejects the model; the
    message names the node.
    """
    try:
        import onnxruntime as ort
    except ImportError:
        raise CompileError(
            f"the program holds ONNX nodes that onnxruntime must run; {INSTALL_HINT}"
        ) from None
    import numpy as np

    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    # A spinning worker would take the core of our own kernels between two sessions.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception class per status code
        raise CompileError(_rejected(model, str(error))) from None
    names = [i.name for i in session.get_inputs()]

    def run(arrays: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
        feed = {n: _dense(a) for n, a in zip(names, arrays, strict=True)}
        return session.run(None, feed)  # pyright: ignore

    def _dense(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return np.require(value, requirements=["C", "A"])
        return value

    return run


def _rejected(model: bytes, message: str) -> str:
    """The error text for a model that onnxruntime rejects, naming the node or all its op types."""
    import onnx

    proto = onnx.ModelProto()
    proto.ParseFromString(model)
    words = set(re.findall(r"[\w./:-]+", message))
    guilty = [n for n in proto.graph.node if n.name in words]
    guilty = guilty or [n for n in proto.graph.node if n.op_type in words] or [*proto.graph.node]
    shown = ", ".join(
        f"{n.domain + '.' if n.domain else ''}{n.op_type}" + (f" '{n.name}'" if n.name else "")
        for n in guilty[:4]
    )
    text = re.sub(r"\s+", " ", message).strip()
    return f"onnxruntime does not accept the ONNX node {shown}: {text}"
