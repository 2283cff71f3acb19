"""JAX on the CPU: one jitted function. Its arrays are immutable, so it has no given outputs."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from reference import EPSILON
from shapes import plain
from steps import SUMS, Array, Operand, Workload

from peers.base import Call, Inputs, Way


class Jax:
    """jax.jit."""

    name = "JAX"

    def __init__(self, threads: int) -> None:
        """Import it; XLA takes as many threads as the process may use CPUs."""
        self.jax: Any = import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.jax.config.update("jax_platforms", "cpu")

    def version(self) -> str:
        """The version of the package, for the report."""
        return str(self.jax.__version__)

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Compiled ahead of time; a call waits for its result."""
        jnp, nn = self.jax.numpy, self.jax.nn

        def gelu(x: Any) -> Any:
            return nn.gelu(x, approximate=False)

        def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
            root = self.jax.lax.rsqrt(jnp.var(x, -1, keepdims=True) + EPSILON)
            return (x - jnp.mean(x, -1, keepdims=True)) * root * scale + bias

        def rms_norm(x: Any, scale: Any) -> Any:
            square = jnp.mean(jnp.square(x), -1, keepdims=True)
            return x * self.jax.lax.rsqrt(square + EPSILON) * scale

        ops: dict[str, Any] = {
            "relu": nn.relu,
            "sigmoid": nn.sigmoid,
            "gelu": gelu,
            "select": jnp.where,
            "softmax": nn.softmax,
            "log_softmax": nn.log_softmax,
            "layer_norm": layer_norm,
            "rms_norm": rms_norm,
            **{op: partial(jnp.sum, axis=axis) for op, axis in SUMS.items()},
            "permute": jnp.transpose,
            "shift_left": jnp.left_shift,
            "shift_right": jnp.right_shift,
        }
        dtype = np.dtype(workload.dtype)
        program = plain(workload.steps)

        def constant(operand: Operand) -> Any:
            return operand if isinstance(operand, tuple) else dtype.type(operand)

        def function(*arrays: Any) -> Any:
            values: dict[str, Any] = dict(zip(workload.arguments, arrays, strict=True))
            for step in program:
                op = ops.get(step.op) or getattr(jnp, step.op)
                values[step.result] = op(
                    *(values[o] if isinstance(o, str) else constant(o) for o in step.operands)
                )
            return values[workload.result]

        jitted = self.jax.jit(function)

        def fresh(inputs: Inputs, _: Array) -> Call:
            arrays = [self.jax.device_put(array) for array in inputs.values()]
            return lambda: jitted(*arrays).block_until_ready()

        fresh(inputs, next(iter(inputs.values())))()
        return (Way("jit", False, fresh),)
