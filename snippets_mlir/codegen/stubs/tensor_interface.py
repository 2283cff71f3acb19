"""The structs of `snippets_call_tensors` (`call_tensors.py`); `DLTensor` is DLPack's struct."""

from __future__ import annotations

from snippets_mlir.codegen.stubs.layout import Layout

DL_TENSOR = Layout(
    "DLTensor",
    data="pointer",
    device="i64",
    kind="i64",
    shape="pointer",
    strides="pointer",
    byte_offset="i64",
)
"""The properties of a tensor. `device`: an `int32_t` for its type, and one for its number.
`kind`: the rank as an `int32_t`, then the code, the bits and the lanes of the element type."""

TENSORS = Layout(
    "Tensors",
    plan="pointer",
    describe="pointer",
    tensor="pointer",
    parameter="pointer",
    device="i64",
    misaligned="i64",
)
"""The requirements for the tensors of a call. `describe`: the function that writes the `DLTensor`
of a tensor. `tensor`, `parameter`: the allowed classes. `misaligned`: bits that are 0 in all
addresses. The struct is followed by the `kind`, sizes and strides of each tensor."""
