"""The kind of a source and the bytes that determine it, without loading the compiler.

A large ONNX file is identified by its path, size, time and inode, because reading and hashing it
takes as long as loading it into onnxruntime.
"""

from __future__ import annotations

from os import PathLike, stat_result
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from snippets_mlir.frontends.texts import TEXTS, suffixes
from snippets_mlir.support.file_identity import identity_of

if TYPE_CHECKING:
    import onnx

FILE = "onnx-file"
"""The kind of a large file, whose key does not contain its contents."""

LARGE = 1 << 20
"""The size in bytes above which a file is identified by path, size, time and inode."""


class Text(NamedTuple):
    """A program as text, and its language: one of `TEXTS`."""

    kind: str
    text: str


WORDS = ("func", "program.graph")
"""Words in a program on one line that are rare in paths."""


def is_text(source: str) -> bool:
    """Whether a string is MLIR text, and not a path."""
    if "\n" in source:
        return True
    return any(word in source for word in WORDS) and not source.endswith(suffixes())


def text_of(source: object) -> str | None:
    """The MLIR text of a source, also of the result of `jax.jit(f).lower(...)`; else None."""
    if isinstance(source, str):
        return source if is_text(source) else None
    if hasattr(source, "compiler_ir") and hasattr(source, "as_text"):
        return cast("_Lowered", source).as_text()
    return None


class _Lowered(Protocol):
    def as_text(self) -> str:
        """The module as StableHLO."""
        ...


def source_bytes(source: object) -> tuple[str, bytes] | None:
    """The kind of a source (`onnx` or of `TEXTS`) and its bytes, None when they do not decide all.

    This holds for modules in memory, for files that cannot be read (a later error), and for ONNX
    models in memory that may have data in files. For an ONNX file, its cache entry names the other
    files with data.
    """
    if (text := text_of(source)) is not None:
        return "mlir", text.encode(errors="surrogatepass")
    if isinstance(source, bytes | bytearray):
        return _onnx(bytes(source))
    if hasattr(source, "SerializeToString"):
        return _serialised(source)
    if not isinstance(source, str | PathLike):
        return None
    path = Path(cast("str | Path", source))
    if path.suffix not in suffixes():
        return None
    try:
        status = path.stat()
        if path.suffix == ".onnx" and status.st_size > LARGE:
            return _identity(path.resolve(), status)
        data = path.read_bytes()
    except (OSError, ValueError):  # no such file, or no name of a file
        return None
    if (kind := path.suffix[1:]) in TEXTS:
        return kind, data
    return _onnx(data) or _identity(path.resolve(), status)


def _identity(path: Path, status: stat_result) -> tuple[str, bytes]:
    """The kind of a large file and the bytes that identify it."""
    return FILE, repr((path, *identity_of(status))).encode()


def _serialised(model: object) -> tuple[str, bytes] | None:
    """The bytes of a `ModelProto`; None if it is too large to be serialised."""
    try:
        data = cast("onnx.ModelProto", model).SerializeToString(deterministic=True)
    except ValueError:
        return None
    return _onnx(data)


def _onnx(data: bytes) -> tuple[str, bytes] | None:
    return None if b"location" in data else ("onnx", data)


def contents_in(source: object, known: tuple[str, bytes]) -> Path | bytes | None:
    """The holder of the data of an ONNX model from `source_bytes`: its file, or its bytes."""
    if known[0] in TEXTS:
        return None
    return Path(cast("str | Path", source)) if known[0] == FILE else known[1]


def contents_of(source: object) -> Path | bytes | None:
    """The bytes that identify a source, as `contents_in`."""
    known = source_bytes(source)
    return None if known is None else contents_in(source, known)
