"""What a source is, told without loading the compiler: its kind, and the bytes that decide all."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import cast


def is_text(source: str) -> bool:
    """Whether a string is MLIR text, and not a path."""
    if "\n" in source:
        return True
    return "func" in source and not source.endswith((".mlir", ".onnx"))


def source_bytes(source: object) -> tuple[str, bytes] | None:
    """The kind of a source (`mlir`, `onnx`) and its bytes, None when they do not decide all.

    That is so for objects in memory, for what cannot be read (which is then an error elsewhere),
    and for ONNX models that may have data in other files.
    """
    if isinstance(source, str) and is_text(source):
        return "mlir", source.encode(errors="surrogatepass")
    if isinstance(source, bytes | bytearray):
        return _onnx(bytes(source))
    if not isinstance(source, str | PathLike):
        return None
    path = Path(cast("str | Path", source))
    if path.suffix not in (".mlir", ".onnx"):
        return None
    try:
        data = path.read_bytes()
    except (OSError, ValueError):  # no such file, or no name of a file
        return None
    return ("mlir", data) if path.suffix == ".mlir" else _onnx(data)


def _onnx(data: bytes) -> tuple[str, bytes] | None:
    return None if b"location" in data else ("onnx", data)
