"""ONNX models as modules: `import_model`, and `prepare_model` for more than one import.

    y = Relu(x + w)      func.func @main(%x: tensor<2x4xf32> {snippets.name = "x"})
                             -> (tensor<2x4xf32> {snippets.name = "y"}) {
                           %w = snippets.constant dense<...> : tensor<4xf32>
                           %0 = snippets.add %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> ...
                           %y = snippets.relu %0 : tensor<2x4xf32>
                           func.return %y : tensor<2x4xf32>
                         }

Model inputs with an initializer are constants, unless `edits.py` frees them. Unknown dims are `?`;
`input_shapes` fills them in and infers all shapes again.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from snippets_mlir.support.diagnostics import one_line
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.verifying import verify

if TYPE_CHECKING:
    import onnx
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Attribute, Operation

    from snippets_mlir.frontends.onnx.attributes import Sizes
    from snippets_mlir.frontends.onnx.edits import ModelEdit
    from snippets_mlir.frontends.onnx.graph import GraphImport
    from snippets_mlir.frontends.onnx.prepare import PreparedModel


@dataclass(frozen=True)
class Imported:
    """An imported model.

    Attributes:
        module: the module.
        origins: for each op of `@main` that a node became, the position of the node.
        operators: the operator of each node, by position.
    """

    module: ModuleOp
    origins: Mapping[Operation, int]
    operators: Sequence[str]


def prepare_model(
    source: str | Path | onnx.ModelProto,
    *,
    input_shapes: Mapping[str, Sequence[int | None]] | None = None,
    edit: ModelEdit | None = None,
    checked: bool = True,
) -> PreparedModel:
    """An ONNX model, given as a file's path or in memory, read and checked, its shapes inferred.

    It serves any number of imports. `edit` says which inputs it has, if not the model's; a model in
    memory is then copied. Without `checked`, ONNX's checker runs only if something is wrong with
    the model, or if `require_sound` is called.

    Raises:
        CompileError: for an invalid model, for `input_shapes` that contradict it, and if the
            package `onnx` is not installed.
    """
    try:
        import onnx as installed
    except ImportError:
        raise CompileError(
            "reading ONNX models needs the package onnx: pip install snippets-mlir[onnx]"
        ) from None
    from snippets_mlir.frontends.onnx.edits import apply_edit
    from snippets_mlir.frontends.onnx.load import check, load
    from snippets_mlir.frontends.onnx.prepare import prepare

    file = None if isinstance(source, installed.ModelProto) else str(source)
    with _located(file):
        model = load(source)
        if checked or edit is not None or model.functions:
            check(model, file)
        if edit is not None:
            if model is source:
                (model := installed.ModelProto()).CopyFrom(cast("onnx.ModelProto", source))
            apply_edit(model, edit)
        try:
            return prepare(model, input_shapes, file)
        except CompileError:
            raise
        except Exception:  # no rule for shapes is written for a model that is not valid
            check(model, file)
            raise


def import_model(
    source: str | Path | onnx.ModelProto | PreparedModel,
    *,
    input_shapes: Mapping[str, Sequence[int | None]] | None = None,
    sizes: Sizes | None = None,
    products: bool | None = None,
) -> ModuleOp:
    """The module of an ONNX model, given as a file's path, in memory, or prepared.

    Args:
        source: the model; a prepared model has its `input_shapes`.
        input_shapes: sizes for dims of inputs that the model leaves open.
        sizes: the number that replaces an expression in the module's types, None for `?`. The
            module is then valid for calls that fulfil the equalities of `PreparedModel.inferred`;
            without `sizes` it is valid for all calls, and every expression is `?`.
        products: whether matrix products become `snippets.matmul`; by default those that kernels
            support.

    Constants above 64 KiB of a file are named by reference (`#snippets.resource`). Raises
    CompileError as `prepare_model` does.
    """
    return import_graph(_prepared(source, input_shapes), sizes=sizes, products=products).module


def import_graph(
    prepared: PreparedModel,
    *,
    sizes: Sizes | None = None,
    kept: Mapping[int, str] | None = None,
    hashed: bool = True,
    verified: bool = True,
    products: bool | None = None,
    begun: GraphImport | None = None,
) -> Imported:
    """The module of a prepared model, and the result for each node.

    Args:
        prepared: the model.
        sizes: as for `import_model`.
        kept: nodes, by position, that stay `onnx.node`, each with its reason.
        hashed: whether constants named by reference carry the hash of their data. A module without
            hashes is for compilation with the model at hand, not to be printed.
        verified: whether the module is verified; `verify_import` does it later.
        products: as for `import_model`.
        begun: an import of the model with the same arguments, of which some steps are taken.

    Raises:
        CompileError: the model cannot be imported.
    """
    from xdsl.dialects.builtin import ModuleOp, UnitAttr

    from snippets_mlir.dialects.builtin.sizes import MAY_BE_ONE
    from snippets_mlir.frontends.onnx.graph import GraphImport
    from snippets_mlir.frontends.onnx.readers import operator_key

    with _located(prepared.file):
        prepared.require_sound()
        graph = begun
        if graph is None:
            graph = GraphImport(prepared, sizes, kept, hashed=hashed, products=products)
        module = ModuleOp([graph.run()])
        if sizes is not None:
            module.attributes[MAY_BE_ONE] = UnitAttr()
    found = Imported(module, graph.origins, [operator_key(n) for n in prepared.model.graph.node])
    if verified:
        verify_import(prepared, found)
    return found


def verify_import(prepared: PreparedModel, imported: Imported) -> None:
    """Verify the module of a prepared model; raises CompileError."""
    with _located(prepared.file):
        verify(imported.module)


def _prepared(
    source: str | Path | onnx.ModelProto | PreparedModel,
    input_shapes: Mapping[str, Sequence[int | None]] | None,
) -> PreparedModel:
    if hasattr(source, "inferred"):
        return cast("PreparedModel", source)
    return prepare_model(cast("str | Path | onnx.ModelProto", source), input_shapes=input_shapes)


def import_interface(prepared: PreparedModel) -> ModuleOp:
    """The module of a prepared model with its nodes as one opaque node: only names and types."""
    from xdsl.dialects.builtin import ModuleOp

    from snippets_mlir.frontends.onnx.graph import GraphImport

    with _located(prepared.file):
        module = ModuleOp([GraphImport(prepared, types=prepared.interface).interface()])
        module.verify()
    return module


def interface_types(
    prepared: PreparedModel,
) -> tuple[Sequence[tuple[str, Attribute]], Sequence[tuple[str, Attribute]]]:
    """The names and types of a model's inputs and outputs."""
    from snippets_mlir.frontends.onnx.attributes import import_type

    graph = prepared.model.graph
    given = {t.name for t in graph.initializer}
    given |= {t.values.name for t in graph.sparse_initializer}
    with _located(prepared.file):
        types = prepared.interface.types
        inputs = [i.name for i in graph.input if i.name not in given]
        names = inputs, [o.name for o in graph.output]
        found = [[(n, import_type(types.get(n))) for n in side] for side in names]
    return found[0], found[1]


@contextmanager
def _located(file: str | None) -> Generator[None]:
    """Whatever is raised is a CompileError of `file`."""
    from xdsl.utils.exceptions import VerifyException

    try:
        yield
    except CompileError:
        raise
    except VerifyException as error:
        raise CompileError(f"the model cannot be imported: {error}", file=file) from None
    except Exception as error:  # what ONNX's library and xDSL raise on a model that is wrong
        text = one_line(str(error)) or "no message"
        raise CompileError(
            f"the model cannot be imported: {type(error).__name__}: {text}", file=file
        ) from error
