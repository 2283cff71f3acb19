"""NumPy: in the usual way, and with `out=` and preallocated temporary arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from reference import EPSILON, OPS
from shapes import plain
from steps import Array, Shape, Workload, temporaries

from peers.base import Call, Inputs, Unsupported, Way


def _relu(x: Array, out: Array) -> Array:
    return np.maximum(x, 0, out=out)


def _sigmoid(x: Array, out: Array) -> Array:
    np.negative(x, out=out)
    np.exp(out, out=out)
    np.add(out, 1, out=out)
    return np.reciprocal(out, out=out)


def _softmax(x: Array, out: Array) -> Array:
    np.subtract(x, x.max(-1, keepdims=True), out=out)
    np.exp(out, out=out)
    return np.divide(out, out.sum(-1, keepdims=True), out=out)


def _log_softmax(x: Array, out: Array) -> Array:
    np.subtract(x, x.max(-1, keepdims=True), out=out)
    return np.subtract(out, np.log(np.exp(out).sum(-1, keepdims=True)), out=out)


def _layer_norm(x: Array, scale: Array, bias: Array, out: Array) -> Array:
    np.subtract(x, x.mean(-1, keepdims=True), out=out)
    variance = np.vecdot(out, out)[..., None] / x.shape[-1]
    np.multiply(out, 1 / np.sqrt(variance + x.dtype.type(EPSILON)), out=out)
    np.multiply(out, scale, out=out)
    return np.add(out, bias, out=out)


def _rms_norm(x: Array, scale: Array, out: Array) -> Array:
    square = np.vecdot(x, x)[..., None] / x.shape[-1]
    np.multiply(x, 1 / np.sqrt(square + x.dtype.type(EPSILON)), out=out)
    return np.multiply(out, scale, out=out)


def _select(mask: Array, a: Array, b: Array, out: Array) -> Array:
    np.copyto(out, b)
    np.copyto(out, a, where=mask)
    return out


IN_PLACE: dict[str, Callable[..., Any]] = {
    "relu": _relu,
    "sigmoid": _sigmoid,
    "select": _select,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
}


def _constant(value: float | Shape, workload: Workload) -> Any:
    return value if isinstance(value, tuple) else np.dtype(workload.dtype).type(value)


class NumPy:
    """NumPy, on one thread."""

    name = "NumPy"

    def __init__(self, threads: int) -> None:
        """NumPy's elementwise functions know no threads."""

    def version(self) -> str:
        """The version of the package, for the report."""
        return np.__version__

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Compute the steps one by one, as written and with `out=`."""
        if any(step.op == "gelu" for step in workload.steps):
            raise Unsupported("NumPy has no erf")
        program = plain(workload.steps)
        shape = workload.whole(size)
        slots = temporaries(workload)
        spare = [np.empty(shape, workload.dtype) for _ in range(max(slots) + 1)]
        mask = np.empty(shape, np.bool_)

        def given(inputs: Inputs, out: Array) -> Call:
            planned: list[tuple[Callable[..., Any], tuple[Any, ...], Array]] = []
            where: dict[str, Array] = dict(inputs)
            for slot, step in zip(slots, workload.steps, strict=True):
                operands = tuple(
                    where[o] if isinstance(o, str) else _constant(o, workload)
                    for o in step.operands
                )
                if step.op == "transpose":
                    where[step.result] = np.transpose(*operands)  # a view: nothing to compute
                    continue
                target = mask if step.op == "greater" else spare[slot]
                where[step.result] = out if step.result == workload.result else target
                planned.append((IN_PLACE.get(step.op, OPS[step.op]), operands, where[step.result]))

            def call() -> None:
                for function, operands, target in planned:
                    function(*operands, out=target)

            return call

        def fresh(inputs: Inputs, _: Array) -> Call:
            def call() -> object:
                values: dict[str, Any] = dict(inputs)
                for step in program:
                    operands = [
                        values[o] if isinstance(o, str) else _constant(o, workload)
                        for o in step.operands
                    ]
                    values[step.result] = OPS[step.op](*operands)
                return values[workload.result]

            return call

        as_written = Way("", False, fresh)
        if workload.form == "network":
            return (as_written,)  # its values have many shapes
        return Way("out=", True, given), as_written
