"""ONNX Runtime, with IO binding and by `session.run`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from steps import Array, Workload

from peers.base import Call, Inputs, Way
from peers.onnx_graph import onnx_bytes


class OnnxRuntime:
    """onnxruntime on its CPU provider."""

    name = "onnxruntime"

    def __init__(self, threads: int) -> None:
        self.package: Any = import_module("onnxruntime")
        import_module("onnx")
        self.threads = threads

    def version(self) -> str:
        """The version of the package, for the report."""
        return str(self.package.__version__)

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Inputs bound once; the output bound to an array, or allocated by each run."""
        ort = self.package
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3
        session = ort.InferenceSession(
            onnx_bytes(workload, inputs, size), options, providers=["CPUExecutionProvider"]
        )

        def binding(inputs: Inputs) -> Any:
            bound = session.io_binding()
            for name, array in _fed(workload, inputs).items():
                bound.bind_cpu_input(name, array)
            return bound

        def given(inputs: Inputs, out: Array) -> Call:
            bound = binding(inputs)
            address = out.__array_interface__["data"][0]
            bound.bind_output(workload.result, "cpu", 0, out.dtype, out.shape, address)

            def call() -> object:
                session.run_with_iobinding(bound)
                return out

            return call

        def fresh(inputs: Inputs, _: Array) -> Call:
            bound = binding(inputs)

            def call() -> object:
                bound.bind_output(workload.result, "cpu")
                session.run_with_iobinding(bound)
                return bound.get_outputs()[0]

            return call

        def run(inputs: Inputs, _: Array) -> Call:
            feeds = _fed(workload, inputs)
            return lambda: session.run(None, feeds)[0]

        return (
            Way("IO binding", True, given),
            Way("IO binding", False, fresh, _numpy),
            Way("run", False, run),
        )


def _fed(workload: Workload, inputs: Inputs) -> dict[str, Array]:
    """The inputs of the model: constants are in it."""
    return {name: array for name, array in inputs.items() if name not in workload.constants}


def _numpy(value: Any) -> object:
    return value.numpy()
