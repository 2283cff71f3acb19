"""The values of a kernel that few vectors need: only `rare` selects read them, maybe indirectly.

    %5 = snippets.greater %bits, %limit       // not rare: the condition
    %6 = snippets.lookup %i {table = ...}     // rare
    %7 = snippets.multiply %x, %6             // rare
    %8 = snippets.select %5, %7, %fast <{rare}>

`sink-rare-operands` moves their ops into a branch. So they are the first to leave registers, and
their slots are not written: LLVM spills inside the branch if necessary.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from snippets_mlir.dialects.lir.markers import MARKERS
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.selection import SelectOp


def rare_values(ops: Sequence[Operation]) -> frozenset[SSAValue]:
    """The rare results of a kernel's ops, given in the order of the kernel."""
    if not any(op.name == SelectOp.name and "rare" in op.properties for op in ops):
        return frozenset()
    found: set[SSAValue] = set()
    rare: set[Operation] = set()
    for op in reversed(ops):
        if not op.results or op.name in MARKERS or op.name == ScalarOp.name:
            continue
        uses = [use for result in op.results for use in result.uses]
        if uses and all(
            use.operation in rare
            or (
                use.index == 1
                and use.operation.name == SelectOp.name
                and "rare" in use.operation.properties
            )
            for use in uses
        ):
            rare.add(op)
            found.update(op.results)
    return frozenset(found)
