"""`torch.compile(f, backend="snippets")`: the backend, and what it makes of a function.

PyTorch finds the backend by its entry point; it need not be imported. docs/torch.md has more.
"""

from snippets_mlir.integrations.torch.backend import backend
from snippets_mlir.integrations.torch.explain import Explanation, explain

__all__ = ["Explanation", "backend", "explain"]
