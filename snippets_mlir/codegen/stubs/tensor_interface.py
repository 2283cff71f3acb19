"""The structs of `snippets_call_tensors` (`call_tensors.py`); `DLTensor` is as DLPack has it."""

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
"""What a tensor says of itself. `device`: an `int32_t` for its type, and one for its number.
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
"""What tensors have to be that a network is called with. `describe`: what writes the `DLTensor` of
one. `tensor`, `parameter`: their classes. `misaligned`: the bits that no address has. After it come
for each tensor its `kind`, its sizes and its strides."""
