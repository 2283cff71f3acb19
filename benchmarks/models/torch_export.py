"""Exports of PyTorch modules with random weights of a fixed seed."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.feeds import Feeds
from models.model import Model, package

Build = Callable[[Any], "Export"]


@dataclass(frozen=True)
class Export:
    """The arguments of `torch.onnx.export`.

    Attributes:
        module: the `torch.nn.Module`.
        arguments: tensors of its arguments.
        inputs: their names.
        outputs: names of its results.
        dynamic: `dynamic_shapes` of the exporter on Dynamo, `dynamic_axes` of the one on
            TorchScript; None when all is static.
        dynamo: which of the two exporters.
        opset: the version of ONNX's operators; None for the exporter's choice.
    """

    module: Any
    arguments: Sequence[Any]
    inputs: Sequence[str]
    outputs: Sequence[str]
    dynamic: Any = None
    dynamo: bool = True
    opset: int | None = None


def exporting(name: str, build: Build) -> Callable[[Path], None]:
    """The `make` of a model: `build` is given the package torch."""

    def make(folder: Path) -> None:
        torch = package("torch")
        package("onnxscript")
        torch.manual_seed(0)
        _write(torch, build(torch), folder / f"{name}.onnx")

    return make


def _write(torch: Any, export: Export, path: Path) -> None:
    export.module.eval()
    if export.dynamo:
        options = {
            "dynamic_shapes": export.dynamic,
            "external_data": False,
            "verbose": False,
        }
    else:
        options = {"dynamic_axes": export.dynamic}
    with _quiet(), torch.no_grad():
        torch.onnx.export(
            export.module,
            tuple(export.arguments),
            str(path),
            input_names=list(export.inputs),
            output_names=list(export.outputs),
            dynamo=export.dynamo,
            opset_version=export.opset,
            **options,
        )


@contextmanager
def _quiet() -> Generator[None]:
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            yield


def wrapped(torch: Any, module: Any, forward: Callable[..., Any]) -> Any:
    """A module that calls `forward(module, *arguments)`."""

    class Wrapped(torch.nn.Module):
        def __init__(self) -> None:
            torch.nn.Module.__init__(self)
            self.module = module

        def forward(self, *arguments: Any) -> Any:
            return forward(self.module, *arguments)

    return Wrapped()


def of_transformers(name: str, build: Build, feeds: Feeds, **more: Any) -> Model:
    """A model of the package, exported by PyTorch."""
    return Model(name, "transformers", exporting(name, build), feeds, **more)
