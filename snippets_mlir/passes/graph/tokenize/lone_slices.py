"""Decide whether a kernel copies a slice that is alone in its group."""

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Operation, OpResult

from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp

IsIn = Callable[[Operation], bool]


def are_copied(
    slices: Sequence[Operation], is_here: IsIn, is_in_group: IsIn, *, results: bool
) -> bool:
    """Whether a kernel copies slices that other groups read.

    With `results` also slices of groups' results that the caller or nodes of the engine read.
    """

    def is_in_kernel(op: Operation) -> bool:
        return is_in_group(op) or isinstance(op, SubgraphOp)

    if _are_read_in_kernels(slices, is_here, is_in_kernel):
        return True
    return results and _are_results_of_kernels(slices, is_in_kernel)


def _are_read_in_kernels(slices: Iterable[Operation], is_here: IsIn, is_in_kernel: IsIn) -> bool:
    """Whether kernels read the copied slices, directly or through views; the caller may, too.

    A copy by a kernel is cheaper than one by the engine between kernels. `is_here` tells whether an
    op becomes a group, or is between groups.
    """
    waiting, found = [*slices], False
    while waiting:
        for use in (u for v in waiting.pop().results for u in v.uses):
            if not is_here(use.operation):
                continue
            if is_view(use.operation):
                waiting.append(use.operation)
            elif is_in_kernel(use.operation):
                found = True
            else:
                return False
    return found


def _are_results_of_kernels(slices: Iterable[Operation], is_in_kernel: IsIn) -> bool:
    """Whether kernels compute the sliced values, directly or through views, and others read them.

    The readers are the caller, or nodes of the engine that no kernel holds; kernels may read them,
    too. NumPy would copy them, which the cache does not keep for a program with sessions.
    """
    for op in slices:
        value = op.operands[0]
        while isinstance(value, OpResult) and is_view(value.op):
            value = value.op.operands[0]
        if not isinstance(value, OpResult) or not is_in_kernel(value.op):
            return False
        if all(is_in_kernel(use.operation) for use in op.results[0].uses):
            return False
    return True
