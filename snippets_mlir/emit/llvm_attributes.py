"""Attributes of functions and parameters, and linkage, as LLVM IR text.

    {llvm.noalias, llvm.nocapture, llvm.align = 16 : i64}      align 16 noalias captures(none)

LLVM attributes without a row here are refused, not dropped; discardable attributes of other
dialects are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import llvm as upstream
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, UnitAttr
from xdsl.dialects.llvm import TargetFeaturesAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

PARAMETER_ATTRIBUTES: dict[str, str] = {
    "llvm.inreg": "inreg",
    "llvm.nest": "nest",
    "llvm.noalias": "noalias",
    "llvm.nocapture": "captures(none)",
    "llvm.nofree": "nofree",
    "llvm.nonnull": "nonnull",
    "llvm.noundef": "noundef",
    "llvm.readnone": "readnone",
    "llvm.readonly": "readonly",
    "llvm.returned": "returned",
    "llvm.signext": "signext",
    "llvm.writeonly": "writeonly",
    "llvm.zeroext": "zeroext",
}
PARAMETER_NUMBERS: dict[str, str] = {
    "llvm.align": "align {}",
    "llvm.dereferenceable": "dereferenceable({})",
    "llvm.dereferenceable_or_null": "dereferenceable_or_null({})",
}
FUNCTION_FLAGS: dict[str, str] = {
    "always_inline": "alwaysinline",
    "no_inline": "noinline",
    "no_unwind": "nounwind",
    "optimize_none": "optnone",
    "will_return": "willreturn",
}
LINKAGES: dict[str, str] = {"external": "", "private": "internal "}
"""LLVM's spelling where it is not MLIR's; a `private` symbol is in no object, so `internal`."""


def linkage_text(op: Operation) -> str:
    """Linkage of a function or global, with the blank after it."""
    attr = op.properties.get("linkage")
    name = attr.linkage.data if isinstance(attr, upstream.LinkageAttr) else "external"
    return LINKAGES.get(name, f"{name} ")


def parameter_attributes(
    func: upstream.FuncOp, attributes: ArrayAttr[DictionaryAttr] | None, index: int
) -> list[str]:
    """Texts of the attributes of parameter (or result) `index`; CompileError for unknown ones."""
    if attributes is None or index >= len(attributes.data):
        return []
    texts: list[str] = []
    for name, attr in sorted(attributes.data[index].data.items()):
        if name in PARAMETER_ATTRIBUTES and isinstance(attr, UnitAttr):
            texts.append(PARAMETER_ATTRIBUTES[name])
        elif name in PARAMETER_NUMBERS and isinstance(attr, IntegerAttr):
            texts.append(PARAMETER_NUMBERS[name].format(attr.value.data))
        elif name.startswith("llvm."):
            raise CompileError(
                f"parameter attribute {name!r} = {attr} has no form in LLVM IR",
                **position_of(func),
            )
    return texts


def function_attributes(func: upstream.FuncOp) -> Iterator[str]:
    """Texts of the attributes of a function."""
    known = {**func.attributes, **func.properties}
    for name, text in FUNCTION_FLAGS.items():
        if name in known:
            yield text
    if isinstance(attrs := known.get("passthrough"), ArrayAttr):
        for attr in attrs:  # pyright: ignore[reportUnknownVariableType]
            yield _passthrough(func, attr)  # pyright: ignore[reportUnknownArgumentType]
    for name in ("target_cpu", "tune_cpu"):
        if isinstance(attr := known.get(name), StringAttr):
            yield f'"{name.replace("_", "-")}"="{attr.data}"'
    if isinstance(attr := known.get("target_features"), TargetFeaturesAttr):
        yield f'"target-features"="{",".join(f.data for f in attr.features)}"'


def _passthrough(func: upstream.FuncOp, attr: Attribute) -> str:
    if isinstance(attr, StringAttr):
        return attr.data
    if isinstance(attr, ArrayAttr):
        parts: list[str] = [part.data for part in attr if isinstance(part, StringAttr)]  # pyright: ignore[reportUnknownVariableType]
        if len(parts) == 2:
            return f'"{parts[0]}"="{parts[1]}"'
    raise CompileError(f"function attribute {attr} has no form in LLVM IR", **position_of(func))
