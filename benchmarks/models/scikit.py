"""Classifiers of scikit-learn, trained on its digits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from models.feeds import Feed, Random
from models.model import Model, package

BATCHES = (256, 7)
OPSET = 17


def _digits() -> tuple[Any, Any]:
    """Images as rows of 64 float32, and their digits."""
    images, digits = package("sklearn.datasets").load_digits(return_X_y=True)
    return images.astype(np.float32), digits


def _network() -> Any:
    return package("sklearn.neural_network").MLPClassifier((64, 32), max_iter=40, random_state=0)


def _regression() -> Any:
    return package("sklearn.linear_model").LogisticRegression(max_iter=300)


def _model(name: str, classifier: Callable[[], Any]) -> Model:
    def make(folder: Path) -> None:
        skl2onnx = package("skl2onnx")
        scaler = package("sklearn.preprocessing").StandardScaler()
        pipeline = package("sklearn.pipeline").make_pipeline(scaler, classifier())
        images, digits = _digits()
        pipeline.fit(images, digits)
        options = {id(pipeline): {"zipmap": False}}
        model = skl2onnx.to_onnx(pipeline, images[:1], options=options, target_opset=OPSET)
        (folder / f"{name}.onnx").write_bytes(model.SerializeToString())

    def feeds(_: Random) -> list[Feed]:
        images, _digits_of_images = _digits()
        return [{"X": images[:batch]} for batch in BATCHES]

    return Model(name, "scikit-learn", make, feeds)


SCIKIT = (_model("sk_mlp", _network), _model("sk_logistic", _regression))
