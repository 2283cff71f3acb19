"""Executors, which run the parts of a program that are not kernels.

An executor is a callable from a sequence of arrays to a list of arrays. It is made at compile time,
one for each node of the `program.graph` that is not a kernel (`emit/program_manifest.py`):

    for node in executed_nodes(graph):
        executor = make_executor(function_of_node("region", node), threads)

`make_executor` takes a function of one of two kinds. Functions of `onnx.node` ops and constants, or
of ops that the text assigns to onnxruntime, become one onnxruntime session (`emit/onnx_model.py`
writes its model). Functions of ops that have a row in `EXECUTORS`, are computing ops of the
`snippets` dialect or have a value in `dialects/stablehlo` run in NumPy, by the dialect's own
definition. Other ops have no executor. This is a `CompileError`, as is a node that onnxruntime
rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import static_shape
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.support.diagnostics import Position, position_of
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from xdsl.dialects.func import FuncOp

    from snippets_mlir.dialects.builtin.dtypes import Array
    from snippets_mlir.emit.onnx_model import Region
    from snippets_mlir.runtime.engine.sessions import Session

    Executor = Callable[[Sequence[Array]], list[Array]]


def _reshape(op: Operation) -> Executor:
    """`snippets.reshape`: a view of its operand under the shape of the result's type.

    The shape may have symbols if code for all sizes is tried: such a step never runs.
    """
    shape = shape_of(op.results[0])

    def run(arrays: Sequence[Array]) -> list[Array]:
        return [arrays[0].reshape(static_shape(shape))]

    return run


def _evaluate(op: Operation) -> Executor:
    """A computing op, by its one definition in `dialects.values`."""
    from snippets_mlir.dialects.snippets.values.evaluate import evaluate

    def run(arrays: Sequence[Array]) -> list[Array]:
        return [evaluate(op, arrays)]

    return run


def _constant(op: Operation) -> Executor:
    from snippets_mlir.dialects.snippets.constant_arrays import array_of
    from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp

    assert isinstance(op, ConstantOp | ScalarOp)
    array = array_of(op)
    return lambda _: [array]


def _stablehlo(op: Operation) -> Executor | None:
    """A StableHLO op with a known value on arrays; None for other ops."""
    from snippets_mlir.dialects.stablehlo.values import evaluate, value_of

    if value_of(op) is None:
        return None
    return lambda arrays: evaluate(op, arrays)


EXECUTORS: dict[str, Callable[[Operation], Executor]] = {
    "snippets.constant": _constant,
    "snippets.reshape": _reshape,
    "snippets.scalar": _constant,
}


def make_executor(
    function: FuncOp,
    threads: int = 1,
    weights: Mapping[str, Any] | None = None,
    *,
    engine: bool = False,
    opened: Callable[[Region], Session | None] | None = None,
) -> Executor:
    """The executor of a function, from arrays for its arguments to arrays for its results.

    `weights` are ONNX tensors in memory, by name, for constants that refer to them. With
    `engine`, onnxruntime runs it even if no op is a node of ONNX. `opened` returns an open session
    of a model, if there is one.

    CompileError, at the place of the op, when an op has no executor or onnxruntime rejects a node.
    """
    ops = [op for op in function.body.block.ops if not isinstance(op, ReturnOp)]
    if engine or any(isinstance(op, NodeOp) for op in ops):
        from snippets_mlir.emit.onnx_model import emit_region

        region = emit_region(function, weights or {})
        session = opened(region) if opened is not None else None
        if session is None:
            try:
                session = open_region(region, threads, weights or {})
            except CompileError as error:
                raise CompileError(
                    error.message, **_place(function, weights or {}, error)
                ) from None
        _check_results(function, session)
        return session
    return Evaluated(function, [(op, executor_of(op)) for op in ops])


def _place(function: FuncOp, weights: Mapping[str, Any], error: CompileError) -> Position:
    """The position in the text of the node that a message names; else of the function's first
    op.
    """
    from snippets_mlir.emit.onnx_model import node_sources

    sources = node_sources(function, weights)
    named = [op for name, op in sources.items() if f"'{name}'" in error.message]
    first = next(iter(sources.values()), function)
    return position_of(named[0] if named else first)


def _check_results(function: FuncOp, session: Session) -> None:
    """CompileError if a result has other sizes than its type.

    onnxruntime may infer wrong shapes (for PRelu with a larger slope, for example). So if its
    shapes differ, it runs once, on zeros; cases that need other values are found in a run.
    """
    terminator = function.body.block.last_op
    assert terminator is not None
    tensors = [v if is_tensor(v.type) else None for v in terminator.operands]
    pairs = zip(tensors, session.shapes, strict=False)
    results = [value if _differs(value, found) else None for value, found in pairs]
    if not any(results):
        return
    for value, array in zip(results, _tried(function, session), strict=False):
        if value is not None and _differs(value, np.shape(array)):
            op = value.owner if isinstance(value.owner, Operation) else function
            has, says = _shown(np.shape(array)), _shown(shape_of(value.type))
            raise CompileError(
                f"onnxruntime: a result of {_called(op)} has the sizes {has}, its type says {says}",
                **position_of(op),
            )


def _differs(value: SSAValue | None, found: Sequence[object]) -> bool:
    """Whether known sizes differ from a type's sizes; empty sizes: a number, or unknown."""
    if value is None or not found:
        return False
    sizes = shape_of(value.type)
    if len(found) != len(sizes):
        return True
    known = [(a, b) for a, b in zip(sizes, found, strict=True) if type(a) is type(b) is int]
    return any(a not in (DYNAMIC, b) for a, b in known)


