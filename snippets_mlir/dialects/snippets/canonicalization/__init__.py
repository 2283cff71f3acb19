"""Canonicalization patterns of `snippets`; the ops import them on demand."""
