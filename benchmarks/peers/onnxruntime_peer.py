"""ONNX Runtime, with IO binding and by `session.run`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from steps import Array, Workload

from peers.base import Variant, itself, of_array
from peers.onnx_graph import onnx_bytes


class OnnxRuntime:
    """onnxruntime on its CPU provider."""

    name = "onnxruntime"

    def __init__(self, threads: int) -> None:
        """Import it."""
        self.package: Any = import_module("onnxruntime")
        import_module("onnx")
        self.threads = threads

    def version(self) -> str:
        """The package's version."""
        return str(self.package.__version__)

    def prepare(
        self, workload: Workload, inputs: Mapping[str, Array], size: str
    ) -> tuple[Variant, ...]:
        """Inputs bound once; the output bound to an array, or allocated by each run."""
        ort = self.package
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.log_severity_level = 3
        session = ort.InferenceSession(
            onnx_bytes(workload, size), options, providers=["CPUExecutionProvider"]
        )
        out = np.empty(workload.shape(size), workload.dtype)

        def binding() -> Any:
            bound = session.io_binding()
            for name, array in inputs.items():
                bound.bind_cpu_input(name, array)
            return bound

        given, fresh = binding(), binding()
        given.bind_output(
            workload.result, "cpu", 0, out.dtype, out.shape, out.__array_interface__["data"][0]
        )

        def run_given() -> object:
            session.run_with_iobinding(given)
            return out

        def run_fresh() -> object:
            fresh.bind_output(workload.result, "cpu")
            session.run_with_iobinding(fresh)
            return fresh.get_outputs()[0]

        feeds = dict(inputs)
        return (
            Variant("IO binding", True, run_given, of_array(out)),
            Variant("IO binding", False, run_fresh, _numpy),
            Variant("run", False, lambda: session.run(None, feeds)[0], itself),
        )


def _numpy(value: Any) -> object:
    return value.numpy()
