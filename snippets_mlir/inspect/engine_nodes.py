"""Nodes of ONNX in the interpreter: onnxruntime runs each of them in a session of its own."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from snippets_mlir.runtime.arguments.arrays import Array


def run_node(op: Operation, operands: Sequence[Array], threads: int) -> Sequence[Array]:
    """All results of `op`, also unused ones; two operands may be one value.

    Raises:
        CompileError: onnxruntime does not open the node.
        ValueError: it refuses the operands.
    """
    from snippets_mlir.emit.host import Unit, function_of
    from snippets_mlir.runtime.engine.executors import make_executor

    arrays = dict(zip(op.operands, operands, strict=True))
    function = function_of("node", Unit((op,), tuple(arrays), tuple(op.results)))
    return make_executor(function, threads)(list(arrays.values()))
