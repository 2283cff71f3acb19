"""Models that others wrote, compiled and set beside onnxruntime: `run_models.py`."""
