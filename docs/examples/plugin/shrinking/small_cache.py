"""`x86-64-small`, a machine outside of the package: AVX2 with a last-level cache of 1 MiB."""

from snippets_mlir.extend import variant

TARGETS = [variant("x86-64-avx2", "x86-64-small", cache=1 << 20)]
