"""One arena of onnxruntime for all sessions beside kernels.

A session keeps what its largest run has taken, for its next run. Of a program with twelve sessions
between its kernels each would keep that, though only one of them runs at a time:

    arenas of their own         the sum of what the sessions take at their peaks
    one arena (`share_arena`)   the largest of them

Weights are outside of it, and are freed with their session. The arena belongs to the process: it
keeps what the largest run of any program has taken. Runs of several threads take turns in its lock
for as long as it takes to find a piece of memory.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any

from snippets_mlir.codegen.locks import once


@once
def _register() -> None:
    """Have onnxruntime make the arena, unless somebody has registered one, which serves as well."""
    ort: Any = import_module("onnxruntime")  # it has no type information
    with suppress(Exception):
        info = ort.OrtMemoryInfo(
            "Cpu", ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, ort.OrtMemType.DEFAULT
        )
        ort.create_and_register_allocator(info, None)


def share_arena(options: Any) -> None:
    """Let the session of `SessionOptions` take its memory from the arena of the process."""
    _register()
    options.add_session_config_entry("session.use_env_allocators", "1")
    options.add_session_config_entry("session.use_device_allocator_for_initializers", "1")
