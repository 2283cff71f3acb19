"""The nodes of an ONNX model that become kernels, chosen by the cost model, and why."""
