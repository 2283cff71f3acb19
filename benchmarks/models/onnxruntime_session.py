"""onnxruntime without this project: the model's session on two threads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.feeds import Array
from models.model import package

THREADS = 2


class Session:
    """An onnxruntime session of a model on two threads."""

    def __init__(self, path: Path) -> None:
        """Load the model; the package is imported already."""
        package_ = package("onnxruntime")
        options = package_.SessionOptions()
        options.intra_op_num_threads = THREADS
        options.log_severity_level = 3
        self._session: Any = package_.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self.outputs: list[str] = [output.name for output in self._session.get_outputs()]

    def run(self, feed: Mapping[str, Array]) -> dict[str, Array]:
        """Results by name."""
        return dict(zip(self.outputs, self._session.run(None, feed), strict=True))
