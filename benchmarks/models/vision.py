"""Networks of torchvision, exported with random weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from models.feeds import normal_of
from models.model import Model, package
from models.torch_export import Build, Export, exporting

SIZE = 224
IMAGE = (3, SIZE, SIZE)


def torchvision(torch: Any) -> Any:
    """The package.

    Its own C++ ops may be built for another torch; no model here needs them, so that a missing one
    does not count.
    """
    register = torch.library.register_fake

    def lenient(name: Any, *arguments: Any, **options: Any) -> Any:
        if str(name).startswith("torchvision::"):
            return _as_it_is
        return register(name, *arguments, **options)

    torch.library.register_fake = lenient
    try:
        return package("torchvision")
    finally:
        torch.library.register_fake = register


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _network(torch: Any, kind: str) -> Any:
    """A network whose batch norms have statistics other than 0 and 1."""
    network = getattr(torchvision(torch).models, kind)(weights=None)
    network.train()
    with torch.no_grad():
        for _ in range(2):
            network(torch.randn(4, *IMAGE))
    return network


def _static(kind: str) -> Build:
    return lambda torch: Export(_network(torch, kind), [torch.randn(1, *IMAGE)], ["x"], ["y"])


def _batched(kind: str) -> Build:
    def build(torch: Any) -> Export:
        batch = torch.export.Dim("n", min=1, max=64)
        image = torch.randn(2, *IMAGE)
        return Export(_network(torch, kind), [image], ["x"], ["y"], ({0: batch},))

    return build


def _batched_by_torchscript(kind: str) -> Build:
    def build(torch: Any) -> Export:
        axes = {"x": {0: "n"}, "y": {0: "n"}}
        image = torch.randn(2, *IMAGE)
        return Export(_network(torch, kind), [image], ["x"], ["y"], axes, dynamo=False)

    return build


def _model(name: str, build: Build, *batches: int) -> Model:
    feeds = normal_of("x", *((batch, *IMAGE) for batch in batches))
    return Model(name, "torchvision", exporting(name, build), feeds)


VISION = (
    _model("resnet50", _static("resnet50"), 1),
    _model("resnet18_batch", _batched("resnet18"), 1, 3),
    _model("mobilenet_v2", _static("mobilenet_v2"), 1),
    _model("efficientnet_b0", _static("efficientnet_b0"), 1),
    _model("mobilenet_v2_ts", _batched_by_torchscript("mobilenet_v2"), 1, 3),
    _model("densenet121", _static("densenet121"), 1),
    _model("mobilenet_v3", _static("mobilenet_v3_large"), 1),
    _model("shufflenet_v2", _static("shufflenet_v2_x1_0"), 1),
)
