"""onnxruntime runs parts of a program: its sessions, their memory, and kernels as its operators."""
