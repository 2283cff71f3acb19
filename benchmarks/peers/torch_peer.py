"""PyTorch: eager with `out=`, and torch.compile (inductor)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from reference import EPSILON
from steps import Array, Workload, temporaries

from peers.base import Call, Inputs, Way


class _Torch:
    def __init__(self, threads: int) -> None:
        """Import it and set its threads."""
        self.torch: Any = import_module("torch")
        self.torch.set_num_threads(threads)
        self.torch.set_grad_enabled(False)

    def version(self) -> str:
        return str(self.torch.__version__)

    def tensors(self, inputs: Inputs) -> dict[str, Any]:
        """Tensors that share the memory of arrays."""
        return {name: self.torch.from_numpy(array) for name, array in inputs.items()}

    def function(self, workload: Workload) -> Callable[..., Any]:
        """The workload as a function of tensors."""
        ops = self.ops()

        def function(*tensors: Any) -> Any:
            values = dict(zip(workload.arguments, tensors, strict=True))
            for step in workload.steps:
                operands = [values[o] if isinstance(o, str) else o for o in step.operands]
                values[step.result] = ops[step.op](*operands)
            return values[workload.result]

        return function

    def ops(self) -> dict[str, Callable[..., Any]]:
        t = self.torch

        def at_least(x: Any, k: float, **out: Any) -> Any:
            return t.clamp(x, min=k, **out)

        def at_most(x: Any, k: float, **out: Any) -> Any:
            return t.clamp(x, max=k, **out)

        def rowwise(function: Callable[..., Any]) -> Callable[..., Any]:
            def over_rows(x: Any, **out: Any) -> Any:
                return function(x, -1, **out)

            return over_rows

        def summed(axis: int) -> Callable[..., Any]:
            def over_axis(x: Any, **out: Any) -> Any:
                return t.sum(x, axis, **out)

            return over_axis

        def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
            return t.nn.functional.layer_norm(x, scale.shape, scale, bias, EPSILON)

        def attention(q: Any, k: Any, v: Any, mask: Any, scale: float) -> Any:
            function = t.nn.functional.scaled_dot_product_attention
            return function(q, k, v, attn_mask=mask, scale=scale)

        def rms_norm(x: Any, scale: Any) -> Any:
            return t.nn.functional.rms_norm(x, scale.shape, scale, EPSILON)

        return {
            "add": t.add,
            "subtract": t.sub,
            "multiply": t.mul,
            "maximum": at_least,
            "minimum": at_most,
            "relu": t.relu,
            "sigmoid": t.sigmoid,
            "gelu": t.nn.functional.gelu,
            "greater": t.gt,
            "select": t.where,
            "bitwise_and": t.bitwise_and,
            "bitwise_or": t.bitwise_or,
            "bitwise_xor": t.bitwise_xor,
            "softmax": rowwise(t.softmax),
            "log_softmax": rowwise(t.log_softmax),
            "layer_norm": layer_norm,
            "rms_norm": rms_norm,
            "sum_first": summed(0),
            "sum_middle": summed(1),
            "sum_last": summed(2),
            "transpose": t.t,
            "permute": t.permute,
            "reshape": t.reshape,
            "attention": attention,
            "matmul": t.matmul,
            "shift_left": t.bitwise_left_shift,
            "shift_right": t.bitwise_right_shift,
        }


class TorchEager(_Torch):
    """One kernel of PyTorch for each step."""

    name = "torch eager"

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """`out=` with preallocated temporary tensors, and plain calls."""
        t = self.torch
        function = self.function(workload)
        shape = workload.shape(size)

        def relu(x: Any, out: Any) -> Any:
            return t.clamp(x, min=0, out=out)

        mean, root = (t.empty((*shape[:-1], 1)) for _ in range(2))

        def layer_norm(x: Any, scale: Any, bias: Any, out: Any) -> Any:
            norm = t.ops.aten.native_layer_norm.out
            return norm(x, scale.shape, scale, bias, EPSILON, out0=out, out1=mean, out2=root)

        in_place: dict[str, Callable[..., Any]] = {
            "relu": relu,
            "gelu": t.ops.aten.gelu.out,
            "layer_norm": layer_norm,
        }
        slots = temporaries(workload)
        whole = t.from_numpy(np.empty(workload.whole(size), workload.dtype))
        spare = [t.empty_like(whole) for _ in range(max(slots) + 1)]
        mask = t.empty_like(whole, dtype=t.bool)
        ops = self.ops()

        def given(inputs: Inputs, out: Array) -> Call:
            where = self.tensors(inputs)
            planned: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = []
            for slot, step in zip(slots, workload.steps, strict=True):
                operands = tuple(where[o] if isinstance(o, str) else o for o in step.operands)
                if step.op == "transpose":
                    where[step.result] = t.t(*operands)  # a view: nothing to compute
                    continue
                target = mask if step.op == "greater" else spare[slot]
                result = step.result == workload.result
                where[step.result] = t.from_numpy(out) if result else target
                planned.append((in_place.get(step.op, ops[step.op]), operands, where[step.result]))

            def call() -> None:
                for op, operands, target in planned:
                    op(*operands, out=target)

            return call

        def fresh(inputs: Inputs, _: Array) -> Call:
            arguments = list(self.tensors(inputs).values())
            return lambda: function(*arguments)

        plain = Way("", False, fresh)
        if workload.form == "network" or any(s.op == "rms_norm" for s in workload.steps):
            return (plain,)  # norms have no `out=`, and values of a network many shapes
        return Way("out=", True, given), plain


class TorchInductor(_Torch):
    """torch.compile, whose C++ code needs a compiler on the machine."""

    name = "torch inductor"

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """A compiled function, and one that ends in a copy to the output, which is fused."""
        t = self.torch
        t._dynamo.reset()
        function = self.function(workload)

        def into(target: Any, *tensors: Any) -> None:
            target.copy_(function(*tensors))

        compiled = t.compile(function, dynamic=False)
        compiled_into = t.compile(into, dynamic=False)

        def given(inputs: Inputs, out: Array) -> Call:
            tensors = [t.from_numpy(out), *self.tensors(inputs).values()]
            return lambda: compiled_into(*tensors)

        def fresh(inputs: Inputs, _: Array) -> Call:
            tensors = list(self.tensors(inputs).values())
            return lambda: compiled(*tensors)

        ways = Way("copy_", True, given), Way("", False, fresh)
        for way in ways:
            way.bind(inputs, np.empty(workload.shape(size), workload.dtype))()
        return ways
