"""ONNX models that kernels and onnxruntime share."""
