"""The catalog of all third-party models, by name."""

from __future__ import annotations

from models.derived import derived
from models.encoders import ENCODERS
from models.model import Model
from models.scikit import SCIKIT
from models.shipped import SHIPPED
from models.transformer import TRANSFORMER
from models.vision import VISION


def _catalog() -> dict[str, Model]:
    every = (*SHIPPED, *VISION, *TRANSFORMER, *ENCODERS, *SCIKIT)
    plain = {model.name: model for model in every}
    return plain | {model.name: model for model in derived(plain)}


MODELS = _catalog()
