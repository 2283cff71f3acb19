"""Decide whether a module is still the one that was verified.

`snippets-opt` verifies after each pass, and about half of the passes of a pipeline find nothing to
do in a given module. Verifiers read ops, blocks, values, types and attributes. Types and attributes
are immutable, so a module whose parts are the same objects in the same places is the same module:

    before = parts_of(module)
    p.apply(ctx, module)
    if not same_parts(before, parts_of(module)):
        check_module(module)

A part that is replaced by an equal one counts as a change. Names of values are not parts.
"""

from __future__ import annotations

from operator import is_

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.support.walking import ops_inside


def parts_of(module: ModuleOp) -> list[object]:
    """The objects of a module, in text order."""
    parts: list[object] = [*module.properties.values(), *module.attributes.values(), module.body]
    for op in ops_inside(module):
        parts += (op, op.parent)
        parts += op.operands
        parts += op.result_types
        for named in (op.properties, op.attributes):
            parts += named
            parts += named.values()
        parts += op.successors
        for region in op.regions:
            parts.append(region)
            for block in region.blocks:
                parts.append(block)
                parts += block.args
                parts += block.arg_types
    return parts


def same_parts(before: list[object], after: list[object]) -> bool:
    """Whether two lists hold the same objects."""
    return len(before) == len(after) and all(map(is_, before, after))
