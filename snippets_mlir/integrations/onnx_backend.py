"""The compiler as an ONNX backend (`onnx.backend.base.Backend`), for ONNX's own tests and tools.

    from snippets_mlir.integrations.onnx_backend import SnippetsBackend

    rep = SnippetsBackend.prepare(model, fallback="error")     # no node may run in onnxruntime
    (y,) = rep.run([x])

Inputs with the axes of a reduction are parameters: kernels need them as constants, so a model with
such inputs is compiled when it runs, once for each of their values. `onnx_cases.py` uses the
backend to run ONNX's node cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType

from snippets_mlir.driver import Compiled, compile
from snippets_mlir.frontends.onnx.mapping import reduction
from snippets_mlir.support.errors import CompileError


def parameters(model: onnx.ModelProto) -> tuple[str, ...]:
    """The inputs of a model that are the axes of reductions, in the model's order."""
    given = {t.name for t in model.graph.initializer}
    read = {n.input[1] for n in model.graph.node if n.op_type in reduction.ROWS and n.input[1:]}
    return tuple(i.name for i in model.graph.input if i.name in read - given)


def bound(model: onnx.ModelProto, values: Mapping[str, Any]) -> onnx.ModelProto:
    """A copy of `model` in which the inputs named in `values` are constants."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    inputs = [i for i in copy.graph.input if i.name not in values]
    del copy.graph.input[:]
    copy.graph.input.extend(inputs)
    copy.graph.initializer.extend(
        numpy_helper.from_array(np.asarray(array), name) for name, array in values.items()
    )
    return copy


class SnippetsBackendRep(BackendRep):
    """A model, compiled immediately, or at its run if it has `parameters`.

    `run` takes the inputs in the model's order.
    """

    def __init__(self, model: onnx.ModelProto, options: Mapping[str, Any]) -> None:
        self._model, self._options = model, options
        self._parameters = parameters(model)
        given = {t.name for t in model.graph.initializer}
        self._inputs = [i.name for i in model.graph.input if i.name not in given]
        self._programs: dict[tuple[bytes, ...], Compiled] = {}
        if not self._parameters:
            self._program({})

    def _program(self, values: Mapping[str, Any]) -> Compiled:
        """The program for these values of the parameters."""
        key = tuple(np.asarray(array).tobytes() for array in values.values())
        if key not in self._programs:
            model = bound(self._model, values) if values else self._model
            self._programs[key] = compile(model, **self._options)
        return self._programs[key]

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs, always as a tuple; `inputs` is a sequence, a dict by name, or one array."""
        values: dict[str, Any] = {}
        if isinstance(inputs, dict):
            values.update(cast("dict[str, Any]", inputs))
        else:
            arrays: Sequence[Any] = [inputs] if isinstance(inputs, np.ndarray) else inputs
            values.update(zip(self._inputs, arrays, strict=True))
        program = self._program({name: values[name] for name in self._parameters})
        outputs: Any = program(*(values[spec.name] for spec in program.inputs))
        return (outputs,) if len(program.outputs) == 1 else outputs


class SnippetsBackend(Backend):
    """Compiles ONNX models for the CPU. Options of `prepare` are those of
    `snippets_mlir.compile`.
    """

    @classmethod
    def is_compatible(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether `prepare` accepts the model with the same options."""
        try:
            cls.prepare(model, device, **kwargs)
        except CompileError:
            return False
        return True

    @classmethod
    def prepare(
        cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any
    ) -> SnippetsBackendRep:
        """Compile `model`; a CompileError for anything that cannot be compiled.

        With `parameters` this happens when the model is run.
        """
        if not cls.supports_device(device):
            raise CompileError(f"expected the device CPU, found {device}")
        return SnippetsBackendRep(model, kwargs)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """Run one node of the newest opset on arrays."""
        arrays = [np.asarray(a) for a in inputs]
        given = [name for name in node.input if name]
        to_type = onnx.helper.np_dtype_to_tensor_dtype
        graph = onnx.helper.make_graph(
            [node],
            "node",
            [
                onnx.helper.make_tensor_value_info(name, to_type(a.dtype), a.shape)
                for name, a in zip(given, arrays, strict=True)
            ],
            [onnx.ValueInfoProto(name=name) for name in node.output if name],
        )
        model = onnx.shape_inference.infer_shapes(onnx.helper.make_model(graph))
        return cls.prepare(model, device, **kwargs).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether the device is the CPU, the only one."""
        return Device(device).type == DeviceType.CPU
