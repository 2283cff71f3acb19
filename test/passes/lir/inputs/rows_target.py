"""A target whose rows go past the caches, and whose buffers live in outputs; ours do neither."""

from dataclasses import replace

from snippets_mlir.targets.machine import machine

TARGETS = [
    replace(machine("x86-64-avx2"), name="x86-64-rows", streams="rows", buffers_in_outputs=True)
]
