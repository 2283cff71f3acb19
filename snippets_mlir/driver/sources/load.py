"""The sources that `compile` accepts, read into a module at the graph level.

A source is a path (`.onnx`, or of a language in `frontends/texts.py`), MLIR text, a `ModuleOp`, an
ONNX `ModelProto` or its bytes, or the result of `jax.jit(f).lower(...)`. StableHLO is converted
here. MLIR sources get other shapes by `specialize`; ONNX models are imported again for the shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.program.host import Entry
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.driver.dynamic.broadcast_sizes import with_broadcast_sizes
from snippets_mlir.driver.dynamic.forgotten_symbols import forget_symbols
from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.driver.onnx.weight_places import locations_of
from snippets_mlir.driver.sources.files import prepared_model, read_file
from snippets_mlir.driver.sources.key_bytes import Text, text_of
from snippets_mlir.driver.sources.stablehlo import passes_for, run_on
from snippets_mlir.emit.host import find_entry, interface_names
from snippets_mlir.frontends.texts import TEXTS, listed, read_text
from snippets_mlir.support.diagnostics import verify_module
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.frontends.onnx.edits import ModelEdit
    from snippets_mlir.frontends.onnx.prepare import PreparedModel

Shapes = Mapping[str, tuple[int, ...]]

NamedTypes = Sequence[tuple[str, Attribute]]

MAIN = "main"
"""The name of the function of an ONNX model."""


@dataclass(frozen=True)
class Source:
    """A program to compile.

    Attributes:
        given: the graph, verified; never changed. None for an ONNX model.
        entry: the symbol of the function to compile.
        name: the name of the file in messages.
        model: the ONNX model that the module was imported from, or None.
        edit: which inputs the ONNX model has, or None for its own inputs.
        products: whether matrix products of the ONNX model are for kernels; None: if they pay off.
    """

    given: ModuleOp | None
    entry: str
    name: str
    model: object | None = None
    edit: ModelEdit | None = None
    products: bool | None = None

    @cached_property
    def graph(self) -> ModuleOp:
        """`given`; for an ONNX model only the interface, with its whole computation as one node."""
        if self.given is not None:
            return self.given
        from snippets_mlir.frontends.onnx import import_interface

        verify(module := import_interface(self.prepared))
        return module

    @cached_property
    def interface(self) -> tuple[NamedTypes, NamedTypes]:
        """The names and types of inputs and outputs; an ONNX model needs no `graph` for it.

        Raises CompileError for two inputs or outputs of one name.
        """
        if self.given is None:
            from snippets_mlir.frontends.onnx import interface_types

            inputs, outputs = interface_types(self.prepared)
            if len(dict(inputs)) == len(inputs):
                return inputs, outputs
        names, types = interface_names(self.function), self.function.function_type
        return [*zip(names[0], types.inputs, strict=True)], [
            *zip(names[1], types.outputs, strict=True)
        ]

    @cached_property
    def module(self) -> ModuleOp:
        """The graph, with all that it computes; never changed."""
        return self.graph if self.model is None else self._imported(self.prepared)

    @property
    def function(self) -> Entry:
        """The entry function of the module; CompileError if there is no unique one."""
        return find_entry(self.graph, self.entry)

    @cached_property
    def prepared(self) -> PreparedModel:
        """The ONNX model, read once; whoever compiles it has it checked (`require_sound`)."""
        return prepared_model(self.model, None, self.edit)

    def prepared_for(self, shapes: Shapes | None) -> PreparedModel:
        """The ONNX model for inputs of the given shapes; None for the model as it is."""
        return self.prepared if shapes is None else prepared_model(self.model, shapes, self.edit)

    @property
    def session_model(self) -> object:
        """The ONNX model for a session, which fixes inputs with defaults before IR version 4."""
        edit = self.edit
        if self.prepared.is_changed:
            return self.prepared.for_sessions()
        if edit is None or (not edit.bound and self.prepared.model.ir_version >= 4):
            return self.model
        return self.prepared.model

    @property
    def whole_model(self) -> object:
        """The same for one session of all nodes, which also processes open that plan nothing."""
        as_given = self.edit is None and self.prepared.differs_by_f16
        return self.model if as_given else self.session_model

    def edited(self, edit: ModelEdit) -> Source:
        """The same model with other inputs."""
        return _onnx_source(self.model, self.entry, self.name, edit, self.products)

    def for_kernels_alone(self) -> Source:
        """The same program, without another engine for ops outside of kernels."""
        if self.model is None:
            return self
        found = replace(self, products=True)
        found.__dict__["prepared"] = self.prepared
        return found

    def _imported(self, prepared: PreparedModel) -> ModuleOp:
        from snippets_mlir.frontends.onnx import import_graph

        return import_graph(prepared, products=self.products).module

    @property
    def model_file(self) -> str | None:
        """The file of an ONNX model; None for other sources."""
        return self.name if isinstance(self.model, PathLike) else None

    @property
    def has_external_data(self) -> bool:
        """Whether the ONNX model has data in other files, which may change while it does not."""
        return self.model is not None and bool(locations_of(self.prepared))

    def release(self) -> None:
        """Drop the ONNX model; it is read again on demand."""
        self.__dict__.pop("prepared", None)

    @property
    def input_names(self) -> list[str]:
        """The names of its inputs, in order."""
        return [name for name, _ in self.interface[0]]

    @property
    def is_dynamic(self) -> bool:
        """Whether an input is a tensor with a dynamic dim, or of unknown rank."""
        return any(
            isinstance(t, UnrankedTensorType) or (is_tensor(t) and not is_static(shape_of(t)))
            for _, t in self.interface[0]
        )

    def module_for(self, shapes: Shapes | None) -> ModuleOp:
        """A new module for inputs of the given shapes, by name; None for the unchanged program."""
        if shapes is None:
            return self.module.clone()
        if self.model is not None:
            return self._imported(self.prepared_for(shapes))
        module = specialize(self.module, self.entry, [shapes[n] for n in self.input_names])
        verify(module)
        return module


def load_source(source: object, entry: str | None, ctx: Context) -> Source:
    """Read `source`; every error in it is a `CompileError`, with a position if there is one.

    Raises `TypeError` for a Python object that is not a source.
    """
    if isinstance(source, ModuleOp):
        from snippets_mlir.support.value_names import settle_hints

        settle_hints(source)
        return _checked(source.clone(), entry, "<module>")
    if (text := text_of(source)) is not None:
        source = Text("mlir", text)
    if isinstance(source, Text):
        return _checked(read_text(*source, ctx, "<string>"), entry, "<string>")
    if isinstance(source, str | Path | PathLike):
        return _from_file(Path(cast("str | Path", source)), entry, ctx)
    if isinstance(source, bytes | bytearray) or hasattr(source, "SerializeToString"):
        return _onnx_source(source, entry, "<onnx model>")
    raise TypeError(
        "expected a path, MLIR text, a ModuleOp, an ONNX model or its bytes, what JAX lowered, "
        f"found {type(source).__name__}"
    )


def _from_file(path: Path, entry: str | None, ctx: Context) -> Source:
    if path.suffix == ".onnx":
        return _onnx_source(path, entry, str(path))
    if (kind := path.suffix[1:]) in TEXTS:
        return _checked(read_text(kind, read_file(path), ctx, str(path)), entry, str(path))
    raise CompileError(f"expected a {listed('.')} file or MLIR text, found {str(path)[:80]!r}")


def _onnx_source(
    model: object,
    entry: str | None,
    name: str,
    edit: ModelEdit | None = None,
    products: bool | None = None,
) -> Source:
    source = Source(None, MAIN, name, model, edit, products)
    source.__dict__["prepared"] = prepared_model(model, None, edit)  # as `cached_property` keeps it
    if entry not in (None, MAIN):
        find_entry(source.graph, entry)
    return source


def _checked(module: ModuleOp, entry: str | None, name: str) -> Source:
    verify(module)
    forget_symbols(module)
    if passes := passes_for(module):
        run_on(module, passes)
    found = find_entry(module, entry).sym_name.data
    return Source(with_broadcast_sizes(module, found), found, name)


def verify(module: ModuleOp) -> None:
    """Verify a module that was not made by our own passes."""
    from snippets_mlir.checkers.dominance import verify_dominance
    from snippets_mlir.checkers.linear_ir import verify_linear_ir
    from snippets_mlir.checkers.program_graphs import verify_program_graphs

    verify_module(module)
    verify_dominance(module)
    verify_linear_ir(module)
    verify_program_graphs(module)
