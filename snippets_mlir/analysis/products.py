"""Which matrix products kernels hold: what both partitioners and the lowering ask."""

from __future__ import annotations

from snippets_mlir.dialects.snippets.product import MatMulOp


def why_no_kernel(op: MatMulOp) -> str | None:
    """Why the linear IR does not hold the product `op`, or None when it does."""
    return "no kernel holds a matrix product"
