"""ONNX models as modules: `import_model`.

    y = Relu(x + w)      func.func @main(%x: tensor<2x4xf32> {snippets.name = "x"})
                             -> (tensor<2x4xf32> {snippets.name = "y"}) {
                           %w = snippets.constant dense<...> : tensor<4xf32>
                           %0 = snippets.add %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> ...
                           %y = snippets.relu %0 : tensor<2x4xf32>
                           func.return %y : tensor<2x4xf32>
                         }

Model inputs that have an initializer are constants. Dims that are not known are `?`; `input_shapes`
fills them in and infers all shapes anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from snippets_mlir.diagnostics import one_line
from snippets_mlir.errors import CompileError

if TYPE_CHECKING:
    import onnx
    from xdsl.dialects.builtin import ModuleOp


def import_model(
    source: str | Path | onnx.ModelProto,
    *,
    input_shapes: Mapping[str, Sequence[int | None]] | None = None,
) -> ModuleOp:
    """The module of an ONNX model, given as a file's path or in memory.

    Constants above 64 KiB of a file are named by reference (`#snippets.resource`). Raises
    CompileError for anything that is not a valid model, for `input_shapes` that contradict it, and
    when the package `onnx` is not installed.
    """
    try:
        import onnx as installed
    except ImportError:
        raise CompileError(
            "reading ONNX models needs the package onnx: pip install snippets-mlir[onnx]"
        ) from None
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.utils.exceptions import VerifyException

    from snippets_mlir.frontend.onnx.graph import GraphImport
    from snippets_mlir.frontend.onnx.load import load, prepare

    file = None if isinstance(source, installed.ModelProto) else str(source)
    try:
        model, types = prepare(load(source), input_shapes, file)
        module = ModuleOp([GraphImport(model, types, file).run()])
        module.verify()
    except CompileError:
        raise
    except VerifyException as error:
        raise CompileError(f"the model cannot be imported: {error}", file=file) from None
    except Exception as error:  # what ONNX's library and xDSL raise on a model that is wrong
        text = one_line(str(error)) or "no message"
        raise CompileError(
            f"the model cannot be imported: {type(error).__name__}: {text}", file=file
        ) from error
    return module
