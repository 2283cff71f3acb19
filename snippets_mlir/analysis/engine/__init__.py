"""The time of onnxruntime's CPU engine for nodes, and what a cut takes from it."""
