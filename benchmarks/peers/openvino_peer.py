"""OpenVINO on the CPU, from the same ONNX model, for latency, in full precision."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from steps import Array, Workload

from peers.base import Call, Inputs, Way
from peers.onnx_graph import onnx_bytes


class OpenVino:
    """openvino.Core on "CPU"."""

    name = "OpenVINO"

    def __init__(self, threads: int) -> None:
        self.package: Any = import_module("openvino")
        import_module("onnx")
        self.core: Any = self.package.Core()
        self.threads = threads

    def version(self) -> str:
        """The version of the package, for the report."""
        return str(self.package.__version__).partition("-")[0]

    def prepare(self, workload: Workload, inputs: Inputs, size: str) -> tuple[Way, ...]:
        """Tensors that share the memory of the arrays; fresh results are copies of its own."""
        model = self.core.read_model(onnx_bytes(workload, inputs, size))
        compiled = self.core.compile_model(
            model,
            "CPU",
            {
                "INFERENCE_NUM_THREADS": str(self.threads),
                "PERFORMANCE_HINT": "LATENCY",
                "INFERENCE_PRECISION_HINT": "f32",
            },
        )
        tensor = self.package.Tensor
        fed = [name for name in workload.arguments if name not in workload.constants]

        def request_for(inputs: Inputs) -> Any:
            request = compiled.create_infer_request()
            for k, name in enumerate(fed):
                request.set_input_tensor(k, tensor(inputs[name], shared_memory=True))
            return request

        def given(inputs: Inputs, out: Array) -> Call:
            request = request_for(inputs)
            request.set_output_tensor(0, tensor(out, shared_memory=True))

            def call() -> object:
                request.infer()
                return out

            return call

        def fresh(inputs: Inputs, _: Array) -> Call:
            request = request_for(inputs)
            return lambda: request.infer(share_outputs=False)[0]

        return Way("shared tensors", True, given), Way("", False, fresh)
