"""OpenVINO on the CPU, from the same ONNX model, for latency, in full precision."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from steps import Array, Workload

from peers.base import Variant, itself, of_array
from peers.onnx_graph import onnx_bytes


class OpenVino:
    """openvino.Core on "CPU"."""

    name = "OpenVINO"

    def __init__(self, threads: int) -> None:
        """Import it."""
        self.package: Any = import_module("openvino")
        import_module("onnx")
        self.core: Any = self.package.Core()
        self.threads = threads

    def version(self) -> str:
        """The package's version."""
        return str(self.package.__version__).partition("-")[0]

    def prepare(
        self, workload: Workload, inputs: Mapping[str, Array], size: str
    ) -> tuple[Variant, ...]:
        """Tensors that share the memory of the arrays; fresh results are copies of its own."""
        model = self.core.read_model(onnx_bytes(workload, size))
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
        out = np.empty(workload.shape(size), workload.dtype)
        given, fresh = compiled.create_infer_request(), compiled.create_infer_request()
        for request in (given, fresh):
            for k, array in enumerate(inputs.values()):
                request.set_input_tensor(k, tensor(array, shared_memory=True))
        given.set_output_tensor(0, tensor(out, shared_memory=True))

        def run_given() -> object:
            given.infer()
            return out

        def run_fresh() -> object:
            return fresh.infer(share_outputs=False)[0]

        return (
            Variant("shared tensors", True, run_given, of_array(out)),
            Variant("", False, run_fresh, itself),
        )
