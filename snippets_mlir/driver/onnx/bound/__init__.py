"""Whether a cut of an ONNX model could pay off, decided from its nodes before any import."""
