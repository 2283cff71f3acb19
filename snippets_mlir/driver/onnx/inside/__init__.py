"""Kernels inside a session of onnxruntime, as operators of the domain `snippets`."""
