"""The inputs of `snippets-opt`: kinds of text, ONNX models, and sizes from options."""

from __future__ import annotations

from functools import partial
from typing import IO, TYPE_CHECKING

from typing_extensions import override
from xdsl.xdsl_opt_main import xDSLOptMain

from snippets_mlir.frontends.texts import TEXTS, read_text
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class OptInputs(xDSLOptMain):
    """The part of the driver that reads."""

    line_offset: int = 0
    """Lines of the file before the module that is read."""

    def get_input_name(self) -> str:
        """The file's name in the form of locations."""
        name = self.args.input_file
        return "<stdin>" if name in (None, "-") else name

    @override
    def register_all_frontends(self) -> None:
        for kind in TEXTS:
            self.available_frontends[kind] = partial(self._read_text, kind)
        self.available_frontends["mlir"] = self._parse_text
        self.available_frontends["onnx"] = self._import_onnx

    def with_sizes(self, module: ModuleOp, kind: str) -> ModuleOp:
        """The module with the sizes of `--shape`, and a symbol for each other `?` with
        `--symbols`.
        """
        if self.args.shape and kind != "onnx":
            from snippets_mlir.inspect.input_shapes import read_shapes, with_shapes

            module = with_shapes(module, read_shapes(self.args.shape))
        if self.args.symbols:
            from snippets_mlir.inspect.opt import with_symbols

            module = with_symbols(module)
        return module

    def _parse_text(self, io: IO[bytes]) -> ModuleOp:
        return parse_module(
            io.read().decode(),
            self.ctx,
            self.get_input_name(),
            line_offset=self.line_offset,
            allow_implicit_module=not self.args.no_implicit_module,
        )

    def _read_text(self, kind: str, io: IO[bytes]) -> ModuleOp:
        text = "\n" * self.line_offset + io.read().decode()
        return read_text(kind, text, self.ctx, self.get_input_name())

    def _import_onnx(self, io: IO[bytes]) -> ModuleOp:
        if self.args.input_file in (None, "-"):
            raise CompileError("an ONNX model has to be a file, it may refer to files beside it")
        from snippets_mlir.inspect.input_shapes import read_shapes
        from snippets_mlir.inspect.opt import import_onnx

        return import_onnx(self.args.input_file, read_shapes(self.args.shape))
