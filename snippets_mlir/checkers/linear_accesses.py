"""Every access of a `lir.kernel` stays inside of its array.

Claim checked, from stage `looped` on:

* A1: over all iterations of its outer loops, including tails, an access touches only bytes of its
  array: of the input, the output, or the buffer's piece of the scratchpad.
"""

from __future__ import annotations

from snippets_mlir.checkers.linear_loops import fail
from snippets_mlir.checkers.linear_motion import KernelMotion
from snippets_mlir.dialects.builtin.dims import static_size


def verify_accesses(motion: KernelMotion) -> None:
    """Check the claim on a kernel at stage `looped` or later.

    Raises:
        CompileError: at the first access that may leave its array.
    """
    for access, reach in motion.reaches.values():
        touched = reach.hull()
        array = static_size(access.array)
        if touched and (touched[0][0] < 0 or touched[-1][1] > array):
            fail(
                access.op,
                "A1",
                f"expected {access.op.name} inside of its array of {array} bytes, "
                f"found bytes {touched[0][0]} to {touched[-1][1]}",
            )
