"""One onnxruntime arena for all sessions beside kernels.

A session keeps the memory of its largest run for its next run. In a program with twelve sessions
between its kernels, each would keep its memory, although only one of them runs at a time:

    arenas of their own         the sum of what the sessions take at their peaks
    one arena (`share_arena`)   the largest of them

Weights are outside of the arena, and are freed with their session. The arena belongs to the
process: it keeps the memory of the largest run of any program. Runs of several threads take its
lock in turn, only while they look for a piece of memory.

It allocates regions from the system, each larger than all before. Adjacent free pieces are merged,
but not across regions. So the first region has `FIRST` bytes, and the system provides only pages
that are written: in regions of 1, 2, 4, 8, 16 and 32 MiB, 16 + 16 free MiB may not hold 32.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from snippets_mlir.codegen.locks import once

FIRST = 32 << 20
"""Bytes of the first region; onnxruntime keeps 8 bytes for each 256 of them."""


@once
def _register() -> None:
    """Make onnxruntime's arena, unless another package has registered one, which is used
    instead.
    """
    ort: Any = import_module("onnxruntime")  # it has no type information
    with suppress(Exception):
        info = ort.OrtMemoryInfo(
            "Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT
        )
        config = ort.OrtArenaCfg({"initial_chunk_size_bytes": FIRST})
        ort.create_and_register_allocator(info, config)


def share_arena(options: Any) -> None:
    """Let the session of `SessionOptions` take its memory from the arena of the process."""
    _register()
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.add_session_config_entry("session.use_device_allocator_for_initializers", "1")