def _tried(function: FuncOp, session: Session) -> Sequence[Array]:
    """The results of a session for zeros; nothing if sizes are unknown, or it refuses them."""
    arrays: list[Array] = []
    for argument in function.body.block.args:
        if not is_tensor(argument.type) or value_bytes(argument) is None:
            return ()
        shape = static_shape(shape_of(argument.type))
        arrays.append(np.zeros(shape, numpy_dtype(argument.type.element_type)))
    try:
        return session(arrays)
    except ValueError:
        return ()


def _shown(sizes: Sequence[object]) -> str:
    """Sizes in the form of a type in the text."""
    return "x".join("?" if size in (None, DYNAMIC) else str(size) for size in sizes) or "none"


def _called(op: Operation) -> str:
    return f"onnx.node {op.op_type}" if isinstance(op, NodeOp) else op.name


def open_region(region: Region, threads: int, weights: Mapping[str, Any]) -> Session:
    """The session of a region; a CompileError when onnxruntime rejects it.

    `weights` are the ONNX tensors with data outside of the model, by name.
    """
    from snippets_mlir.dialects.onnx.tensors import elements_of
    from snippets_mlir.runtime.engine.opening import open_session

    data = {n: elements_of(weights[key]) for n, key in region.weights.items()}
    tables = {name: data.pop(name) for name in region.tables}
    session = open_session(region.model, threads, data=data, tables=tables)
    session.model, session.weights = region.model, region.weights
    return session


class Evaluated:
    """The executor of a function whose ops NumPy evaluates in sequence."""

    def __init__(self, function: FuncOp, steps: Sequence[tuple[Operation, Executor]]) -> None:
        """`steps` are its ops, each with its evaluator."""
        terminator = function.body.block.last_op
        assert terminator is not None
        self.function, self._steps, self._results = function, steps, terminator.operands

    def __call__(self, arrays: Sequence[Array]) -> list[Array]:
        """The values of the function for arrays."""
        block = self.function.body.block
        values: dict[SSAValue, Array] = dict(zip(block.args, arrays, strict=True))
        for op, execute in self._steps:
            results = execute([values[v] for v in op.operands])
            values.update(zip(op.results, results, strict=True))
        return [values[v] for v in self._results]

    def text(self) -> str:
        """The function as text of a module."""
        from xdsl.dialects.builtin import ModuleOp

        from snippets_mlir.support.printing import print_module

        return print_module(ModuleOp([self.function.clone()]))


def executor_of(op: Operation) -> Executor:
    """The executor of one op on the arrays of its operands; a CompileError if there is none."""
    if (make := EXECUTORS.get(op.name)) is not None:
        return make(op)
    if isinstance(op, ComputeOp):
        return _evaluate(op)
    if op.name.startswith(("stablehlo.", "chlo.")) and (run := _stablehlo(op)) is not None:
        return run
    raise CompileError(
        f"no executor for '{op.name}': it can neither be compiled into a kernel nor run beside one",
        **position_of(op),
    )
