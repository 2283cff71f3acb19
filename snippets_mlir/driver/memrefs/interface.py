"""The interface of a function on memrefs: the types of its entry before lowering to LLVM.

A pass before `convert-func-to-llvm` may give the entry other arguments and results. Python passes
the arguments of the entry after the last of these passes. `MemRefInterface` follows the entry
through the passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    ModuleOp,
    StridedLayoutAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import FuncOp as LLVMFuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import element_of, extents_of
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.emit.host import interface_names
from snippets_mlir.runtime.memref_calls.specs import MemRefSpec, spec
from snippets_mlir.support.attribute_names import C_INTERFACE, C_INTERFACE_PREFIX, NO_ALIAS
from snippets_mlir.support.errors import CompileError

Specs = tuple[MemRefSpec, ...]

READERS = frozenset(
    {
        "affine.load",
        "affine.prefetch",
        "affine.vector_load",
        "memref.dim",
        "memref.extract_strided_metadata",
        "memref.load",
        "memref.prefetch",
        "memref.rank",
        "vector.gather",
        "vector.load",
        "vector.maskedload",
        "vector.expandload",
        "vector.transfer_read",
    }
)
"""Ops that write to no memref they take."""


def functions_of(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions that are not LLVM's, by name."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}


def may_be_written(value: SSAValue) -> bool:
    """Whether something may write to the memref `value` through it or a view of it."""
    for use in value.uses:
        op = use.operation
        if op.name == "memref.copy" and use.index == 0:
            continue
        if op.name in READERS:
            continue
        if _is_view(op) and not any(may_be_written(result) for result in op.results):
            continue
        return True
    return False


def _is_view(op: Operation) -> bool:
    return op.name.startswith("memref.") and bool(op.results) and not op.regions


def described(name: str, type: Attribute, *, written: bool = True) -> dict[str, Any]:
    """A type as JSON-able data; see `runtime.memref_calls.specs.spec`.

    Raises `CompileError` for a type that Python cannot pass.
    """
    if isinstance(type, MemRefType):
        layout = layout_of(cast("Attribute", type))
        if layout is None:
            raise CompileError(f"'{name}': expected a strided layout, found {type}")
        strides, offset = layout
        shape = [None if n == DYNAMIC_INDEX else n for n in extents_of(cast("Attribute", type))]
        element = element_of(cast("Attribute", type))
        scalar, dense = False, not isinstance(type.layout, StridedLayoutAttr)
    else:
        dense = False
        strides, offset, shape, element, scalar = (), 0, (), type, True
        if element_of(type) != type or type.name.startswith("llvm."):
            raise CompileError(f"'{name}': expected a memref or a scalar, found {type}")
    dtype = numpy_dtype(i64 if isinstance(element, IndexType) else element)
    return {
        "name": name,
        "shape": list(shape),
        "dtype": dtype.name,
        "strides": list(strides),
        "offset": offset,
        "scalar": scalar,
        "written": written and not scalar,
        "dense": dense,
    }


def marked_alone(function: FuncOp) -> frozenset[int]:
    """The arguments that passes took as memory of their own, marked `llvm.noalias`."""
    given = function.arg_attrs.data if function.arg_attrs is not None else ()
    return frozenset(place for place, own in enumerate(given) if NO_ALIAS in own.data)


def _named(names: Sequence[str], hints: Sequence[str | None]) -> list[str]:
    """Names of arguments; the argument's name in the text replaces the default `arg0`."""
    found = [
        hint if hint and name == f"arg{place}" else name
        for place, (name, hint) in enumerate(zip(names, hints, strict=True))
    ]
    return found if len(set(found)) == len(found) else list(names)


def _specs(function: FuncOp) -> tuple[Specs, Specs]:
    inputs, outputs = interface_names(function)
    arguments = function.body.blocks[0].args
    inputs = _named(inputs, [argument.name_hint for argument in arguments])
    return (
        tuple(
            spec(described(name, value.type, written=may_be_written(value)))
            for name, value in zip(inputs, arguments, strict=True)
        ),
        tuple(
            spec(described(name, type))
            for name, type in zip(outputs, function.function_type.outputs, strict=True)
        ),
    )


class MemRefInterface:
    """The arguments of a function, which passes may change.

    Attributes:
        inputs: one spec per argument.
        outputs: one spec per result.
        passes: how many passes ran up to the last one that changed it; 0 if none did.
    """

    def __init__(self, function: FuncOp) -> None:
        """Begin with a function of the source."""
        self._entry = function.sym_name.data
        self._count = self.passes = 0
        self._take(function)

    def _take(self, function: FuncOp) -> None:
        self._known = interface_names(function), function.function_type
        self.inputs, self.outputs = _specs(function)
        self._alone = marked_alone(function)

    def after(self, _: ModulePass, module: ModuleOp) -> None:
        """Inspect the result of a pass, as long as the entry is not an LLVM function."""
        self._count += 1
        function = functions_of(module).get(self._entry)
        if function is None:
            return
        if (interface_names(function), function.function_type) == self._known:
            self._alone |= marked_alone(function)
        else:
            self._take(function)
            self.passes = self._count

    def finished(self, module: ModuleOp) -> tuple[Specs, Specs]:
        """Inputs, with the marks that passes set, and outputs of the lowered program.

        Raises:
            CompileError: it has no function that can be called with them.
        """
        direct = len(self.outputs) == 1 and self.outputs[0].scalar
        expected = len(self.inputs) + bool(self.outputs and not direct)
        if _wrapper_inputs(module, f"{C_INTERFACE_PREFIX}{self._entry}") != expected:
            raise CompileError(
                f"the passes leave no function that C can call as @{self._entry}; they have to "
                f"keep its attribute {C_INTERFACE} and to change its arguments and results before "
                "convert-func-to-llvm"
            )
        inputs = tuple(
            replace(given, alone=place in self._alone and not given.scalar)
            for place, given in enumerate(self.inputs)
        )
        return inputs, self.outputs


def _wrapper_inputs(module: ModuleOp, name: str) -> int | None:
    """The number of arguments of the LLVM function of that name; None if there is none."""
    found = (f for f in module.ops if isinstance(f, LLVMFuncOp) and f.sym_name.data == name)
    return next((len(function.function_type.inputs) for function in found), None)
