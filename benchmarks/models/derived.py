"""Models derived from others: quantised, optimised by onnxruntime, with half-precision weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from models.feeds import Feed, random_of
from models.model import EXACT, QUANTISED, Model, package

SMALL = 256
"""Weights of up to so many elements stay float32."""


def _inferred(source: Path, target: Path) -> None:
    onnx = package("onnx")
    onnx.save(onnx.shape_inference.infer_shapes(onnx.load(str(source))), str(target))


def _quantised(name: str, base: Model, *, static: bool) -> Model:
    """Int8, calibrated by a feed (`static`), or with scales found in each run."""

    def make(folder: Path) -> None:
        quantization = package("onnxruntime.quantization")
        inferred = folder / f"{name}.inferred.onnx"
        _inferred(folder / f"{base.name}.onnx", inferred)
        source, target = str(inferred), str(folder / f"{name}.onnx")
        int8 = quantization.QuantType.QInt8
        if static:
            quantization.quantize_static(
                source,
                target,
                _calibration(quantization, base),
                quant_format=quantization.QuantFormat.QDQ,
                activation_type=quantization.QuantType.QUInt8,
                weight_type=int8,
                per_channel=True,
            )
        else:
            quantization.quantize_dynamic(source, target, weight_type=int8)
        inferred.unlink()

    return _derived(name, base, "onnxruntime's quantiser", make, QUANTISED)


def _calibration(quantization: Any, base: Model) -> Any:
    """The first feed of `base`, once."""

    class Reader(quantization.CalibrationDataReader):
        def __init__(self) -> None:
            self.feeds: Iterator[Feed] = iter(base.feeds(random_of(base.name))[:1])

        def get_next(self) -> Feed | None:
            return next(self.feeds, None)

    return Reader()


def _optimised(name: str, base: Model) -> Model:
    """A model in the form that onnxruntime writes after its optimizations."""

    def make(folder: Path) -> None:
        onnxruntime = package("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = str(folder / f"{name}.onnx")
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
        source = str(folder / f"{base.name}.onnx")
        onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])

    return _derived(name, base, "onnxruntime's optimiser", make, EXACT)


def _halved(name: str, base: Model) -> Model:
    """Weights in float16 with a Cast to float32 after each."""

    def make(folder: Path) -> None:
        onnx = package("onnx")
        model = onnx.load(str(folder / f"{base.name}.onnx"))
        graph = model.graph
        for weight in graph.initializer:
            if weight.data_type == onnx.TensorProto.FLOAT and np.prod(weight.dims) > SMALL:
                full = weight.name
                half = onnx.numpy_helper.to_array(weight).astype(np.float16)
                weight.CopyFrom(onnx.numpy_helper.from_array(half, f"{full}_half"))
                cast = onnx.helper.make_node(
                    "Cast", [f"{full}_half"], [full], to=onnx.TensorProto.FLOAT
                )
                graph.node.insert(0, cast)
        del graph.value_info[:]
        onnx.save(model, str(folder / f"{name}.onnx"))

    return _derived(name, base, "weights in float16", make, EXACT)


def _derived(
    name: str, base: Model, how: str, make: Callable[[Path], None], tolerance: float
) -> Model:
    return Model(name, f"{base.name}, {how}", make, base.feeds, base.name, tolerance)


def derived(models: dict[str, Model]) -> tuple[Model, ...]:
    """The models made of `models`."""
    return (
        _quantised("resnet18_qdq", models["resnet18_batch"], static=True),
        _quantised("bert2_int8", models["bert2"], static=False),
        _quantised("mobilenet_v2_qdq", models["mobilenet_v2"], static=True),
        _optimised("bert2_ortopt", models["bert2"]),
        _halved("bert2_half", models["bert2"]),
    )
