"""`snippets-opt --explain`: why ops are not in kernels, as remarks with locations."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.affine import ForOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType
from xdsl.ir import Operation

from snippets_mlir.analysis.graph.eligibility import explanations, is_kernel
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.driver.arguments import threads_for
from snippets_mlir.driver.onnx.cuts.remarks import (
    model_choices,
    model_remarks,
    module_choices,
    module_remarks,
)
from snippets_mlir.driver.reports.kernel_facts import held_ops
from snippets_mlir.driver.reports.messages import opaque_op
from snippets_mlir.support.attribute_names import REASON, THREADS
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TUNE
from snippets_mlir.targets.host import host_target, host_tune
from snippets_mlir.targets.machine import machine


def cut_remarks(module: ModuleOp, path: str | None) -> list[CompileError]:
    """A remark for each candidate for a kernel beside sessions of onnxruntime, with gain and cost.

    They are for the target and the threads of the module, else of this computer, as in `compile`.
    `path` is the path of the ONNX file that the module was imported from.

    Raises:
        CompileError: the module names a target that does not exist.
    """
    if path is None:
        return [*module_remarks(module, *_asked_for(module))]
    return [*model_remarks(path, *_asked_for(module))]


def cut_choices(module: ModuleOp, path: str | None) -> list[str]:
    """The costs and the choice of each candidate, with the arguments and errors of `cut_remarks`.

    In a program in MLIR, every candidate is a kernel; for an ONNX file, the choice is that of
    `compile`.
    """
    if path is None:
        return module_choices(module, *_asked_for(module))
    return model_choices(path, *_asked_for(module))


def _asked_for(module: ModuleOp) -> tuple[str, int, str]:
    """The target, the threads and the tune of a module, else of this computer."""
    named, threads = module.attributes.get("snippets.target"), module.attributes.get(THREADS)
    target = machine(named.data).name if isinstance(named, StringAttr) else host_target()
    count = threads.value.data if isinstance(threads, IntegerAttr) else threads_for(None)
    said = module.attributes.get(TUNE)
    tune = said.data if isinstance(said, StringAttr) else ""
    return target, count, tune if named is not None else host_tune()


_LOOPS = {ForOp.name: "not vectorized", "scf.parallel": "not on threads"}
"""The beginning of the remark about a loop that a pass left, by the name of its op."""


def remarks(module: ModuleOp) -> Iterator[CompileError]:
    """A remark for each op of a host function outside of kernels, then for each loop that says
    why it is not vectorized or not run by several threads, both in the order of the text.
    """
    for op, reason in explanations(module):
        if _in_host_function(op) and not isinstance(op, ForOp):
            what = "not fused" if is_kernel(op) else "not tokenized"
            yield CompileError(f"{_label(op)} {what}: {reason}", **position_of(op))
    for op in module.walk():
        left = _LOOPS.get(op.name)
        if left is not None and isinstance(why := op.attributes.get(REASON), StringAttr):
            yield CompileError(f"{op.name} {left}: {why.data}", **position_of(op))


def _label(op: Operation) -> str:
    match op:
        case SubgraphOp():
            return ", ".join(held_ops(op))
        case CallOp():
            return f"@{op.callee.string_value()}"
        case NodeOp():
            named = opaque_op(op)
            return f"{named.op} {named.name!r}" if named.name else named.op
        case _:
            return opaque_op(op).op


def _in_host_function(op: Operation) -> bool:
    """Whether an op works on tensors; after lowering, kernels are functions of the module too."""
    parent = op.parent_op()
    if parent is None or parent.name != "func.func":
        return False
    values = (*op.operands, *op.results)
    return not values or any(isinstance(value.type, TensorType) for value in values)
