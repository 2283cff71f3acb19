"""The parts of the compiler that `snippets-opt` uses one at a time.

`compile` runs the whole pipeline. The tool stops anywhere in it, and prints the module's form
there: LLVM IR, assembly, an object, the manifest. `remarks` says why ops stayed outside of kernels.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType

from snippets_mlir.dialects.builtin.shaped import extents_of
from snippets_mlir.emit.host import find_entry
from snippets_mlir.emit.llvm_text import emit_llvm, has_kernels
from snippets_mlir.support.attribute_names import MANIFEST
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.machine import machine
from snippets_mlir.targets.target_machine import TargetMachine


def target_machine(module: ModuleOp) -> TargetMachine:
    """The machine that `snippets.target` names.

    Raises:
        CompileError: the module names none, or one that does not exist.
    """
    match module.attributes.get("snippets.target"):
        case StringAttr(data=name):
            return machine(name)
        case _:
            raise CompileError(
                "the module has no target machine; run snippets-set-target first",
                **position_of(module),
            )


def llvm_text(module: ModuleOp, *, lowered: bool = False) -> str:
    """The LLVM IR of all kernels of a module.

    Args:
        module: what passes made.
        lowered: whether passes have lowered the module; then it may have no kernels.

    Raises:
        CompileError: the module has no kernels at the llvm level.
    """
    if not lowered and not any(op.name == "llvm.func" for op in module.ops):
        from snippets_mlir.passmanager.resume import default_pipeline, stage_of

        raise CompileError(
            "the module has no llvm.func; lower it first, with "
            f"-p {default_pipeline(stage_of(module))}",
            **position_of(module),
        )
    return emit_llvm(module)


def assembly_text(module: ModuleOp, *, lowered: bool = False) -> str:
    """The assembly of all kernels of a module, for its target machine; see `llvm_text`."""
    from snippets_mlir.codegen.compile import compile_assembly

    text, target = llvm_text(module, lowered=lowered), target_machine(module)
    return compile_assembly(
        text,
        triple=target.triple,
        cpu=target.cpu,
        features=target.features,
        kernels=has_kernels(module),
    )


def object_bytes(module: ModuleOp, *, lowered: bool = False) -> bytes:
    """The object file of all kernels of a module, for its target machine; see `llvm_text`."""
    from snippets_mlir.codegen.compile import compile_object

    text, target = llvm_text(module, lowered=lowered), target_machine(module)
    return compile_object(
        text,
        triple=target.triple,
        cpu=target.cpu,
        features=target.features,
        kernels=has_kernels(module),
    )


def as_program(module: ModuleOp) -> ModuleOp:
    """The module with a graph in place of its host function, as the driver makes it.

    Raises:
        CompileError: there is no program, or it has subgraphs.
    """
    from snippets_mlir.dialects.program.host import find_entry
    from snippets_mlir.driver.building.parts import planned_graph
    from snippets_mlir.driver.settings import default_context

    found = module.clone()
    planned_graph(found, find_entry(found).sym_name.data, default_context())
    return found


def manifest_text(module: ModuleOp) -> str:
    """The manifest of a module's program, as JSON text; errors are those of `as_program`.

    Where `convert-program-to-manifest` has made it, it is an attribute of the module.
    """
    from snippets_mlir.dialects.program.graph import find_graph
    from snippets_mlir.emit.program_manifest import build_program_manifest

    if isinstance(made := module.attributes.get(MANIFEST), StringAttr):
        return json.dumps(json.loads(made.data), indent=2) + "\n"
    graph = find_graph(module)
    named = graph is not None
    if graph is None:
        module = as_program(module)
        graph = find_graph(module)
        assert graph is not None
    return json.dumps(build_program_manifest(module, graph, named=named), indent=2) + "\n"


def import_onnx(path: str, shapes: Mapping[str, Sequence[int]]) -> ModuleOp:
    """The module of an ONNX file, with sizes for dynamic dims of its inputs.

    Raises:
        CompileError: it is not a valid model, the shapes contradict it, or the package `onnx` is
            not installed.
    """
    from snippets_mlir.frontends.onnx import import_model

    return import_model(path, input_shapes=shapes)


def with_symbols(module: ModuleOp) -> ModuleOp:
    """The program for calls whose dynamic dims are neither 0 nor 1, as `compile` makes it.

    Raises:
        CompileError: there is no entry function, or its sizes do not fit together.
    """
    from snippets_mlir.driver.dynamic.templates import template_for

    function = find_entry(module, None)
    types = function.function_type.inputs.data
    for type_ in types:
        if not isinstance(type_, TensorType):
            raise CompileError(
                f"--symbols: expected arguments that are tensors, found {type_}",
                **position_of(function),
            )
    shapes = tuple(tuple(extents_of(type_)) for type_ in types)
    places = [(i, d) for i, shape in enumerate(shapes) for d, size in enumerate(shape) if size < 0]
    mask = (None,) * len(places)
    try:
        return template_for(module, function.sym_name.data, places, mask, shapes)[1]
    except CompileError:
        raise
    except ValueError as error:
        raise CompileError(f"--symbols: {error}", **position_of(function)) from error
