"""The structs of XLA's foreign function interface that `xla_call.py` reads.

They come from `xla/ffi/api/c_api.h`, which jaxlib ships (`jax.ffi.include_dir()`), limited to the
parts that the handler needs. The structs are the same in versions 0.1 to 0.3 of the interface. Each
begins with its size, and fields are only added at the end. So a struct inside another struct has to
have exactly the size below, and any other at least that size.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.layout import Layout

NEWEST = 3
"""The newest known minor version of the interface."""

METADATA_TYPE = 1
"""`XLA_FFI_Extension_Metadata`."""

INVALID_ARGUMENT, FAILED_PRECONDITION, INTERNAL = 3, 9, 13
"""Values of `XLA_FFI_Error_Code`."""

EXTENSION = Layout("XLA_FFI_Extension_Base", struct_size="i64", type="i32", next="pointer")

VERSION = Layout(
    "XLA_FFI_Api_Version",
    struct_size="i64",
    extension_start="pointer",
    major_version="i32",
    minor_version="i32",
)

METADATA = Layout("XLA_FFI_Metadata", struct_size="i64", api_version=VERSION, traits="i32")
"""The properties of a handler; the type of its state, which newer versions add, is not changed."""

METADATA_EXTENSION = Layout(
    "XLA_FFI_Metadata_Extension", extension_base=EXTENSION, metadata="pointer"
)

API = Layout(
    "XLA_FFI_Api",
    struct_size="i64",
    extension_start="pointer",
    api_version=VERSION,
    internal_api="pointer",
    error_create="pointer",
)
"""The version of XLA's interface, and the first of its functions."""

ERROR = Layout(
    "XLA_FFI_Error_Create_Args",
    struct_size="i64",
    extension_start="pointer",
    message="pointer",
    errc="i32",
)

BUFFER = Layout(
    "XLA_FFI_Buffer",
    struct_size="i64",
    extension_start="pointer",
    dtype="i32",
    data="pointer",
    rank="i64",
    dims="pointer",
)

SCALAR = Layout("XLA_FFI_Scalar", dtype="i32", value="pointer")

BUFFERS = Layout(
    "XLA_FFI_Args",
    struct_size="i64",
    extension_start="pointer",
    size="i64",
    types="pointer",
    items="pointer",
)
"""Arguments; `XLA_FFI_Rets`, the results, has the same fields."""

ATTRIBUTES = Layout(
    "XLA_FFI_Attrs",
    struct_size="i64",
    extension_start="pointer",
    size="i64",
    types="pointer",
    names="pointer",
    attrs="pointer",
)
"""Attributes, sorted by name."""

FRAME = Layout(
    "XLA_FFI_CallFrame",
    struct_size="i64",
    extension_start="pointer",
    api="pointer",
    ctx="pointer",
    stage="i32",
    args=BUFFERS,
    rets=BUFFERS,
    attrs=ATTRIBUTES,
)
