"""Facts about ONNX's operators for the bound on cuts, from their records (`Onnx.bound`)."""

from __future__ import annotations

from collections.abc import Mapping

from snippets_mlir.dialects.snippets.registry import derived, records


@derived
def of_bound(bound: str) -> Mapping[str, str]:
    """The operators of ONNX's own domain with this bound in their record, with their ops' names."""
    ours = ((r.onnx, r.op.name) for r in records() if r.onnx is not None and not r.onnx.domain)
    return {onnx.operator: op.partition(".")[2] for onnx, op in ours if onnx.bound == bound}


def is_single(operator: str) -> bool:
    """Whether an operator is one op, which reads the inputs and makes the result."""
    return operator in of_bound("single")


def is_in_steps(operator: str) -> bool:
    """Whether an operator is several ops, each reading the previous one: they are in one kernel."""
    return operator == "BatchNormalization" or operator in of_bound("steps")


@derived
def variadic() -> frozenset[str]:
    """Operators of any number of inputs."""
    ours = (r.onnx for r in records() if r.onnx is not None and not r.onnx.domain)
    return frozenset(("Mean", "Sum", *(onnx.operator for onnx in ours if onnx.variadic)))
