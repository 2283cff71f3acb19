"""Operators of classical machine learning (`ai.onnx.ml`)."""

from __future__ import annotations

import onnx

from snippets_mlir.frontends.onnx.shapes.dims import Size, product
from snippets_mlir.frontends.onnx.shapes.rules.shaping import known
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.frontends.onnx.shapes.view import NodeView, Out, Rule

FLOAT, INT64, STRING = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64, onnx.TensorProto.STRING


def _rows(node: NodeView) -> Size | None:
    """How many samples input 0 has; a vector is one."""
    shape = node.shape(0)
    return shape[0] if len(shape) > 1 else 1


def _like_first(element: int) -> Rule:
    return lambda node: [Out(node.shape(0), None, element)]


def _labels(node: NodeView, kinds: tuple[tuple[str, int], ...]) -> tuple[int, int | None]:
    """Element type and number of the classes."""
    for name, element in kinds:
        attribute = node.attributes.get(name)
        if attribute is not None:
            count = len(attribute.strings) if element == STRING else len(attribute.ints)
            return element, count or None
    return INT64, None


def _classifier(*kinds: tuple[str, int]) -> Rule:
    """A label for each sample, and a score for each sample and class."""

    def rule(node: NodeView) -> list[Out]:
        element, classes = _labels(node, kinds)
        rows = _rows(node)
        scores: Shape = (rows, classes if classes != 1 else None)
        return [Out((rows,), None, element), Out(scores, None, FLOAT)]

    return rule


def _regressor(attribute: str) -> Rule:
    return lambda node: [Out((_rows(node), node.integer(attribute, 1)), None, FLOAT)]


def _label_encoder(node: NodeView) -> list[Out]:
    values = {"values_strings": STRING, "values_int64s": INT64, "values_floats": FLOAT}
    found = [element for name, element in values.items() if name in node.attributes]
    if not found and "classes_strings" in node.attributes:  # version 1 goes either way
        found = [INT64 if node.type(0).element == STRING else STRING]
    if not found and "values_tensor" in node.attributes:
        found = [node.attributes["values_tensor"].t.data_type]
    return [Out(node.shape(0), None, found[0] if found else 0)]


def _feature_extractor(node: NodeView) -> list[Out]:
    shape, indices = node.shape(0), known(node.shape(1))
    count = None if indices is None else product(indices)
    return [Out((*shape[:-1], count) if len(shape) > 1 else (1, count))]


RULES: dict[str, Rule] = {
    "ArrayFeatureExtractor": _feature_extractor,
    "Binarizer": _like_first(0),
    "Imputer": _like_first(0),
    "LabelEncoder": _label_encoder,
    "LinearClassifier": _classifier(("classlabels_strings", STRING), ("classlabels_ints", INT64)),
    "LinearRegressor": _regressor("targets"),
    "Normalizer": _like_first(FLOAT),
    "Scaler": _like_first(FLOAT),
    "TreeEnsembleClassifier": _classifier(
        ("classlabels_strings", STRING), ("classlabels_int64s", INT64)
    ),
    "TreeEnsembleRegressor": _regressor("n_targets"),
}
