"""Attributes of a kernel's function for its parallel domain and memory, and their errors.

    func.func @k(...) attributes {snippets.kernel, snippets.domain = 64 : i64, snippets.grain =
    8 : i64, snippets.scratch = 0 : i64, snippets.cost = 100 : i64}

The domain has 0 or more units. Its ranges begin at multiples of the grain, which is 1 or more. A
thread gets `snippets.scratch` bytes. They are whole cache lines, since each thread starts at a
cache line. The numbers of dynamic kernels are formulas, which the calls evaluate.
"""

from __future__ import annotations

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.integers import integer_in

SCRATCH_ALIGNMENT = 64
LARGEST_SCRATCH = 1 << 40
"""The most bytes of scratchpad for a thread."""


def problem_of(function: Operation) -> str | None:
    """The error in the numbers of a kernel's function; None if they are valid."""
    domain, grain, scratch = (
        integer_in(function.attributes.get(f"snippets.{name}"))
        for name in ("domain", "grain", "scratch")
    )
    if domain is not None and domain < 0:
        return f"expected snippets.domain to be 0 or more, found {domain}"
    if grain is not None and grain < 1:
        return f"expected snippets.grain to be 1 or more, found {grain}"
    if scratch is None:
        return None
    if scratch < 0 or scratch % SCRATCH_ALIGNMENT:
        return (
            f"expected snippets.scratch to be a multiple of {SCRATCH_ALIGNMENT} bytes (each "
            f"thread starts at one), found {scratch}"
        )
    if scratch > LARGEST_SCRATCH:
        return f"expected snippets.scratch of at most {LARGEST_SCRATCH} bytes, found {scratch}"
    return None
