"""Third-party models, compiled and compared with onnxruntime: `run_models.py`."""
