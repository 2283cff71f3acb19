"""Executors: what runs the parts of a program that are not kernels.

An executor is a callable from a sequence of arrays to a list of arrays, made at compile time. The
driver cuts the entry function, once nothing is left to compile in it, and makes the executors:

    from snippets_mlir.emit.opaque_regions import build_regions, own_constants

    own_constants(function)                   # each region gets its own copy of a shared constant
    groups = build_regions(function)          # maximal convex regions of `onnx.node` and constants
    manifest = build_manifest(module, groups=groups)
    for step in manifest["steps"]:            # a step of kind "execute" holds a function as text
        executor = make_executor(parsed_function, threads)

`make_executor` takes a function of `onnx.node` ops and constants, which becomes one onnxruntime
session (`emit/onnx_model.py` writes its model), or of one op that has a row in `EXECUTORS` or is a
computing op of the `snippets` dialect, which NumPy evaluates by the dialect's own definition.
Anything else has no executor, which is a `CompileError`, as is a node that onnxruntime rejects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp, tensor_of
from snippets_mlir.errors import CompileError

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from snippets_mlir.dialects.dtypes import Array

    Executor = Callable[[Sequence[Array]], list[Array]]

INSTALL_HINT = "install it with `pip install snippets-mlir[onnx]`"


def _reshape(op: Operation) -> Executor:
    """`snippets.reshape`: a view of its operand under the shape of the result's type."""
    shape = tensor_of(op.results[0]).get_shape()

    def run(arrays: Sequence[Array]) -> list[Array]:
        return [arrays[0].reshape(shape)]

    return run


def _evaluate(op: Operation) -> Executor:
    """A computing op, by its one definition in `dialects.values`."""
    from snippets_mlir.dialects.values import evaluate

    def run(arrays: Sequence[Array]) -> list[Array]:
        return [evaluate(op, arrays)]

    return run


def _constant(op: Operation) -> Executor:
    """`snippets.constant` and `snippets.scalar`."""
    from snippets_mlir.dialects.folding import dense_of_scalar
    from snippets_mlir.dialects.resources import load_resource
    from snippets_mlir.dialects.snippets.attributes import ResourceAttr
    from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
    from snippets_mlir.dialects.values import constant_array

    assert isinstance(op, ConstantOp | ScalarOp)
    value = op.value
    if isinstance(value, ResourceAttr):
        array = load_resource(value)
    elif isinstance(value, DenseIntOrFPElementsAttr):
        array = constant_array(value)
    else:
        array = constant_array(dense_of_scalar(value, tensor_of(op.result)))
    return lambda _: [array]


EXECUTORS: dict[str, Callable[[Operation], Executor]] = {
    "snippets.constant": _constant,
    "snippets.reshape": _reshape,
    "snippets.scalar": _constant,
}


def make_executor(function: FuncOp, threads: int = 1) -> Executor:
    """The executor of a function: its arguments are the arrays that come in, its results go out.

    CompileError, at the place of the op, when an op has no executor or onnxruntime rejects a node.
    """
    ops = [op for op in function.body.block.ops if not isinstance(op, ReturnOp)]
    if any(isinstance(op, NodeOp) for op in ops):
        from snippets_mlir.emit.onnx_model import emit_onnx

        return make_session(emit_onnx(function), threads)
    return _in_order(function, [(op, executor_of(op)) for op in ops])


def _in_order(function: FuncOp, steps: Sequence[tuple[Operation, Executor]]) -> Executor:
    """The executor that runs one executor after the other on the values of `function`."""
    block = function.body.block
    terminator = block.last_op
    assert terminator is not None

    def run(arrays: Sequence[Array]) -> list[Array]:
        values: dict[SSAValue, Array] = dict(zip(block.args, arrays, strict=True))
        for op, execute in steps:
            results = execute([values[v] for v in op.operands])
            values.update(zip(op.results, results, strict=True))
        return [values[v] for v in terminator.operands]

    return run


def executor_of(op: Operation) -> Executor:
    """The executor of one op on the arrays of its operands; a CompileError when there is none."""
    if (make := EXECUTORS.get(op.name)) is not None:
        return make(op)
    if isinstance(op, ComputeOp):
        return _evaluate(op)
    raise CompileError(
        f"no executor for '{op.name}': it can neither be compiled into a kernel nor run beside one",
        **position_of(op),
    )


def make_session(model: bytes, threads: int = 1) -> Executor:
    """An onnxruntime session for a serialised ONNX model, with `threads` threads.

    Arrays go in and come out in the order of the graph's inputs and outputs. It may be called from
    several threads at once. Raises CompileError when onnxruntime is missing or rejects the model;
    the message names the node.
    """
    try:
        ort: Any = import_module("onnxruntime")  # it has no type information
    except ImportError:
        raise CompileError(
            f"the program holds ONNX nodes that onnxruntime must run; {INSTALL_HINT}"
        ) from None
    import numpy as np

    from snippets_mlir.dialects.dtypes import as_array

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
    names: list[str] = [i.name for i in session.get_inputs()]

    def run(arrays: Sequence[Array]) -> list[Array]:
        feed = {n: _dense(a) for n, a in zip(names, arrays, strict=True)}
        return session.run(None, feed)

    def _dense(value: Any) -> Any:
        array = as_array(value)
        return value if array is None else np.require(array, requirements=["C", "A"])

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
